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
// digits of a second.
func (t *Trace) Text(w io.Writer, digits int) error {
	out := bufio.NewWriter(w)
	hits := t.hits()
	fmt.Fprintf(out, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %d/%d   #P:%d\n#\n%s",
		len(hits), uint64(len(hits))+t.Ring.First(), t.Topo.N(), legend)
	for i := range hits {
		h := &hits[i]
		comm, pid := "<idle>", int32(0)
		if h.Task != trace.IdleTask {
			task := t.task(int64(h.Task), h.CPU)
			comm, pid = task.Comm, task.PID
		}
		name := h.Kind.String() + ": "
		if h.Kind == trace.Print {
			name = "" // the function's name stands there
		}
		fmt.Fprintf(out, "%16s-%-7d [%03d] %s %s: %s%s\n", comm, pid, h.CPU, flagText(&h.Record), timestamp(h.ns(), digits), name, t.text(h))
	}
	return out.Flush()
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
