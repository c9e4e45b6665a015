package kernel

import (
	"slices"
	"testing"

	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// contest is a program whose tasks, each on a CPU of its own, take one lock
// over and over.
type contest struct {
	t      *testing.T
	mutex  bool
	tasks  int
	rounds int
	gap    func(c CPUID) Duration // outside the lock

	lock    int32
	inside  int
	asked   []CPUID
	got     []CPUID
	handoff int // unlocks that named the next owner
}

func (p *contest) Start(k *Kernel) {
	line := k.Mem.NewLine("contended", 0, 0)
	if p.mutex {
		p.lock = k.newMutex(line)
	} else {
		p.lock = k.newLock(line)
	}
	mm := k.NewMM(0)
	for c := range CPUID(p.tasks) {
		k.StartTask(k.NewTask("contest", mm, 0, c, true, Frame{}), 0)
	}
}

func (p *contest) Step(k *Kernel, c CPUID, f *Frame) Duration {
	if d := k.cpus[c].settle(); d > 0 {
		return d
	}
	switch f.Step++; f.Step {
	case 1:
		return p.gap(c)
	case 2:
		p.asked = append(p.asked, c)
		if p.mutex {
			return k.lockMutex(c, p.lock)
		}
		k.cpus[c].irqsOff = 1
		return k.spinLock(c, p.lock)
	case 3:
		if p.inside++; p.inside != 1 {
			p.t.Fatalf("at %v, CPU %d: %d tasks hold the lock", k.now, c, p.inside)
		}
		p.got = append(p.got, c)
		return simtime.Microsecond
	case 4:
		p.inside--
		if !p.mutex {
			k.spinUnlock(c, p.lock)
			return k.irqOn(c)
		}
		if k.mutexes[p.lock].wantsIt != 0 {
			p.handoff++
		}
		return k.unlockMutex(c, p.lock)
	}
	f.Step = 0
	if f.A++; int(f.A) == p.rounds {
		return k.TaskExit(c)
	}
	return again
}

// run ends the contest and returns how often each CPU had got the lock when
// the first had all its rounds.
func (p *contest) run(change map[string]int64) (k *Kernel, progress []int) {
	p.t.Helper()
	shape, err := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 8, ThreadsPerCore: 1, NodesPerSocket: 1}.Build()
	if err != nil {
		p.t.Fatal(err)
	}
	k = kernelOn(shape, change, p)
	k.Run(Time(simtime.Second), 1<<22)
	k.Check()
	if !k.Done() || len(p.got) != p.tasks*p.rounds {
		p.t.Fatalf("done %t, lock taken %d times, want %d", k.Done(), len(p.got), p.tasks*p.rounds)
	}
	progress = make([]int, p.tasks)
	for _, c := range p.got {
		if progress[c]++; progress[c] == p.rounds {
			break
		}
	}
	return k, progress
}

// TestSpinlockServesInOrder: qspinlock waiters get the lock in the order in
// which they asked for it; all are equally far from its line.
func TestSpinlockServesInOrder(t *testing.T) {
	p := &contest{t: t, tasks: 8, rounds: 100, gap: func(c CPUID) Duration { return Duration(c+1) * 100 * simtime.Nanosecond }}
	k, _ := p.run(nil)
	if !slices.Equal(p.got, p.asked) {
		t.Errorf("asked\n%v\ngot\n%v", p.asked, p.got)
	}
	if n := k.locks[p.lock].contended; n < 600 {
		t.Errorf("%d of 800 contended: too few to tell", n)
	}
}

// TestMutexSpins: while the owner runs, waiters spin and nobody sleeps.
func TestMutexSpins(t *testing.T) {
	p := &contest{t: t, mutex: true, tasks: 8, rounds: 100, gap: func(c CPUID) Duration { return Duration(c+1) * 100 * simtime.Nanosecond }}
	k, progress := p.run(nil)
	if n := k.count[0].MutexSleeps; n != 0 {
		t.Errorf("%d sleeps although every owner ran", n)
	}
	if slices.Min(progress) < 50 {
		t.Errorf("rounds when the first had 100: %v: the OSQ is not fair", progress)
	}
}

// TestMutexHandsOff: without spinning a woken waiter finds the mutex taken
// again by those who never sleep; it then asks to be named as next owner.
func TestMutexHandsOff(t *testing.T) {
	p := &contest{t: t, mutex: true, tasks: 8, rounds: 100, gap: func(CPUID) Duration { return 100 * simtime.Nanosecond }}
	k, progress := p.run(map[string]int64{FeatureDefs[MutexSpin].Key: 0})
	if k.count[0].MutexSleeps == 0 || p.handoff == 0 {
		t.Errorf("%d sleeps, %d hand-offs: want some of each", k.count[0].MutexSleeps, p.handoff)
	}
	if slices.Min(progress) < 10 {
		t.Errorf("rounds when the first had 100: %v: somebody starves", progress)
	}
}

// TestMutexOwnerIsNamed: after a hand-off nobody but the named waiter gets
// the mutex; without one, whoever comes first does.
func TestMutexOwnerIsNamed(t *testing.T) {
	for _, asked := range []int32{0, 1} {
		k := newStill(t, twoSockets, 3, nil)
		owner, waiter, other := k.testTask(0), k.testTask(1), k.testTask(2)
		id := k.newMutex(k.Mem.NewLine("mutex", 0, 0))
		m := &k.mutexes[id]
		k.occupy(0, owner)
		k.occupy(1, other)
		k.takeMutex(0, m)
		k.mutexQueue(m, waiter)
		m.wantsIt = asked
		k.unlockMutex(0, id)
		if got := k.tryMutex(1, m); got != (asked == 0) {
			t.Errorf("hand-off asked %d: the other gets it %t", asked, got)
		}
		k.occupy(2, waiter)
		if got := k.tryMutex(2, m); got != (asked == 1) {
			t.Errorf("hand-off asked %d: the waiter gets it %t", asked, got)
		}
	}
}
