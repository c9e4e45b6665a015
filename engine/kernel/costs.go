package kernel

import (
	"wakelab/engine/param"
	"wakelab/engine/simtime"
)

// Cost indexes the named pieces of work. What moving cache lines, queueing for
// locks and leaving idle states adds comes from the model, not from here.
type Cost int

// Costs.
const (
	CostSyscallEntry Cost = iota
	CostSyscallExit
	CostVfs
	CostVfsExit
	CostPipeRead
	CostPipeWrite
	CostCopy
	CostPipePage
	CostPipeSlot
	CostCondition
	CostWaitEntry
	CostWaitQueue
	CostFinishWait
	CostFutex
	CostTCPSend
	CostTCPReceive
	CostTCPRecv
	CostWakeUpEntry
	CostWakeUpTail
	CostMutexSlow
	CostSpinPoll
	CostTtwuEntry
	CostTtwuTail
	CostSelectBase
	CostSelectScan
	CostIdleCPUTest
	CostActivate
	CostReweight
	CostCheckPreempt
	CostRqCheck
	CostWakelist
	CostUpdateRqClock
	CostScheduleEntry
	CostSchedule
	CostScheduleTail
	CostDequeue
	CostPick
	CostSwitch
	CostSwitchMM
	CostFinishSwitch
	CostNewidleGate
	CostNewidleTail
	CostBlockedAverages
	CostBalancePerDomain
	CostBalancePerCPU
	CostDetach
	CostStopWork
	CostIdleEnter
	CostTickIdleEnter
	CostTickIdleExit
	CostTickRestart
	CostGovernor
	CostCpuidleEnter
	CostCpuidleExit
	CostMonitor
	CostPollExit
	CostCPURelax
	CostCsdFill
	CostCsdPush
	CostNotify
	CostFlush
	CostHandler
	CostIrqEntry
	CostEOI
	CostIrqExit
	CostReschedHandler
	CostTick
	CostHrtimer
	CostNohzKick
	CostNohzCsd
	CostSoftirqEntry
	CostSoftirqExit
	CostKsoftirqd
	NumCosts
)

func nsCost(key, title string, def, min, max int64, help, source string, conf param.Confidence) param.Def {
	ns := int64(simtime.Nanosecond)
	return param.Def{Key: key, Title: title, Kind: param.Duration, Default: def * ns, Min: min * ns, Max: max * ns,
		Help: help, Source: source, Confidence: conf, Public: true}
}

// CostDefs describes the costs: a CPU alone on its core needs this long.
var CostDefs = [NumCosts]param.Def{
	CostSyscallEntry:     nsCost("syscall.entry", "System call entry", 35, 15, 150, "From user mode to the system call's function, mitigations off.", "guess: null system calls take 70 to 200 ns", param.Guess),
	CostSyscallExit:      nsCost("syscall.exit", "System call exit", 35, 15, 150, "Back to user mode.", "guess: see syscall.entry", param.Guess),
	CostVfs:              nsCost("vfs.entry", "VFS entry", 50, 20, 150, "Descriptor lookup, permission and security hooks of read and write.", "guess", param.Guess),
	CostVfsExit:          nsCost("vfs.exit", "VFS exit", 25, 10, 80, "Accounting and notification after the operation.", "guess", param.Guess),
	CostPipeRead:         nsCost("pipe.read", "pipe_read body", 45, 20, 150, "pipe_read under the mutex, without the copy.", "guess", param.Guess),
	CostPipeWrite:        nsCost("pipe.write", "pipe_write body", 45, 20, 150, "pipe_write under the mutex, without the copy.", "guess", param.Guess),
	CostCopy:             nsCost("pipe.copy", "Copy of a message", 20, 8, 60, "Copying 100 bytes that are in the cache.", "guess", param.Guess),
	CostPipePage:         nsCost("pipe.page", "New pipe page", 120, 40, 400, "alloc_page with memcg charge, or reuse of tmp_page.", "guess", param.Guess),
	CostPipeSlot:         nsCost("pipe.slot", "Slot bookkeeping", 10, 5, 40, "Moving head or tail under rd_wait.lock.", "guess", param.Guess),
	CostCondition:        nsCost("wait.condition", "Wait condition", 8, 3, 30, "Testing a wait condition.", "guess", param.Guess),
	CostWaitEntry:        nsCost("wait.entry", "Wait entry", 15, 5, 50, "Setting up a wait queue entry.", "guess", param.Guess),
	CostWaitQueue:        nsCost("wait.queue", "Queueing a waiter", 20, 8, 60, "prepare_to_wait_event under the queue's lock.", "guess", param.Guess),
	CostFinishWait:       nsCost("wait.finish", "finish_wait", 15, 5, 50, "Unlinking a waiter.", "guess", param.Guess),
	CostFutex:            nsCost("futex.base", "futex base", 60, 20, 200, "do_futex: hashing the address, pinning the page, without the bucket's lock.", "guess", param.Guess),
	CostTCPSend:          nsCost("tcp.send", "tcp_sendmsg", 1100, 300, 4000, "tcp_sendmsg, IP output and loopback transmission of a short segment.", "guess: half of a loopback round trip of netperf TCP_RR is 8 to 12 us with two wakeups", param.Guess),
	CostTCPReceive:       nsCost("tcp.receive", "NET_RX softirq", 1100, 300, 4000, "NET_RX softirq, IP input and tcp_v4_rcv up to the wakeup.", "guess: see tcp.send", param.Guess),
	CostTCPRecv:          nsCost("tcp.recv", "tcp_recvmsg", 400, 100, 2000, "tcp_recvmsg without waiting.", "guess: see tcp.send", param.Guess),
	CostWakeUpEntry:      nsCost("wake_up.entry", "__wake_up entry", 20, 8, 60, "__wake_up_sync_key up to the first waiter.", "guess", param.Guess),
	CostWakeUpTail:       nsCost("wake_up.tail", "__wake_up tail", 10, 4, 40, "Unlinking the woken waiter.", "guess", param.Guess),
	CostMutexSlow:        nsCost("mutex.slow", "Mutex slow path step", 20, 8, 60, "Bookkeeping of the slow path.", "guess", param.Guess),
	CostSpinPoll:         nsCost("spin.poll", "Spin iteration", 15, 5, 60, "One pass of a pause loop.", "guess", param.Guess),
	CostTtwuEntry:        nsCost("ttwu.entry", "try_to_wake_up entry", 25, 10, 80, "Up to the state test, without the line of the task.", "guess", param.Guess),
	CostTtwuTail:         nsCost("ttwu.tail", "ttwu tail", 15, 5, 60, "After activation: statistics, unlock.", "guess", param.Guess),
	CostSelectBase:       nsCost("ttwu.select_base", "select_task_rq_fair base", 30, 10, 100, "record_wakee, wake_wide, the walk over domains.", "guess", param.Guess),
	CostSelectScan:       nsCost("ttwu.select_idle_scan_base", "select_idle_cpu base", 20, 8, 80, "Setting up the scan.", "guess", param.Guess),
	CostIdleCPUTest:      nsCost("ttwu.select_idle_scan_per_cpu", "idle_cpu test", 5, 2, 20, "One idle_cpu test, without the lines it reads.", "guess", param.Guess),
	CostActivate:         nsCost("ttwu.activate", "Activation", 110, 40, 350, "enqueue_task_fair with PELT and the preemption check.", "guess", param.Guess),
	CostReweight:         nsCost("ttwu.reweight", "reweight_entity", 25, 8, 80, "Weighing the group's entity anew, without the line of tg->load_avg.", "guess: 2.6 % of the published profile", param.Guess),
	CostCheckPreempt:     nsCost("ttwu.check_preempt", "check_preempt_curr", 25, 8, 80, "The preemption check of ttwu_runnable.", "guess", param.Guess),
	CostRqCheck:          nsCost("ttwu.runnable", "ttwu_runnable body", 8, 3, 30, "Testing p->on_rq under the lock.", "guess", param.Guess),
	CostWakelist:         nsCost("ttwu.wakelist", "Wake list push", 25, 8, 80, "__ttwu_queue_wakelist before the queue push.", "guess", param.Guess),
	CostUpdateRqClock:    nsCost("rq.clock", "update_rq_clock", 14, 5, 50, "Without the TSC read.", "guess", param.Guess),
	CostScheduleEntry:    nsCost("sched.entry", "__schedule entry", 20, 8, 60, "irqs off, RCU note.", "guess", param.Guess),
	CostSchedule:         nsCost("sched.base", "__schedule base", 60, 20, 200, "Under the runqueue lock, without dequeue and pick.", "guess: exploratory two-CPU model", param.Guess),
	CostScheduleTail:     nsCost("sched.tail", "__schedule tail", 25, 8, 80, "When the same task goes on.", "guess", param.Guess),
	CostDequeue:          nsCost("sched.dequeue", "dequeue_task_fair", 90, 30, 300, "With PELT and update_curr.", "guess", param.Guess),
	CostPick:             nsCost("sched.pick", "pick_next_task", 60, 20, 200, "Without newidle balance.", "guess", param.Guess),
	CostSwitch:           nsCost("sched.switch", "context_switch", 150, 60, 500, "Register and stack switch in the cache.", "guess", param.Guess),
	CostSwitchMM:         nsCost("sched.switch_mm", "Address space switch", 150, 50, 600, "switch_mm to another mm.", "guess", param.Guess),
	CostFinishSwitch:     nsCost("sched.finish", "finish_task_switch", 40, 15, 150, "Up to the unlock.", "guess", param.Guess),
	CostNewidleGate:      nsCost("newidle.gate", "Newidle gate", 25, 8, 80, "newidle_balance up to its gates.", "guess", param.Guess),
	CostNewidleTail:      nsCost("newidle.tail", "Newidle tail", 20, 8, 80, "After the last domain.", "guess", param.Guess),
	CostBlockedAverages:  nsCost("newidle.blocked_averages", "update_blocked_averages", 250, 80, 1500, "Per call.", "guess", param.Guess),
	CostBalancePerDomain: nsCost("balance.per_domain", "load_balance per domain", 180, 50, 1000, "Fixed part of a domain's balancing.", "guess", param.Guess),
	CostBalancePerCPU:    nsCost("balance.per_cpu", "load_balance per CPU visited", 19, 10, 100, "Reading one CPU's runqueue statistics.", "calibrated: newidle balance's 402 visits to the four domains of the 2 x 7763 make the published ipistorm ratio of 1 : 0.25 between tip's slow mode and SM_IDLE", param.Calibrated),
	CostDetach:           nsCost("balance.detach", "detach_tasks", 150, 50, 500, "Per pull, on the source queue.", "guess", param.Guess),
	CostStopWork:         nsCost("stop.work", "Stopper work", 30, 8, 120, "Queueing a work for the migration thread, or taking it.", "guess", param.Guess),
	CostIdleEnter:        nsCost("idle.enter", "do_idle entry", 15, 5, 60, "Up to setting POLLING.", "guess", param.Guess),
	CostTickIdleEnter:    nsCost("idle.tick_enter", "tick_nohz_idle_enter", 15, 5, 60, "Without clock reads.", "guess", param.Guess),
	CostTickIdleExit:     nsCost("idle.tick_exit", "tick_nohz_idle_exit", 15, 5, 60, "Without restarting a stopped tick.", "guess", param.Guess),
	CostTickRestart:      nsCost("idle.tick_restart", "Tick restart", 300, 100, 1500, "Reprogramming the timer after a stopped tick.", "guess", param.Guess),
	CostGovernor:         nsCost("idle.governor", "Governor", 80, 30, 400, "menu_select and the next timer.", "guess", param.Guess),
	CostCpuidleEnter:     nsCost("idle.cpuidle_enter", "cpuidle entry", 30, 10, 120, "call_cpuidle to the state's entry.", "guess", param.Guess),
	CostCpuidleExit:      nsCost("idle.cpuidle_exit", "cpuidle exit", 30, 10, 120, "After the state.", "guess", param.Guess),
	CostMonitor:          nsCost("idle.monitor", "MONITOR", 15, 5, 60, "Arming the monitor, or the poll loop's set-up.", "guess", param.Guess),
	CostPollExit:         nsCost("idle.poll_exit", "Poll exit", 20, 5, 80, "Leaving the polling loop once the flag is seen.", "guess", param.Guess),
	CostCPURelax:         nsCost("idle.cpu_relax", "cpu_relax", 11, 2, 50, "One PAUSE.", "guess: about 40 cycles on Zen 4", param.Guess),
	CostCsdFill:          nsCost("smp.csd_fill", "csd fill", 15, 5, 60, "Filling a csd.", "guess", param.Guess),
	CostCsdPush:          nsCost("smp.csd_push", "csd push", 10, 4, 40, "llist_add without the line.", "guess", param.Guess),
	CostNotify:           nsCost("smp.notify", "Notify test", 10, 4, 40, "Reading rq->idle's flags.", "guess", param.Guess),
	CostFlush:            nsCost("smp.flush", "Queue flush", 33, 10, 120, "Taking and reversing the queue.", "guess: exploratory two-CPU model", param.Guess),
	CostHandler:          nsCost("smp.func", "Called function", 5, 2, 30, "ipistorm's empty function, with its indirect call.", "guess", param.Guess),
	CostIrqEntry:         nsCost("irq.entry", "Interrupt entry", 150, 80, 400, "From acceptance to the handler.", "guess: 300 to 600 cycles", param.Guess),
	CostEOI:              nsCost("irq.eoi", "EOI", 40, 10, 120, "x2APIC end of interrupt.", "guess", param.Guess),
	CostIrqExit:          nsCost("irq.exit", "Interrupt exit", 120, 50, 330, "irq_exit and IRET.", "guess", param.Guess),
	CostReschedHandler:   nsCost("irq.reschedule", "Reschedule handler", 15, 5, 60, "scheduler_ipi.", "guess", param.Guess),
	CostTick:             nsCost("tick.scheduler", "scheduler_tick", 400, 100, 2000, "update_process_times and task_tick.", "guess", param.Guess),
	CostHrtimer:          nsCost("tick.hrtimer", "hrtimer", 100, 30, 400, "Starting or expiring one hrtimer.", "guess", param.Guess),
	CostNohzKick:         nsCost("nohz.kick", "nohz_balancer_kick", 30, 10, 120, "Without the lines.", "guess", param.Guess),
	CostNohzCsd:          nsCost("nohz.csd_func", "nohz_csd_func", 20, 8, 80, "Without the lines.", "guess", param.Guess),
	CostSoftirqEntry:     nsCost("softirq.entry", "Softirq entry", 60, 20, 200, "__do_softirq up to the first action.", "guess", param.Guess),
	CostSoftirqExit:      nsCost("softirq.exit", "Softirq exit", 40, 10, 150, "After the last action.", "guess", param.Guess),
	CostKsoftirqd:        nsCost("softirq.ksoftirqd", "ksoftirqd loop", 40, 10, 150, "One pass of its loop.", "guess", param.Guess),
}
