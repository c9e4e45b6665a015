package kernel

import "wakelab/engine/hw"

// mutex mirrors kernel/locking/mutex.c: optimistic spinning through an OSQ
// while the owner runs, else a wait list whose first waiter may ask for a
// hand-off.
type mutex struct {
	since    Time
	hold     Duration
	acquired int64
	owner    TaskID // -1 free
	handoff  TaskID // the owner bits name this waiter as next; -1 none
	line     hw.LineID
	waitLock lockID
	osqHead  int32 // CPU that spins on the owner; -1 none
	osqTail  int32
	head     TaskID // wait list
	tail     TaskID
	wantsIt  int32 // the first waiter has set HANDOFF

	_         int32
	wait      Duration
	contended int64
	_         [6]int64 // up to a multiple of 64 bytes: what most calls touch stays one cache line of the host
}

func (k *Kernel) newMutex(line hw.LineID) int32 {
	k.mutexes = append(k.mutexes, mutex{owner: none, handoff: none, line: line, waitLock: k.newLock(line),
		osqHead: none, osqTail: none, head: none, tail: none})
	return int32(len(k.mutexes) - 1)
}

// lockMutex takes mutex id for the current task, at once if its line is here
// and it is free with nobody waiting: any flag in the owner word makes the fast
// path fail.
func (k *Kernel) lockMutex(c CPUID, id int32) Duration {
	m := &k.mutexes[id]
	if m.owner == none && m.handoff == none && m.head == none && k.Mem.Held(c, m.line) && k.cpus[c].resched == 0 {
		k.cpus[c].debt += k.Mem.Access(k.now, c, m.line, hw.RMW)
		k.takeMutex(c, m)
		return again
	}
	return k.call(c, FnMutexLock, id, 0, 0)
}

func (k *Kernel) takeMutex(c CPUID, m *mutex) {
	m.owner = k.cpus[c].curr
	m.since = k.now
	m.acquired++
}

// tryMutex mirrors __mutex_trylock, after its atomic has fetched the line.
func (k *Kernel) tryMutex(c CPUID, m *mutex) bool {
	if m.owner == none && (m.handoff == none || m.handoff == k.cpus[c].curr) {
		m.handoff = none
		k.takeMutex(c, m)
		return true
	}
	return false
}

// mutexLock mirrors __mutex_lock_common. A mutex, B set when queued, T start.
func (k *Kernel) mutexLock(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	m := &k.mutexes[f.A]
	switch f.Step {
	case 0:
		f.T = int64(k.now)
		f.Step = 1
		if cp.resched != 0 && k.feat[PreemptVoluntary] != 0 {
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
		fallthrough
	case 1:
		f.Step = 2
		return k.Mem.Access(k.now, c, m.line, hw.RMW)
	case 2:
		if k.tryMutex(c, m) {
			return k.mutexGot(c, f, m)
		}
		m.contended++
		f.Step = 3
		return k.cost(c, CostMutexSlow)
	case 3:
		f.Step = 4
		return k.call(c, FnMutexSpin, f.A, 0, 0)
	case 4:
		if cp.ret != 0 {
			return k.mutexGot(c, f, m)
		}
		f.Step = 5
		if cp.resched != 0 { // the failed spin reschedules before it queues
			return k.call(c, FnSchedule, schedPreempt, 0, 0)
		}
	case 5: // wait_lock: the model keeps interrupts off under it
		cp.irqsOff = 1
		f.Step = 6
		return k.spinLock(c, m.waitLock)
	case 6:
		if k.tryMutex(c, m) {
			f.Step = 12
			return k.cost(c, CostMutexSlow)
		}
		if f.B == 0 {
			k.mutexQueue(m, cp.curr)
			f.B = 1
		}
		f.Step = 7
		return k.cost(c, CostMutexSlow) + k.Mem.Access(k.now, c, k.tasks[cp.curr].line, hw.RMW)
	case 7:
		k.tasks[cp.curr].state = taskUninterruptible
		f.Step = 8
		k.spinUnlock(c, m.waitLock)
		return k.irqOn(c)
	case 8:
		// The trylock of the wait loop, outside wait_lock.
		f.Step = 9
		return k.Mem.Access(k.now, c, m.line, hw.RMW)
	case 9:
		if k.tryMutex(c, m) {
			f.Step = 11
			return again
		}
		k.count[0].MutexSleeps++
		f.Step = 10
		return k.call(c, FnSchedule, schedVoluntary, 0, 0)
	case 10:
		if m.head == cp.curr {
			if k.tryMutex(c, m) {
				f.Step = 11
				return again
			}
			m.wantsIt = 1
			f.Step = 13
			return k.call(c, FnMutexSpin, f.A, 1, 0)
		}
		f.Step = 5
	case 13:
		if cp.ret != 0 {
			f.Step = 11
			return again
		}
		f.Step = 5
	case 11:
		k.tasks[cp.curr].state = taskRunning
		cp.irqsOff = 1
		f.Step = 12
		return k.spinLock(c, m.waitLock)
	case 12:
		if d := cp.settle(); d > 0 {
			return d
		}
		if f.B != 0 {
			k.mutexUnqueue(m, cp.curr)
		}
		k.spinUnlock(c, m.waitLock)
		f.Step = 14
		return k.irqOn(c)
	case 14:
		return k.mutexGot(c, f, m)
	}
	return again
}

func (k *Kernel) mutexGot(c CPUID, f *Frame, m *mutex) Duration {
	m.wait += k.now.Sub(Time(f.T))
	return k.ret(c, 0)
}

func (k *Kernel) mutexQueue(m *mutex, id TaskID) {
	t := &k.tasks[id]
	t.wqNext, t.wqPrev = none, m.tail
	if m.tail == none {
		m.head = id
	} else {
		k.tasks[m.tail].wqNext = id
	}
	m.tail = id
}

func (k *Kernel) mutexUnqueue(m *mutex, id TaskID) {
	t := &k.tasks[id]
	if m.head == id {
		m.wantsIt = 0
	}
	if t.wqPrev == none {
		m.head = t.wqNext
	} else {
		k.tasks[t.wqPrev].wqNext = t.wqNext
	}
	if t.wqNext == none {
		m.tail = t.wqPrev
	} else {
		k.tasks[t.wqNext].wqPrev = t.wqPrev
	}
	t.wqNext, t.wqPrev = none, none
}

// mutexSpin mirrors mutex_optimistic_spin: queue in the OSQ, then watch the
// owner while it runs. A mutex, B: first waiter, which spins without the OSQ.
func (k *Kernel) mutexSpin(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	m := &k.mutexes[f.A]
	switch f.Step {
	case 0:
		if k.feat[MutexSpin] == 0 || cp.resched != 0 || !k.ownerRuns(m) {
			return k.ret(c, 0)
		}
		if f.B != 0 {
			f.Step = 3
			return again
		}
		f.Step = 1
		return k.Mem.Access(k.now, c, m.line, hw.RMW) // xchg of the OSQ's tail
	case 1:
		cp.nextOSQ = none
		if m.osqTail == none {
			m.osqHead, m.osqTail = c, c
			f.Step = 3
			return again
		}
		k.cpus[m.osqTail].nextOSQ = c
		m.osqTail = c
		f.Step = 2
		return watch // spins on its own node until it is first
	case 2:
		if m.osqHead != c {
			if cp.resched != 0 {
				k.osqLeave(c, m)
				return k.ret(c, 0)
			}
			return watch
		}
		f.Step = 3
	case 3:
		// Looks at owner: the line comes here shared.
		f.Step = 4
		return k.Mem.Access(k.now, c, m.line, hw.Load) + k.cost(c, CostSpinPoll)
	case 4:
		switch {
		case m.owner == none && (m.handoff == none || m.handoff == cp.curr):
			f.Step = 5
			return k.Mem.Access(k.now, c, m.line, hw.RMW)
		case cp.resched != 0 || !k.ownerRuns(m):
			if f.B == 0 {
				k.osqLeave(c, m)
			}
			return k.ret(c, 0)
		}
		f.Step = 3
		if f.B != 0 {
			return k.cost(c, CostSpinPoll)
		}
		return watch // until the owner's line changes
	case 5:
		if !k.tryMutex(c, m) {
			f.Step = 4
			return again
		}
		if f.B == 0 {
			k.osqLeave(c, m)
		}
		return k.ret(c, 1)
	}
	return again
}

// ownerRuns reports whether spinning makes sense: the lock is free or its
// owner is on a CPU.
func (k *Kernel) ownerRuns(m *mutex) bool {
	return m.owner == none || k.tasks[m.owner].onCPU != 0
}

// osqLeave takes CPU c out of the OSQ; a new head starts to watch the owner.
func (k *Kernel) osqLeave(c CPUID, m *mutex) {
	next := k.cpus[c].nextOSQ
	if m.osqHead == c {
		m.osqHead = next
		if next == none {
			m.osqTail = none
		} else {
			k.poke(next, k.Mem.Latency(c, next))
		}
		return
	}
	for at := m.osqHead; at != none; at = k.cpus[at].nextOSQ {
		if k.cpus[at].nextOSQ == c {
			k.cpus[at].nextOSQ = next
			if m.osqTail == c {
				m.osqTail = at
			}
			return
		}
	}
	k.bug(c, "leaves an OSQ it is not in")
}

// unlockMutex releases mutex id at this instant. The caller continues in its
// next step.
func (k *Kernel) unlockMutex(c CPUID, id int32) Duration {
	m := &k.mutexes[id]
	if m.owner != k.cpus[c].curr {
		k.bug(c, "unlocks mutex %d owned by task %d", id, m.owner)
	}
	if k.cpus[c].debt != 0 {
		k.bug(c, "unlocks mutex %d before its time has passed", id)
	}
	m.hold += k.now.Sub(m.since)
	k.cpus[c].debt += k.Mem.Access(k.now, c, m.line, hw.RMW)
	m.owner = none
	if m.wantsIt != 0 {
		m.handoff = m.head
	} else if m.osqHead != none {
		k.poke(m.osqHead, 0)
	}
	if m.head == none {
		return again
	}
	return k.call(c, FnMutexUnlock, id, m.head, 0)
}

// mutexUnlock mirrors __mutex_unlock_slowpath: wake the first waiter. A
// mutex, B waiter.
func (k *Kernel) mutexUnlock(c CPUID, f *Frame) Duration {
	m := &k.mutexes[f.A]
	switch f.Step {
	case 0:
		k.cpus[c].irqsOff = 1
		f.Step = 1
		return k.spinLock(c, m.waitLock)
	case 1:
		f.Step = 2
		return k.cost(c, CostMutexSlow)
	case 2:
		f.B = m.head
		k.spinUnlock(c, m.waitLock)
		f.Step = 3
		if f.B != none {
			return k.call(c, FnTryToWakeUp, f.B, 0, 0)
		}
	case 3:
		f.Step = 4
		return k.cpus[c].settle() + k.cost(c, CostWakeUpTail)
	case 4:
		f.Step = 5
		return k.irqOn(c)
	case 5:
		return k.ret(c, 0)
	}
	return again
}
