package scene_test

import (
	"fmt"

	"wakelab/engine/topo"
	"wakelab/engine/view"
)

// demo makes deterministic frames that look like a run. It is not a model:
// it only exercises every state, arrow and size.
type demo struct {
	static view.Static
	frame  view.Frame
	seed   uint64
	busy   uint64 // percent of CPUs that are not idle
	since  []int64
}

var shapes = map[int]topo.Shape{
	8:    {Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 4, ThreadsPerCore: 2, NodesPerSocket: 1},
	256:  {Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 2, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
	384:  {Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 3, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
	768:  {Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 6, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
	64:   {Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 16, ThreadsPerCore: 2, NodesPerSocket: 1},
	2:    {Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 1, ThreadsPerCore: 2, NodesPerSocket: 1},
	1024: {Sockets: 4, DiesPerSocket: 4, LLCsPerDie: 4, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
}

// function names by state, several each.
var demoFunctions = []string{
	"do_idle", "cpuidle_enter_state", "flush_smp_call_function_queue", "schedule_idle",
	"hackbench", "pipe_read", "pipe_write", "try_to_wake_up", "__schedule", "newidle_balance",
	"native_queued_spin_lock_slowpath", "sysvec_reschedule_ipi", "run_ksoftirqd", "select_idle_cpu",
}

func newDemo(cpus int, busy uint64) *demo {
	t, err := shapes[cpus].Build()
	if err != nil {
		panic(err)
	}
	d := &demo{seed: uint64(cpus)*0x9e3779b97f4a7c15 + 1, busy: busy, since: make([]int64, cpus)}
	for _, p := range t.CPUs {
		d.static.Places = append(d.static.Places, view.Place(p))
	}
	d.static.Functions = demoFunctions
	for i := range 640 {
		d.static.Tasks = append(d.static.Tasks, fmt.Sprintf("hackbench-%d", 2000+i))
	}
	d.static.CStates = []string{"POLL", "C1", "C2"}
	unplaced := func(name string) view.Variable { return view.Variable{Name: name, Offset: -1} }
	d.static.CPULines = []view.Layout{
		{Name: "call_single_queue", Variables: []view.Variable{{Name: "llist head", Size: 8}}},
		{Name: "idle.flags", Variables: []view.Variable{{Name: "NEED_RESCHED, POLLING_NRFLAG", Size: 8}}},
		{Name: "rq.lock", Variables: []view.Variable{unplaced("__lock"), unplaced("nr_running")}},
		{Name: "rq.ttwu_pending", Variables: []view.Variable{unplaced("ttwu_pending"), unplaced("nohz_flags"), unplaced("nr_switches"), unplaced("nohz_csd")}},
		{Name: "rq.curr", Variables: []view.Variable{unplaced("curr"), unplaced("idle"), unplaced("clock")}},
	}
	d.frame.CPUs = make([]view.CPU, cpus)
	for c := range d.frame.CPUs {
		d.frame.CPUs[c] = view.CPU{State: view.IdleC2, Task: -1}
	}
	return d
}

func (d *demo) rand(n uint64) uint64 {
	d.seed ^= d.seed << 13
	d.seed ^= d.seed >> 7
	d.seed ^= d.seed << 17
	return d.seed % n
}

// flag adds the flush flag, on a line of its own or beside other data.
func (d *demo) flag(aligned bool) {
	l := view.Layout{Name: "flush flag", Variables: []view.Variable{{Name: "flush flag", Size: 1, Flag: true}}}
	if !aligned {
		l.Variables = []view.Variable{{Name: "data that senders read once a call", Offset: -1}, {Name: "flush flag", Offset: -1, Size: 1, Flag: true}}
	}
	d.static.CPULines = append(d.static.CPULines, l)
}

// step moves on by a frame of the given length and returns it.
func (d *demo) step(ps int64) *view.Frame {
	f := &d.frame
	f.SincePs, f.NowPs = f.NowPs, f.NowPs+ps
	f.Arrows, f.Spans = f.Arrows[:0], f.Spans[:0]
	n := uint64(len(f.CPUs))
	for c := range f.CPUs {
		for at := f.SincePs; at < f.NowPs; {
			at = min(f.NowPs, at+int64(200e3+d.rand(uint64(ps)/2+1)))
			if d.rand(3) == 0 {
				continue
			}
			cpu := &f.CPUs[c]
			f.Spans = append(f.Spans, view.Span{CPU: int32(c), Fn: cpu.Fn, State: cpu.State, Task: cpu.Task, StartPs: d.since[c], EndPs: at})
			d.since[c] = at
			d.change(cpu, uint64(c))
		}
	}
	traffic := int(n * d.busy / 200)
	for range traffic {
		group := d.rand(n) / 16 * 16
		from, to := int32((group+d.rand(32))%n), int32((group+d.rand(48))%n)
		at := f.NowPs - int64(d.rand(uint64(ps)))
		a := view.Arrow{Kind: view.Pipe, From: from, To: to, Count: uint32(1 + d.rand(20)), AtPs: at, EndPs: at}
		f.Arrows = append(f.Arrows, a)
		switch d.rand(8) {
		case 0:
			a.Kind, a.EndPs = view.IPI, at+ps
		case 1, 2:
			a.Kind = view.PolledWake
		case 3:
			a.Kind = view.Migration
		case 4, 5:
			a.Kind = view.Wakeup
		}
		f.Arrows = append(f.Arrows, a)
	}
	return f
}

// change puts a CPU into its next state.
func (d *demo) change(c *view.CPU, cpu uint64) {
	busy := d.busy
	if cpu/16%5 == 4 {
		busy /= 4
	}
	if d.rand(100) >= busy {
		k := d.rand(4)
		*c = view.CPU{State: view.State(k), Polling: k == 0, Fn: uint16(k), Task: -1, Busy: uint16(d.rand(300))}
		return
	}
	fn := 4 + d.rand(10)
	state := [...]view.State{view.User, view.Kernel, view.Kernel, view.Kernel, view.Kernel, view.Kernel, view.Spin, view.IRQ, view.SoftIRQ, view.Kernel}[fn-4]
	if state == view.IRQ && d.rand(3) > 0 {
		state, fn = view.Kernel, 8
	}
	*c = view.CPU{
		State: state, Fn: uint16(fn), Task: int32(d.rand(640)), NrRunning: uint16(1 + d.rand(4)*d.rand(3)),
		NeedResched: d.rand(4) == 0, IRQsOff: state == view.IRQ,
		Busy: uint16(600 + d.rand(400)), LockWait: uint16(d.rand(500)), LineWait: uint16(d.rand(700)), IRQShare: uint16(d.rand(200)), Wakeups: uint32(d.rand(40)),
	}
}
