package kernel

import (
	"fmt"

	"wakelab/engine/hw"
)

// stopper mirrors struct cpu_stopper: what the CPU's migration thread has to
// do. That thread is of the stop class: it runs before everything else.
type stopper struct {
	lock    lockID
	migrate TaskID // the task that asked to be moved (migration_arg); -1 none
	dest    CPUID  // where to
	push    CPUID  // rq->push_cpu while rq->active_balance is set; -1 none
}

// stopperOf is CPU c's migration thread; tasks 2N..3N-1.
func (k *Kernel) stopperOf(c CPUID) TaskID { return int32(2*len(k.cpus)) + c }

// isStopper reports whether a task is of the stop class.
func (k *Kernel) isStopper(id TaskID) bool {
	return id >= k.stopperOf(0) && id < k.stopperOf(CPUID(len(k.cpus)))
}

func (k *Kernel) initStopper(c CPUID) {
	id := k.newTask(fmt.Sprintf("migration/%d", c), firstKthreadPID+2+kthreadPIDs*c, none, c, Frame{Fn: FnCPUStopperThread})
	t := &k.tasks[id]
	t.kthread, t.allowed, t.role = 1, c, roleKthread
	k.stoppers[c] = stopper{lock: k.newLock(k.Mem.NewLine("cpu_stopper[%d]", c, c)), migrate: none, push: none}
}

// enqueueStop mirrors enqueue_task_stop on runqueue on, done by CPU c.
func (k *Kernel) enqueueStop(c, on CPUID, id TaskID) {
	r := &k.rqs[on]
	k.tasks[id].onRq = 1
	r.stopOn = 1
	k.noteOverload(c, r)
}

// dequeueStop mirrors dequeue_task_stop.
func (k *Kernel) dequeueStop(c CPUID, id TaskID) {
	k.tasks[id].onRq = 0
	k.rqs[c].stopOn = 0
}

// cpuStopQueueWork mirrors cpu_stop_queue_work: give CPU A's migration thread
// something to do and wake it. B the task to move or -1: push the running task
// to stopper.push. C the task's new CPU, D whether interrupts were on.
func (k *Kernel) cpuStopQueueWork(c CPUID, f *Frame) Duration {
	cp, s := &k.cpus[c], &k.stoppers[f.A]
	switch f.Step {
	case 0:
		f.D = int32(1 - cp.irqsOff)
		cp.irqsOff = 1
		f.Step = 1
		return k.spinLock(c, s.lock)
	case 1:
		f.Step = 2
		return k.cost(c, CostStopWork)
	case 2:
		if f.B != none {
			s.migrate, s.dest = f.B, f.C
		}
		k.spinUnlock(c, s.lock)
		f.Step = 3
		return k.call(c, FnTryToWakeUp, k.stopperOf(f.A), 0, 0)
	case 3:
		f.Step = 4
		if f.D != 0 {
			return k.irqOn(c)
		}
	case 4:
		return k.ret(c, 0)
	}
	return again
}

// cpuStopperThread mirrors cpu_stopper_thread and the loop around it. The
// kernel looks for work under the lock twice, this once. A task to move, B
// where to, C where to push the task that ran.
func (k *Kernel) cpuStopperThread(c CPUID, f *Frame) Duration {
	cp, s := &k.cpus[c], &k.stoppers[c]
	switch f.Step {
	case 0:
		k.tasks[cp.curr].state = taskInterruptible
		cp.irqsOff = 1
		f.Step = 1
		return k.spinLock(c, s.lock)
	case 1:
		f.Step = 2
		return k.cost(c, CostStopWork)
	case 2:
		f.A, f.B, f.C = s.migrate, s.dest, s.push
		s.migrate = none
		k.spinUnlock(c, s.lock)
		f.Step = 3
		return k.irqOn(c)
	case 3:
		f.Step = 0
		if f.A == none && f.C == none {
			return k.call(c, FnSchedule, schedVoluntary, 0, 0)
		}
		k.tasks[cp.curr].state = taskRunning
		if f.A != none {
			return k.call(c, FnMigrationCPUStop, f.A, f.B, 0)
		}
		return k.call(c, FnActiveLoadBalance, f.C, 0, 0)
	}
	return again
}

// migrationCPUStop mirrors migration_cpu_stop: flush the call queue, so that
// wakeups that wait there do not miss the move, then move task A to CPU B. C: it
// was there to be moved.
func (k *Kernel) migrationCPUStop(c CPUID, f *Frame) Duration {
	cp, p := &k.cpus[c], &k.tasks[f.A]
	switch f.Step {
	case 0:
		cp.irqsOff = 1
		f.Step = 1
		return k.call(c, FnFlushQueue, flushStopper, 0, 0)
	case 1:
		f.Step = 2
		return k.spinLock(c, p.piLock)
	case 2:
		f.Step = 3
		return k.spinLock(c, k.rqs[c].lock)
	case 3:
		f.Step = 4
		return k.updateRqClock(c, c) + k.cost(c, CostDetach) + k.Mem.Access(k.now, c, k.rqs[c].lineCfs, hw.RMW)
	case 4:
		f.Step = 7
		f.C = 0
		if p.cpu == c && p.onRq != 0 {
			f.C = 1
			k.detachTask(c, f.A, c, f.B)
		}
		return cp.settle()
	case 7:
		f.Step = 5
		k.spinUnlock(c, k.rqs[c].lock)
		if f.C != 0 {
			return k.call(c, FnAttachTasks, f.A, f.B, 1)
		}
	case 5:
		k.spinUnlock(c, p.piLock)
		f.Step = 6
		return k.irqOn(c)
	case 6:
		return k.ret(c, 0)
	}
	return again
}

// MigrateTaskTo mirrors migrate_task_to for the current task of CPU c, as NUMA
// balancing calls it: its CPU's migration thread moves it to CPU to.
func (k *Kernel) MigrateTaskTo(c, to CPUID) Duration {
	if c == to {
		return again
	}
	return k.call(c, FnMigrateTaskTo, to, 0, 0)
}

// migrateTaskTo mirrors stop_one_cpu for the own CPU. Waiting is not needed:
// cond_resched lets the migration thread in, and the task goes on elsewhere.
func (k *Kernel) migrateTaskTo(c CPUID, f *Frame) Duration {
	switch f.Step {
	case 0:
		f.Step = 1
		return k.call(c, FnCPUStopQueueWork, c, k.cpus[c].curr, f.A)
	case 1:
		f.Step = 2
		return k.call(c, FnSchedule, schedPreempt, 0, 0)
	}
	return k.ret(c, 0)
}
