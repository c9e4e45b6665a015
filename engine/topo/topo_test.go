package topo_test

import (
	"fmt"
	"strings"
	"testing"

	"wakelab/engine/topo"
)

// epyc is a 2 x EPYC 9654 as Linux numbers it.
var epyc = topo.Shape{Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 3, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1}

func build(t *testing.T, s topo.Shape) *topo.Topology {
	t.Helper()
	m, err := s.Build()
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return m
}

func TestDistance(t *testing.T) {
	m := build(t, epyc)
	for _, c := range []struct {
		a, b topo.CPUID
		want topo.Distance
	}{
		{0, 0, topo.Self},
		{0, 192, topo.SMT},
		{0, 1, topo.LLC},
		{0, 199, topo.LLC},
		{0, 8, topo.Die},
		{0, 23, topo.Die},
		{0, 24, topo.Socket},
		{0, 95, topo.Socket},
		{0, 96, topo.Remote},
		{0, 383, topo.Remote},
	} {
		if got := m.Distance(c.a, c.b); got != c.want {
			t.Errorf("%d to %d: %s, want %s", c.a, c.b, got, c.want)
		}
		if back := m.Distance(c.b, c.a); back != c.want {
			t.Errorf("%d to %d: %s, want %s", c.b, c.a, back, c.want)
		}
	}
}

func TestNumbering(t *testing.T) {
	s := topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 1}
	for _, c := range []struct {
		n       topo.Numbering
		sockets string
		cores   string
	}{
		{topo.Block, "[[0 1 4 5] [2 3 6 7]]", "[[0 4] [1 5] [2 6] [3 7]]"},
		{topo.Adjacent, "[[0 1 2 3] [4 5 6 7]]", "[[0 1] [2 3] [4 5] [6 7]]"},
		{topo.Alternate, "[[0 2 4 6] [1 3 5 7]]", "[[0 4] [1 5] [2 6] [3 7]]"},
	} {
		s.Numbering = c.n
		m := build(t, s)
		if got := fmt.Sprint(m.Sockets); got != c.sockets {
			t.Errorf("numbering %d: sockets %s, want %s", c.n, got, c.sockets)
		}
		if got := fmt.Sprint(m.Cores); got != c.cores {
			t.Errorf("numbering %d: cores %s, want %s", c.n, got, c.cores)
		}
	}
}

// TestShapes checks every small shape: groups have the sizes asked for, each
// CPU is in one group of a kind, and ids agree with groups.
func TestShapes(t *testing.T) {
	sizes := []int64{1, 2, 3}
	for _, sockets := range sizes {
		for _, dies := range sizes {
			for _, llcs := range sizes {
				for _, cores := range sizes {
					for _, threads := range sizes {
						for n := range topo.NumNumberings {
							s := topo.Shape{Sockets: sockets, DiesPerSocket: dies, LLCsPerDie: llcs, CoresPerLLC: cores,
								ThreadsPerCore: threads, NodesPerSocket: 1, Numbering: n}
							checkShape(t, s)
						}
					}
				}
			}
		}
	}
}

func checkShape(t *testing.T, s topo.Shape) {
	t.Helper()
	m := build(t, s)
	perLLC := s.CoresPerLLC * s.ThreadsPerCore
	for _, g := range []struct {
		name string
		sets [][]topo.CPUID
		size int64
		id   func(topo.Place) int32
	}{
		{"core", m.Cores, s.ThreadsPerCore, func(p topo.Place) int32 { return p.Core }},
		{"LLC", m.LLCs, perLLC, func(p topo.Place) int32 { return p.LLC }},
		{"die", m.Dies, perLLC * s.LLCsPerDie, func(p topo.Place) int32 { return p.Die }},
		{"socket", m.Sockets, perLLC * s.LLCsPerDie * s.DiesPerSocket, func(p topo.Place) int32 { return p.Socket }},
	} {
		seen := 0
		for i, set := range g.sets {
			if int64(len(set)) != g.size {
				t.Fatalf("%+v: %s %d has %d CPUs, want %d", s, g.name, i, len(set), g.size)
			}
			for _, c := range set {
				if g.id(m.CPUs[c]) != int32(i) {
					t.Fatalf("%+v: CPU %d stands in %s %d but its place says %d", s, c, g.name, i, g.id(m.CPUs[c]))
				}
				seen++
			}
		}
		if seen != m.N() {
			t.Fatalf("%+v: %d CPUs in all %ss, want %d", s, seen, g.name, m.N())
		}
	}
}

func TestShapeErrors(t *testing.T) {
	ok := epyc
	for _, c := range []struct {
		change func(*topo.Shape)
		want   string
	}{
		{func(s *topo.Shape) { s.Sockets = 0 }, "sockets: 0: allowed are 1 to 1024"},
		{func(s *topo.Shape) { s.CoresPerLLC = 1 << 40 }, "cores_per_llc: 1099511627776"},
		{func(s *topo.Shape) { s.LLCsPerDie, s.CoresPerLLC = 1000, 1000 }, "above the limit of 1024 CPUs"},
		{func(s *topo.Shape) { s.NodesPerSocket = 7 }, "nodes_per_socket: 7 does not divide the 96 cores"},
		{func(s *topo.Shape) { s.ThreadsPerCore, s.DiesPerSocket = 9, 1 }, "core 0 has 9 threads: at most 8"},
		{func(s *topo.Shape) { *s = topo.Shape{17, 1, 1, 1, 1, 1, 0} }, "17 sockets: at most 16"},
	} {
		s := ok
		c.change(&s)
		if _, err := s.Build(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", s, err, c.want)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		cpus []topo.Place
		want string
	}{
		{"none", nil, "0 CPUs: allowed are 1 to 1024"},
		{"gap", []topo.Place{{}, {Core: 2}}, "CPU 1: core id 2 is not dense"},
		{"negative", []topo.Place{{Node: -1}}, "CPU 0: node id -1 is not dense"},
		{"core across LLCs", []topo.Place{{}, {LLC: 1}}, "core 0 is in more than one LLC"},
		{"LLC across dies", []topo.Place{{}, {Core: 1, Die: 1}}, "LLC 0 is in more than one die"},
		{"die across sockets", []topo.Place{{}, {Core: 1, LLC: 1, Socket: 1}}, "die 0 is in more than one socket"},
	} {
		if _, err := topo.Build(c.cpus); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func ExampleShape_Build() {
	m, _ := epyc.Build()
	fmt.Println(m.N(), "CPUs,", len(m.LLCs), "LLCs; CPU 0 and CPU 200:", m.Distance(0, 200))
	// Output: 384 CPUs, 24 LLCs; CPU 0 and CPU 200: die
}
