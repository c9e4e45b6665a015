package kernel

import (
	"fmt"

	"wakelab/engine/simtime"
)

// Softirq vectors. NET_RX runs where loopback raises it, in the sender's
// local_bh_enable, so only SCHED is ever pending.
const (
	softirqNetRX = 3
	softirqSched = 7
)

// maxSoftirqTime and maxSoftirqRestart bound one run of __do_softirq.
const (
	maxSoftirqTime    = 2 * simtime.Millisecond
	maxSoftirqRestart = 10
)

// raiseSoftirq mirrors __raise_softirq_irqoff: mark it pending.
func (k *Kernel) raiseSoftirq(c CPUID, vec int32) {
	k.cpus[c].softirqs |= 1 << vec
	k.traceSoftirqRaise(c, vec)
}

// raiseSoftirqIrqoff mirrors raise_softirq_irqoff: outside interrupts nobody
// would run it soon, so ksoftirqd is woken, unless the flag of FlushFlag says
// that the flush under way will. A: vector.
func (k *Kernel) raiseSoftirqIrqoff(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case 0:
		k.raiseSoftirq(c, f.A)
		f.Step = 1
		if cp.hardirq == 0 && cp.softirq == 0 && cp.inFlush == 0 {
			return k.call(c, FnTryToWakeUp, k.ksoftirqdOf(c), 0, 0)
		}
	case 1:
		f.Step = 2
		return cp.settle()
	case 2:
		return k.ret(c, 0)
	}
	return again
}

// handleSoftirqs mirrors __do_softirq. A: vectors being handled, B: rounds, T:
// when it began. It is entered and left with interrupts off.
func (k *Kernel) handleSoftirqs(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case 0:
		f.T = int64(k.now)
		cp.softirq++
		f.Step = 1
	case 1:
		f.A = int32(cp.softirqs)
		cp.softirqs = 0
		f.Step = 2
		return k.irqOn(c)
	case 2:
		f.Step = 3
		return k.cost(c, CostSoftirqEntry)
	case 3:
		f.Step = 4
		if f.A&(1<<softirqSched) != 0 {
			k.traceSoftirq(c, softirqSched, true)
			return k.call(c, FnRunRebalanceDomains, 0, 0, 0)
		}
	case 4:
		if f.A&(1<<softirqSched) != 0 {
			k.traceSoftirq(c, softirqSched, false)
		}
		f.Step = 5
		return k.cost(c, CostSoftirqExit)
	case 5:
		cp.irqsOff = 1
		f.Step = 6
		if cp.softirqs == 0 {
			break
		}
		f.B++
		if k.now.Sub(Time(f.T)) < maxSoftirqTime && cp.resched == 0 && f.B < maxSoftirqRestart {
			f.Step = 1
			break
		}
		return k.call(c, FnTryToWakeUp, k.ksoftirqdOf(c), 0, 0)
	case 6:
		if d := cp.settle(); d > 0 {
			return d
		}
		cp.softirq--
		return k.ret(c, 0)
	}
	return again
}

// softirqPostFlush mirrors do_softirq_post_smp_call_flush: softirqs that the
// flushed functions raised run at once, in the idle task's context; PREEMPT_RT
// wakes ksoftirqd for those that were not pending before.
func (k *Kernel) softirqPostFlush(c CPUID, before uint32) Duration {
	cp := &k.cpus[c]
	switch {
	case k.feat[SoftirqAfterFlush] == 0 || cp.softirqs == 0:
	case k.feat[PreemptRT] == 0:
		return k.call(c, FnHandleSoftirqs, 0, 0, 0)
	case cp.softirqs != before:
		return k.call(c, FnTryToWakeUp, k.ksoftirqdOf(c), 0, 0)
	}
	return again
}

// ksoftirqd is a real task per CPU; tasks N..2N-1.
func (k *Kernel) ksoftirqdOf(c CPUID) TaskID { return int32(len(k.cpus)) + c }

func (k *Kernel) initKthreads() {
	for c := range CPUID(len(k.cpus)) {
		id := k.newTask(fmt.Sprintf("ksoftirqd/%d", c), firstKthreadPID+kthreadPIDs*c, none, c, Frame{Fn: FnKsoftirqd})
		t := &k.tasks[id]
		t.kthread, t.allowed, t.role = 1, c, roleKthread
	}
	for c := range CPUID(len(k.cpus)) {
		k.initStopper(c)
	}
}

// roleKthread is the role of tasks that are not the workload's.
const roleKthread = 7

// ksoftirqd mirrors run_ksoftirqd and its thread's loop.
func (k *Kernel) ksoftirqd(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case 0:
		cp.irqsOff = 1
		f.Step = 1
		if cp.softirqs != 0 {
			return k.call(c, FnHandleSoftirqs, 0, 0, 0)
		}
	case 1:
		f.Step = 2
		return k.irqOn(c)
	case 2:
		f.Step = 3
		return k.cost(c, CostKsoftirqd)
	case 3:
		f.Step = 0
		if cp.softirqs == 0 {
			k.tasks[cp.curr].state = taskInterruptible
			return k.call(c, FnSchedule, schedVoluntary, 0, 0)
		}
		if cp.resched != 0 {
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
	}
	return again
}
