package kernel

import "wakelab/engine/simtime"

// tickPeriod is one jiffy at HZ=250.
const tickPeriod = 4 * simtime.Millisecond

// jiffy returns the start of the jiffy that contains t.
func jiffy(t Time) Time { return t - t%Time(tickPeriod) }

// startTicks sets every CPU's tick: at its own phase within a jiffy with
// skew_tick, otherwise all at its start.
func (k *Kernel) startTicks() {
	for c := range k.cpus {
		k.cpus[c].tickAt = Time(tickPeriod)
		if k.feat[SkewTick] != 0 {
			k.cpus[c].tickAt = Time(1 + k.random[rndTick].Intn(int64(tickPeriod)))
		}
		k.program(CPUID(c))
	}
}

// expireTimers reprograms the tick and wakes sleepers whose time has come.
func (k *Kernel) expireTimers(c CPUID) {
	cp := &k.cpus[c]
	if cp.tickAt <= k.now {
		cp.tickAt = k.now.Add(tickPeriod)
		cp.timerWork |= tickDue
	}
	if cp.hrtimerAt <= k.now {
		cp.hrtimerAt = simtime.Never
		cp.timerWork |= timerDue
	}
}

// Bits of cpu.timerWork: what the timer interrupt has to do.
const (
	tickDue  = 1
	timerDue = 2
)

// stopTick stops the tick of a CPU that will idle for long and enters it into
// the nohz idle mask.
func (k *Kernel) stopTick(c CPUID) {
	cp := &k.cpus[c]
	cp.tickOff = 1
	cp.tickAt = simtime.Never
	k.program(c)
	k.nohzBalanceEnterIdle(c)
}

// restartTick mirrors tick_nohz_idle_exit for a stopped tick.
func (k *Kernel) restartTick(c CPUID) {
	cp := &k.cpus[c]
	if cp.tickOff == 0 {
		return
	}
	cp.tickOff = 0
	cp.tickAt = jiffy(k.now).Add(tickPeriod)
	if k.feat[SkewTick] != 0 {
		cp.tickAt = cp.tickAt.Add(Duration(c) * tickPeriod / Duration(len(k.cpus)))
	}
	k.program(c)
	cp.debt += k.cost(c, CostTickRestart)
}

// scheduler_tick and the hrtimer interrupt.
const (
	tickStart = iota
	tickLocked
	tickCharged
	tickRelease
	tickUnlocked
	tickNohz
	tickTimers
	tickWake
)

// schedulerTick mirrors the timer interrupt: scheduler_tick under the
// runqueue lock, the balance triggers, expired sleepers. A: sleeper.
func (k *Kernel) schedulerTick(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case tickStart:
		if cp.timerWork&tickDue == 0 {
			f.Step = tickTimers
			return cp.settle()
		}
		cp.timerWork &^= tickDue
		k.count[0].Ticks++
		f.Step = tickLocked
		return k.spinLock(c, r.lock)
	case tickLocked:
		f.Step = tickCharged
		return k.cost(c, CostTick) + k.updateRqClock(c, c)
	case tickCharged:
		if k.taskTick(c) {
			cp.resched = reschedHere
		}
		f.Step = tickRelease
		return cp.settle()
	case tickRelease:
		k.spinUnlock(c, r.lock)
		f.Step = tickUnlocked
	case tickUnlocked:
		cp.idleBal = 0
		if k.idleCPU(c, c) {
			cp.idleBal = 1
		}
		if k.now >= r.nextBalance && k.feat[PeriodicBalance] != 0 {
			k.raiseSoftirq(c, softirqSched)
		}
		f.Step = tickNohz
		return cp.settle()
	case tickNohz:
		f.Step = tickTimers
		if cp.idleBal == 0 && k.feat[NoHz] != 0 {
			return k.call(c, FnNohzBalancerKick, 0, 0, 0)
		}
	case tickTimers:
		if cp.timerWork&timerDue == 0 {
			return k.ret(c, 0)
		}
		f.A = cp.hrtimer
		if f.A == none || k.tasks[f.A].wakeAt > k.now {
			cp.timerWork &^= timerDue
			cp.hrtimerAt = simtime.Never
			if f.A != none {
				cp.hrtimerAt = k.tasks[f.A].wakeAt
			}
			k.program(c)
			return k.ret(c, 0)
		}
		cp.hrtimer = k.tasks[f.A].timerNext
		k.tasks[f.A].timerNext = none
		f.Step = tickWake
		return k.cost(c, CostHrtimer)
	case tickWake:
		f.Step = tickTimers
		return k.call(c, FnTryToWakeUp, f.A, 0, 0)
	}
	return again
}

// scheduleHrtimeout mirrors schedule_hrtimeout: sleep until T.
func (k *Kernel) scheduleHrtimeout(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	t := &k.tasks[cp.curr]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cost(c, CostHrtimer)
	case 1:
		f.Step = 2
		t.wakeAt = Time(f.T)
		at := &cp.hrtimer
		for *at != none && k.tasks[*at].wakeAt <= t.wakeAt {
			at = &k.tasks[*at].timerNext
		}
		t.timerNext = *at
		*at = cp.curr
		cp.hrtimerAt = k.tasks[cp.hrtimer].wakeAt
		k.program(c)
		t.state = taskInterruptible
		return k.call(c, FnSchedule, schedVoluntary, 0, 0)
	}
	return k.ret(c, 0)
}
