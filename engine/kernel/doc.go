// Package kernel models the Linux scheduler's wakeup and interrupt paths: one
// file per kernel source file, functions, fields and tracepoints under the
// kernel's names, so that a kernel reader knows the room.
//
// # Goal
//
// The package follows a wakeup from the instant one CPU stores a byte that
// another CPU waits for to the instant the woken task runs, at the grain at
// which CPUs can see each other: every lock taken or dropped, flag set, list
// pushed, line moved or interrupt raised is an event at its own simulated
// instant. What nobody else can observe is added to the delay of the next
// event.
//
// # Actors
//
// A CPU runs the frames on its current task's stack. A Frame is a function, a
// step and a few locals, all plain data. A step function does what happens at
// this instant and returns how long the CPU then works until its next step;
// again goes on at the same instant, park and watch stop the CPU until another
// one releases it. An interrupt pushes a frame on whatever stack is there.
// context_switch changes the task, and with it the stack.
//
// # The path of a wakeup
//
// pipe_write finds the pipe empty and, after dropping its mutex, calls
// __wake_up_sync_key, which holds the wait queue's lock for the rest:
//
//   - try_to_wake_up (core.go) takes p->pi_lock. A wakee that has not left its
//     runqueue yet is kept running by ttwu_runnable. One that is just being
//     switched out on a CPU may be queued on that CPU's wake list. Otherwise
//   - select_task_rq_fair (fair.go) picks a CPU: the waker's or the previous
//     one as target, then an idle one that shares the target's L3. Each CPU
//     that is looked at costs its lines.
//   - ttwu_queue locks the target's runqueue and enqueues there, or pushes the
//     task on the target's wake list (smp.go) and notifies it: a store of
//     NEED_RESCHED if the target polls, an interrupt if not.
//   - The idle target leaves its state (idle.go), flushes the queue, activates
//     the task and goes through __schedule to it.
//
// # A call to another CPU
//
// smp_call_function_single (smp.go) fills a csd and pushes it on the target's
// queue. Only the push onto an empty queue tells the target:
//
//   - TIF_POLLING_NRFLAG set: a store of NEED_RESCHED (or TIF_NOTIFY_IPI) to
//     the flags that the target monitors; nothing if that is set already;
//   - clear: an interrupt. It is clear between call_cpuidle and the state's
//     entry, in states that do not monitor, and from the exit of the idle loop
//     until the next round of it.
//
// In the second window interrupts are off for as long as __schedule takes,
// newidle balance included, and an interrupt that arrives then is taken at the
// instant at which they come on (irq.go). That wait is the slow mode that
// SM_IDLE removes. The flush on idle exit runs in the idle task's context, not
// in an interrupt: a softirq raised there wakes ksoftirqd (softirq.go), and
// the CPU stops counting as idle, which is how an idle-balance kick (nohz.go)
// comes to pull nothing.
//
// The migration thread (stop.go) flushes too before it moves a task. It is of
// the stop class: a real task that runs before all others.
//
// # Costs
//
// costs.go names each piece of work, with range, source and confidence. Lines
// (package hw) add what it takes to move them: who owned the line, how far
// away, who queues for it. Locks and mutexes add their waiting. A CPU whose
// SMT sibling is busy needs longer for everything but line transfers.
//
// # Kernels
//
// features.go holds the switches by which kernels differ. Patches are sets of
// switches of this one model; none has a path or a cost of its own.
//
// # State
//
// All state is slices of plain structs without pointers (state.go), so that a
// snapshot is a copy and a digest a hash. DEVIATIONS.md lists what the model
// leaves out.
package kernel
