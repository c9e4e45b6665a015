package kernel

import (
	"testing"

	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// twoBusy is a machine whose L3 of CPUs 0, 1, 8 and 9 has the waker on CPU 0
// and a task on the wakee's previous CPU 1; CPUs 8 and 9 idle.
func twoBusy(t *testing.T, change map[string]int64) (k *Kernel, wakee TaskID) {
	t.Helper()
	k = newStill(t, twoSockets, 8, change)
	k.now = Time(simtime.Second)
	k.occupy(0, k.testTask(1))
	k.occupy(1, k.testTask(2))
	wakee = k.testTask(0)
	w := &k.tasks[wakee]
	w.cpu, w.wakeCPU, w.recentCPU = 1, 1, 1
	return k, wakee
}

// TestMigrationWindow: a task that has just changed its CPU stays where it is,
// however idle others are, unless wake_wide sends it away.
func TestMigrationWindow(t *testing.T) {
	const window = 2 * ms
	for _, c := range []struct {
		name  string
		limit Duration
		since Duration // its last migration
		wide  bool
		want  CPUID
	}{
		{"no limit", 0, 0, false, 9},
		{"within the window", window, window - 1, false, 1},
		{"after it", window, window, false, 9},
		{"wake_wide does not ask", window, window - 1, true, 9},
	} {
		k, wakee := twoBusy(t, map[string]int64{"migration_window": int64(c.limit)})
		w := &k.tasks[wakee]
		w.state = taskWaking
		k.now = k.now.Add(-c.since)
		k.setTaskCPUWaking(0, wakee, 1)
		k.now = k.now.Add(c.since)
		if c.wide {
			w.flips, k.tasks[k.testTask(1)].flips = 4, 16
		}
		if got := k.choose(0, wakee, 0); got != c.want {
			t.Errorf("%s: CPU %d, want %d", c.name, got, c.want)
		}
	}
}

// TestBiasPrevIdle: a previous CPU that is busy but has almost no load is as
// good as an idle one; the wakee's own load does not count.
func TestBiasPrevIdle(t *testing.T) {
	for _, c := range []struct {
		name      string
		on        int64
		load, own int64
		want      CPUID
	}{
		{"off", 0, 47, 0, 9},
		{"a thousandth of LOAD_AVG_MAX", 1, 47, 0, 1},
		{"more", 1, 48, 0, 9},
		{"more, but of the wakee itself", 1, 148, 101, 1},
	} {
		k, wakee := twoBusy(t, map[string]int64{"wakeup_bias_prev_idle": c.on})
		k.rqs[1].avg.loadAvg, k.tasks[wakee].avg.loadAvg = c.load, c.own
		if got := k.choose(0, wakee, 0); got != c.want {
			t.Errorf("%s: CPU %d, want %d", c.name, got, c.want)
		}
	}
}

// TestUtilFitsAndBiasPrev: the two features alone and together, with the waker
// as the target (a sync wakeup), the previous CPU busy by a share of its
// capacity and the rest of the L3 idle or busy.
func TestUtilFitsAndBiasPrev(t *testing.T) {
	const full = 5000 // nothing fits beside it
	for _, c := range []struct {
		name         string
		fits, bias   int64
		this, prev   int64 // utilization of what runs there
		wakee        int64 // and of the wakee
		restIdle     bool
		sync         bool
		want         CPUID
		prevGoesIdle bool
	}{
		{name: "off: an idle sibling of prev", this: 100, prev: 100, restIdle: true, want: 9},
		{name: "fits: prev is the target and has room", fits: 1, this: full, prev: 100, wakee: 100, restIdle: true, want: 1},
		{name: "fits: just no room", fits: 1, this: full, prev: 720, wakee: 100, restIdle: true, want: 9},
		{name: "fits: just room", fits: 1, this: full, prev: 719, wakee: 100, restIdle: true, want: 1},
		{name: "fits: a sync wakeup's target comes first", fits: 1, this: 100, prev: 100, sync: true, restIdle: true, want: 0},
		{name: "fits and bias: prev comes first", fits: 1, bias: 1, this: 100, prev: 100, sync: true, restIdle: true, want: 1},
		{name: "bias alone: a busy prev has no room", bias: 1, this: 100, prev: 100, sync: true, restIdle: true, want: 9},
		{name: "bias alone: an idle prev", bias: 1, this: 100, sync: true, restIdle: true, want: 1, prevGoesIdle: true},
		{name: "nothing idle: the target", this: full, prev: full, sync: true, want: 0},
		{name: "nothing idle, bias: prev", bias: 1, this: full, prev: full, sync: true, want: 1},
	} {
		k, wakee := twoBusy(t, map[string]int64{"util_fits_capacity": c.fits, "select_bias_prev": c.bias})
		if !c.restIdle {
			k.occupy(8, k.testTask(3))
			k.occupy(9, k.testTask(4))
		}
		if c.prevGoesIdle {
			r := &k.rqs[1]
			k.cpus[1].curr, k.cpus[1].sp, r.curr, r.nrRunning = 1, maxDepth, none, 0
		}
		k.rqs[0].utilEst, k.rqs[1].utilEst = c.this, c.prev
		k.tasks[wakee].avg.utilAvg, k.tasks[wakee].avg.last = c.wakee, int64(k.now)/peltGranule
		flags := int32(0)
		if c.sync {
			flags = wfSync
		}
		if got := k.choose(0, wakee, flags); got != c.want {
			t.Errorf("%s: CPU %d, want %d", c.name, got, c.want)
		}
	}
}

// TestUtilEst: an estimate rises at once, falls by a quarter of the way, and
// stays while the average has not changed or hardly differs; a queue's is the
// sum of its tasks'.
func TestUtilEst(t *testing.T) {
	p := &task{}
	for _, c := range []struct{ util, want int64 }{
		{400, 400}, // rises
		{200, 350}, // 400 - 200/4
		{341, 350}, // within a hundredth of the average
		{100, 287}, // (3*350 + 100) / 4
		{300, 300},
	} {
		p.avg.utilAvg = c.util
		p.utilEst &^= utilAvgUnchanged
		p.updateUtilEst()
		if got := p.estimated(); got != c.want {
			t.Errorf("after sleeping at %d: %d, want %d", c.util, got, c.want)
		}
	}
	p.avg.utilAvg = 1000
	if p.updateUtilEst(); p.estimated() != 300 {
		t.Errorf("%d without a change of the average, want 300", p.estimated())
	}
	k, wakee := twoBusy(t, nil)
	k.tasks[wakee].utilEWMA = 300
	r := &k.rqs[5]
	k.enqueueEntity(0, 5, wakee)
	if r.utilEst != 300 || r.util() != 300 {
		t.Errorf("a queue's estimate is %d, its utilization %d, want 300", r.utilEst, r.util())
	}
	k.detachTask(0, wakee, 5, 6)
	if r.utilEst != 0 {
		t.Errorf("%d is left after the task has gone", r.utilEst)
	}
}

// TestTgLoadAvgWrites: a wakeup on another CPU writes tg->load_avg once, for
// what has left the queue and for the task that joins; a pulled task does so
// on either side.
func TestTgLoadAvgWrites(t *testing.T) {
	k, wakee := twoBusy(t, map[string]int64{"autogroup": 1})
	p := &k.tasks[wakee]
	p.avg.loadAvg = 300
	p.migrated, p.state = 1, taskWaking
	r := &k.rqs[5]
	r.avg.loadAvg, r.removedLoad = 200, 200
	before := k.count[0].TgUpdates
	k.enqueueWakeup(0, 5, wakee)
	if got := k.count[0].TgUpdates - before; got != 1 || r.tgContrib != 300 {
		t.Errorf("a wakeup: %d writes, contribution %d; want 1 and 300", got, r.tgContrib)
	}
	k.detachTask(0, wakee, 5, 6)
	if got := k.count[0].TgUpdates - before; got != 2 || r.tgContrib != 0 {
		t.Errorf("detached: %d writes in all, contribution %d left; want 2 and 0", got, r.tgContrib)
	}
	k.attachTask(0, 6, wakee)
	if got := k.count[0].TgUpdates - before; got != 3 || k.tg[0].loadAvg != k.rqs[6].tgContrib || k.tg[0].loadAvg == 0 {
		t.Errorf("attached: %d writes in all, tg->load_avg %d, contribution %d; want 3, and the two equal", got, k.tg[0].loadAvg, k.rqs[6].tgContrib)
	}
}

// TestIdleDelayFrom: counted from the entry into idle the extension is over
// sooner by as long as the CPU idled.
func TestIdleDelayFrom(t *testing.T) {
	idleEnd := func(from int64) Time {
		s := newScene(t, map[string]int64{"idle_delay": int64(ms), "idle_delay_from": from})
		s.k.Run(Time(300*simtime.Microsecond), 1<<30)
		s.wake() // once round the idle loop, without a task
		s.settle()
		return s.k.rqs[target].idleEnd
	}
	if at := idleEnd(delayFromExit); at < Time(300*simtime.Microsecond) {
		t.Errorf("idle_exit: it counts from %v, want from the exit after 300us", at)
	}
	// newidle balance finds nothing, and the fair class says again that it idles
	if at := idleEnd(delayFromClockIdle); at < Time(300*simtime.Microsecond) {
		t.Errorf("clock_idle: it counts from %v, want from the pass through __schedule after 300us", at)
	}
	s := newScene(t, map[string]int64{"idle_delay": int64(ms), "idle_delay_from": delayFromClockIdle, "sm_idle": 1})
	before := s.k.rqs[target].idleEnd
	s.wake()
	s.settle()
	if at := s.k.rqs[target].idleEnd; at != before {
		t.Errorf("clock_idle with SM_IDLE: it counts from %v, want still from %v: the fair class is not asked", at, before)
	}
}

// TestWakelistGroup: which wakeups within an L3 of four cores of two threads
// take the runqueue lock, by size of the groups; a group of two is a core.
func TestWakelistGroup(t *testing.T) {
	shape := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 2, CoresPerLLC: 4, ThreadsPerCore: 2, NodesPerSocket: 1}
	for _, c := range []struct {
		group int64
		locks []CPUID // as CPU 0 sees it; 8 is its sibling, 4 is in the other L3
	}{
		{0, []CPUID{0, 1, 2, 3, 8, 9, 10, 11}},
		{16, []CPUID{0, 1, 2, 3, 8, 9, 10, 11}},
		{8, []CPUID{0, 1, 2, 3, 8, 9, 10, 11}},
		{4, []CPUID{0, 1, 8, 9}},
		{2, []CPUID{0, 8}},
		{1, []CPUID{0}},
	} {
		k := newStill(t, shape, 1, map[string]int64{"wakelist_group": c.group, "wakelist_idle": 0})
		var locks []CPUID
		for cpu := range CPUID(16) {
			if !k.ttwuQueueCond(0, k.testTask(0), cpu) {
				locks = append(locks, cpu)
			}
		}
		if len(locks) != len(c.locks) {
			t.Errorf("groups of %d: CPU 0 takes the locks of CPUs %v, want %v", c.group, locks, c.locks)
			continue
		}
		for i := range locks {
			if locks[i] != c.locks[i] {
				t.Errorf("groups of %d: CPU 0 takes the locks of CPUs %v, want %v", c.group, locks, c.locks)
				break
			}
		}
	}
}

// TestTgLoadAvgLimit: with the limit a runqueue writes tg->load_avg once in a
// millisecond, whatever its own part does.
func TestTgLoadAvgLimit(t *testing.T) {
	for _, c := range []struct {
		limit Duration
		want  int64
	}{{0, 20}, {1 * ms, 5}} {
		k := newStill(t, twoSockets, 0, map[string]int64{"autogroup": 1, "tg_load_avg_limit": int64(c.limit)})
		for i := range int64(20) { // every 250 us, for 5 ms
			k.now = Time(10 * ms).Add(Duration(i) * ms / 4)
			k.rqs[0].avg.loadAvg = 100 << i
			k.updateTgLoadAvg(0, 0)
		}
		if got := k.count[0].TgUpdates; got != c.want {
			t.Errorf("limit %v: %d writes, want %d", c.limit, got, c.want)
		}
	}
}

// TestNewidleRate: a domain whose passes never pull is looked at by a share of
// the passes that shrinks, unless they are seldom.
func TestNewidleRate(t *testing.T) {
	for _, c := range []struct {
		name  string
		every Duration
		least int
		most  int
	}{
		{"often", 10 * simtime.Microsecond, 0, 30},
		{"seldom", 10 * ms, 1024, 1024},
	} {
		k := newStill(t, twoSockets, 0, map[string]int64{"newidle_gate": gateRate})
		d := k.domain(0, 0)
		looks := 0
		for i := range 8192 {
			k.now = k.now.Add(c.every)
			if weight := k.newidleWeight(d); weight != 0 {
				if i >= 7168 {
					looks++
				}
				k.updateNewidleCost(d, simtime.Microsecond, weight, false)
			}
		}
		if looks < c.least || looks > c.most {
			t.Errorf("%s: %d looks in the last 1024 passes, want %d to %d", c.name, looks, c.least, c.most)
		}
	}
}
