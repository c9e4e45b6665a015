package kernel

import "wakelab/engine/hw"

// lockID names a spinlock.
type lockID = int32

// spinlock mirrors kernel/locking/qspinlock.c: waiters queue and are served
// in the order in which they came. The waiter at the head takes the lock word
// over one line transfer after its release.
type spinlock struct {
	since     Time     // when the holder got it
	hold      Duration // summed
	wait      Duration // summed over waiters
	acquired  int64
	contended int64
	line      hw.LineID
	holder    int32 // CPU; -1 free
	head      int32 // waiting CPUs, linked through cpu.nextWaiter; -1 none
	tail      int32
}

func (k *Kernel) newLock(line hw.LineID) lockID {
	k.locks = append(k.locks, spinlock{line: line, holder: -1, head: -1, tail: -1})
	return lockID(len(k.locks) - 1)
}

// spinLock takes lock id, at once when its line is here and it is free.
// Interrupts must be off.
func (k *Kernel) spinLock(c CPUID, id lockID) Duration {
	l := &k.locks[id]
	if k.cpus[c].irqsOff == 0 {
		k.bug(c, "takes %s with interrupts on", k.Mem.Name(l.line))
	}
	if l.holder < 0 && k.Mem.Held(c, l.line) {
		k.takeLock(c, l)
		k.cpus[c].debt += k.Mem.Access(k.now, c, l.line, hw.RMW)
		return again
	}
	return k.call(c, FnSpinLock, id, 0, 0)
}

func (k *Kernel) takeLock(c CPUID, l *spinlock) {
	l.holder = c
	l.since = k.now
	l.acquired++
}

// spinLockSlow fetches the lock word and queues if it is taken. A: lock.
func (k *Kernel) spinLockSlow(c CPUID, f *Frame) Duration {
	l := &k.locks[f.A]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.Mem.Access(k.now, c, l.line, hw.RMW)
	case 1:
		if l.holder < 0 {
			k.takeLock(c, l)
			return k.ret(c, 0)
		}
		if l.holder == c {
			k.bug(c, "takes %s twice", k.Mem.Name(l.line))
		}
		k.cpus[c].nextWaiter = -1
		if l.tail < 0 {
			l.head = c
		} else {
			k.cpus[l.tail].nextWaiter = c
		}
		l.tail = c
		l.contended++
		f.T = int64(k.now)
		f.Step = 2
		return park
	}
	l.wait += k.now.Sub(Time(f.T))
	k.takeLock(c, l)
	return k.ret(c, 0)
}

// spinUnlock releases lock id at this instant.
func (k *Kernel) spinUnlock(c CPUID, id lockID) {
	l := &k.locks[id]
	if l.holder != c {
		k.bug(c, "releases %s held by CPU %d", k.Mem.Name(l.line), l.holder)
	}
	if k.cpus[c].debt != 0 {
		k.bug(c, "releases %s before its time has passed", k.Mem.Name(l.line))
	}
	l.hold += k.now.Sub(l.since)
	k.Mem.Access(k.now, c, l.line, hw.Store)
	next := l.head
	if next < 0 {
		l.holder = -1
		return
	}
	l.head = k.cpus[next].nextWaiter
	if l.head < 0 {
		l.tail = -1
	}
	l.holder = next
	k.unpark(next, k.Mem.Access(k.now, next, l.line, hw.RMW))
}
