package kernel

import (
	"math/bits"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// Interrupt vectors, in the order in which pending ones are taken.
const (
	vectorTimer      = iota // LOCAL_TIMER_VECTOR
	vectorReschedule        // 0xfd
	vectorCallMany          // 0xfc
	vectorCallSingle        // 0xfb
	numVectors
)

// sendIPI puts an interrupt on its way from c to t. It arrives after the
// delivery time for the distance.
func (k *Kernel) sendIPI(c, t CPUID, vector uint8) {
	k.count[0].IPIs++
	hop := k.Mem.Latency(c, t) * Duration(k.hwv[hw.APICHop]) / 1000
	at := k.now.Add(Duration(k.hwv[hw.APICDeliver]) + hop)
	cp := &k.cpus[t]
	for i := range cp.ipiAt {
		if cp.ipiAt[i] == 0 {
			cp.ipiAt[i], cp.ipiVector[i] = at, vector
			k.traceIPI(c, t, vector, at)
			k.program(t)
			return
		}
	}
	k.bug(c, "more than %d interrupts in flight to CPU %d", maxInFlight, t)
}

// program sets the instant of CPU t's next interrupt arrival or timer.
func (k *Kernel) program(t CPUID) {
	cp := &k.cpus[t]
	next := min(cp.tickAt, cp.hrtimerAt)
	for _, at := range cp.ipiAt {
		if at != 0 {
			next = min(next, at)
		}
	}
	if next == simtime.Never {
		k.arrivals.Clear(t)
		return
	}
	k.arrivals.Set(t, next)
}

// arrive latches the interrupts that reach CPU t now and lets it take them if
// its interrupts are on, or ends the idle state it sleeps in.
func (k *Kernel) arrive(t CPUID) {
	cp := &k.cpus[t]
	for i, at := range cp.ipiAt {
		if at != 0 && at <= k.now {
			cp.vectors |= 1 << cp.ipiVector[i]
			cp.ipiAt[i] = 0
		}
	}
	if min(cp.tickAt, cp.hrtimerAt) <= k.now {
		cp.vectors |= 1 << vectorTimer
		k.expireTimers(t)
	}
	k.program(t)
	switch {
	case cp.vectors == 0:
	case cp.irqsOff == 0:
		k.takeInterrupt(t)
	case cp.inState != 0:
		k.poke(t, k.exitLatency(t))
	}
}

// takeInterrupt stops what CPU c does and runs its handlers.
func (k *Kernel) takeInterrupt(c CPUID) {
	cp := &k.cpus[c]
	k.account(c)
	rest := int64(watch)
	if cp.parked == 0 {
		rest = int64(k.steps.At(c).Sub(k.now))
	}
	cp.parked = 0
	k.call(c, FnInterrupt, 0, 0, 0)
	t := &k.tasks[cp.curr]
	t.stack[t.sp].T = rest
	k.exec(c)
}

// irqOn enables interrupts; one that is pending is taken at this instant.
func (k *Kernel) irqOn(c CPUID) Duration {
	cp := &k.cpus[c]
	cp.irqsOff = 0
	if cp.vectors != 0 {
		k.call(c, FnInterrupt, 0, 0, 0)
	}
	return again
}

// interrupt runs the pending vectors' handlers. T: what was left of the
// interrupted step, or watch.
func (k *Kernel) interrupt(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case 0:
		cp.irqsOff = 1
		cp.hardirq++
		f.Step = 1
		// An interrupt ends a polling idle state's loop only through the flag.
		return k.cost(c, CostIrqEntry)
	case 1:
		if cp.vectors == 0 {
			f.Step = 2
			return k.call(c, FnIrqExit, 0, 0, 0)
		}
		v := bits.TrailingZeros32(cp.vectors)
		cp.vectors &^= 1 << v
		cp.debt += k.cost(c, CostEOI)
		switch v {
		case vectorTimer:
			return k.call(c, FnSchedulerTick, 0, 0, 0)
		case vectorCallSingle, vectorCallMany:
			return k.call(c, FnFlushQueue, 1, 0, 0)
		}
		return cp.settle() + k.cost(c, CostReschedHandler)
	case 2:
		f.Step = 3
		return k.cost(c, CostIrqExit)
	case 3:
		if cp.vectors != 0 {
			f.Step = 0
			return again
		}
		f.Step = 4
		t := &k.tasks[cp.curr]
		if cp.resched != 0 && t.kthread == 0 && t.stack[t.sp-1].Fn == FnUser {
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
	}
	rest := Duration(f.T)
	cp.irqsOff = 0
	if cp.vectors != 0 {
		f.Step = 0
		return again
	}
	k.tasks[cp.curr].sp--
	if rest == watch {
		return again // it looks anew at what it was watching
	}
	return rest
}

// irqExit mirrors irq_exit_rcu: run softirqs unless one is already running.
func (k *Kernel) irqExit(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	if f.Step == 0 {
		f.Step = 1
		cp.hardirq--
		if cp.softirqs != 0 && cp.softirq == 0 && cp.hardirq == 0 {
			return k.call(c, FnHandleSoftirqs, 0, 0, 0)
		}
	}
	return k.ret(c, 0)
}
