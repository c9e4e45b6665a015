package machinefile

import (
	"fmt"
	"slices"
	"strings"

	"wakelab/engine/topo"
)

// unknown is an id that the file does not give.
const unknown = -1

// cpu is what a file says about one CPU. Ids are the file's own: any number,
// possibly the same in different sockets.
type cpu struct {
	id                      int32
	socket, node, die, core int32
	cacheLevel, cache       int32 // the highest cache; level 0 unknown
	offline                 bool
}

func newCPU(id int32) cpu {
	return cpu{id: id, socket: unknown, node: unknown, die: unknown, core: unknown, cache: unknown}
}

// file is what a reader found.
type file struct {
	title string
	cpus  []cpu
	notes []string
	// fewNodes says that the file cannot know NUMA nodes: one node may stand
	// for several.
	fewNodes bool
}

func (f *file) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// known reports whether the file gives the id for any CPU.
func (f *file) known(id func(*cpu) int32) bool {
	return slices.ContainsFunc(f.cpus, func(c cpu) bool { return id(&c) != unknown })
}

func (f *file) set(id func(*cpu) *int32, from func(*cpu) int32) {
	for i := range f.cpus {
		*id(&f.cpus[i]) = from(&f.cpus[i])
	}
}

// title is a processor's name without the spaces that some firmware pads it
// with, cut where no name is that long.
func title(name string) string {
	runes := []rune(strings.Join(strings.Fields(name), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), maxTitle)]))
}

// machine turns the file's CPUs into places. Each level's key contains that
// of the level above, so that groups nest whatever ids the file uses.
func (f *file) machine() (*Machine, error) {
	if err := f.keepOnline(); err != nil {
		return nil, err
	}
	f.infer()
	f.inferDies()
	type key [4]int32
	var sockets, nodes, dies, llcs, cores ids[key]
	m := &Machine{Title: title(f.title)}
	threads := map[int32]int32{}
	for i := range f.cpus {
		c := &f.cpus[i]
		p := topo.Place{Socket: sockets.of(key{c.socket}), Node: nodes.of(key{c.node})}
		p.Die = dies.of(key{p.Socket, c.die})
		p.LLC = llcs.of(key{p.Die, c.cacheLevel, c.cache})
		p.Core = cores.of(key{p.LLC, c.core})
		p.Thread = threads[p.Core]
		threads[p.Core]++
		m.Places = append(m.Places, p)
		m.CPUs = append(m.CPUs, c.id)
	}
	m.Notes = f.notes
	if _, err := topo.Build(m.Places); err != nil {
		return nil, fmt.Errorf("the machine is more than this model takes: %w", err)
	}
	return m, nil
}

// ids numbers keys in order of first appearance.
type ids[K comparable] struct{ m map[K]int32 }

func (n *ids[K]) of(k K) int32 {
	if n.m == nil {
		n.m = map[K]int32{}
	}
	id, ok := n.m[k]
	if !ok {
		id = int32(len(n.m))
		n.m[k] = id
	}
	return id
}

// keepOnline drops offline CPUs, sorts the others and checks their numbers.
func (f *file) keepOnline() error {
	slices.SortStableFunc(f.cpus, func(a, b cpu) int { return int(a.id) - int(b.id) })
	var offline []int32
	f.cpus = slices.DeleteFunc(f.cpus, func(c cpu) bool {
		if c.offline {
			offline = append(offline, c.id)
		}
		return c.offline
	})
	if len(offline) > 0 {
		f.note("Offline CPUs are left out: %s.", list(offline))
	}
	if n := len(f.cpus); n < 1 || n > topo.MaxCPUs {
		return fmt.Errorf("the file has %d online CPUs: allowed are 1 to %d", n, topo.MaxCPUs)
	}
	var p problems
	for i := range f.cpus[1:] {
		if f.cpus[i].id == f.cpus[i+1].id {
			p.add("CPU %d is there twice", f.cpus[i].id)
		}
	}
	for i, c := range f.cpus {
		if c.id != int32(i) {
			f.note("CPU numbers are made dense: CPU %d of the file is CPU %d here, and so on.", c.id, i)
			break
		}
	}
	return p.err()
}

// infer fills in what the file does not say about sockets, nodes, caches and
// cores.
func (f *file) infer() {
	node := func(c *cpu) int32 { return c.node }
	socket := func(c *cpu) int32 { return c.socket }
	if !f.known(socket) {
		if f.known(node) {
			f.note("The file names no sockets: each NUMA node is taken as one.")
		} else {
			f.note("The file names no sockets: the machine is taken as one.")
		}
		f.set(func(c *cpu) *int32 { return &c.socket }, node)
	}
	switch sockets, nodes := f.count(socket), f.count(node); {
	case !f.known(node):
		f.note("The file names no NUMA nodes: each socket is taken as one.")
		f.set(func(c *cpu) *int32 { return &c.node }, socket)
	case f.fewNodes && nodes == 1 && sockets > 1:
		f.note("The file was made without NUMA information: each socket is taken as a node.")
		f.set(func(c *cpu) *int32 { return &c.node }, socket)
	}
	top := int32(0)
	for _, c := range f.cpus {
		top = max(top, c.cacheLevel)
	}
	switch {
	case top == 0:
		f.note("The file names no caches: each socket is taken to share a last-level cache.")
	case top < 3:
		f.note("The machine has no L3: the L%d is taken as the last-level cache.", top)
	case slices.ContainsFunc(f.cpus, func(c cpu) bool { return c.cacheLevel < top }):
		f.note("Not all CPUs have an L%d: the others use their own highest cache as last-level cache.", top)
	}
	if !f.known(func(c *cpu) int32 { return c.core }) {
		f.note("The file names no cores: each CPU is taken as one.")
	}
	f.set(func(c *cpu) *int32 { return &c.core }, func(c *cpu) int32 {
		if c.core == unknown {
			return -2 - c.id // a core of its own
		}
		return c.core
	})
}

// count is the number of different ids.
func (f *file) count(id func(*cpu) int32) int {
	var n ids[int32]
	for i := range f.cpus {
		n.of(id(&f.cpus[i]))
	}
	return len(n.m)
}

// inferDies takes NUMA nodes as dies when they lie between socket and
// last-level cache, as on EPYC with several nodes a socket; otherwise a socket
// is one die.
func (f *file) inferDies() {
	if f.known(func(c *cpu) int32 { return c.die }) {
		return
	}
	socketOf, nodeOf := map[int32]int32{}, map[[3]int32]int32{}
	nested := true
	for _, c := range f.cpus {
		llc := [3]int32{c.socket, c.cacheLevel, c.cache}
		s, ok := socketOf[c.node]
		nested = nested && (!ok || s == c.socket)
		n, ok := nodeOf[llc]
		nested = nested && (!ok || n == c.node)
		socketOf[c.node], nodeOf[llc] = c.socket, c.node
	}
	if !nested || f.count(func(c *cpu) int32 { return c.node }) == f.count(func(c *cpu) int32 { return c.socket }) {
		f.note("The file names no dies: each socket is taken as one.")
		f.set(func(c *cpu) *int32 { return &c.die }, func(*cpu) int32 { return 0 })
		return
	}
	f.note("The file names no dies: each NUMA node is taken as one.")
	f.set(func(c *cpu) *int32 { return &c.die }, func(c *cpu) int32 { return c.node })
}
