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
)

// line is a line's coherence state. Ownership moves when an access is
// requested, and requests are served in the order in which they are made.
type line struct {
	busyUntil simtime.Time // until then the line serves an earlier transfer
	owner     int32        // core that wrote it last; -1 memory
	extra     int32        // permille of a transfer added because several lines move together
	home      int32        // socket that holds its memory
	exclusive int32        // 1: nobody but the owner holds it
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
	words      int // of a sharer set

	paths   [2][]path // by the LLCs of the asking and the owning core; [1]: the line's home is another socket than the asking core's
	core    []int32   // of a CPU
	llc     []int32   // of a core
	lines   []line
	use     []lineUse
	sharers []uint64 // words per line: cores holding it; the owner is one of them
	names   []lineName
	socket  []int32 // of a core
	watch   watch
}

// path is what a transfer between two cores of given LLCs takes.
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
	for _, cpus := range t.Cores {
		m.socket = append(m.socket, t.CPUs[cpus[0]].Socket)
		m.llc = append(m.llc, t.CPUs[cpus[0]].LLC)
	}
	for _, a := range t.LLCs {
		for _, b := range t.LLCs {
			d := topo.LLC
			if a[0] != b[0] {
				d = t.Distance(a[0], b[0])
			}
			p := path{m.latency[d], m.spread}
			m.paths[0] = append(m.paths[0], p)
			if d == topo.Die || d == topo.Socket {
				p = path{m.remoteHome, 0}
			}
			m.paths[1] = append(m.paths[1], p)
		}
	}
	m.NewLine("none", 0, 0)
	return m
}

// NewLine adds a line homed on the socket of CPU near. format names it, with
// at most one %d for index ("rq[%d].lock", "nohz").
func (m *Mem) NewLine(format string, index int32, near topo.CPUID) LineID {
	m.lines = append(m.lines, line{owner: -1, home: m.Topo.CPUs[near].Socket})
	m.use = append(m.use, lineUse{})
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
	l := &m.lines[id]
	core := m.core[c]
	if l.exclusive != 0 && l.owner == core {
		switch op {
		case Load:
			return m.hit
		case RMW:
			return m.locked
		}
		return 0
	}
	first := int(id) * m.words // of the line's sharer set
	word, bit := &m.sharers[first+int(core>>6)], uint64(1)<<(core&63)
	mine := *word&bit != 0
	if op == Load {
		if mine {
			return m.hit
		}
		lat := m.fetch(core, l)
		*word |= bit
		l.exclusive = 0
		d := m.transfer(now, id, lat, m.occRead)
		m.waited(c, id, d)
		return d
	}
	set := m.sharers[first : first+m.words]
	var lat simtime.Duration
	if mine {
		lat = m.invalidate(core, set) * simtime.Duration(m.upgrade) / 1000
	} else {
		lat = m.fetch(core, l)
	}
	for i, w := range set { // few words, mostly zero: cheaper than clear
		if w != 0 {
			set[i] = 0
		}
	}
	*word = bit
	l.owner = core
	l.exclusive = 1
	d := m.transfer(now, id, lat, m.occWrite)
	if op == Store {
		return 0
	}
	m.waited(c, id, d)
	return d + m.locked
}

// Held reports whether CPU c's core holds the line exclusively, so that an
// access would cost no transfer.
func (m *Mem) Held(c topo.CPUID, id LineID) bool {
	l := &m.lines[id]
	return l.exclusive != 0 && l.owner == m.core[c]
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
		if m.socket[core] == l.home {
			return m.latency[topo.Socket]
		}
		return m.remoteHome
	}
	home := 0
	if m.socket[core] != l.home {
		home = 1
	}
	return m.between(core, l.owner, home)
}

// between is the latency of a transfer between two different cores; home
// chooses among paths.
func (m *Mem) between(a, b int32, home int) simtime.Duration {
	p := &m.paths[home][int(m.llc[a])*len(m.Topo.LLCs)+int(m.llc[b])]
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
				far = max(far, m.between(core, other, 0))
			}
		}
	}
	return far
}

// transfer books a transfer of latency lat behind those already under way.
func (m *Mem) transfer(now simtime.Time, id LineID, lat simtime.Duration, occupancy int64) simtime.Duration {
	l, u := &m.lines[id], &m.use[id]
	lat += lat * simtime.Duration(l.extra) / 1000
	start := max(now, l.busyUntil)
	busy := lat * simtime.Duration(occupancy) / 1000
	l.busyUntil = start.Add(busy)
	u.busy += busy
	u.transfers++
	u.queue += start.Sub(now)
	return start.Sub(now) + lat
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
	l, u := &m.lines[id], &m.use[id]
	s := LineStat{Name: m.Name(id), Owner: -1, Transfers: u.transfers, Wait: u.wait, Queue: u.queue, Busy: u.busy}
	if l.owner >= 0 {
		s.Owner = m.Topo.Cores[l.owner][0]
	}
	for _, w := range m.sharers[int(id)*m.words : (int(id)+1)*m.words] {
		s.Sharers += bits.OnesCount64(w)
	}
	return s
}

// Wait returns how long all CPUs together have waited for lines.
func (m *Mem) Wait() simtime.Duration {
	var sum simtime.Duration
	for i := range m.lines {
		sum += m.use[i].wait
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
		set := m.sharers[id*m.words : (id+1)*m.words]
		if l.owner >= 0 && set[l.owner>>6]&(1<<(l.owner&63)) == 0 {
			return fmt.Errorf("line %s: owner core %d does not hold it", m.Name(LineID(id)), l.owner)
		}
		n := 0
		for _, w := range set {
			n += bits.OnesCount64(w)
		}
		if l.exclusive != 0 && n != 1 {
			return fmt.Errorf("line %s: exclusive, but %d cores hold it", m.Name(LineID(id)), n)
		}
	}
	return nil
}

// Regions is the model's state as bytes, for saving and hashing.
func (m *Mem) Regions() [][]byte {
	return [][]byte{
		unsafe.Slice((*byte)(unsafe.Pointer(&m.lines[0])), len(m.lines)*int(unsafe.Sizeof(m.lines[0]))),
		unsafe.Slice((*byte)(unsafe.Pointer(&m.use[0])), len(m.use)*int(unsafe.Sizeof(m.use[0]))),
		unsafe.Slice((*byte)(unsafe.Pointer(&m.sharers[0])), len(m.sharers)*8),
	}
}

// ForgetStatistics zeroes what lines have cost so far.
func (m *Mem) ForgetStatistics() { clear(m.use) }
