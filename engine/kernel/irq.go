package kernel

import (
	"math/bits"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/engine/view"
)

// Interrupt vectors, in the order in which pending ones are taken: the highest
// number first.
const (
	vectorReschedule = iota // 0xfd
	vectorCallMany          // 0xfc
	vectorCallSingle        // 0xfb
	vectorTimer             // 0xec
	numVectors
)

// vectorTrace is what the kernel records around a vector's handler.
var vectorTrace = [numVectors]struct {
	vector      int64
	entry, exit trace.Kind
}{
	vectorReschedule: {trace.RescheduleVector, trace.RescheduleEntry, trace.RescheduleExit},
	vectorCallMany:   {trace.CallFunctionVector, trace.CallFunctionEntry, trace.CallFunctionExit},
	vectorCallSingle: {trace.CallFunctionSingleVector, trace.CallFunctionSingleEntry, trace.CallFunctionSingleExit},
	vectorTimer:      {trace.LocalTimerVector, trace.LocalTimerEntry, trace.LocalTimerExit},
}

// sendIPI puts an interrupt on its way from c to t, once the sender has
// written its APIC. It arrives after the delivery time for the distance.
func (k *Kernel) sendIPI(c, t CPUID, vector uint8) {
	k.count[0].IPIs++
	hop := k.Mem.Latency(c, t) * Duration(k.hwv[hw.APICHop]) / 1000
	at := k.now.Add(Duration(k.hwv[hw.APICDeliver]) + hop)
	cp := &k.cpus[t]
	for i := range cp.ipiAt {
		if cp.ipiAt[i] == 0 {
			cp.ipiAt[i], cp.ipiVector[i] = at, vector
			k.arrow(view.IPI, c, t, at)
			k.program(t)
			return
		}
	}
	// The APIC keeps one bit a vector: one that arrives sooner serves this too.
	for _, v := range cp.ipiVector {
		if v == vector {
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
		k.arrivals.Set(t, simtime.Never)
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
		k.leaveState(t, k.exitLatency(t))
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
	k.top(c).T = rest
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

// Steps of an interrupt.
const (
	irqEntry = iota
	irqAck
	irqHandle
	irqHandled
	irqLeave
	irqPreempt
	irqReturn
)

// sysvec names the entry function of the interrupt in f.
func (k *Kernel) sysvec(c CPUID, f *Frame) Fn {
	vector := f.A
	if f.Step <= irqAck {
		vector = int32(bits.TrailingZeros32(k.cpus[c].vectors))
	}
	return FnSysvecReschedule + Fn(vector)
}

// interrupt runs the handler of the highest pending vector; another one that
// waits is taken when this one returns, with an entry and exit of its own. A:
// vector; T: what was left of the interrupted step, or watch.
func (k *Kernel) interrupt(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case irqEntry:
		cp.irqsOff = 1
		cp.hardirq++
		f.Step = irqAck
		d := k.cost(c, CostIrqEntry)
		if k.inIdleLoop(c) { // tick_irq_enter
			d += k.cost(c, CostTickIdleExit) + Duration(k.hwv[hw.TSCRead])
		}
		return d
	case irqAck:
		f.A = int32(bits.TrailingZeros32(cp.vectors))
		cp.vectors &^= 1 << f.A
		f.Step = irqHandle
		return k.cost(c, CostEOI)
	case irqHandle:
		f.Step = irqHandled
		k.traceVector(c, f.A, vectorTrace[f.A].entry)
		switch f.A {
		case vectorTimer:
			return k.call(c, FnSchedulerTick, 0, 0, 0)
		case vectorCallSingle, vectorCallMany:
			return k.call(c, FnFlushQueue, flushIRQ, 0, 0)
		}
		cp.foldResched()
		return cp.settle() + k.cost(c, CostReschedHandler)
	case irqHandled:
		k.traceVector(c, f.A, vectorTrace[f.A].exit)
		f.Step = irqLeave
		return k.call(c, FnIrqExit, 0, 0, 0)
	case irqLeave:
		f.Step = irqPreempt
		d := k.cost(c, CostIrqExit)
		if k.inIdleLoop(c) && cp.resched == 0 { // tick_irq_exit
			d += k.cost(c, CostTickIdleEnter) + Duration(k.hwv[hw.TSCRead])
		}
		return d
	case irqPreempt:
		f.Step = irqReturn
		if cp.resched != 0 && cp.vectors == 0 && k.tasks[cp.curr].kthread == 0 && k.frames[cp.sp-1].Fn == FnUser {
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
	case irqReturn:
		cp.irqsOff = 0
		if cp.vectors != 0 {
			f.Step = irqEntry
			break
		}
		rest := Duration(f.T)
		cp.sp--
		if rest == watch {
			return again // it looks anew at what it was watching
		}
		return rest
	}
	return again
}

// irqExit mirrors irq_exit_rcu: run softirqs unless one is already running;
// PREEMPT_RT leaves them to ksoftirqd.
func (k *Kernel) irqExit(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	if f.Step == 0 {
		f.Step = 1
		cp.hardirq--
		if cp.softirqs != 0 && cp.softirq == 0 && cp.hardirq == 0 {
			if k.feat[PreemptRT] != 0 {
				return k.call(c, FnTryToWakeUp, k.ksoftirqdOf(c), 0, 0)
			}
			return k.call(c, FnHandleSoftirqs, 0, 0, 0)
		}
	}
	if d := cp.settle(); d > 0 {
		return d
	}
	return k.ret(c, 0)
}
