package hw

import (
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// watch is who waited for lines since it began: for pictures, no part of the
// state. A wait counts in full when the access is made.
type watch struct {
	cpus []simtime.Duration // by CPU
	llcs []simtime.Duration // by line and L3 group
}

// Watch starts counting who waits for lines, from zero, or stops it.
func (m *Mem) Watch(on bool) {
	m.watch = watch{}
	if on {
		m.watch = watch{make([]simtime.Duration, len(m.core)), make([]simtime.Duration, len(m.lines)*len(m.Topo.LLCs))}
	}
}

// ForgetWatched sets what Watch counts to zero.
func (m *Mem) ForgetWatched() {
	clear(m.watch.cpus)
	clear(m.watch.llcs)
}

// WaitOf returns how long CPU c has waited for lines since Watch; 0 unless it
// is on.
func (m *Mem) WaitOf(c topo.CPUID) simtime.Duration {
	if m.watch.cpus == nil {
		return 0
	}
	return m.watch.cpus[c]
}

// WaitByLLC returns how long the CPUs of each L3 group have waited for line id
// since Watch; nil unless it is on. Do not change it.
func (m *Mem) WaitByLLC(id LineID) []simtime.Duration {
	if m.watch.llcs == nil {
		return nil
	}
	n := len(m.Topo.LLCs)
	return m.watch.llcs[int(id)*n : (int(id)+1)*n]
}

// waited books that CPU c waits d for line id.
func (m *Mem) waited(c topo.CPUID, id LineID, d simtime.Duration) {
	m.lines[id].use.wait += d
	if m.watch.cpus != nil {
		m.watch.cpus[c] += d
		m.watch.llcs[int(id)*len(m.Topo.LLCs)+int(m.places[m.core[c]].llc)] += d
	}
}
