package kernel

import (
	"testing"

	"wakelab/engine/simtime"
)

// newEEVDF is a machine that does not run, of eight CPUs or more: the base
// slice is 3 ms.
func newEEVDF(t *testing.T, tasks int, change map[string]int64) *Kernel {
	t.Helper()
	if change == nil {
		change = map[string]int64{}
	}
	change["eevdf"] = 1
	return newStill(t, twoSockets, tasks, change)
}

// queue puts task n on runqueue 0 with a vruntime and a deadline.
func (k *Kernel) queue(n int, vruntime, deadline Duration) {
	t := &k.tasks[k.testTask(n)]
	t.vruntime, t.deadline, t.onRq = vruntime, deadline, 1
	k.insert(&k.rqs[0], k.testTask(n))
	k.rqs[0].nrRunning++
}

// TestPickEEVDF: only tasks that are not ahead of the mean are looked at, and
// of those the earliest deadline wins, not the least vruntime.
func TestPickEEVDF(t *testing.T) {
	type entity struct{ vruntime, deadline Duration }
	for _, c := range []struct {
		name  string
		queue []entity
		want  int
	}{
		{"one alone", []entity{{5 * ms, 8 * ms}}, 0},
		{"the earlier deadline", []entity{{1 * ms, 9 * ms}, {2 * ms, 5 * ms}, {9 * ms, 12 * ms}}, 1},
		{"not one that is ahead of the mean", []entity{{1 * ms, 9 * ms}, {2 * ms, 5 * ms}, {9 * ms, 4 * ms}}, 1},
		{"at the mean is eligible", []entity{{1 * ms, 9 * ms}, {3 * ms, 5 * ms}, {5 * ms, 4 * ms}}, 1},
		{"just ahead of it is not", []entity{{1 * ms, 9 * ms}, {3*ms + 1, 5 * ms}, {5 * ms, 4 * ms}}, 0},
	} {
		k := newEEVDF(t, len(c.queue), nil)
		k.rqs[0].minVruntime = 1 * ms
		for i, e := range c.queue {
			k.queue(i, e.vruntime, e.deadline)
		}
		if got, want := k.pickEEVDF(&k.rqs[0], none), k.testTask(c.want); got != want {
			t.Errorf("%s: task %d, want %d", c.name, got, want)
		}
	}
}

// TestLagIsKept: what a task was owed or owed itself when it slept it still is
// when it returns, on this CPU or another, up to two slices.
func TestLagIsKept(t *testing.T) {
	for _, c := range []struct{ lag, want Duration }{
		{0, 0}, {2 * ms, 2 * ms}, {-5 * ms, -5 * ms}, {50 * ms, 6 * ms}, {-50 * ms, -6 * ms},
	} {
		k := newEEVDF(t, 3, nil)
		r, sleeper := &k.rqs[0], k.testTask(2)
		r.minVruntime = 100 * ms
		k.queue(0, 101*ms, 104*ms)
		k.queue(1, 103*ms, 106*ms)
		// The sleeper is the third of the queue: it moves the mean by a third.
		k.occupy(0, sleeper)
		k.tasks[sleeper].vruntime = 102*ms - c.lag*3/2
		k.updateEntityLag(r, &k.tasks[sleeper])
		if got := k.tasks[sleeper].vlag; got != c.want {
			t.Errorf("lag %v: %v is kept, want %v", c.lag, got, c.want)
		}
		r.curr, k.tasks[sleeper].onRq = none, 0
		k.placeEntity(r, &k.tasks[sleeper], false)
		k.queue(2, k.tasks[sleeper].vruntime, k.tasks[sleeper].deadline)
		got := r.meanVruntime(k.vruntimes(r)) - k.tasks[sleeper].vruntime
		if got < c.want-1 || got > c.want+1 {
			t.Errorf("lag %v: %v after its return, want %v", c.lag, got, c.want)
		}
		if d := k.tasks[sleeper].deadline - k.tasks[sleeper].vruntime; d != 3*ms {
			t.Errorf("lag %v: the deadline is %v away, want 3ms", c.lag, d)
		}
	}
}

// TestLagIsLostOnEmptyQueue: nobody is there to whom it could owe or be owed.
// A new task begins with half a slice.
func TestLagIsLostOnEmptyQueue(t *testing.T) {
	k := newEEVDF(t, 1, nil)
	task := &k.tasks[k.testTask(0)]
	k.rqs[0].minVruntime, task.vlag = 100*ms, 5*ms
	k.placeEntity(&k.rqs[0], task, true)
	if task.vruntime != 100*ms || task.deadline != 101*ms+ms/2 {
		t.Errorf("vruntime %v, deadline %v, want 100ms and 101.5ms", task.vruntime, task.deadline)
	}
}

// TestRequestUsedUp: a task that reaches its deadline gets the next request
// and makes room if somebody waits.
func TestRequestUsedUp(t *testing.T) {
	for _, c := range []struct {
		ran     Duration
		waiting bool
		resched bool
		want    Duration
	}{
		{3*ms - 1, true, false, 3 * ms}, {3 * ms, true, true, 6 * ms}, {4 * ms, true, true, 7 * ms}, {4 * ms, false, false, 7 * ms},
	} {
		k := newEEVDF(t, 2, nil)
		curr := k.testTask(0)
		k.occupy(0, curr)
		k.tasks[curr].deadline = 3 * ms
		if c.waiting {
			k.queue(1, 0, 3*ms)
		}
		k.now = Time(c.ran)
		k.updateRqClock(0, 0) // as scheduler_tick does first
		if got := k.taskTick(0); got != c.resched {
			t.Errorf("ran %v, waiting %t: the tick reschedules %t, want %t", c.ran, c.waiting, got, c.resched)
		}
		if got := k.tasks[curr].deadline; got != c.want {
			t.Errorf("ran %v: the deadline is %v, want %v", c.ran, got, c.want)
		}
	}
}

// TestRunToParity: a wakee with the earlier deadline preempts only a task that
// is ahead of the mean or has used up the request it was picked for.
func TestRunToParity(t *testing.T) {
	for _, c := range []struct {
		name                  string
		parity                int64
		vruntime, deadline    Duration // of the current task
		picked                Duration // its deadline when it was picked
		wakee, wakeesDeadline Duration
		want                  bool
	}{
		{"goes on", 1, 1 * ms, 5 * ms, 5 * ms, 1 * ms, 4 * ms, false},
		{"without the feature", 0, 1 * ms, 5 * ms, 5 * ms, 1 * ms, 4 * ms, true},
		{"ahead of the mean", 1, 2 * ms, 5 * ms, 5 * ms, 1 * ms, 4 * ms, true},
		{"in its next request", 1, 1 * ms, 8 * ms, 5 * ms, 1 * ms, 4 * ms, true},
		{"the wakee's deadline is later", 0, 1 * ms, 5 * ms, 5 * ms, 1 * ms, 6 * ms, false},
		{"the wakee is ahead of the mean", 0, 1 * ms, 5 * ms, 5 * ms, 2 * ms, 4 * ms, false},
	} {
		k := newEEVDF(t, 2, map[string]int64{"run_to_parity": c.parity})
		curr, wakee := k.testTask(0), k.testTask(1)
		k.occupy(0, curr)
		k.tasks[curr].vruntime, k.tasks[curr].deadline, k.tasks[curr].vlag = c.vruntime, c.deadline, c.picked
		k.queue(1, c.wakee, c.wakeesDeadline)
		if got := k.checkPreempt(0, wakee); got != c.want {
			t.Errorf("%s: preempts %t, want %t", c.name, got, c.want)
		}
		if k.rqs[0].nextBuddy != none {
			t.Errorf("%s: EEVDF has marked a buddy", c.name)
		}
	}
}

// TestEEVDFIsFair: three tasks that compute on one CPU get a third each, never
// further apart than a slice and a tick, and a slice is not cut short.
func TestEEVDFIsFair(t *testing.T) {
	k := newComputing(t, fourL3s, map[string]int64{"eevdf": 1, "periodic_balance": 0, "nohz": 0}, 0, 0, 0)
	k.Run(Time(simtime.Second), 1<<30)
	k.Check()
	var least, most Duration
	for i := range 3 {
		ran := k.tasks[k.testTask(i)].sumExec
		if i == 0 || ran < least {
			least = ran
		}
		most = max(most, ran)
	}
	slice := k.baseSlice() + Duration(tickPeriod)
	if most-least > slice || least < 330*ms {
		t.Errorf("the tasks ran between %v and %v of a second, want thirds within %v", least, most, slice)
	}
	if n, all := k.count[0].Switches, int64(Duration(simtime.Second)/k.baseSlice()); n > all {
		t.Errorf("%d switches: slices are shorter than %v", n, k.baseSlice())
	}
}
