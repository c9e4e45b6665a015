package hw

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// LineID names a cache line of the model; 0 is no line.
type LineID int32

// Op is a kind of access.
type Op uint8

// Accesses.
const (
	Load  Op = iota // wants the line shared
	Store           // wants it exclusive; the store buffer hides the latency from the CPU
	RMW             // wants it exclusive and waits for it: atomics, lock words
	numOps
)

// line is a line's coherence state and what it has cost so far, 64 bytes: in
// a large model most accesses miss the cache of the machine that runs it, and
// miss it once. Ownership moves when an access is requested, and requests are
// served in the order in which they are made.
type line struct {
	busyUntil simtime.Time // until then the line serves an earlier transfer
	owner     int32        // core that wrote it last; -1 memory
	alone     int32        // core that alone holds it; -1: its sharers say who does
	extra     int32        // permille of a transfer added because several lines move together
	home      int32        // socket that holds its memory
	use       lineUse
	_         int64
}

// lineUse is what a line has cost so far.
type lineUse struct {
	wait      simtime.Duration // summed over CPUs that waited for it
	queue     simtime.Duration // of it, behind earlier transfers
	busy      simtime.Duration // the line's own transfer time
	transfers int64
}

// Mem is the coherence model of all lines.
type Mem struct {
	Topo *topo.Topology

	latency    [topo.NumDistances]simtime.Duration
	remoteHome simtime.Duration
	spread     int64 // ps, between pairs of cores of one class
	hit        simtime.Duration
	locked     simtime.Duration
	upgrade    int64
	occWrite   int64
	occRead    int64
	bundle     int64
	held       [numOps]simtime.Duration // an access of the core that alone holds the line
	words      int                      // of a sharer set

	paths   [2][topo.NumDistances]path // [1]: the line's home is another socket than the asking core's
	classes []topo.Distance            // of two cores, by their LLCs: LLC or farther
	core    []int32                    // of a CPU
	places  []place                    // of a core
	lines   []line
	sharers []uint64 // words per line: cores holding it, if none holds it alone; the owner is one of them
	names   []lineName
	watch   watch
}

// place is where a core sits.
type place struct{ llc, socket int32 }

// path is what a transfer between two different cores takes.
type path struct {
	latency simtime.Duration
	spread  int64 // ps, between the pairs of cores
}

type lineName struct {
	format string
	index  int32
}

// NewMem returns a model without lines.
func NewMem(t *topo.Topology, v []param.Value) *Mem {
	m := &Mem{
		Topo:       t,
		remoteHome: simtime.Duration(v[LineRemoteHome].N),
		spread:     v[LineSpread].N,
		hit:        simtime.Duration(v[LineHit].N),
		locked:     simtime.Duration(v[LockedOp].N),
		upgrade:    v[LineUpgrade].N,
		occWrite:   v[LineOccupancyWrite].N,
		occRead:    v[LineOccupancyRead].N,
		bundle:     v[LineBundle].N,
		words:      (len(t.Cores) + 63) / 64,
	}
	for _, l := range []struct {
		d topo.Distance
		p Param
	}{{topo.SMT, LineSMT}, {topo.LLC, LineLLC}, {topo.Die, LineDie}, {topo.Socket, LineSocket}, {topo.Remote, LineRemote}} {
		m.latency[l.d] = simtime.Duration(v[l.p].N)
	}
	for c := range t.CPUs {
		m.core = append(m.core, t.CoreOf(topo.CPUID(c)))
	}
	m.held = [numOps]simtime.Duration{Load: m.hit, RMW: m.locked}
	for _, cpus := range t.Cores {
		m.places = append(m.places, place{t.CPUs[cpus[0]].LLC, t.CPUs[cpus[0]].Socket})
	}
	for _, a := range t.LLCs {
		for _, b := range t.LLCs {
			m.classes = append(m.classes, max(topo.LLC, t.Distance(a[0], b[0])))
		}
	}
	for d, latency := range m.latency {
		m.paths[0][d] = path{latency, m.spread}
	}
	m.paths[1] = m.paths[0]
	m.paths[1][topo.Die], m.paths[1][topo.Socket] = path{m.remoteHome, 0}, path{m.remoteHome, 0}
	m.NewLine("none", 0, 0)
	return m
}

// NewLine adds a line homed on the socket of CPU near. format names it, with
// at most one %d for index ("rq[%d].lock", "nohz").
func (m *Mem) NewLine(format string, index int32, near topo.CPUID) LineID {
	m.lines = append(m.lines, line{owner: -1, alone: -1, home: m.Topo.CPUs[near].Socket})
	m.sharers = append(m.sharers, make([]uint64, m.words)...)
	m.names = append(m.names, lineName{format, index})
	return LineID(len(m.lines) - 1)
}

// NewBundle adds n lines that always move together, such as the parts of a
// struct that one function touches. The first costs a transfer, each further
// one the bundle's share of it, since their misses overlap.
func (m *Mem) NewBundle(format string, index int32, near topo.CPUID, n int64) LineID {
	id := m.NewLine(format, index, near)
	m.lines[id].extra = int32((n - 1) * m.bundle)
	return id
}

// Access moves line id to CPU c, as op asks, at instant now, and returns how
// long c waits for it.
func (m *Mem) Access(now simtime.Time, c topo.CPUID, id LineID, op Op) simtime.Duration {
	if m.lines[id].alone != m.core[c] { // not more than what can be inlined
		return m.move(now, c, id, op)
	}
	return m.held[op]
}

// move is Access for a core that does not hold the line alone.
func (m *Mem) move(now simtime.Time, c topo.CPUID, id LineID, op Op) simtime.Duration {
	l, core := &m.lines[id], m.core[c]
	var lat simtime.Duration
	if l.alone >= 0 {
		lat = m.fetch(core, l)
		if op == Load {
			set := m.sharersOf(id)
			for i := range set { // few words: cheaper than clear
				set[i] = 0
			}
			set[l.owner>>6] |= 1 << (l.owner & 63)
			set[core>>6] |= 1 << (core & 63)
		}
	} else {
		set := m.sharersOf(id)
		word, bit := &set[core>>6], uint64(1)<<(core&63)
		switch mine := *word&bit != 0; {
		case !mine:
			lat = m.fetch(core, l)
			*word |= bit
		case op == Load:
			return m.hit
		default:
			lat = m.invalidate(core, set) * simtime.Duration(m.upgrade) / 1000
		}
	}
	occupancy := m.occRead
	l.alone = -1
	if op != Load {
		occupancy = m.occWrite
		l.owner, l.alone = core, core
	}
	// The transfer comes behind those already under way.
	lat += lat * simtime.Duration(l.extra) / 1000
	queue := max(l.busyUntil.Sub(now), 0)
	busy := lat * simtime.Duration(occupancy) / 1000
	l.busyUntil = now.Add(queue + busy)
	l.use.busy += busy
	l.use.transfers++
	l.use.queue += queue
	if op == Store {
		return 0
	}
	d := queue + lat
	m.waited(c, id, d)
	if op == RMW {
		d += m.locked
	}
	return d
}

// sharersOf is the set of cores that hold line id, if none holds it alone.
func (m *Mem) sharersOf(id LineID) []uint64 {
	return m.sharers[int(id)*m.words : (int(id)+1)*m.words]
}

// Held reports whether CPU c's core holds the line exclusively, so that an
// access would cost no transfer.
func (m *Mem) Held(c topo.CPUID, id LineID) bool {
	return m.lines[id].alone == m.core[c]
}

// Local is the longest wait of an access that moves nothing.
func (m *Mem) Local() simtime.Duration { return max(m.hit, m.locked) }

// Latency returns the one-way transfer time between two CPUs for a line that
// is homed near one of them.
func (m *Mem) Latency(a, b topo.CPUID) simtime.Duration { return m.latency[m.Topo.Distance(a, b)] }

// fetch is the latency of bringing the line to core from its owner, or from
// its home's memory, which is charged as a transfer within the home socket.
func (m *Mem) fetch(core int32, l *line) simtime.Duration {
	if l.owner < 0 {
		if m.places[core].socket == l.home {
			return m.latency[topo.Socket]
		}
		return m.remoteHome
	}
	home := 0
	if m.places[core].socket != l.home {
		home = 1
	}
	return m.path(core, l.owner, home).between(core, l.owner)
}

// path is the path between two different cores; home chooses among paths.
func (m *Mem) path(a, b int32, home int) *path {
	return &m.paths[home][m.classes[int(m.places[a].llc)*len(m.Topo.LLCs)+int(m.places[b].llc)]]
}

// between is the latency of a transfer between cores a and b of this path.
func (p *path) between(a, b int32) simtime.Duration {
	if p.spread == 0 {
		return p.latency
	}
	return p.latency + offset(a, b, p.spread)
}

// offset is how much farther than its class a pair of cores is, at most
// spread. It is the machine's, not the run's: a fixed hash of the pair.
func offset(a, b int32, spread int64) simtime.Duration {
	h := uint64(min(a, b))<<32 | uint64(max(a, b))
	h = (h ^ h>>31) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return simtime.Duration(int64(h>>33)%(2*spread+1) - spread)
}

// invalidate is the latency of the farthest core that shares the line.
func (m *Mem) invalidate(core int32, set []uint64) simtime.Duration {
	far := m.latency[topo.SMT]
	for w, b := range set {
		for ; b != 0; b &= b - 1 {
			other := int32(w<<6 + bits.TrailingZeros64(b))
			if other != core {
				far = max(far, m.path(core, other, 0).between(core, other))
			}
		}
	}
	return far
}

// LineStat is a line's statistics.
type LineStat struct {
	Name              string
	Owner             topo.CPUID // first thread of the owning core; -1 memory
	Sharers           int
	Transfers         int64
	Wait, Queue, Busy simtime.Duration
}

// Stat returns the statistics of line id.
func (m *Mem) Stat(id LineID) LineStat {
	l := &m.lines[id]
	s := LineStat{Name: m.Name(id), Owner: -1, Transfers: l.use.transfers, Wait: l.use.wait, Queue: l.use.queue, Busy: l.use.busy}
	if l.owner >= 0 {
		s.Owner = m.Topo.Cores[l.owner][0]
	}
	if l.alone >= 0 {
		s.Sharers = 1
		return s
	}
	for _, w := range m.sharersOf(id) {
		s.Sharers += bits.OnesCount64(w)
	}
	return s
}

// Wait returns how long all CPUs together have waited for lines.
func (m *Mem) Wait() simtime.Duration {
	var sum simtime.Duration
	for i := range m.lines {
		sum += m.lines[i].use.wait
	}
	return sum
}

// Kind returns the format of the line's name, common to all lines of its kind.
func (m *Mem) Kind(id LineID) string { return m.names[id].format }

// Name returns the line's name.
func (m *Mem) Name(id LineID) string {
	n := m.names[id]
	if !strings.Contains(n.format, "%d") {
		return n.format
	}
	return fmt.Sprintf(n.format, n.index)
}

// NumLines returns the number of lines, line 0 included.
func (m *Mem) NumLines() int { return len(m.lines) }

// Check reports a line whose owner and sharers contradict each other.
func (m *Mem) Check() error {
	for id := range m.lines {
		l := &m.lines[id]
		if l.alone >= 0 && l.owner != l.alone {
			return fmt.Errorf("line %s: core %d holds it alone, but core %d wrote it last", m.Name(LineID(id)), l.alone, l.owner)
		}
		if l.alone < 0 && l.owner >= 0 && m.sharersOf(LineID(id))[l.owner>>6]&(1<<(l.owner&63)) == 0 {
			return fmt.Errorf("line %s: owner core %d does not hold it", m.Name(LineID(id)), l.owner)
		}
	}
	return nil
}

// Regions is the model's state as bytes, for saving and hashing.
func (m *Mem) Regions() [][]byte {
	return [][]byte{
		unsafe.Slice((*byte)(unsafe.Pointer(&m.lines[0])), len(m.lines)*int(unsafe.Sizeof(m.lines[0]))),
		unsafe.Slice((*byte)(unsafe.Pointer(&m.sharers[0])), len(m.sharers)*8),
	}
}

// ForgetStatistics zeroes what lines have cost so far.
func (m *Mem) ForgetStatistics() {
	for i := range m.lines {
		m.lines[i].use = lineUse{}
	}
}
