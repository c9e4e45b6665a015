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

// hits returns the kept records in order of time. A ring is in the order in
// which records were made, and a function's entry is made at its exit.
func (t *Trace) hits() []hit {
	all := make([]hit, 0, t.Ring.Written-t.Ring.First())
	t.Ring.Each(0, func(r *trace.Record, cpus []uint64) {
		all = append(all, hit{*r, slices.Clone(cpus)})
	})
	slices.SortStableFunc(all, func(a, b hit) int { return cmp.Compare(a.AtPs, b.AtPs) })
	return joinFunctions(all)
}

// joinFunctions makes one span of a function's steps that follow each other
// on a CPU, and drops an exit whose entry is lost.
func joinFunctions(all []hit) []hit {
	type span struct{ entry, exit int } // -1: none
	latest := map[int32]span{}
	drop := make([]bool, len(all))
	for i := range all {
		h := &all[i]
		last, ok := latest[h.CPU]
		switch h.Kind {
		case trace.FuncgraphEntry:
			if ok && last.exit >= 0 && all[last.exit].AtPs == h.AtPs && all[last.exit].Args[0] == h.Args[0] && all[last.exit].Task == h.Task {
				drop[last.exit], drop[i] = true, true
				latest[h.CPU] = span{last.entry, -1}
				break
			}
			latest[h.CPU] = span{i, -1}
		case trace.FuncgraphExit:
			if !ok || last.exit >= 0 {
				drop[i] = true
				break
			}
			h.Args[2] = all[last.entry].AtPs
			latest[h.CPU] = span{last.entry, i}
		}
	}
	kept := all[:0]
	for i, h := range all {
		if !drop[i] {
			kept = append(kept, h)
		}
	}
	return kept
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
