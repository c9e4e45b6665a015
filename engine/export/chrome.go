package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"wakelab/engine/trace"
)

// chromeEvent is one entry of the Trace Event Format's traceEvents.
type chromeEvent struct {
	Name  string      `json:"name"`
	Phase string      `json:"ph"`
	Ts    json.Number `json:"ts"` // microseconds of the run
	Pid   int32       `json:"pid"`
	Tid   int32       `json:"tid"`
	ID    int64       `json:"id,omitempty"`
	Cat   string      `json:"cat,omitempty"`
	Bind  string      `json:"bp,omitempty"`
	Scope string      `json:"s,omitempty"`
	Args  any         `json:"args,omitempty"`
}

// Chrome writes the trace as Chrome JSON, which Perfetto and chrome://tracing
// read: a process for each L3, in it a track for each CPU with the running
// task, idle states, interrupts and softirqs, and one with kernel functions if
// they were recorded; instants for other tracepoints; an arrow from each
// waker to where the woken task runs next. Times are decimal microseconds of
// the run. Slices are pairs of begin and end: with durations instead, the end of
// a slice and that of one in it differ when a reader adds in floating point, and
// they no longer nest.
func (t *Trace) Chrome(w io.Writer) error {
	out := bufio.NewWriter(w)
	c := &chrome{t: t, out: out, enc: json.NewEncoder(out), cpus: make([]chromeCPU, t.Topo.N()), waking: map[int64]chromeEvent{}}
	fmt.Fprint(out, `{"displayTimeUnit":"ns","traceEvents":[`+"\n")
	c.names()
	hits := t.hits(byCPU)
	for i := range hits {
		c.add(&hits[i])
	}
	if len(hits) > 0 {
		for cpu := range c.cpus {
			c.close(&c.cpus[cpu].states, 0, hits[len(hits)-1].AtPs)
			c.close(&c.cpus[cpu].functions, 0, hits[len(hits)-1].AtPs)
		}
	}
	fmt.Fprint(out, "]}\n")
	if c.err != nil {
		return c.err
	}
	return out.Flush()
}

// chrome turns records into events.
type chrome struct {
	t      *Trace
	out    *bufio.Writer
	enc    *json.Encoder
	err    error
	some   bool // an event is written
	cpus   []chromeCPU
	waking map[int64]chromeEvent // the arrow's start for a task that is being woken
	flows  int64
}

// chromeCPU holds what a CPU is in, innermost last.
type chromeCPU struct {
	states    []chromeEvent // ends to come; the first is the running task's
	functions []chromeEvent
}

// Track and process numbers. Perfetto takes number 0 and a track numbered
// like its process as special.
func (c *chrome) pid(cpu int32) int32    { return 1_000_000 + c.t.Topo.CPUs[cpu].LLC }
func stateTrack(cpu int32) int32         { return 1 + 2*cpu }
func functionTrack(cpu int32) int32      { return 2 + 2*cpu }
func micros(ps int64) json.Number        { return json.Number(fmt.Sprintf("%d.%06d", ps/1e6, ps%1e6)) }
func (c *chrome) recordsFunctions() bool { return c.t.Ring.On(trace.FuncgraphEntry) }

func (c *chrome) write(e chromeEvent) {
	if c.some {
		c.out.WriteByte(',')
	}
	c.some = true
	if err := c.enc.Encode(e); err != nil && c.err == nil {
		c.err = err
	}
}

// names writes the names and the order of processes and tracks.
func (c *chrome) names() {
	meta := func(what string, pid, tid int32, args map[string]any) {
		c.write(chromeEvent{Name: what, Phase: "M", Ts: "0", Pid: pid, Tid: tid, Args: args})
	}
	for llc, cpus := range c.t.Topo.LLCs {
		pid := c.pid(cpus[0])
		meta("process_name", pid, 0, map[string]any{"name": fmt.Sprintf("LLC %d", llc)})
		meta("process_sort_index", pid, 0, map[string]any{"sort_index": llc})
		for _, cpu := range cpus {
			meta("thread_name", pid, stateTrack(cpu), map[string]any{"name": fmt.Sprintf("CPU %d", cpu)})
			meta("thread_sort_index", pid, stateTrack(cpu), map[string]any{"sort_index": stateTrack(cpu)})
			if c.recordsFunctions() {
				meta("thread_name", pid, functionTrack(cpu), map[string]any{"name": fmt.Sprintf("CPU %d functions", cpu)})
				meta("thread_sort_index", pid, functionTrack(cpu), map[string]any{"sort_index": functionTrack(cpu)})
			}
		}
	}
}

// event is an event of this name at the record's instant on its CPU's track.
func (c *chrome) event(h *hit, name, phase string) chromeEvent {
	return chromeEvent{Name: name, Phase: phase, Ts: micros(h.AtPs), Pid: c.pid(h.CPU), Tid: stateTrack(h.CPU)}
}

func (c *chrome) add(h *hit) {
	cpu := &c.cpus[h.CPU]
	if len(cpu.states) == 0 {
		c.run(h, int64(h.Task))
	}
	switch h.Kind {
	case trace.SchedSwitch:
		c.close(&cpu.states, 0, h.AtPs)
		c.run(h, h.Args[1])
		c.arrow(h)
	case trace.SchedWaking:
		c.waking[h.Args[0]] = c.event(h, "wakeup", "s")
		c.instant(h)
	case trace.CPUIdle:
		c.close(&cpu.states, 1, h.AtPs)
		if h.Args[0] != trace.IdleExit {
			c.open(&cpu.states, stateTrack(h.CPU), h, fmt.Sprintf("idle state %d", h.Args[0]))
		}
	case trace.SoftirqEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, "softirq "+softirqName(h.Args[0]))
	case trace.RescheduleEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, "reschedule interrupt")
	case trace.CallFunctionSingleEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, "call function single interrupt")
	case trace.CallFunctionEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, "call function interrupt")
	case trace.LocalTimerEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, "local timer interrupt")
	case trace.CSDFunctionEntry:
		c.open(&cpu.states, stateTrack(h.CPU), h, c.t.function(h.Args[0]))
	case trace.SoftirqExit, trace.RescheduleExit, trace.CallFunctionSingleExit, trace.CallFunctionExit,
		trace.LocalTimerExit, trace.CSDFunctionExit:
		// The first one is the task, which only a switch ends; there is
		// nothing else if the entry came before the trace.
		c.close(&cpu.states, max(1, len(cpu.states)-1), h.AtPs)
	case trace.FuncgraphEntry:
		c.open(&cpu.functions, functionTrack(h.CPU), h, c.t.function(h.Args[0]))
	case trace.FuncgraphExit:
		c.close(&cpu.functions, max(0, len(cpu.functions)-1), h.AtPs)
	default:
		c.instant(h)
	}
}

// run opens the slice of a task that runs from now on.
func (c *chrome) run(h *hit, task int64) {
	t := c.t.task(task, h.CPU)
	name := t.Comm
	if task != trace.IdleTask {
		name = fmt.Sprintf("%s-%d", t.Comm, t.PID)
	}
	c.open(&c.cpus[h.CPU].states, stateTrack(h.CPU), h, name)
}

func (c *chrome) open(stack *[]chromeEvent, track int32, h *hit, name string) {
	e := c.event(h, name, "B")
	e.Tid = track
	c.write(e)
	e.Phase = "E"
	*stack = append(*stack, e)
}

// close ends all slices from depth on.
func (c *chrome) close(stack *[]chromeEvent, depth int, atPs int64) {
	for len(*stack) > depth {
		e := (*stack)[len(*stack)-1]
		*stack = (*stack)[:len(*stack)-1]
		e.Ts = micros(atPs)
		c.write(e)
	}
}

func (c *chrome) instant(h *hit) {
	e := c.event(h, h.Kind.String(), "i")
	e.Scope = "t"
	e.Args = map[string]string{"fields": c.t.text(h)}
	c.write(e)
}

// arrow draws the wakeup of the task that h switches to.
func (c *chrome) arrow(h *hit) {
	start, ok := c.waking[h.Args[1]]
	if !ok {
		return
	}
	delete(c.waking, h.Args[1])
	c.flows++
	end := c.event(h, start.Name, "f")
	start.ID, end.ID = c.flows, c.flows
	start.Cat, end.Cat = "sched", "sched"
	end.Bind = "e"
	c.write(start)
	c.write(end)
}
