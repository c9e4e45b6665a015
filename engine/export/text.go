package export

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"wakelab/engine/topo"
	"wakelab/engine/trace"
)

const legend = `#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
`

// Digits of a timestamp's fraction of a second.
const (
	Microseconds = 6 // what the kernel prints
	Nanoseconds  = 9 // more than the kernel prints; Perfetto reads it
)

// Text writes the trace as the kernel's trace file shows it, with this many
// digits of a second, and functions as its function graph.
func (t *Trace) Text(w io.Writer, digits int) error {
	out := bufio.NewWriter(w)
	hits := t.hits(byTask)
	leaves := leafTimes(hits)
	fmt.Fprintf(out, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %d/%d   #P:%d\n#\n%s",
		len(hits), uint64(len(hits))+t.Ring.First(), t.Topo.N(), legend)
	for i := range hits {
		h := &hits[i]
		leaf, isLeaf := leaves[i]
		if h.Kind == trace.FuncgraphExit && isLeaf {
			continue // it is in its entry's line
		}
		comm, pid := "<idle>", int32(0)
		if h.Task != trace.IdleTask {
			task := t.task(int64(h.Task), h.CPU)
			comm, pid = task.Comm, task.PID
		}
		name := h.Kind.String() + ": "
		if h.Kind == trace.Print {
			name = "" // the function's name stands there
		}
		fields := ""
		if h.isFunction() {
			name = fmt.Sprintf("%-17s", name)
			fields = t.graphText(h, leaf, isLeaf)
		} else {
			fields = t.text(h)
		}
		fmt.Fprintf(out, "%16s-%-7d [%03d] %s %s: %s%s\n", comm, pid, h.CPU, flagText(&h.Record), timestamp(h.ns(), digits), name, fields)
	}
	return out.Flush()
}

// leafTimes finds functions that call nothing: an entry and an exit that
// follow each other on a CPU. Both get the time between them, in ns.
func leafTimes(hits []hit) map[int]uint64 {
	leaves := map[int]uint64{}
	latest := map[int32]int{} // by CPU
	for i := range hits {
		h := &hits[i]
		before, ok := latest[h.CPU]
		if e := &hits[before]; ok && e.Kind == trace.FuncgraphEntry && h.Kind == trace.FuncgraphExit && byTask(e) == byTask(h) && e.Args[1] == h.Args[1] {
			leaves[before], leaves[i] = h.ns()-e.ns(), h.ns()-e.ns()
		}
		latest[h.CPU] = i
	}
	return leaves
}

// graphText prints an entry or exit indented by depth, with the time of a call
// that ends in this line.
func (t *Trace) graphText(h *hit, leaf uint64, isLeaf bool) string {
	spent, what := "", "}"
	switch {
	case h.Kind == trace.FuncgraphExit:
		spent = graphTime(h.ns() - uint64(h.Args[2])/1000)
	case isLeaf:
		spent, what = graphTime(leaf), t.function(h.Args[0])+"();"
	default:
		what = t.function(h.Args[0]) + "() {"
	}
	return fmt.Sprintf("%12s |  %*s%s", spent, 2*int(h.Args[1]), "", what)
}

// graphTime prints a time after the mark of its magnitude.
func graphTime(ns uint64) string {
	mark := " "
	for _, m := range []struct {
		aboveNs uint64
		mark    string
	}{{10_000, "+"}, {100_000, "!"}, {1_000_000, "#"}, {10_000_000, "*"}, {100_000_000, "@"}, {1_000_000_000, "$"}} {
		if ns > m.aboveNs {
			mark = m.mark
		}
	}
	return fmt.Sprintf("%s %d.%03d us", mark, ns/1000, ns%1000)
}

// timestamp prints seconds, rounding to microseconds as the kernel does.
func timestamp(ns uint64, digits int) string {
	switch digits {
	case Microseconds:
		us := (ns + 500) / 1000
		return fmt.Sprintf("%5d.%06d", us/1e6, us%1e6)
	case Nanoseconds:
		return fmt.Sprintf("%5d.%09d", ns/1e9, ns%1e9)
	}
	panic(fmt.Sprintf("export: %d digits of a second, want %d or %d", digits, Microseconds, Nanoseconds))
}

// flagText prints the five letters between CPU and time. Nothing in the
// model disables migration, the last one.
func flagText(r *trace.Record) string {
	has := func(f trace.Flags) bool { return r.Flags&f == f }
	f := []byte(".....")
	switch {
	case has(trace.IRQsOff | trace.BHOff):
		f[0] = 'D'
	case has(trace.IRQsOff):
		f[0] = 'd'
	case has(trace.BHOff):
		f[0] = 'b'
	}
	switch {
	case has(trace.NeedResched | trace.PreemptNeedResched):
		f[1] = 'N'
	case has(trace.NeedResched):
		f[1] = 'n'
	case has(trace.PreemptNeedResched):
		f[1] = 'p'
	}
	switch {
	case has(trace.HardIRQ | trace.SoftIRQ):
		f[2] = 'H'
	case has(trace.HardIRQ):
		f[2] = 'h'
	case has(trace.SoftIRQ):
		f[2] = 's'
	}
	if r.PreemptDepth > 0 {
		f[3] = "0123456789abcdef"[r.PreemptDepth&15]
	}
	return string(f)
}

// Line is one record as the trace file shows it, in nanoseconds. Its CPU mask,
// if it has one, is lost.
func Line(r trace.Record, names trace.Names, machine *topo.Topology) string {
	ring := &trace.Ring{}
	ring.Start(trace.All, 1)
	ring.Emit(r)
	var b bytes.Buffer
	t := Trace{Ring: ring, Names: names, Topo: machine}
	if err := t.Text(&b, Nanoseconds); err != nil {
		panic("export: " + err.Error()) // a buffer takes everything
	}
	lines := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	return string(bytes.TrimSpace(lines[len(lines)-1]))
}
