package kernel

import (
	"slices"

	"wakelab/engine/trace"
	"wakelab/engine/view"
)

// observers receive what happens; with none the price is one check each.
type observers struct {
	ring   trace.Ring
	arrows []view.Arrow // bounded by cap; nil: nobody looks
	spans  []view.Span
	lost   uint32
	since  Time // from when on lines are watched
}

// functions reports whether anybody looks at the functions CPUs are in.
func (o *observers) functions() bool { return o.spans != nil || o.ring.On(trace.FuncgraphExit) }

// Messages of trace_printk.
const msgRaiseSched = 0

var messages = []string{"Raise SCHED_SOFTIRQ for idle balance"}

func (k *Kernel) traceTask(id TaskID) int64 {
	if id < int32(len(k.cpus)) {
		return trace.IdleTask
	}
	return int64(id)
}

func (k *Kernel) emit(c CPUID, kind trace.Kind, a, b, cc, d int64) {
	k.observers.ring.Emit(k.record(c, kind, a, b, cc, d))
}

func (k *Kernel) record(c CPUID, kind trace.Kind, a, b, cc, d int64) trace.Record {
	cp := &k.cpus[c]
	var fl trace.Flags
	if cp.irqsOff != 0 {
		fl |= trace.IRQsOff
	}
	if cp.resched&tifNeedResched != 0 {
		fl |= trace.NeedResched
	}
	if cp.resched&preemptNeedResched != 0 {
		fl |= trace.PreemptNeedResched
	}
	if cp.hardirq != 0 {
		fl |= trace.HardIRQ
	}
	if cp.softirq != 0 {
		fl |= trace.SoftIRQ
	}
	return trace.Record{AtPs: int64(k.now), CPU: c, Kind: kind, Flags: fl,
		PreemptDepth: k.preemptDepth(c, kind), Task: int32(k.traceTask(cp.curr)), Args: [4]int64{a, b, cc, d}}
}

// preemptDepth is the preempt count's low byte where the tracepoint stands:
// idle and stopper works run at 1; NET_RX, its socket's lock, schedule, a wait
// queue's lock and queueing a stopper's work add one each to what heldAt says.
func (k *Kernel) preemptDepth(c CPUID, kind trace.Kind) uint8 {
	depth := uint8(0)
	own := k.cpus[c].curr == c || k.isStopper(k.cpus[c].curr)
	if own {
		depth = 1
	}
	receives := k.receives(c)
	if receives { // __local_bh_enable_ip keeps one while softirqs run
		depth++
	}
	switch kind {
	case trace.SchedSwitch:
		return 2
	case trace.SchedWaking, trace.SchedWakeup, trace.SchedMigrateTask,
		trace.CSDQueueCPU, trace.IPISendCPU, trace.IPISendCPUMask, trace.SchedWakeIdleWithoutIPI:
	default:
		return depth
	}
	if !own && k.innermost(c, FnSchedule).Fn != FnNone {
		depth++
	}
	if receives { // the socket's spinlock
		depth++
	}
	if k.innermost(c, FnWakeUp, FnCPUStopQueueWork).Fn != FnNone {
		depth++
	}
	return depth + k.heldAt(c, kind)
}

// receives reports whether CPU c is in the NET_RX softirq of its task's send.
func (k *Kernel) receives(c CPUID) bool {
	f := k.innermost(c, FnTCPSend)
	return f.Fn == FnTCPSend && (f.Step == sockReceive || f.Step == sockReceived)
}

// heldAt counts the spinlocks and preempt_disables around a tracepoint.
func (k *Kernel) heldAt(c CPUID, kind trace.Kind) uint8 {
	switch f := k.innermost(c, FnTryToWakeUp, FnTtwuQueueWakelist, FnSchedTtwuPending, FnLoadBalance, FnActiveLoadBalance,
		FnMigrationCPUStop, FnSmpCallFunctionSingle, FnSmpCallFunctionMany, FnNohzBalancerKick); f.Fn {
	case FnTryToWakeUp: // preempt_disable, pi_lock, runqueue
		switch {
		case f.A == k.cpus[c].curr: // needs no lock
			return 1
		case kind == trace.SchedWaking || kind == trace.SchedMigrateTask:
			return 2
		}
		return 3
	case FnTtwuQueueWakelist, FnMigrationCPUStop:
		return 2
	case FnNone:
		return 0
	}
	return 1
}

// innermost returns the innermost frame of CPU c's task that is one of these
// functions'; FnNone's if it is in none.
func (k *Kernel) innermost(c CPUID, fns ...Fn) Frame {
	stack := k.stack(k.cpus[c].curr)
	for i := len(stack) - 1; i >= 0; i-- {
		if slices.Contains(fns, stack[i].Fn) {
			return stack[i]
		}
	}
	return Frame{}
}

// Functions that trace records name and no frame runs. Their numbers follow
// those of the functions.
const (
	siteGenericExecSingle = int64(NumFn) + iota
	siteSmpCallFunction
	siteCheckPreemptCurr
	siteCheckPreemptWakeup
)

var siteNames = []string{"generic_exec_single", "smp_call_function", "check_preempt_curr", "check_preempt_wakeup"}

// callSite is the function to which the sending one, or the one that it is
// inlined in, returns (_RET_IP_): __smp_call_single_queue,
// smp_call_function_many_cond and, for rescheduling CPU to, resched_curr.
func (k *Kernel) callSite(c, to CPUID) int64 {
	switch f := k.innermost(c, FnReschedCurr, FnTtwuQueueWakelist, FnSmpCallFunctionSingle, FnSmpCallFunctionMany, FnNohzBalancerKick); f.Fn {
	case FnReschedCurr:
		woken := k.innermost(c, FnTtwuQueue, FnTtwuRunnable, FnAttachTasks)
		// EEVDF's check_preempt_wakeup ends in a jump to resched_curr.
		if k.cpus[to].curr == to || k.isStopper(woken.A) || k.feat[EEVDF] != 0 {
			return siteCheckPreemptCurr
		}
		return siteCheckPreemptWakeup
	case FnTtwuQueueWakelist:
		return int64(FnTtwuQueueWakelist)
	case FnSmpCallFunctionMany:
		return siteSmpCallFunction
	}
	return siteGenericExecSingle
}

func (k *Kernel) traceWaking(c CPUID, id TaskID) {
	if k.observers.ring.On(trace.SchedWaking) {
		k.emit(c, trace.SchedWaking, k.traceTask(id), int64(k.tasks[id].cpu), 0, 0)
	}
}

func (k *Kernel) traceWakeup(c CPUID, id TaskID) {
	k.arrow(view.Wakeup, k.tasks[id].wakerCPU, k.tasks[id].cpu, k.now)
	if k.observers.ring.On(trace.SchedWakeup) {
		k.emit(c, trace.SchedWakeup, k.traceTask(id), int64(k.tasks[id].cpu), 0, 0)
	}
}

func (k *Kernel) traceMigrate(c CPUID, id TaskID, from, to CPUID) {
	k.arrow(view.Migration, from, to, k.now)
	if k.observers.ring.On(trace.SchedMigrateTask) {
		k.emit(c, trace.SchedMigrateTask, k.traceTask(id), int64(from), int64(to), 0)
	}
}

func (k *Kernel) tracePolled(c, to CPUID) {
	k.arrow(view.PolledWake, c, to, k.now)
	if k.observers.ring.On(trace.SchedWakeIdleWithoutIPI) {
		k.emit(c, trace.SchedWakeIdleWithoutIPI, int64(to), 0, 0, 0)
	}
}

func (k *Kernel) traceIPI(c, to CPUID, vector uint8) {
	if k.observers.ring.On(trace.IPISendCPU) {
		callback := int64(FnCallFunctionSingleInterrupt)
		if vector == vectorReschedule {
			callback = trace.NoFunc
		}
		k.emit(c, trace.IPISendCPU, int64(to), k.callSite(c, to), callback, 0)
	}
}

func (k *Kernel) traceIPIMask(c CPUID, cpus []uint64) {
	if k.observers.ring.On(trace.IPISendCPUMask) {
		rec := k.record(c, trace.IPISendCPUMask, 0, siteSmpCallFunction, int64(FnCallFunctionSingleInterrupt), 0)
		k.observers.ring.EmitMask(rec, cpus)
	}
}

func (k *Kernel) traceVector(c CPUID, vector int32, kind trace.Kind) {
	if k.observers.ring.On(kind) {
		k.emit(c, kind, vectorTrace[vector].vector, 0, 0, 0)
	}
}

func (k *Kernel) traceCsdQueue(c, to CPUID, id int32) {
	if k.observers.ring.On(trace.CSDQueueCPU) {
		k.emit(c, trace.CSDQueueCPU, int64(to), k.callSite(c, to), k.csdFunc(id), int64(id))
	}
}

func (k *Kernel) traceCsdFunc(c CPUID, id int32, kind trace.Kind) {
	if k.observers.ring.On(kind) {
		k.emit(c, kind, k.csdFunc(id), int64(id), 0, 0)
	}
}

// csdFunc is the function that a csd carries.
func (k *Kernel) csdFunc(id int32) int64 {
	switch {
	case k.csds[id].kind == csdTtwu:
		return int64(FnSchedTtwuPending)
	case k.csds[id].fn == csdFuncNohz:
		return int64(FnNohzCsdFunc)
	}
	return int64(FnHandler)
}

func (k *Kernel) traceIdle(c CPUID, state int32) {
	if k.observers.ring.On(trace.CPUIdle) {
		s := int64(state)
		if state < 0 {
			s = trace.IdleExit
		}
		rec := k.record(c, trace.CPUIdle, s, int64(c), 0, 0)
		rec.Flags |= trace.IRQsOff // polling states turn interrupts on after it, and off before
		k.observers.ring.Emit(rec)
	}
}

// traceSwitch records the switch of __schedule's frame f.
func (k *Kernel) traceSwitch(c CPUID, f *Frame) {
	if k.observers.ring.On(trace.SchedSwitch) {
		state := int64(trace.TaskRunning)
		switch {
		case k.condResched(c):
			state = trace.TaskPreempted
		case f.A != schedVoluntary:
		case f.C == taskInterruptible:
			state = trace.TaskInterruptible
		case f.C == taskUninterruptible:
			state = trace.TaskUninterruptible
		case f.C == taskDead:
			state = trace.TaskDead
			if !k.sharesMM(f.D) { // a process, for which its parent waits
				state = trace.TaskZombie
			}
		}
		k.emit(c, trace.SchedSwitch, state, k.traceTask(f.B), 0, 0)
	}
}

// sharesMM reports whether a task is a thread among others.
func (k *Kernel) sharesMM(id TaskID) bool {
	for other := range k.tasks {
		if k.tasks[other].mm == k.tasks[id].mm && TaskID(other) != id {
			return true
		}
	}
	return false
}

// condResched reports whether cond_resched called the __schedule that CPU c is
// in. That is the model's only preemption in kernel mode (SM_PREEMPT).
func (k *Kernel) condResched(c CPUID) bool {
	cp := &k.cpus[c]
	if k.top(c).A != schedPreempt {
		return false
	}
	switch f := k.frames[cp.sp-1]; f.Fn {
	case FnKsoftirqd, FnMigrateTaskTo:
		return true
	case FnUser: // a module's thread, which does not return to user mode
		return k.tasks[cp.curr].kthread != 0
	case FnMutexLock, FnWaitEvent:
		return f.Step == 1 // might_sleep
	}
	return false
}

func (k *Kernel) traceSoftirqRaise(c CPUID, vec int32) {
	if k.observers.ring.On(trace.SoftirqRaise) {
		k.emit(c, trace.SoftirqRaise, int64(vec), 0, 0, 0)
	}
}

// traceBacklogRaise records enqueue_to_backlog's raise of NET_RX: under
// rcu_read_lock_bh and the lock of the CPU's input queue.
func (k *Kernel) traceBacklogRaise(c CPUID) {
	if k.observers.ring.On(trace.SoftirqRaise) {
		rec := k.record(c, trace.SoftirqRaise, softirqNetRX, 0, 0, 0)
		rec.Flags |= trace.IRQsOff | trace.BHOff
		rec.PreemptDepth++
		k.observers.ring.Emit(rec)
	}
}

func (k *Kernel) traceSoftirq(c CPUID, vec int32, entry bool) {
	kind := trace.SoftirqExit
	if entry {
		kind = trace.SoftirqEntry
	}
	if k.observers.ring.On(kind) {
		k.emit(c, kind, int64(vec), 0, 0, 0)
	}
}

func (k *Kernel) tracePrint(c CPUID, msg int64) {
	if k.observers.ring.On(trace.Print) {
		k.emit(c, trace.Print, int64(FnNohzCsdFunc), msg, 0, 0)
	}
}

// traceFunction records the functions that CPU c was in since cp.since, as the
// kernel's function graph would: without the program's own code.
func (k *Kernel) traceFunction(c CPUID) {
	cp := &k.cpus[c]
	var room [maxDepth + 2]int64
	functions := room[:0]
	stack := k.stack(cp.curr)
	for i, f := range stack {
		fn := f.Fn
		switch {
		case f.Fn == FnInterrupt:
			fn = k.sysvec(c, &stack[i])
		case f.Fn == FnUser, f.Fn == FnWaitEvent && i < len(stack)-1: // a macro calls schedule, not the function it begins with
			continue
		case f.Fn == FnCpuidleEnter:
			functions = append(functions, int64(FnCpuidleIdleCall))
		}
		functions = append(functions, int64(fn))
	}
	if part := Fn(cp.fn); stack[len(stack)-1].Fn == FnDoIdle && part != FnDoIdle {
		functions = append(functions, int64(part))
	}
	words := trace.PackStack(functions)
	exit := k.record(c, trace.FuncgraphExit, words[0], words[1], 0, 0)
	entry := exit
	entry.Kind, entry.AtPs = trace.FuncgraphEntry, int64(cp.since)
	entry.Flags &^= trace.NeedResched | trace.PreemptNeedResched // another CPU may have set them since
	k.observers.ring.Emit(entry)
	k.observers.ring.Emit(exit)
}

// arrow notes traffic between CPUs for the picture, if somebody looks.
func (k *Kernel) arrow(kind view.ArrowKind, from, to CPUID, end Time) {
	if k.observers.arrows == nil || from < 0 {
		return
	}
	if len(k.observers.arrows) == cap(k.observers.arrows) {
		k.observers.lost++
		return
	}
	k.observers.arrows = append(k.observers.arrows, view.Arrow{Kind: kind, From: from, To: to, Count: 1,
		AtPs: int64(k.now), EndPs: int64(end)})
}

// span notes that a CPU spent the time since cp.since in one function.
func (o *observers) span(cp *cpu, c CPUID, now Time) {
	if len(o.spans) == cap(o.spans) {
		o.lost++
		return
	}
	task := cp.curr
	if task == c {
		task = -1
	}
	o.spans = append(o.spans, view.Span{CPU: c, Fn: cp.fn, State: cp.state, Task: task,
		StartPs: int64(cp.since), EndPs: int64(now)})
}
