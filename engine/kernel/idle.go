package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// Idle states by index.
const (
	statePoll = iota
	stateC1
	stateC2
)

// Steps of do_idle.
const (
	idleEnter = iota
	idleNewilb
	idlePolling
	idleLoop
	idleSelect
	idleGoverned
	idleCleared
	idleArm
	idleArmed
	idleLeft
	idleIrqsOn
	idleSetPolling
	idleExitTick
	idleClearPolling
	idleFlush
	idleSchedule
	idleScheduled
)

// doIdle mirrors do_idle, cpuidle_idle_call and schedule_idle: the idle
// task's whole life. A: the chosen idle state; T: when idling began.
//
// TIF_POLLING_NRFLAG promises that a store of NEED_RESCHED alone is seen. It
// is clear in two windows: from call_cpuidle to the state's entry, and from
// idleClearPolling to the next idlePolling. A sender that looks there must
// use a real interrupt.
func (k *Kernel) doIdle(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case idleEnter:
		f.Step = idleNewilb
		relax := Duration(k.feat[CPURelax]) * k.cost(c, CostCPURelax)
		return relax + k.cost(c, CostIdleEnter) + k.Mem.Access(k.now, c, r.lineTtwu, hw.RMW)
	case idleNewilb:
		f.Step = idlePolling
		return k.nohzRunIdleBalance(c)
	case idlePolling:
		f.Step = idleLoop
		return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
	case idleLoop:
		cp.polling = 1
		f.Step = idleSelect
		return k.cost(c, CostTickIdleEnter) + 2*Duration(k.hwv[hw.TSCRead])
	case idleSelect:
		if k.leaving(cp) {
			f.Step = idleExitTick
			return again
		}
		cp.irqsOff = 1
		f.Step = idleGoverned
		return k.cost(c, CostGovernor)
	case idleGoverned:
		f.A = k.menuSelect(c)
		f.Step = idleCleared
		return cp.settle() + k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
	case idleCleared:
		cp.polling = 0
		f.Step = idleArm
		return k.cost(c, CostCpuidleEnter) + Duration(k.hwv[hw.TSCRead])
	case idleArm:
		if k.leaving(cp) {
			f.Step = idleLeft
			return again
		}
		f.Step = idleArmed
		if f.A == statePoll {
			cp.debt += k.cost(c, CostMonitor)
			return k.irqOn(c)
		}
		if k.pollsIn(f.A) {
			return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW) + k.cost(c, CostMonitor)
		}
		return again
	case idleArmed:
		f.Step = idleLeft
		if k.pollsIn(f.A) {
			cp.polling = 1
		}
		if k.leaving(cp) || cp.vectors != 0 {
			return again
		}
		return k.call(c, FnCpuidleEnter, f.A, 0, 0)
	case idleLeft:
		cp.irqsOff = 1
		f.Step = idleIrqsOn
		return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW) + k.cost(c, CostCpuidleExit) + Duration(k.hwv[hw.TSCRead])
	case idleIrqsOn:
		cp.polling = 0
		f.Step = idleSetPolling
		return k.irqOn(c)
	case idleSetPolling:
		cp.polling = 1
		f.Step = idleSelect
		return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
	case idleExitTick:
		cp.foldResched()
		k.restartTick(c)
		f.Step = idleClearPolling
		return k.cost(c, CostTickIdleExit) + Duration(k.hwv[hw.TSCRead])
	case idleClearPolling:
		f.Step = idleFlush
		d := k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
		if k.feat[NotifyIPI] != 0 { // a second bit to clear
			d += Duration(k.hwv[hw.LockedOp])
		}
		return d
	case idleFlush:
		cp.polling, cp.notifyIPI = 0, 0
		f.Step = idleSchedule
		if k.feat[FlushOnIdleExit] == 0 {
			return again
		}
		return k.call(c, FnFlushQueue, flushIdle, 0, 0)
	case idleSchedule:
		f.Step = idleScheduled
		if k.feat[NotifyIPI] != 0 && cp.resched == 0 {
			return again
		}
		mode := int32(schedPreempt)
		if k.feat[SMIdle] != 0 {
			mode = schedIdle
		}
		if k.feat[IdleDelay] > 0 && k.feat[IdleDelayFrom] == delayFromExit {
			r.idleEnd = k.now
			cp.debt += Duration(k.hwv[hw.TSCRead]) + k.Mem.Access(k.now, c, r.lineCurr, hw.Store)
		}
		return k.call(c, FnSchedule, mode, 0, 0)
	}
	// schedule_idle repeats while NEED_RESCHED is set.
	if cp.resched != 0 {
		f.Step = idleSchedule
	} else {
		f.Step = idleEnter
	}
	return again
}

// idlePart names the part of do_idle that a CPU is in, by its next step.
func idlePart(step uint16) Fn {
	switch {
	case step > idleSelect && step <= idleArmed:
		return FnCpuidleIdleCall
	case step > idleArmed && step <= idleFlush:
		return FnTickNohzIdleExit
	}
	return FnDoIdle
}

// leaving reports whether CPU to is bound to leave its idle loop: there is
// something to schedule, or a call to flush that came without an interrupt.
func (k *Kernel) leaving(to *cpu) bool { return to.resched != 0 || to.notifyIPI != 0 }

// inIdleLoop reports whether CPU c idles between tick_nohz_idle_enter and
// tick_nohz_idle_exit, where interrupts keep the tick's books.
func (k *Kernel) inIdleLoop(c CPUID) bool {
	step := k.frames[c*maxDepth].Step
	return k.cpus[c].curr == c && step >= idleSelect && step <= idleExitTick
}

// pollsIn reports whether a CPU in idle state s sees a store to its flags.
func (k *Kernel) pollsIn(s int32) bool {
	return s == statePoll || k.hwv[stateParam(s)] == hw.StateMWAIT
}

func stateParam(s int32) hw.Param {
	if s == stateC1 {
		return hw.C1
	}
	return hw.C2
}

// cpuidleEnter is the state itself: the CPU is parked until a store to its
// flags line (if it polls) or an interrupt. A: the state.
func (k *Kernel) cpuidleEnter(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	if f.Step == 0 {
		f.Step = 1
		cp.inState = 1
		cp.idleState = uint8(view.IdlePoll) + uint8(f.A)
		cp.idleAt = k.now
		cp.idleUsage[f.A]++
		if f.A != statePoll {
			k.coreBusy[k.Topo.CoreOf(c)]--
		}
		k.traceIdle(c, f.A)
		return watch
	}
	if f.A != statePoll {
		k.coreBusy[k.Topo.CoreOf(c)]++
	} else if cp.resched == 0 && cp.notifyIPI == 0 {
		return watch // an interrupt alone does not end the polling loop
	}
	cp.inState = 0
	k.traceIdle(c, -1)
	k.menuReflect(c, k.now.Sub(cp.idleAt))
	return k.ret(c, 0)
}

// wakeMonitor ends CPU t's polling idle state after CPU c's store to its
// flags; it does nothing while t is on its way in or out, where it tests the
// flag itself.
func (k *Kernel) wakeMonitor(c, t CPUID) {
	cp := &k.cpus[t]
	if cp.inState == 0 {
		return
	}
	d := k.Mem.Access(k.now, t, k.rqs[t].lineFlags, hw.Load)
	k.leaveState(t, d+k.exitLatency(t))
}

// leaveState lets CPU t, in an idle state, go on after d, which it spends on
// the way out.
func (k *Kernel) leaveState(t CPUID, d Duration) {
	if cp := &k.cpus[t]; cp.parked == isWatching {
		k.account(t)
		cp.fn, cp.state = uint16(FnStateExit), view.IdleLoop
	}
	k.poke(t, d)
}

// exitLatency is how long CPU t needs to leave its idle state from now on.
func (k *Kernel) exitLatency(t CPUID) Duration {
	cp := &k.cpus[t]
	since := k.now.Sub(cp.idleAt)
	switch cp.idleState {
	case uint8(view.IdleC1):
		return Duration(k.hwv[hw.C1Exit])
	case uint8(view.IdleC2):
		entry := max(Duration(k.hwv[hw.C2Entry])-since, 0)
		if since > Duration(k.hwv[hw.C2DeepAfter]) {
			return Duration(k.hwv[hw.C2ExitDeep])
		}
		return entry + Duration(k.hwv[hw.C2Exit])
	}
	return k.cost(t, CostPollExit)
}

// menuSelect mirrors the menu governor as far as a run shorter than a second
// needs it: the typical interval of the last eight idle spans, the time to
// the next timer, the states' residencies, and whether to stop the tick.
func (k *Kernel) menuSelect(c CPUID) int32 {
	cp := &k.cpus[c]
	next := min(cp.tickAt, cp.hrtimerAt).Sub(k.now)
	timer := next
	if cp.tickOff == 0 {
		timer = cp.hrtimerAt.Sub(k.now) // if the tick were stopped
	}
	c1, c2 := k.hwv[hw.C1] != hw.StateOff, k.hwv[hw.C2] != hw.StateOff
	predicted := min(timer, k.typicalInterval(cp))
	if cp.tickOff != 0 && predicted < tickPeriod {
		predicted = timer
	}
	cp.predicted = predicted
	state := int32(statePoll)
	switch {
	case c2 && predicted >= Duration(k.hwv[hw.C2Residency]) && predicted >= Duration(k.hwv[hw.C2Latency]):
		state = stateC2
	case c1 && (predicted >= Duration(k.hwv[hw.C1Residency]) || timer >= Duration(k.hwv[hw.C1Residency])):
		state = stateC1 // menu avoids busy polling unless a timer is near
	}
	if k.feat[ForcePoll] != 0 {
		state = statePoll
	}
	if cp.tickOff != 0 {
		return state
	}
	if predicted >= tickPeriod && state != statePoll && k.feat[NoHz] != 0 && cp.softirqs == 0 {
		k.stopTick(c)
		return state
	}
	if state == stateC2 && next < Duration(k.hwv[hw.C2Residency]) && c1 {
		state = stateC1
	}
	return state
}

// menuReflect records a finished idle span.
func (k *Kernel) menuReflect(c CPUID, span Duration) {
	cp := &k.cpus[c]
	us := int64(span / simtime.Microsecond)
	exit := int64(0)
	switch cp.idleState {
	case uint8(view.IdleC1):
		exit = k.hwv[hw.C1Latency] / int64(simtime.Microsecond)
	case uint8(view.IdleC2):
		exit = k.hwv[hw.C2Latency] / int64(simtime.Microsecond)
	}
	if us > 2*exit {
		us -= exit
	} else {
		us /= 2
	}
	cp.intervals[cp.intervalAt] = us
	cp.intervalAt = (cp.intervalAt + 1) % uint8(len(cp.intervals))
}

// typicalInterval mirrors get_typical_interval: the mean of the last eight
// spans if they agree, dropping up to two of the largest.
func (k *Kernel) typicalInterval(cp *cpu) Duration {
	limit := int64(1) << 62
	for {
		var n, sum, top int64
		for _, v := range cp.intervals {
			if v <= limit {
				n++
				sum += v
				top = max(top, v)
			}
		}
		if n < 6 {
			return Duration(simtime.Never)
		}
		mean := sum / n
		var variance int64
		for _, v := range cp.intervals {
			if v <= limit {
				variance += (v - mean) * (v - mean)
			}
		}
		variance /= n
		if variance <= 400 || mean*mean > 36*variance {
			return Duration(mean) * simtime.Microsecond
		}
		limit = top - 1
	}
}
