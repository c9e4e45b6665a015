package topo

import "fmt"

// Numbering is how firmware numbers logical CPUs.
type Numbering int64

// Numberings.
const (
	// Block numbers first threads of all cores socket by socket, then second
	// threads in the same order (EPYC, recent Xeons).
	Block Numbering = iota
	// Adjacent numbers the threads of a core one after another (clients).
	Adjacent
	// Alternate gives even CPUs to socket 0 and odd ones to socket 1, first
	// threads before second ones (many Xeon boards).
	Alternate
	NumNumberings
)

// Shape describes a regular machine.
type Shape struct {
	Sockets        int64
	DiesPerSocket  int64 // I/O-die quadrants on EPYC; 1 where there is no difference
	LLCsPerDie     int64
	CoresPerLLC    int64
	ThreadsPerCore int64
	NodesPerSocket int64
	Numbering      Numbering
}

// CPUs returns how many logical CPUs a machine of that shape has.
func (s Shape) CPUs() int64 {
	return s.Sockets * s.DiesPerSocket * s.LLCsPerDie * s.CoresPerLLC * s.ThreadsPerCore
}

// Build makes the topology; the error names the fields that cannot be.
func (s Shape) Build() (*Topology, error) {
	for _, f := range []struct {
		name string
		v    int64
	}{
		{"sockets", s.Sockets}, {"dies_per_socket", s.DiesPerSocket}, {"llcs_per_die", s.LLCsPerDie},
		{"cores_per_llc", s.CoresPerLLC}, {"threads_per_core", s.ThreadsPerCore}, {"nodes_per_socket", s.NodesPerSocket},
	} {
		if f.v < 1 || f.v > MaxCPUs {
			return nil, fmt.Errorf("%s: %d: allowed are 1 to %d", f.name, f.v, MaxCPUs)
		}
	}
	coresPerSocket := s.DiesPerSocket * s.LLCsPerDie * s.CoresPerLLC
	if coresPerSocket > MaxCPUs || s.Sockets*coresPerSocket*s.ThreadsPerCore > MaxCPUs {
		return nil, fmt.Errorf("sockets x dies x LLCs x cores x threads is above the limit of %d CPUs", MaxCPUs)
	}
	if coresPerSocket%s.NodesPerSocket != 0 {
		return nil, fmt.Errorf("nodes_per_socket: %d does not divide the %d cores of a socket", s.NodesPerSocket, coresPerSocket)
	}
	cores := s.Sockets * coresPerSocket
	cpus := make([]Place, cores*s.ThreadsPerCore)
	for cpu := range cpus {
		core, thread := s.coreThread(int64(cpu), cores)
		socket, inSocket := core/coresPerSocket, core%coresPerSocket
		cpus[cpu] = Place{
			Socket: int32(socket),
			Node:   int32(core / (coresPerSocket / s.NodesPerSocket)),
			Die:    int32(socket*s.DiesPerSocket + inSocket/(s.LLCsPerDie*s.CoresPerLLC)),
			LLC:    int32(core / s.CoresPerLLC),
			Core:   int32(core),
			Thread: int32(thread),
		}
	}
	return Build(dense(cpus))
}

// coreThread returns the core, counted socket by socket, and the thread of a
// CPU number.
func (s Shape) coreThread(cpu, cores int64) (core, thread int64) {
	switch s.Numbering {
	case Adjacent:
		return cpu / s.ThreadsPerCore, cpu % s.ThreadsPerCore
	case Alternate:
		i := cpu % cores
		return i%s.Sockets*(cores/s.Sockets) + i/s.Sockets, cpu / cores
	}
	return cpu % cores, cpu / cores
}

// dense renumbers ids in order of first appearance by CPU number.
func dense(cpus []Place) []Place {
	renumber := func(get func(*Place) *int32) {
		seen := map[int32]int32{}
		for i := range cpus {
			id := get(&cpus[i])
			n, ok := seen[*id]
			if !ok {
				n = int32(len(seen))
				seen[*id] = n
			}
			*id = n
		}
	}
	renumber(func(p *Place) *int32 { return &p.Socket })
	renumber(func(p *Place) *int32 { return &p.Node })
	renumber(func(p *Place) *int32 { return &p.Die })
	renumber(func(p *Place) *int32 { return &p.LLC })
	renumber(func(p *Place) *int32 { return &p.Core })
	return cpus
}
