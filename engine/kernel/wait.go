package kernel

import "wakelab/engine/hw"

// waitQueue mirrors wait_queue_head with exclusive waiters only. Its lock is
// held through the whole wakeup of a waiter.
type waitQueue struct {
	head, tail TaskID
	lock       lockID
	pad        int32
}

func (k *Kernel) newWaitQueue(line hw.LineID) int32 {
	k.waits = append(k.waits, waitQueue{head: none, tail: none, lock: k.newLock(line)})
	return int32(len(k.waits) - 1)
}

func (k *Kernel) wqAdd(wq int32, id TaskID) {
	w, t := &k.waits[wq], &k.tasks[id]
	t.wq, t.wqNext, t.wqPrev = wq, none, w.tail
	if w.tail == none {
		w.head = id
	} else {
		k.tasks[w.tail].wqNext = id
	}
	w.tail = id
}

func (k *Kernel) wqRemove(id TaskID) {
	t := &k.tasks[id]
	w := &k.waits[t.wq]
	if t.wqPrev == none {
		w.head = t.wqNext
	} else {
		k.tasks[t.wqPrev].wqNext = t.wqNext
	}
	if t.wqNext == none {
		w.tail = t.wqPrev
	} else {
		k.tasks[t.wqNext].wqPrev = t.wqPrev
	}
	t.wq, t.wqNext, t.wqPrev = none, none, none
}

// Conditions of waitEvent.
const (
	condReadable = iota
	condWritable
	condReceived
)

// waitEvent mirrors wait_event_interruptible_exclusive: A wait queue, B
// condition, C pipe or socket. A woken task queues itself again before it looks, so a
// sleep takes the queue's lock four times in all.
func (k *Kernel) waitEvent(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	w := &k.waits[f.A]
	t := &k.tasks[cp.curr]
	switch f.Step {
	case 0: // might_sleep: a voluntary preemption point
		f.Step = 1
		if cp.resched != 0 && k.feat[PreemptVoluntary] != 0 {
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
	case 1: // the condition is tested first, without the lock
		if k.condition(f) {
			return k.ret(c, 0)
		}
		f.Step = 2
		return k.cost(c, CostWaitEntry)
	case 2:
		cp.irqsOff = 1
		f.Step = 3
		return k.spinLock(c, w.lock)
	case 3:
		f.Step = 4
		return k.cost(c, CostWaitQueue) + k.Mem.Access(k.now, c, t.line, hw.RMW)
	case 4:
		if t.wq == none {
			k.wqAdd(f.A, cp.curr)
		}
		t.state = taskInterruptible
		k.spinUnlock(c, w.lock)
		f.Step = 5
		return k.irqOn(c)
	case 5:
		f.Step = 6
		return k.Mem.Access(k.now, c, k.conditionLine(f), hw.Load) + k.cost(c, CostCondition)
	case 6:
		if !k.condition(f) {
			f.D++
			f.Step = 7
			return k.call(c, FnSchedule, schedVoluntary, 0, 0)
		}
		t.state = taskRunning
		if t.wq == none {
			return k.ret(c, f.D)
		}
		cp.irqsOff = 1
		f.Step = 8
		return k.spinLock(c, w.lock)
	case 7:
		if !k.condition(f) {
			k.count[0].SpuriousWakes++
		}
		f.Step = 2
	case 8:
		f.Step = 9
		return k.cost(c, CostFinishWait)
	case 9:
		if t.wq != none {
			k.wqRemove(cp.curr)
		}
		k.spinUnlock(c, w.lock)
		f.Step = 10
		return k.irqOn(c)
	case 10:
		return k.ret(c, f.D)
	}
	return again
}

// conditionLine is the line on which a wait condition is tested.
func (k *Kernel) conditionLine(f *Frame) hw.LineID {
	if f.B == condReceived {
		return k.sockets[f.C].line
	}
	return k.pipes[f.C].lineHead
}

func (k *Kernel) condition(f *Frame) bool {
	if f.B == condReceived {
		return k.sockets[f.C].queued > 0
	}
	p := &k.pipes[f.C]
	if f.B == condReadable {
		return p.used() > 0
	}
	return p.used() < pipeSlots
}

// wakeUp mirrors __wake_up_sync_key for one exclusive waiter: under the
// queue's lock, wake the first task that can be woken. A wait queue, B flags,
// C the task being tried.
func (k *Kernel) wakeUp(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	w := &k.waits[f.A]
	switch f.Step {
	case 0:
		cp.irqsOff = 1
		f.Step = 1
		return k.spinLock(c, w.lock)
	case 1:
		f.C = w.head
		f.Step = 2
		return k.cost(c, CostWakeUpEntry)
	case 2:
		if f.C == none {
			f.Step = 4
			return again
		}
		f.Step = 3
		return k.call(c, FnTryToWakeUp, f.C, f.B, 0)
	case 3:
		next := k.tasks[f.C].wqNext
		if cp.ret != 0 {
			k.wqRemove(f.C)
			next = none
		}
		f.C = next
		f.Step = 2
		if next == none {
			f.Step = 4
		}
		return k.cost(c, CostWakeUpTail) + cp.settle()
	case 4:
		if d := cp.settle(); d > 0 {
			return d
		}
		k.spinUnlock(c, w.lock)
		f.Step = 5
		return k.irqOn(c)
	}
	return k.ret(c, 0)
}
