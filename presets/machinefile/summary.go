package machinefile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine/topo"
)

// summary is plain lscpu's output by field name.
type summary map[string]string

func (s summary) add(name, value string) {
	if name = strings.TrimSpace(name); s[name] == "" {
		s[name] = strings.TrimSpace(value)
	}
}

func (s summary) get(name string) string { return s[name] }

// count reads a positive number; missing is reported as 0.
func (s summary) count(name string) (int, error) {
	text, ok := s[name]
	if !ok || text == "-" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxNumber {
		return 0, fmt.Errorf("%s: %q: allowed are 1 to %d", name, text, maxNumber)
	}
	return n, nil
}

// machine makes CPUs from counts. The summary does not say which CPUs are
// siblings or share a cache: the usual numberings are assumed.
func (s summary) machine() (*Machine, error) {
	online, err := s.online()
	if err != nil {
		return nil, err
	}
	if len(online) > topo.MaxCPUs {
		return nil, tooMany(len(online))
	}
	var p problems
	get := func(name string) int {
		n, err := s.count(name)
		if err != nil {
			p.add("%w", err)
		}
		return n
	}
	threads, perSocket, sockets := get("Thread(s) per core"), get("Core(s) per socket"), get("Socket(s)")
	nodes, err := s.nodes()
	if err != nil {
		p.add("%w", err)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	f := &file{title: s.get("Model name")}
	f.note("A summary of lscpu does not list CPUs: siblings, sockets and caches follow the usual numbering; `lscpu -p` would say more.")
	if threads == 0 {
		threads = 1
		f.note("Threads per core are not given: one is taken.")
	}
	sockets = max(sockets, 1)
	if perSocket == 0 {
		perSocket = max(len(online)/(sockets*threads), 1)
		f.note("Cores per socket are not given: %d are taken.", perSocket)
	}
	cores, err := siblings(online, nodes, threads, perSocket*sockets)
	if err != nil {
		return nil, err
	}
	level, caches := s.lastCache()
	if caches == 0 || len(cores)%caches != 0 {
		caches = sockets
	}
	perCache := max(len(cores)/caches, 1)
	for i, core := range cores {
		for _, id := range core {
			c := newCPU(id)
			c.core, c.socket = int32(i), int32(min(i/perSocket, sockets-1))
			if n, ok := nodes[id]; ok {
				c.node = n
			}
			if level > 0 {
				c.cacheLevel, c.cache = level, int32(i/perCache)
			}
			f.cpus = append(f.cpus, c)
		}
	}
	return f.machine()
}

// online lists the CPUs.
func (s summary) online() ([]int32, error) {
	for _, name := range []string{"On-line CPU(s) list", "On-line CPU(s) mask"} {
		if text, ok := s[name]; ok {
			ids, err := ParseList(text)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			return ids, err
		}
	}
	n, err := s.count("CPU(s)")
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("this is no machine description: give the output of `lscpu -p`, `lscpu -e`, `lscpu -J` or `lscpu`, or an hwloc XML file")
	}
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(i)
	}
	return ids, nil
}

var nodeField = regexp.MustCompile(`^NUMA node(\d{1,7}) CPU\(s\)$`)

// nodes maps CPUs to NUMA nodes. Nodes without CPUs have an empty list.
func (s summary) nodes() (map[int32]int32, error) {
	nodes := map[int32]int32{}
	var p problems
	for name, text := range s {
		match := nodeField.FindStringSubmatch(name)
		if match == nil || text == "" || text == "-" {
			continue
		}
		node, _ := strconv.Atoi(match[1])
		ids, err := ParseList(text)
		if err != nil {
			p.add("%s: %w", name, err)
		}
		for _, id := range ids {
			nodes[id] = int32(node)
		}
	}
	return nodes, p.err()
}

// siblings groups CPUs into cores, in order of NUMA node and number. In a
// core of two, second threads come after all first ones of the node, unless
// a node is one run of numbers among several nodes; wider cores are numbered
// thread by thread, as POWER does.
func siblings(online []int32, nodes map[int32]int32, threads, cores int) ([][]int32, error) {
	n := len(online)
	if n == cores*threads {
		var all [][]int32
		byNode := slices.Clone(online)
		slices.SortStableFunc(byNode, func(a, b int32) int { return int(nodes[a]) - int(nodes[b]) })
		for len(byNode) > 0 {
			size := 1
			for size < len(byNode) && nodes[byNode[size]] == nodes[byNode[0]] {
				size++
			}
			group := byNode[:size]
			byNode = byNode[size:]
			if size%threads != 0 {
				return nil, fmt.Errorf("NUMA node %d has %d CPUs, not a multiple of %d threads per core: `lscpu -p` would tell its cores", nodes[group[0]], size, threads)
			}
			run := int(group[size-1]-group[0]) == size-1
			step, first := size/threads, 1 // second threads after first ones
			if threads > 2 || run && size < n {
				step, first = 1, threads
			}
			for i := range size / threads {
				core := make([]int32, threads)
				for t := range core {
					core[t] = group[i*first+t*step]
				}
				all = append(all, core)
			}
		}
		return all, nil
	}
	if threads == 2 && cores < n && n < 2*cores {
		// A hybrid processor: cores with two threads come first.
		var all [][]int32
		for i := 0; i < n; {
			width := 1
			if i < 2*(n-cores) {
				width = 2
			}
			all = append(all, online[i:i+width])
			i += width
		}
		return all, nil
	}
	return nil, fmt.Errorf("%d online CPUs do not make %d cores of %d threads: `lscpu -p` would tell the cores", n, cores, threads)
}

var instances = regexp.MustCompile(`\((\d{1,7}) instances?\)`)

// lastCache returns the highest cache's level and how many there are; 0 if
// the summary does not say.
func (s summary) lastCache() (level int32, count int) {
	for l := int32(5); l > 0; l-- {
		for _, name := range []string{fmt.Sprintf("L%d cache", l), fmt.Sprintf("L%dd cache", l)} {
			if text, ok := s[name]; ok {
				if m := instances.FindStringSubmatch(text); m != nil {
					count, _ = strconv.Atoi(m[1])
				}
				return l, count
			}
		}
	}
	return 0, 0
}
