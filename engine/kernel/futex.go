package kernel

import "wakelab/engine/hw"

// futex is a futex word and the hash bucket it falls into. Each has a bucket
// of its own: collisions are not modelled.
type futex struct {
	stamp Time // FutexStamp: when its owner was last posted
	word  hw.LineID
	lock  lockID // the bucket's
	value int32
	head  TaskID // sleepers, oldest first
	tail  TaskID
	pad   int32
}

// wqFutex is task.wq of a task that sleeps on a futex.
const wqFutex = -2

// NewFutex makes a futex word with value 0, homed near a CPU.
func (k *Kernel) NewFutex(near CPUID) int32 {
	i := int32(len(k.futexes))
	k.futexes = append(k.futexes, futex{word: k.Mem.NewLine("futex[%d]", i, near),
		lock: k.newLock(k.Mem.NewLine("futex_queues[%d]", i, near)), head: none, tail: none})
	return i
}

// FutexFetch brings the word to CPU c for an atomic; the caller changes the
// value in its next step, with FutexValue.
func (k *Kernel) FutexFetch(c CPUID, id int32) Duration {
	return k.Mem.Access(k.now, c, k.futexes[id].word, hw.RMW)
}

// FutexValue is the word's value; change it only after FutexFetch.
func (k *Kernel) FutexValue(id int32) *int32 { return &k.futexes[id].value }

// FutexStamp is an instant that user code keeps beside the word.
func (k *Kernel) FutexStamp(id int32) *Time { return &k.futexes[id].stamp }

// FutexWait sleeps until woken if the word's value is want.
func (k *Kernel) FutexWait(c CPUID, id, want int32) Duration {
	return k.call(c, FnFutexWait, id, want, 0)
}

// FutexWake wakes up to n sleepers, oldest first.
func (k *Kernel) FutexWake(c CPUID, id, n int32) Duration {
	return k.call(c, FnFutexWake, id, n, 0)
}

// futexWait mirrors do_futex and futex_wait: the value is compared under the
// bucket's lock, so that no wake is lost between the test and the sleep. The
// model keeps interrupts off under that lock. A futex, B wanted value.
func (k *Kernel) futexWait(c CPUID, f *Frame) Duration {
	cp, x := &k.cpus[c], &k.futexes[f.A]
	t := &k.tasks[cp.curr]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cost(c, CostSyscallEntry) + k.cost(c, CostFutex)
	case 1:
		cp.irqsOff = 1
		f.Step = 2
		return k.spinLock(c, x.lock)
	case 2:
		f.Step = 3
		return cp.settle() + k.Mem.Access(k.now, c, x.word, hw.Load) + k.Mem.Access(k.now, c, t.line, hw.RMW)
	case 3:
		f.Step = 5
		if x.value == f.B {
			k.futexQueue(x, cp.curr)
			t.state = taskInterruptible
			f.Step = 4
		}
		k.spinUnlock(c, x.lock)
		return k.irqOn(c)
	case 4:
		f.Step = 5
		if t.wq == wqFutex {
			return k.call(c, FnSchedule, schedVoluntary, 0, 0)
		}
	case 5:
		t.state = taskRunning
		return k.syscallExit(c)
	}
	return again
}

func (k *Kernel) futexQueue(x *futex, id TaskID) {
	t := &k.tasks[id]
	t.wq, t.wqNext = wqFutex, none
	if x.tail == none {
		x.head = id
	} else {
		k.tasks[x.tail].wqNext = id
	}
	x.tail = id
}

// futexWake mirrors futex_wake: sleepers move to a private list (wake_q) under
// the bucket's lock and are woken after it. A futex, B how many, D the list.
func (k *Kernel) futexWake(c CPUID, f *Frame) Duration {
	cp, x := &k.cpus[c], &k.futexes[f.A]
	switch f.Step {
	case 0:
		f.D = none
		f.Step = 1
		return k.cost(c, CostSyscallEntry) + k.cost(c, CostFutex)
	case 1:
		cp.irqsOff = 1
		f.Step = 2
		return k.spinLock(c, x.lock)
	case 2:
		if d := cp.settle(); d > 0 {
			return d
		}
		f.D = x.head
		last := none
		for ; f.B > 0 && x.head != none; f.B-- {
			last = x.head
			k.tasks[last].wq = none
			x.head = k.tasks[last].wqNext
		}
		if last == none {
			f.D = none
		} else {
			k.tasks[last].wqNext = none
		}
		if x.head == none {
			x.tail = none
		}
		k.spinUnlock(c, x.lock)
		f.Step = 3
		return k.irqOn(c)
	case 3: // wake_up_q
		if f.D == none {
			return k.syscallExit(c)
		}
		id := f.D
		f.D = k.tasks[id].wqNext
		k.tasks[id].wqNext = none
		cp.irqsOff = 1
		f.Step = 4
		return k.call(c, FnTryToWakeUp, id, 0, 0)
	case 4:
		f.Step = 3
		if d := cp.settle(); d > 0 {
			f.Step = 5
			return d
		}
		return k.irqOn(c)
	case 5:
		f.Step = 3
		return k.irqOn(c)
	}
	return again
}
