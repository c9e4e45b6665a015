package kernel

import (
	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// Fn is the function a frame runs. Names are the kernel's own.
type Fn uint16

// Functions of the model.
const (
	FnNone    Fn = iota
	FnUser       // a program's own code; the workload steps it
	FnHandler    // the empty function that ipistorm sends to another CPU
	FnDoIdle
	FnCpuidleEnter
	FnSpinLock
	FnMutexLock
	FnMutexSpin
	FnMutexUnlock
	FnPipeRead
	FnPipeWrite
	FnWaitEvent
	FnFutexWait
	FnFutexWake
	FnTCPSend
	FnTCPRecv
	FnWakeUp
	FnTryToWakeUp
	FnTtwuRunnable
	FnSelectTaskRqFair
	FnSelectIdleCPU
	FnTtwuQueue
	FnTtwuQueueWakelist
	FnCPUStopQueueWork
	FnCPUStopperThread
	FnMigrationCPUStop
	FnMigrateTaskTo
	FnSchedule
	FnFinishTaskSwitch
	FnNewidleBalance
	FnLoadBalance
	FnAttachTasks
	FnActiveLoadBalance
	FnCallSingleQueue
	FnSendCallIPI
	FnFlushQueue
	FnSchedTtwuPending
	FnSmpCallFunctionSingle
	FnSmpCallFunctionMany
	FnCsdLockWait
	FnReschedCurr
	FnInterrupt
	FnIrqExit
	FnSchedulerTick
	FnNohzBalancerKick
	FnNohzCsdFunc
	FnHandleSoftirqs
	FnRaiseSoftirq
	FnRunRebalanceDomains
	FnRebalanceDomains
	FnNohzIdleBalance
	FnKsoftirqd
	FnSleep
	FnCallFunctionSingleInterrupt // a name in ipi_send_cpu; never on a stack
	FnCpuidleIdleCall             // a part of do_idle; never on a stack
	FnTickNohzIdleExit            // a part of do_idle; never on a stack
	FnStateExit                   // the hardware's way out of an idle state; never on a stack
	// By vector, what FnInterrupt is; never on a stack.
	FnSysvecReschedule
	FnSysvecCallFunction
	FnSysvecCallFunctionSingle
	FnSysvecTimer
	NumFn
)

// fnInfo is a function's kernel name and what a CPU in it is seen to do.
var fnInfo = [NumFn]struct {
	name  string
	state view.State
}{
	FnNone:                  {"none", view.Kernel},
	FnUser:                  {"user code", view.User},
	FnHandler:               {"do_nothing_ipi", view.Kernel},
	FnDoIdle:                {"do_idle", view.IdleLoop},
	FnCpuidleEnter:          {"cpuidle_enter_state", view.IdleC1},
	FnSpinLock:              {"native_queued_spin_lock_slowpath", view.Spin},
	FnMutexLock:             {"mutex_lock", view.Kernel},
	FnMutexSpin:             {"mutex_spin_on_owner", view.Spin},
	FnMutexUnlock:           {"__mutex_unlock_slowpath", view.Kernel},
	FnPipeRead:              {"pipe_read", view.Kernel},
	FnPipeWrite:             {"pipe_write", view.Kernel},
	FnWaitEvent:             {"prepare_to_wait_event", view.Kernel},
	FnFutexWait:             {"futex_wait", view.Kernel},
	FnFutexWake:             {"futex_wake", view.Kernel},
	FnTCPSend:               {"tcp_sendmsg", view.Kernel},
	FnTCPRecv:               {"tcp_recvmsg", view.Kernel},
	FnWakeUp:                {"__wake_up_sync_key", view.Kernel},
	FnTryToWakeUp:           {"try_to_wake_up", view.Kernel},
	FnTtwuRunnable:          {"ttwu_runnable", view.Kernel},
	FnSelectTaskRqFair:      {"select_task_rq_fair", view.Kernel},
	FnSelectIdleCPU:         {"select_idle_cpu", view.Kernel},
	FnTtwuQueue:             {"ttwu_do_activate", view.Kernel},
	FnTtwuQueueWakelist:     {"ttwu_queue_wakelist", view.Kernel},
	FnCPUStopQueueWork:      {"cpu_stop_queue_work", view.Kernel},
	FnCPUStopperThread:      {"cpu_stopper_thread", view.Kernel},
	FnMigrationCPUStop:      {"migration_cpu_stop", view.Kernel},
	FnMigrateTaskTo:         {"migrate_task_to", view.Kernel},
	FnSchedule:              {"__schedule", view.Kernel},
	FnFinishTaskSwitch:      {"finish_task_switch", view.Kernel},
	FnNewidleBalance:        {"newidle_balance", view.Kernel},
	FnLoadBalance:           {"load_balance", view.Kernel},
	FnAttachTasks:           {"attach_tasks", view.Kernel},
	FnActiveLoadBalance:     {"active_load_balance_cpu_stop", view.Kernel},
	FnCallSingleQueue:       {"__smp_call_single_queue", view.Kernel},
	FnSendCallIPI:           {"send_call_function_single_ipi", view.Kernel},
	FnFlushQueue:            {"flush_smp_call_function_queue", view.Kernel},
	FnSchedTtwuPending:      {"sched_ttwu_pending", view.Kernel},
	FnSmpCallFunctionSingle: {"smp_call_function_single", view.Kernel},
	FnSmpCallFunctionMany:   {"smp_call_function_many_cond", view.Kernel},
	FnCsdLockWait:           {"csd_lock_wait", view.Spin},
	FnReschedCurr:           {"resched_curr", view.Kernel},
	FnInterrupt:             {"interrupt", view.IRQ},
	FnIrqExit:               {"irq_exit_rcu", view.IRQ},
	FnSchedulerTick:         {"scheduler_tick", view.IRQ},
	FnNohzBalancerKick:      {"nohz_balancer_kick", view.IRQ},
	FnNohzCsdFunc:           {"nohz_csd_func", view.IRQ},
	FnHandleSoftirqs:        {"__do_softirq", view.SoftIRQ},
	FnRaiseSoftirq:          {"raise_softirq_irqoff", view.Kernel},
	FnRunRebalanceDomains:   {"run_rebalance_domains", view.SoftIRQ},
	FnRebalanceDomains:      {"rebalance_domains", view.SoftIRQ},
	FnNohzIdleBalance:       {"nohz_idle_balance", view.SoftIRQ},
	FnKsoftirqd:             {"run_ksoftirqd", view.Kernel},
	FnSleep:                 {"schedule_hrtimeout", view.Kernel},

	FnCallFunctionSingleInterrupt: {"generic_smp_call_function_single_interrupt", view.IRQ},
	FnCpuidleIdleCall:             {"cpuidle_idle_call", view.IdleLoop},
	FnTickNohzIdleExit:            {"tick_nohz_idle_exit", view.IdleLoop},
	FnStateExit:                   {"idle state's exit", view.IdleLoop},

	FnSysvecReschedule:         {"sysvec_reschedule_ipi", view.IRQ},
	FnSysvecCallFunction:       {"sysvec_call_function", view.IRQ},
	FnSysvecCallFunctionSingle: {"sysvec_call_function_single", view.IRQ},
	FnSysvecTimer:              {"sysvec_apic_timer_interrupt", view.IRQ},
}

// String returns the kernel's name of the function.
func (f Fn) String() string { return fnInfo[f].name }

// Frame is one function on a task's kernel stack. T and A to E are the
// function's locals; each function's file says what it keeps there.
type Frame struct {
	T             int64
	A, B, C, D, E int32
	Fn            Fn
	Step          uint16
}

// maxDepth is the number of frames on a task's stack, a power of two.
const maxDepth = 16

// again lets the CPU go on at the same instant; park stops it, with interrupts
// off, until unpark; watch stops it, with interrupts on or in an idle state,
// until poke. Any other value a step returns is the time until its next step.
const (
	again Duration = 0
	park  Duration = -1
	watch Duration = -2
)

// Values of cpu.parked.
const (
	isParked   = 1
	isWatching = 2
)

// call pushes a frame, which runs at once.
func (k *Kernel) call(c CPUID, fn Fn, a, b, cc int32) Duration {
	cp := &k.cpus[c]
	cp.sp++
	if cp.sp%maxDepth == 0 {
		k.bug(c, "stack overflow in %v", fn)
	}
	k.frames[cp.sp] = Frame{Fn: fn, A: a, B: b, C: cc}
	return again
}

// ret pops the top frame; its caller goes on at once and finds v in cpu.ret.
func (k *Kernel) ret(c CPUID, v int32) Duration {
	cpu := &k.cpus[c]
	cpu.ret = v
	cpu.sp--
	return again
}

// top returns the innermost frame on CPU c.
func (k *Kernel) top(c CPUID) *Frame { return &k.frames[k.cpus[c].sp] }

// stack returns the frames of a task, innermost last. The stack pointer of a
// task that runs is in its CPU.
func (k *Kernel) stack(id TaskID) []Frame {
	t := &k.tasks[id]
	sp := t.sp
	if k.cpus[t.cpu].curr == id {
		sp = k.cpus[t.cpu].sp
	}
	return k.frames[id*maxDepth : sp+1]
}

// exec runs CPU c's top frames until one of them takes time or parks. The
// functions that nearly all of hackbench's steps are of come first.
func (k *Kernel) exec(c CPUID) {
	cpu := &k.cpus[c]
	var d Duration
	for d == again {
		f := &k.frames[cpu.sp]
		switch f.Fn {
		case FnPipeWrite:
			d = k.pipeWrite(c, f)
		case FnPipeRead:
			d = k.pipeRead(c, f)
		case FnMutexLock:
			d = k.mutexLock(c, f)
		case FnMutexSpin:
			d = k.mutexSpin(c, f)
		case FnUser:
			d = k.prog.Step(k, c, f)
		default:
			d = k.step(c, f)
		}
	}

	// What the coming time is spent on.
	f := &k.frames[cpu.sp]
	fn := f.Fn
	switch fn {
	case FnDoIdle:
		fn = idlePart(f.Step)
	case FnInterrupt:
		fn = k.sysvec(c, f)
	}
	cpu.fn = uint16(fn)
	s := fnInfo[fn].state
	switch {
	case s == view.Spin:
	case cpu.hardirq != 0:
		s = view.IRQ
	case cpu.softirq != 0:
		s = view.SoftIRQ
	case cpu.inState != 0:
		s = view.State(cpu.idleState)
	case cpu.curr < int32(len(k.cpus)):
		s = view.IdleLoop
	}
	cpu.state = s

	if d < 0 {
		cpu.parked = isParked
		if d == watch {
			cpu.parked = isWatching
		}
		k.steps.Set(c, simtime.Never)
		return
	}
	k.steps.Set(c, k.now.Add(d+cpu.debt))
	cpu.debt = 0
}

// step runs a step of a function that is not among the few which nearly all
// events are of: WebAssembly has no jump tables for a long switch.
func (k *Kernel) step(c CPUID, f *Frame) Duration {
	switch f.Fn {
	case FnHandler:
		return k.handler(c, f)
	case FnDoIdle:
		return k.doIdle(c, f)
	case FnCpuidleEnter:
		return k.cpuidleEnter(c, f)
	case FnSpinLock:
		return k.spinLockSlow(c, f)
	case FnMutexUnlock:
		return k.mutexUnlock(c, f)
	case FnWaitEvent:
		return k.waitEvent(c, f)
	case FnFutexWait:
		return k.futexWait(c, f)
	case FnFutexWake:
		return k.futexWake(c, f)
	case FnTCPSend:
		return k.tcpSend(c, f)
	case FnTCPRecv:
		return k.tcpRecv(c, f)
	case FnWakeUp:
		return k.wakeUp(c, f)
	case FnTryToWakeUp:
		return k.tryToWakeUp(c, f)
	case FnTtwuRunnable:
		return k.ttwuRunnable(c, f)
	case FnSelectTaskRqFair:
		return k.selectTaskRqFair(c, f)
	case FnSelectIdleCPU:
		return k.selectIdleCPU(c, f)
	case FnTtwuQueue:
		return k.ttwuQueue(c, f)
	case FnTtwuQueueWakelist:
		return k.ttwuQueueWakelist(c, f)
	case FnSchedule:
		return k.schedule(c, f)
	case FnFinishTaskSwitch:
		return k.finishTaskSwitch(c, f)
	case FnNewidleBalance:
		return k.newidleBalance(c, f)
	case FnCallSingleQueue:
		return k.callSingleQueue(c, f)
	case FnSendCallIPI:
		return k.sendCallFunctionSingleIPI(c, f)
	case FnFlushQueue:
		return k.flushSmpCallFunctionQueue(c, f)
	case FnSchedTtwuPending:
		return k.schedTtwuPending(c, f)
	case FnSmpCallFunctionSingle:
		return k.smpCallFunctionSingle(c, f)
	case FnSmpCallFunctionMany:
		return k.smpCallFunctionMany(c, f)
	case FnCsdLockWait:
		return k.csdLockWait(c, f)
	case FnReschedCurr:
		return k.reschedCurr(c, f)
	case FnInterrupt:
		return k.interrupt(c, f)
	case FnIrqExit:
		return k.irqExit(c, f)
	case FnSchedulerTick:
		return k.schedulerTick(c, f)
	case FnHandleSoftirqs:
		return k.handleSoftirqs(c, f)
	case FnRaiseSoftirq:
		return k.raiseSoftirqIrqoff(c, f)
	case FnKsoftirqd:
		return k.ksoftirqd(c, f)
	case FnSleep:
		return k.scheduleHrtimeout(c, f)
	case FnCPUStopQueueWork:
		return k.cpuStopQueueWork(c, f)
	case FnCPUStopperThread:
		return k.cpuStopperThread(c, f)
	case FnMigrationCPUStop:
		return k.migrationCPUStop(c, f)
	case FnMigrateTaskTo:
		return k.migrateTaskTo(c, f)
	case FnLoadBalance:
		return k.loadBalance(c, f)
	case FnAttachTasks:
		return k.attachTasks(c, f)
	case FnActiveLoadBalance:
		return k.activeLoadBalance(c, f)
	case FnNohzBalancerKick:
		return k.nohzBalancerKick(c, f)
	case FnNohzCsdFunc:
		return k.nohzCsdFunc(c, f)
	case FnRunRebalanceDomains:
		return k.runRebalanceDomains(c, f)
	case FnRebalanceDomains:
		return k.rebalanceDomains(c, f)
	case FnNohzIdleBalance:
		return k.nohzIdleBalance(c, f)
	}
	k.bug(c, "no such function %d", f.Fn)
	return again
}
