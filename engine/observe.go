package engine

import (
	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
	"wakelab/engine/workload"
)

// Observe starts or stops collecting what View's frames and Lines tell beside
// the run's own statistics: spans, arrows, who waits for lines.
func (e *Engine) Observe(on bool) { e.k.Observe(on) }

// View fills f with this instant and with what happened since the last frame.
// Counters are rates over the same time, or since the start if none passed.
func (e *Engine) View(f *view.Frame) {
	e.k.Frame(f, &e.shown)
	now := e.Sample()
	if e.viewed.At == now.At {
		e.viewed = Sample{}
	}
	f.Counters = e.AppendRates(f.Counters[:0], &e.viewed, &now)
	e.viewed = now
}

// Function returns the function that a CPU is in, as view.CPU.Fn does.
func (e *Engine) Function(cpu int32) uint16 { return e.k.Function(cpu) }

// Lines returns the n cache lines that CPUs waited for longest.
func (e *Engine) Lines(n int) []view.Line { return e.k.HotLines(n) }

// ObservedSince returns from when on the lines' waits by L3 group count: from
// Observe, or the last time the run went back.
func (e *Engine) ObservedSince() simtime.Time { return e.k.ObservedSince() }

// Locks returns the n spinlocks and mutexes that CPUs waited for longest.
func (e *Engine) Locks(n int) []view.Lock { return e.k.HotLocks(n) }

// Anatomy returns the slices of a wakeup, over all since the start.
func (e *Engine) Anatomy() []view.Slice { return e.k.Anatomy() }

// StateTime returns how long all CPUs together were in each state.
func (e *Engine) StateTime() [view.NumStates]simtime.Duration { return e.k.StateTime() }

// Sample is what a run had counted at one instant.
type Sample struct {
	At       simtime.Time
	Done     int64 // units of work
	Count    kernel.Counters
	State    [view.NumStates]simtime.Duration
	LineWait simtime.Duration // all CPUs' waits for cache lines
	Fn       [kernel.NumFn]simtime.Duration
	Woken    int64            // wakeups that ended in a switch to the woken task
	WakeTime simtime.Duration // of those, from try_to_wake_up to the end of the switch
}

// Sample returns the counts of this instant.
func (e *Engine) Sample() Sample {
	done, _ := e.Work()
	woken, wakeTime := e.k.WakeupTime()
	return Sample{e.Now(), done, e.Count(), e.StateTime(), e.k.Mem.Wait(), e.k.FnTimes(), woken, wakeTime}
}

// AppendRates appends what happened between two samples of the run as rates and
// shares. Their keys are stable: the command line's JSON uses them.
func (e *Engine) AppendRates(to []view.Counter, from, until *Sample) []view.Counter {
	seconds := until.At.Sub(from.At).Seconds()
	if seconds <= 0 {
		return to
	}
	var state [view.NumStates]float64 // CPUs in each state, on average
	var cpus float64
	for s := range state {
		state[s] = (until.State[s] - from.State[s]).Seconds() / seconds
		cpus += state[s]
	}
	a, b := &from.Count, &until.Count
	add := func(key, title, unit string, v float64) {
		to = append(to, view.Counter{Key: key, Title: title, Unit: unit, Value: v})
	}
	rate := func(key, title string, a, b int64) { add(key, title, "1/s", float64(b-a)/seconds) }
	mean := func(key, title, unit string, sum float64, n int64) {
		add(key, title, unit, sum/float64(max(n, 1)))
		to[len(to)-1].None = n == 0
	}

	add("cpus_used", "CPUs used", "CPUs", state[view.User]+state[view.Kernel]+state[view.Spin]+state[view.IRQ]+state[view.SoftIRQ])
	rate("switches_per_s", "Context switches", a.Switches, b.Switches)
	rate("migrations_per_s", "Migrations", a.Migrations, b.Migrations)
	rate("idle_entries_per_s", "Switches to idle", a.IdleEntries, b.IdleEntries)
	switch e.cfg.Values[workloadAt+int(workload.Kind)].N {
	case workload.KindIpistorm:
		calls := b.Calls - a.Calls
		mean("polled_per_call", "Polled notifications per call", "", float64(b.PolledWakes-a.PolledWakes), calls)
		mean("ipis_per_call", "Interrupts per call", "", float64(b.CallIPIs-a.CallIPIs), calls)
		mean("spurious_per_call", "Handlers with nothing to do per call", "", float64(b.SpuriousIRQs-a.SpuriousIRQs), calls)
		mean("newidle_per_call", "Newidle balances per call", "", float64(b.Newidle-a.Newidle), calls)
		for _, p := range callParts {
			var d simtime.Duration
			for _, fn := range p.fns {
				d += until.Fn[fn] - from.Fn[fn]
			}
			mean(p.key, p.title, "ns a call", float64(d)/float64(simtime.Nanosecond), calls)
		}
	case workload.KindIlb:
		add("nohz_kicks", "Idle-balance kicks since the start", "", float64(b.NohzKicks))
		add("ilb_pulled", "Tasks pulled by load balance since the start", "", float64(b.BalancePulled))
		add("newidle_pulled", "Tasks pulled by newidle balance since the start", "", float64(b.NewidlePulled))
	case workload.KindHackbench:
		rate("wakeups_reader_per_s", "Wakeups of receivers", a.WakeupsByRole[workload.RoleReceiver], b.WakeupsByRole[workload.RoleReceiver])
		rate("wakeups_writer_per_s", "Wakeups of senders", a.WakeupsByRole[workload.RoleSender], b.WakeupsByRole[workload.RoleSender])
		mean("on_wakers_cpu", "Wakeups on the waker's CPU", "of wakeups", float64(b.OnWakersCPU-a.OnWakersCPU), b.Wakeups-a.Wakeups)
		rate("spurious_wakeups_per_s", "Wakeups that found nothing to do", a.SpuriousWakes, b.SpuriousWakes)
		for _, t := range hackbenchRoles {
			mean("lag_"+t.key+"_ms", "Lag of woken "+t.title+" behind min_vruntime", "ms",
				float64(b.LagPs[t.role]-a.LagPs[t.role])/float64(simtime.Millisecond), b.WakeupsByRole[t.role]-a.WakeupsByRole[t.role])
			for _, by := range hackbenchRoles {
				pair := kernel.PreemptPair(t.role, by.role)
				rate("preempted_"+t.key+"_by_"+by.key+"_per_s", t.Title+" preempted by woken "+by.title, a.PreemptPairs[pair], b.PreemptPairs[pair])
			}
		}
	}
	rate("messages_per_s", "Messages", a.Messages, b.Messages)
	mean("messages_per_switch", "Messages per switch", "", float64(b.Messages-a.Messages), b.Switches-a.Switches)
	rate("ipis_per_s", "Interrupts between CPUs", a.IPIs, b.IPIs)
	rate("polled_wakes_per_s", "Polled wakes", a.PolledWakes, b.PolledWakes)
	add("prevented_sleeps", "Wakeups that only prevented a sleep", "of wakeups", float64(b.RaceWakes-a.RaceWakes)/float64(max(b.Wakeups-a.Wakeups+b.RaceWakes-a.RaceWakes, 1)))
	mean("ttwu_runnable_ns", "Runqueue lock held by such a wakeup", "ns", float64(b.RaceHeld-a.RaceHeld)/float64(simtime.Nanosecond), b.RaceWakes-a.RaceWakes)
	rate("preemptions_per_s", "Wakeup preemptions", a.Preemptions, b.Preemptions)
	mean("preempt_waker", "Of them, on the CPU that woke", "of preemptions", float64(b.PreemptWaker-a.PreemptWaker), b.Preemptions-a.Preemptions)
	mean("wakeup_latency_us", "Wakeup to running, mean", "us", float64(until.WakeTime-from.WakeTime)/float64(simtime.Microsecond), until.Woken-from.Woken)
	add("lock_wait_cpus", "CPUs spinning on locks or call data", "CPUs", state[view.Spin])
	add("line_wait_cpus", "CPUs waiting for cache lines", "CPUs", (until.LineWait-from.LineWait).Seconds()/seconds)
	for _, s := range []view.State{view.IdlePoll, view.IdleC1, view.IdleC2} {
		add([...]string{"residency_poll", "residency_c1", "residency_c2"}[s], "Residency in "+s.String()[len("idle "):], "of CPU time", state[s]/cpus)
	}
	return to
}

// hackbenchRoles are who wakes and preempts whom in hackbench.
var hackbenchRoles = []struct {
	key, title, Title string
	role              int32
}{
	{"reader", "receivers", "Receivers", workload.RoleReceiver},
	{"writer", "senders", "Senders", workload.RoleSender},
}

// callParts is what a call's time goes to, on the calling CPUs and on the
// called ones. Their times overlap. What other CPUs do in these functions
// counts too: little on a machine that is idle otherwise.
var callParts = []struct {
	key, title string
	fns        []kernel.Fn
}{
	{"call_fill_ns", "Caller: csd fill", []kernel.Fn{kernel.FnSmpCallFunctionSingle, kernel.FnSmpCallFunctionMany}},
	{"call_push_ns", "Caller: queue push", []kernel.Fn{kernel.FnCallSingleQueue}},
	{"call_notify_ns", "Caller: notify", []kernel.Fn{kernel.FnSendCallIPI}},
	{"call_wait_ns", "Caller: wait", []kernel.Fn{kernel.FnCsdLockWait}},
	{"target_exit_ns", "Target: idle exit", []kernel.Fn{kernel.FnStateExit, kernel.FnTickNohzIdleExit}},
	{"target_irq_ns", "Target: interrupt", []kernel.Fn{kernel.FnSysvecReschedule, kernel.FnSysvecCallFunction, kernel.FnSysvecCallFunctionSingle, kernel.FnSysvecTimer, kernel.FnIrqExit}},
	{"target_flush_ns", "Target: flush", []kernel.Fn{kernel.FnFlushQueue}},
	{"target_func_ns", "Target: function", []kernel.Fn{kernel.FnHandler}},
	{"target_schedule_ns", "Target: schedule", []kernel.Fn{kernel.FnSchedule}},
	{"target_newidle_ns", "Target: newidle balance", []kernel.Fn{kernel.FnNewidleBalance, kernel.FnLoadBalance}},
	{"target_reentry_ns", "Target: idle re-entry", []kernel.Fn{kernel.FnDoIdle, kernel.FnCpuidleIdleCall}},
}
