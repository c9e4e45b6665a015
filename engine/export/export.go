// Package export writes traces and results in the formats of the tools that
// kernel developers use: ftrace text, trace.dat for trace-cmd and
// KernelShark, Chrome JSON for Perfetto, CSV.
package export

import (
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
// which records were made, and one event may stamp a record a little ahead.
func (t *Trace) hits() []hit {
	all := make([]hit, 0, t.Ring.Written-t.Ring.First())
	t.Ring.Each(0, func(r *trace.Record, cpus []uint64) {
		all = append(all, hit{*r, slices.Clone(cpus)})
	})
	slices.SortStableFunc(all, func(a, b hit) int {
		switch {
		case a.AtPs < b.AtPs:
			return -1
		case a.AtPs > b.AtPs:
			return 1
		}
		return 0
	})
	return all
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
