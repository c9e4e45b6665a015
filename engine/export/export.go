// Package export writes traces and results in the formats of the tools that
// kernel developers use: ftrace text, trace.dat for trace-cmd and
// KernelShark, Chrome JSON for Perfetto, CSV.
package export

import (
	"cmp"
	"fmt"
	"slices"

	"wakelab/engine/topo"
	"wakelab/engine/trace"
)

// Trace is a recorded trace and what its indices stand for.
type Trace struct {
	Ring  *trace.Ring
	Names trace.Names
	Topo  *topo.Topology
}

// hit is a record with its CPU mask, nil for all but ipi_send_cpumask.
type hit struct {
	trace.Record
	cpus []uint64
}

// hits returns the kept records in order of time, with functions nested by
// track. A ring is in the order in which records were made, and a function's
// entry is made at its exit.
func (t *Trace) hits(track func(*hit) int64) []hit {
	all := make([]hit, 0, t.Ring.Written-t.Ring.First())
	t.Ring.Each(0, func(r *trace.Record, cpus []uint64) {
		all = append(all, hit{*r, slices.Clone(cpus)})
	})
	slices.SortStableFunc(all, func(a, b hit) int { return cmp.Compare(a.AtPs, b.AtPs) })
	return nest(all, track)
}

// byTask follows a task's stack over switches and CPUs, as the kernel's
// function graph does.
func byTask(h *hit) int64 {
	if h.Task == trace.IdleTask {
		return -1 - int64(h.CPU)
	}
	return int64(h.Task)
}

// byCPU follows what a CPU is in, whatever task it runs.
func byCPU(h *hit) int64 { return int64(h.CPU) }

// calls is the stack of a track as it is known so far.
type calls struct {
	functions, entryPs []int64 // outermost first
	task               int32
	ended              int // index of the record that ended the latest span; -1: it lasts
}

// nest makes entries and exits of functions, with Args func, depth and
// calltime in ps, from the stacks that are recorded span by span. A function
// that is on two stacks one after the other goes on; one that is on the first
// of all began before the trace, and is shown from there. The innermost one
// ends before other records of its last instant, its callers after them.
func nest(all []hit, track func(*hit) int64) []hit {
	tracks := map[int64]*calls{}
	edges := make([][]hit, len(all)) // instead of each function record
	for i := range all {
		h := &all[i]
		c := tracks[track(h)]
		switch {
		case h.Kind == trace.FuncgraphEntry:
			if c == nil {
				c = &calls{task: h.Task, ended: -1}
				tracks[track(h)] = c
			}
			functions := h.Functions()
			kept := 0
			for c.task == h.Task && kept < min(len(functions), len(c.functions)) && functions[kept] == c.functions[kept] {
				kept++
			}
			for depth := len(c.functions) - 1; depth >= kept; depth-- {
				left := i
				if innermost := depth == len(c.functions)-1; c.ended >= 0 && (c.task != h.Task || innermost && all[c.ended].AtPs == h.AtPs) {
					left = c.ended
				}
				edges[left] = append(edges[left], all[left].edge(trace.FuncgraphExit, c.functions[depth], depth, c.entryPs[depth]))
			}
			c.functions, c.entryPs = c.functions[:kept], c.entryPs[:kept]
			for depth := kept; depth < len(functions); depth++ {
				edges[i] = append(edges[i], h.edge(trace.FuncgraphEntry, functions[depth], depth, 0))
				c.functions, c.entryPs = append(c.functions, functions[depth]), append(c.entryPs, h.AtPs)
			}
			c.task, c.ended = h.Task, -1
		case h.Kind == trace.FuncgraphExit && c != nil:
			c.ended = i
		}
	}
	nested := make([]hit, 0, len(all))
	for i, h := range all {
		if h.isFunction() {
			nested = append(nested, edges[i]...)
		} else {
			nested = append(nested, h)
		}
	}
	return nested
}

func (h *hit) isFunction() bool {
	return h.Kind == trace.FuncgraphEntry || h.Kind == trace.FuncgraphExit
}

// edge is an entry or exit of a function at the instant of h.
func (h *hit) edge(kind trace.Kind, function int64, depth int, entryPs int64) hit {
	e := *h
	e.Kind, e.Args = kind, [4]int64{function, int64(depth), entryPs}
	return e
}

// ns is the record's instant in nanoseconds, as the kernel's trace clock.
func (h *hit) ns() uint64 { return uint64(h.AtPs) / 1000 }

// task is the task with this index; an idle task is the one of the CPU.
func (t *Trace) task(index int64, cpu int32) trace.Task {
	if index == trace.IdleTask {
		return trace.Task{Comm: fmt.Sprintf("swapper/%d", cpu), Prio: 120}
	}
	return t.Names.Tasks[index]
}

// Functions get addresses in the kernel's text, a page each, so that files
// that carry addresses have a symbol table to go with them.
const (
	textStart    = 0xffffffff81000000
	functionSize = 0x1000
	messageStart = 0xffffffff82800000
)

func functionAddr(index int64) uint64 {
	if index == trace.NoFunc {
		return 0
	}
	return textStart + uint64(index)*functionSize
}

func messageAddr(index int64) uint64 { return messageStart + uint64(index)*functionSize }

func (t *Trace) function(index int64) string {
	if index == trace.NoFunc {
		return "0x0"
	}
	return t.Names.Functions[index]
}
