// Package topo is the shape of a machine: which hardware threads share a
// core, an L3, a die, a NUMA node and a socket, and how far apart two are.
package topo

import "fmt"

// CPUID is a logical CPU as Linux numbers it, from 0.
type CPUID = int32

// Limits of a machine.
const (
	MaxCPUs    = 1024
	MaxSMT     = 8
	MaxSockets = 16
)

// Place is where one logical CPU sits. All ids are machine-wide and dense,
// in order of first appearance by CPU number.
type Place struct {
	Socket, Node, Die, LLC, Core, Thread int32
}

// Distance classes two CPUs.
type Distance uint8

// Distances, nearest first.
const (
	Self   Distance = iota // the same hardware thread
	SMT                    // another hardware thread of the core
	LLC                    // the same last-level cache
	Die                    // the same die or I/O-die quadrant, another LLC
	Socket                 // the same socket, another die
	Remote                 // another socket
	NumDistances
)

var distanceNames = [NumDistances]string{"self", "smt", "llc", "die", "socket", "remote"}

// String returns the class's name.
func (d Distance) String() string { return distanceNames[d] }

// Topology is a built machine shape. It is immutable after Build.
type Topology struct {
	CPUs    []Place
	Cores   [][]CPUID
	LLCs    [][]CPUID
	Dies    [][]CPUID
	Nodes   [][]CPUID
	Sockets [][]CPUID

	coreOf   []int32
	distance []Distance // by core pair; the same core is SMT
}

// Build makes a topology from each CPU's place. Ids must be dense and a core
// must lie within one LLC, an LLC within one die, a die within one socket.
func Build(cpus []Place) (*Topology, error) {
	if len(cpus) < 1 || len(cpus) > MaxCPUs {
		return nil, fmt.Errorf("%d CPUs: allowed are 1 to %d", len(cpus), MaxCPUs)
	}
	t := &Topology{CPUs: cpus, coreOf: make([]int32, len(cpus))}
	groups := []struct {
		name string
		dst  *[][]CPUID
		id   func(Place) int32
	}{
		{"core", &t.Cores, func(p Place) int32 { return p.Core }},
		{"LLC", &t.LLCs, func(p Place) int32 { return p.LLC }},
		{"die", &t.Dies, func(p Place) int32 { return p.Die }},
		{"node", &t.Nodes, func(p Place) int32 { return p.Node }},
		{"socket", &t.Sockets, func(p Place) int32 { return p.Socket }},
	}
	for _, g := range groups {
		for c, p := range cpus {
			id := g.id(p)
			if id < 0 || int(id) > len(*g.dst) {
				return nil, fmt.Errorf("CPU %d: %s id %d is not dense", c, g.name, id)
			}
			if int(id) == len(*g.dst) {
				*g.dst = append(*g.dst, nil)
			}
			(*g.dst)[id] = append((*g.dst)[id], CPUID(c))
		}
	}
	nest := []struct {
		inner, outer string
		sets         [][]CPUID
		id           func(Place) int32
	}{
		{"core", "LLC", t.Cores, func(p Place) int32 { return p.LLC }},
		{"LLC", "die", t.LLCs, func(p Place) int32 { return p.Die }},
		{"die", "socket", t.Dies, func(p Place) int32 { return p.Socket }},
	}
	for _, n := range nest {
		for i, set := range n.sets {
			for _, c := range set {
				if n.id(cpus[c]) != n.id(cpus[set[0]]) {
					return nil, fmt.Errorf("%s %d is in more than one %s", n.inner, i, n.outer)
				}
			}
		}
	}
	for i, set := range t.Cores {
		if len(set) > MaxSMT {
			return nil, fmt.Errorf("core %d has %d threads: at most %d", i, len(set), MaxSMT)
		}
	}
	if len(t.Sockets) > MaxSockets {
		return nil, fmt.Errorf("%d sockets: at most %d", len(t.Sockets), MaxSockets)
	}
	for c, p := range cpus {
		t.coreOf[c] = p.Core
	}
	n := len(t.Cores)
	t.distance = make([]Distance, n*n)
	for a := range t.Cores {
		for b := range t.Cores {
			t.distance[a*n+b] = classify(cpus[t.Cores[a][0]], cpus[t.Cores[b][0]])
		}
	}
	return t, nil
}

func classify(a, b Place) Distance {
	switch {
	case a.Core == b.Core:
		return SMT
	case a.LLC == b.LLC:
		return LLC
	case a.Die == b.Die:
		return Die
	case a.Socket == b.Socket:
		return Socket
	}
	return Remote
}

// Distance returns how far b is from a.
func (t *Topology) Distance(a, b CPUID) Distance {
	if a == b {
		return Self
	}
	return t.CoreDistance(t.coreOf[a], t.coreOf[b])
}

// CoreDistance returns how far core b is from core a; SMT for the same core.
func (t *Topology) CoreDistance(a, b int32) Distance {
	return t.distance[int(a)*len(t.Cores)+int(b)]
}

// CoreOf returns the core of CPU c.
func (t *Topology) CoreOf(c CPUID) int32 { return t.coreOf[c] }

// N returns the number of logical CPUs.
func (t *Topology) N() int { return len(t.CPUs) }
