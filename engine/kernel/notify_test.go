package kernel

import (
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
)

// The target of all calls here, and the two CPUs that call.
const (
	target  = CPUID(2)
	caller  = CPUID(0)
	another = CPUID(1)
)

// callers is a program whose threads call the target when the test says so.
type callers struct {
	wait bool
	fire [2]int // calls still to be made, by CPU
}

func (p *callers) Start(k *Kernel) {
	for c := range CPUID(len(p.fire)) {
		k.StartTask(k.NewTask("caller", -1, 0, c, true, Frame{}), 0)
	}
}

func (p *callers) Step(k *Kernel, c CPUID, _ *Frame) Duration {
	if p.fire[c] == 0 {
		return simtime.Nanosecond
	}
	p.fire[c]--
	return k.SmpCallFunctionSingle(c, target, p.wait)
}

// scene is a machine of four CPUs, each with its own L3, of which the target
// idles in C1, and everything that happens is recorded.
type scene struct {
	t    *testing.T
	k    *Kernel
	prog *callers
	from uint64 // records before it are the setting-up
}

func values(defs []param.Def, change map[string]int64) []param.Value {
	v := make([]param.Value, len(defs))
	for i := range defs {
		v[i] = defs[i].DefaultValue()
		if n, ok := change[defs[i].Key]; ok {
			v[i].N = n
		}
	}
	return v
}

func newScene(t *testing.T, change map[string]int64) *scene {
	shape := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 4, CoresPerLLC: 1, ThreadsPerCore: 1, NodesPerSocket: 1}
	machine, err := shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		change = map[string]int64{}
	}
	if _, ok := change["c2"]; !ok {
		change["c2"] = hw.StateOff
	}
	s := &scene{t: t, prog: &callers{wait: true}}
	s.k = New(machine, values(hw.Defs[:], change), values(FeatureDefs[:], change), values(CostDefs[:], change), s.prog, 1)
	s.k.Trace().Start(trace.All&^(1<<trace.FuncgraphEntry|1<<trace.FuncgraphExit), 1<<14)
	s.k.Run(Time(100*simtime.Microsecond), 1<<30)
	s.from = s.k.Trace().Written
	return s
}

// until runs event by event until cond holds.
func (s *scene) until(what string, cond func() bool) {
	s.t.Helper()
	for range 100_000 {
		if cond() {
			return
		}
		s.k.Run(simtime.Never-1, 1)
	}
	s.t.Fatalf("never: %s", what)
}

// settle runs on until all calls have been made and returned.
func (s *scene) settle() {
	s.t.Helper()
	s.k.Run(s.k.Now().Add(50*simtime.Microsecond), 1<<30)
	if s.prog.fire != [2]int{} {
		s.t.Fatalf("calls not made: %v", s.prog.fire)
	}
	s.k.Check()
}

// at returns the instants of all records of kind on CPU c.
func (s *scene) at(kind trace.Kind, c CPUID) []Time {
	var list []Time
	s.k.Trace().Each(s.from, func(r *trace.Record, _ []uint64) {
		if r.Kind == kind && r.CPU == c {
			list = append(list, Time(r.AtPs))
		}
	})
	return list
}

func (s *scene) want(what string, got, want int64) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// wake is what resched_curr does to an idle polling CPU, without a task.
func (s *scene) wake() {
	s.k.cpus[target].resched = 1
	s.k.wakeMonitor(caller, target)
}

func (s *scene) targetStep() uint16 { return s.k.frames[target*maxDepth].Step }

// TestNotifyPolling: the target polls, so the flag alone is set and no
// interrupt is sent; it flushes before it schedules.
func TestNotifyPolling(t *testing.T) {
	s := newScene(t, nil)
	s.prog.fire[caller] = 1
	s.settle()
	s.want("polled wakes", int64(len(s.at(trace.SchedWakeIdleWithoutIPI, caller))), 1)
	s.want("interrupts", s.k.count[0].CallIPIs, 0)
	s.want("functions run", int64(len(s.at(trace.CSDFunctionEntry, target))), 1)
	s.want("interrupt handlers", int64(len(s.at(trace.CallFunctionSingleEntry, target))), 0)
	queued, told, ran := s.at(trace.CSDQueueCPU, caller)[0], s.at(trace.SchedWakeIdleWithoutIPI, caller)[0], s.at(trace.CSDFunctionEntry, target)[0]
	if !(queued < told && told < ran) {
		t.Errorf("queued at %v, told at %v, run at %v", queued, told, ran)
	}
}

// TestNotifyAlreadyLeaving: NEED_RESCHED is set while the target still polls:
// nothing at all is sent, and the target flushes on its way out.
func TestNotifyAlreadyLeaving(t *testing.T) {
	s := newScene(t, map[string]int64{"c1_exit": int64(simtime.Microsecond)})
	s.prog.fire[caller] = 1
	s.until("the push", func() bool { return s.k.cpus[target].csdHead != none })
	s.wake()
	s.settle()
	s.want("polled wakes", s.k.count[0].PolledWakes, 0)
	s.want("interrupts", s.k.count[0].CallIPIs, 0)
	s.want("pushes that told nobody", s.k.count[0].NoNotify, 1)
	s.want("functions run", int64(len(s.at(trace.CSDFunctionEntry, target))), 1)
}

// TestNotifyInWindow: after the target has cleared POLLING a call takes a real
// interrupt. It arrives with interrupts off and is taken at the very instant
// at which __schedule lets it in.
func TestNotifyInWindow(t *testing.T) {
	s := newScene(t, map[string]int64{"sched.base": 5 * int64(simtime.Microsecond)})
	s.wake()
	s.until("POLLING clear", func() bool { return s.targetStep() == idleScheduled })
	if s.k.cpus[target].polling != 0 || s.k.cpus[target].irqsOff == 0 {
		t.Fatal("the target does not schedule with interrupts off")
	}
	s.prog.fire[caller] = 1
	s.until("the interrupt to arrive", func() bool { return s.k.cpus[target].vectors != 0 })
	arrived := s.k.Now()
	if s.k.cpus[target].irqsOff == 0 {
		t.Fatal("interrupts are on when it arrives")
	}
	s.until("interrupts on", func() bool { return s.k.cpus[target].hardirq != 0 })
	taken := s.k.Now()
	if taken.Sub(arrived) < simtime.Microsecond {
		t.Errorf("taken at %v, arrived at %v: it did not wait", taken, arrived)
	}
	s.settle()
	s.want("polled wakes", s.k.count[0].PolledWakes, 0)
	s.want("interrupts", s.k.count[0].CallIPIs, 1)
	entry := s.at(trace.CallFunctionSingleEntry, target)
	s.want("handlers", int64(len(entry)), 1)
	d := s.k.costs[0][CostIrqEntry] + s.k.costs[0][CostEOI]
	if got := entry[0].Sub(taken); got != d {
		t.Errorf("the handler begins %v after interrupts came on, want entry and EOI, %v", got, d)
	}
	s.want("spurious handlers", s.k.count[0].SpuriousIRQs, 0)
}

// TestNotifyBeforeState: POLLING is clear also from call_cpuidle to the state's
// entry; a call then sends a real interrupt, which the target finds before it
// sleeps.
func TestNotifyBeforeState(t *testing.T) {
	s := newScene(t, map[string]int64{"idle.cpuidle_enter": 5 * int64(simtime.Microsecond)})
	s.wake()
	s.until("the state left", func() bool { return s.k.cpus[target].inState == 0 })
	s.until("call_cpuidle", func() bool { return s.targetStep() == idleArm })
	if s.k.cpus[target].polling != 0 {
		t.Fatal("the target polls on its way into the state")
	}
	s.prog.fire[caller] = 1
	s.until("the interrupt to arrive", func() bool { return s.k.cpus[target].vectors != 0 })
	if s.k.cpus[target].inState != 0 {
		t.Fatal("the target sleeps already")
	}
	from := s.k.Trace().Written
	s.settle()
	s.want("polled wakes", s.k.count[0].PolledWakes, 0)
	s.want("interrupts", s.k.count[0].CallIPIs, 1)
	var order []trace.Kind
	s.k.Trace().Each(from, func(r *trace.Record, _ []uint64) {
		if r.CPU == target && (r.Kind == trace.CPUIdle || r.Kind == trace.CSDFunctionEntry) {
			order = append(order, r.Kind)
		}
	})
	if len(order) == 0 || order[0] != trace.CSDFunctionEntry {
		t.Errorf("records %v: the target slept before it took the interrupt", order)
	}
}

// TestNotifyNonEmptyQueue: the second of two calls finds the queue in use and
// tells nobody; one flush runs both functions, oldest first.
func TestNotifyNonEmptyQueue(t *testing.T) {
	s := newScene(t, map[string]int64{"c1_exit": int64(simtime.Microsecond)})
	s.prog.fire[caller] = 1
	s.until("the first push", func() bool { return s.k.cpus[target].csdHead != none })
	s.prog.fire[another] = 1
	s.settle()
	s.want("polled wakes", s.k.count[0].PolledWakes, 1)
	s.want("interrupts", s.k.count[0].CallIPIs, 0)
	s.want("pushes that told nobody", s.k.count[0].NoNotify, 1)
	s.want("functions run", int64(len(s.at(trace.CSDFunctionEntry, target))), 2)
	s.want("exits from idle", int64(len(s.at(trace.CPUIdle, target))), 2) // out and in
	var order []int64
	s.k.Trace().Each(s.from, func(r *trace.Record, _ []uint64) {
		if r.Kind == trace.CSDFunctionEntry {
			order = append(order, r.Args[1])
		}
	})
	if order[0] != int64(s.k.syncCsd(caller)) || order[1] != int64(s.k.syncCsd(another)) {
		t.Errorf("order of csds %v, want the first caller's first", order)
	}
}

// TestSpuriousHandler: an interrupt is on its way when the target leaves idle
// for another reason and flushes; the handler then finds nothing.
func TestSpuriousHandler(t *testing.T) {
	s := newScene(t, map[string]int64{"polled_ipi": 0, "apic_deliver": 10 * int64(simtime.Microsecond)})
	s.prog.fire[caller] = 1
	s.until("the interrupt sent", func() bool { return s.k.count[0].CallIPIs == 1 })
	s.wake()
	s.settle()
	s.want("spurious handlers", s.k.count[0].SpuriousIRQs, 1)
	ran, handler := s.at(trace.CSDFunctionEntry, target), s.at(trace.CallFunctionSingleEntry, target)
	s.want("functions run", int64(len(ran)), 1)
	s.want("handlers", int64(len(handler)), 1)
	if ran[0] >= handler[0] {
		t.Errorf("function at %v, handler at %v: the idle exit did not flush", ran[0], handler[0])
	}
}

// TestSyncReleasedAfterRun: a waiter goes on only after its function has run;
// without wait the csd is free before.
func TestSyncReleasedAfterRun(t *testing.T) {
	for _, wait := range []bool{true, false} {
		s := newScene(t, map[string]int64{"smp.func": 30 * int64(simtime.Nanosecond)})
		s.prog.wait = wait
		id := s.k.syncCsd(caller)
		if !wait {
			id = s.k.asyncCsd(caller)
		}
		s.prog.fire[caller] = 1
		s.until("the function", func() bool { return len(s.at(trace.CSDFunctionEntry, target)) == 1 })
		if locked := s.k.csds[id].locked != 0; locked != wait {
			t.Errorf("wait %v: csd locked while its function runs: %v", wait, locked)
		}
		s.settle()
		s.want("csd locked at the end", int64(s.k.csds[id].locked), 0)
	}
}

// TestAsyncWaitsForItsCsd: with wait=0 a second call first waits until the
// target has released the caller's one csd.
func TestAsyncWaitsForItsCsd(t *testing.T) {
	s := newScene(t, map[string]int64{"c1_exit": int64(simtime.Microsecond)})
	s.prog.wait = false
	s.prog.fire[caller] = 2
	s.settle()
	queued, ran := s.at(trace.CSDQueueCPU, caller), s.at(trace.CSDFunctionEntry, target)
	s.want("calls queued", int64(len(queued)), 2)
	s.want("functions run", int64(len(ran)), 2)
	if queued[1] < ran[0] {
		t.Errorf("second call queued at %v, the first ran at %v", queued[1], ran[0])
	}
}

// TestIOPortStateNeedsInterrupt: in a state that does not monitor the flags
// POLLING is clear, so the call is a real interrupt and nobody schedules.
func TestIOPortStateNeedsInterrupt(t *testing.T) {
	s := newScene(t, map[string]int64{"c2": hw.StateIOPort})
	if s.k.cpus[target].idleState != 2 || s.k.cpus[target].polling != 0 {
		t.Fatalf("the target is in state %d, polling %d; want C2, not polling", s.k.cpus[target].idleState, s.k.cpus[target].polling)
	}
	s.prog.fire[caller] = 1
	s.settle()
	s.want("polled wakes", s.k.count[0].PolledWakes, 0)
	s.want("interrupts", s.k.count[0].CallIPIs, 1)
	s.want("polled-wake records", int64(len(s.at(trace.SchedWakeIdleWithoutIPI, caller))), 0)
	s.want("ipi_send_cpu records", int64(len(s.at(trace.IPISendCPU, caller))), 1)
	if s.k.frames[target*maxDepth].Step >= idleExitTick {
		t.Error("the target left its idle loop")
	}
}

// TestVectorsTakenHighestFirst: of two pending interrupts the higher vector's
// handler runs first, each with an entry and exit of its own.
func TestVectorsTakenHighestFirst(t *testing.T) {
	s := newScene(t, map[string]int64{"sched.base": 5 * int64(simtime.Microsecond)})
	s.wake()
	s.until("interrupts off", func() bool { return s.targetStep() == idleScheduled })
	s.k.sendIPI(caller, target, vectorCallSingle)
	s.k.sendIPI(caller, target, vectorReschedule)
	s.settle()
	high, low := s.at(trace.RescheduleEntry, target), s.at(trace.CallFunctionSingleEntry, target)
	if len(high) != 1 || len(low) != 1 || high[0] >= low[0] {
		t.Fatalf("reschedule at %v, call at %v", high, low)
	}
	if d := low[0].Sub(s.at(trace.RescheduleExit, target)[0]); d < s.k.costs[0][CostIrqEntry] {
		t.Errorf("the second handler begins %v after the first: less than an interrupt entry", d)
	}
}
