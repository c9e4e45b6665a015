package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

const ms = simtime.Millisecond

// still is a program whose tasks are put into place by the test and never run
// code of their own.
type still struct{ tasks int }

func (p still) Start(k *Kernel) {
	mm := k.NewMM(0)
	for range p.tasks {
		k.NewTask("still", mm, 0, 0, false, Frame{})
	}
}

func (still) Step(*Kernel, CPUID, *Frame) Duration { return watch }

// newStill is a machine at instant 0 that does not run: all CPUs idle, all
// tasks asleep. Without a task group, loads are the tasks' own.
func newStill(t *testing.T, shape topo.Shape, tasks int, change map[string]int64) *Kernel {
	t.Helper()
	machine, err := shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		change = map[string]int64{}
	}
	if _, ok := change["autogroup"]; !ok {
		change["autogroup"] = 0
	}
	return New(machine, values(hw.Defs[:], change), values(FeatureDefs[:], change), values(CostDefs[:], change), still{tasks}, 1)
}

// testTask is the n-th task of the program.
func (k *Kernel) testTask(n int) TaskID { return TaskID(3*len(k.cpus) + n) }

// occupy makes task id the current one of CPU c.
func (k *Kernel) occupy(c CPUID, id TaskID) {
	r, t := &k.rqs[c], &k.tasks[id]
	k.cpus[c].curr, k.cpus[c].sp = id, id*maxDepth
	r.curr = id
	r.nrRunning++
	t.cpu, t.wakeCPU, t.onCPU, t.onRq, t.state = c, c, 1, 1, taskRunning
}

// choose is what select_task_rq_fair on CPU c answers for a wakee.
func (k *Kernel) choose(c CPUID, wakee TaskID, flags int32) CPUID {
	base := k.cpus[c].sp
	k.cpus[c].irqsOff = 1
	k.call(c, FnSelectTaskRqFair, wakee, flags, 0)
	for k.cpus[c].sp > base {
		k.exec(c)
	}
	return k.cpus[c].ret
}

// Two sockets of two L3s of two cores of two threads: an L3 holds CPUs 0, 1,
// 8, 9, the next 2, 3, 10, 11; the other socket starts at 4 and 12.
var twoSockets = topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 2, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 1}

// TestWakeAffine: the rules of wake_affine in their order, seen by the L3 in
// which the wakee ends.
func TestWakeAffine(t *testing.T) {
	for _, c := range []struct {
		name  string
		idle  bool // the waker is an interrupt on an idle CPU 0
		prev  CPUID
		busy  []CPUID // beside CPU 0
		flags int32
		loads map[CPUID]int64 // load_avg of runqueues
		two   bool            // a second task waits on CPU 0
		want  CPUID
	}{
		{name: "a: this idle, prev idle in the L3", idle: true, prev: 1, want: 1},
		{name: "a: this idle, prev busy in the L3", idle: true, prev: 1, busy: []CPUID{1}, want: 0},
		{name: "a does not hold across L3s: c", idle: true, prev: 4, want: 4},
		{name: "b: sync and the waker alone", prev: 4, flags: wfSync, want: 1},
		{name: "b does not hold with a second task: c", prev: 4, flags: wfSync, two: true, want: 4},
		{name: "c: prev idle", prev: 4, want: 4},
		{name: "d: this is lighter", prev: 4, busy: []CPUID{4}, loads: map[CPUID]int64{0: 0, 4: 2048}, want: 1},
		{name: "d: prev is lighter", prev: 4, busy: []CPUID{4}, loads: map[CPUID]int64{0: 2048, 4: 1024}, want: 12},
		{name: "d: equal loads and a wakee of 100 stay", prev: 4, busy: []CPUID{4}, loads: map[CPUID]int64{0: 1024, 4: 1024}, want: 12},
	} {
		k := newStill(t, twoSockets, 20, nil)
		next := 0
		task := func() TaskID { next++; return k.testTask(next - 1) }
		wakee := task()
		if !c.idle {
			k.occupy(0, task())
		}
		for _, b := range c.busy {
			k.occupy(b, task())
		}
		if c.two {
			k.rqs[0].nrRunning++
		}
		for cpu, load := range c.loads {
			k.rqs[cpu].avg.loadAvg = load
		}
		w := &k.tasks[wakee]
		w.wakeCPU, w.cpu, w.recentCPU, w.avg.loadAvg = c.prev, c.prev, c.prev, 100
		if got := k.choose(0, wakee, c.flags); got != c.want {
			t.Errorf("%s: CPU %d, want %d", c.name, got, c.want)
		}
	}
}

// TestSelectIdleSibling: the order of tests within an L3 of four cores, CPUs
// 0 to 3 and their siblings 4 to 7. The waker runs on CPU 0, which is also the
// wakee's previous one, so CPU 0 is the target.
func TestSelectIdleSibling(t *testing.T) {
	oneL3 := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 4, ThreadsPerCore: 2, NodesPerSocket: 1}
	all := []CPUID{1, 2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		name      string
		idle      []CPUID
		recent    CPUID
		scan      int32 // nr_idle_scan
		idleCores int32
		want      CPUID
		wantCores int32
	}{
		{name: "recent_used_cpu", idle: []CPUID{1, 4, 6}, recent: 6, scan: 8, want: 6},
		{name: "recent_used_cpu is busy: sibling of prev", idle: []CPUID{1, 4}, recent: 6, scan: 8, want: 4},
		{name: "sibling busy: scan upwards from the target", idle: []CPUID{3, 6}, recent: 0, scan: 8, want: 3},
		{name: "the scan looks at nr_idle_scan CPUs", idle: []CPUID{3}, recent: 0, scan: 3, want: 3},
		{name: "and at no more", idle: []CPUID{3}, recent: 0, scan: 2, want: 0},
		{name: "nr_idle_scan 0: no scan, even for an idle core", idle: []CPUID{2, 6}, recent: 0, scan: 0, idleCores: 1, want: 0, wantCores: 1},
		{name: "idle core before an idle thread", idle: []CPUID{1, 2, 6}, recent: 0, scan: 1, idleCores: 1, want: 2, wantCores: 1},
		{name: "no idle core: the first idle thread, and the flag is cleared", idle: []CPUID{1, 7}, recent: 0, scan: 1, idleCores: 1, want: 1},
		{name: "an idle sibling of prev does not count while there are idle cores", idle: []CPUID{4, 3, 7}, recent: 0, scan: 8, idleCores: 1, want: 3, wantCores: 1},
		{name: "nothing idle: the target", recent: 0, scan: 8, want: 0},
	} {
		k := newStill(t, oneL3, 10, nil)
		wakee := k.testTask(0)
		k.occupy(0, k.testTask(1))
		for i, cpu := range all {
			if !slices.Contains(c.idle, cpu) {
				k.occupy(cpu, k.testTask(2+i))
			}
		}
		k.llcs[0].nrIdleScan, k.llcs[0].hasIdleCores = c.scan, c.idleCores
		k.tasks[wakee].recentCPU = c.recent
		if got := k.choose(0, wakee, 0); got != c.want {
			t.Errorf("%s: CPU %d, want %d", c.name, got, c.want)
		}
		if got := k.tasks[wakee].recentCPU; got != 0 {
			t.Errorf("%s: recent_used_cpu %d, want prev", c.name, got)
		}
		if got := k.llcs[0].hasIdleCores; got != c.wantCores {
			t.Errorf("%s: has_idle_cores %d, want %d", c.name, got, c.wantCores)
		}
	}
}

// TestWakeWide: a waker with many wakees, each of which wakes many itself,
// leaves the wakee where it was.
func TestWakeWide(t *testing.T) {
	k := newStill(t, twoSockets, 2, nil)
	a, b := k.testTask(0), k.testTask(1)
	for _, c := range []struct {
		waker, wakee int32
		want         bool
	}{{0, 0, false}, {64, 3, false}, {15, 4, false}, {16, 4, true}, {4, 16, true}, {19, 5, false}, {20, 5, true}} {
		k.tasks[a].flips, k.tasks[b].flips = c.waker, c.wakee
		if got := k.wakeWide(a, b, 4); got != c.want {
			t.Errorf("flips %d and %d in an L3 of 4: %t, want %t", c.waker, c.wakee, got, c.want)
		}
	}
}

// TestIdleScanFollowsUtilization: update_idle_cpu_scan's number for 16 CPUs,
// worked by hand: with x the mean utilization of 1024 and 117 % imbalance,
// t = x*x*117*117/(10000*1024) and (1024-t)*16/1024 CPUs.
func TestIdleScanFollowsUtilization(t *testing.T) {
	k := newStill(t, topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1}, 0, nil)
	mc := slices.IndexFunc(k.levels, func(l level) bool { return l.name == "MC" })
	for _, c := range []struct{ util, want int64 }{
		{0, 16}, {256, 14}, {512, 10}, {676, 6}, {717, 5}, {819, 2}, {840, 1}, {850, 0}, {876, 0}, {1024, 0}, {3000, 0},
	} {
		for _, cpu := range k.Topo.LLCs[0] {
			k.rqs[cpu].avg.utilAvg = c.util
		}
		k.updateIdleCPUScan(0, &k.levels[mc])
		if got := int64(k.llcs[0].nrIdleScan); got != c.want {
			t.Errorf("utilization %d of 1024: %d CPUs, want %d", c.util, got, c.want)
		}
	}
}

// TestSleeperCredit: a wakee gets at most half of the 24 ms latency as credit,
// and keeps less credit and all debt.
func TestSleeperCredit(t *testing.T) {
	for _, c := range []struct {
		credit    int64
		own, want Duration
	}{
		{creditGentle, 0, 88 * ms}, {creditGentle, 88*ms + 1, 88*ms + 1}, {creditGentle, 130 * ms, 130 * ms},
		{creditFull, 0, 76 * ms}, {creditOff, 0, 100 * ms},
	} {
		k := newStill(t, twoSockets, 1, map[string]int64{"sleeper_credit": c.credit})
		id := k.testTask(0)
		k.rqs[0].minVruntime = 100 * ms
		k.tasks[id].vruntime = c.own
		k.tasks[id].state = taskWaking
		k.enqueueWakeup(0, 0, id)
		if got := k.tasks[id].vruntime; got != c.want {
			t.Errorf("credit %s, vruntime %v: %v, want %v", FeatureDefs[SleeperCredit].Options[c.credit], c.own, got, c.want)
		}
	}
}

// TestMigrationKeepsLag: a wakee that changes its CPU keeps its distance from
// min_vruntime.
func TestMigrationKeepsLag(t *testing.T) {
	k := newStill(t, twoSockets, 1, nil)
	id := k.testTask(0)
	k.rqs[0].minVruntime, k.rqs[1].minVruntime = 100*ms, 7*ms
	k.tasks[id].vruntime = 103 * ms
	k.tasks[id].state = taskWaking
	k.setTaskCPUWaking(0, id, 1)
	k.enqueueWakeup(0, 1, id)
	if got, want := k.tasks[id].vruntime, 10*ms; got != want {
		t.Errorf("vruntime %v, want %v", got, want)
	}
}

// TestWakeupPreemption: the granularity is 4 ms on eight CPUs or more, and a
// preempting wakee becomes the next buddy.
func TestWakeupPreemption(t *testing.T) {
	for _, c := range []struct {
		name       string
		ahead      Duration // of the current task's vruntime over the wakee's
		running    int32
		idle       bool
		resched    uint8
		want, last bool
	}{
		{name: "just the granularity", ahead: 4 * ms, running: 2},
		{name: "more", ahead: 4*ms + 1, running: 2, want: true},
		{name: "seven run", ahead: 5 * ms, running: 7, want: true},
		{name: "eight run: last buddy", ahead: 5 * ms, running: 8, want: true, last: true},
		{name: "already asked", ahead: 5 * ms, running: 2, resched: 1},
		{name: "idle always yields", idle: true, running: 1, want: true},
	} {
		k := newStill(t, twoSockets, 2, nil)
		wakee, curr := k.testTask(0), k.testTask(1)
		if !c.idle {
			k.occupy(0, curr)
		}
		r := &k.rqs[0]
		r.nrRunning = c.running
		k.cpus[0].resched = c.resched
		k.tasks[curr].vruntime = c.ahead
		if got := k.checkPreempt(0, wakee); got != c.want {
			t.Errorf("%s: preempts %t, want %t", c.name, got, c.want)
		}
		next, last := none, none
		if c.want && !c.idle {
			next = wakee
		}
		if c.last {
			last = curr
		}
		if r.nextBuddy != next || r.lastBuddy != last {
			t.Errorf("%s: buddies %d and %d, want %d and %d", c.name, r.nextBuddy, r.lastBuddy, next, last)
		}
	}
}

// TestRuntimeEndsAtClock: a task is charged up to its runqueue's clock, and the
// next one from there. The clock stands still between a wakeup that preempts
// and the switch, so the wakee pays for what its waker does in between.
func TestRuntimeEndsAtClock(t *testing.T) {
	const us = simtime.Microsecond
	k := newStill(t, twoSockets, 2, nil)
	waker, wakee := k.testTask(0), k.testTask(1)
	r := &k.rqs[0]
	k.occupy(0, waker)
	k.tasks[waker].vruntime, k.tasks[wakee].vruntime = 20*ms, 10*ms
	r.clock, k.now = Time(10*us), Time(12*us)
	k.tasks[wakee].state = taskWaking
	if !k.ttwuDoActivate(0, 0, wakee) || r.skipClock == 0 {
		t.Fatal("no preemption, or the clock will not stand still")
	}
	k.now = Time(15 * us)
	k.putPrev(0)
	k.setNext(0, wakee, none)
	r.clock, k.now = Time(20*us), Time(21*us)
	k.updateCurr(0)
	if got, want := k.tasks[waker].sumExec, 10*us; got != want {
		t.Errorf("the waker ran for %v, want %v", got, want)
	}
	if got, want := k.tasks[wakee].sumExec, 10*us; got != want {
		t.Errorf("the wakee ran for %v, want %v", got, want)
	}
}

// TestNextBuddy: it is picked up to 4 ms behind the leftmost, then the last
// buddy under the same test, then the leftmost.
func TestNextBuddy(t *testing.T) {
	for _, c := range []struct {
		next, last Duration // behind the leftmost; -1: no such buddy
		want       int
	}{{-1, -1, 0}, {4 * ms, -1, 1}, {4*ms + 1, -1, 0}, {4*ms + 1, 3 * ms, 2}, {1 * ms, 1 * ms, 1}} {
		k := newStill(t, twoSockets, 3, nil)
		r := &k.rqs[0]
		for i, behind := range []Duration{0, c.next, c.last} {
			id := k.testTask(i)
			k.tasks[id].vruntime = max(behind, 0)
			if behind < 0 {
				continue
			}
			k.insert(r, id)
		}
		if c.next >= 0 {
			r.nextBuddy = k.testTask(1)
		}
		if c.last >= 0 {
			r.lastBuddy = k.testTask(2)
		}
		if got, want := k.pickNextEntity(0, none), k.testTask(c.want); got != want {
			t.Errorf("next %v, last %v behind: task %d, want %d", c.next, c.last, got, want)
		}
	}
}

// TestIdleExtension: with the extension a CPU that left the idle loop less
// than idle_delay ago counts as idle whatever it does; the limit on running
// tasks takes that back.
func TestIdleExtension(t *testing.T) {
	for _, c := range []struct {
		delay, since Duration
		limit        int64
		running      int32
		want         bool
	}{
		{0, 0, 0, 1, false}, {0, 0, 0, 0, true},
		{1 * ms, 1*ms - 1, 0, 1, true}, {1 * ms, 1 * ms, 0, 1, false}, {1 * ms, 1 * ms, 0, 0, true},
		{1 * ms, 0, 0, 30, true}, {1 * ms, 0, 1, 1, true}, {1 * ms, 0, 1, 2, false},
	} {
		k := newStill(t, twoSockets, 1, map[string]int64{"idle_delay": int64(c.delay), "idle_delay_nr": c.limit})
		k.now = Time(simtime.Second)
		if c.running > 0 {
			k.occupy(3, k.testTask(0))
		}
		k.rqs[3].nrRunning = c.running
		k.rqs[3].idleEnd = k.now.Add(-c.since)
		if got := k.idleCPU(0, 3); got != c.want {
			t.Errorf("delay %v, left idle %v ago, %d running, limit %d: idle %t, want %t", c.delay, c.since, c.running, c.limit, got, c.want)
		}
	}
	k := newStill(t, twoSockets, 0, nil)
	k.rqs[3].ttwuPending = 1
	if k.idleCPU(0, 3) {
		t.Error("a CPU with a pending wakeup counts as idle")
	}
}

// TestNewidleGates: what stops newidle_balance before it looks at any domain.
func TestNewidleGates(t *testing.T) {
	for _, c := range []struct {
		name           string
		overload       int32
		avgIdle, cost  Duration
		pending        int32
		looks, stamped bool
	}{
		{name: "nothing to pull anywhere", avgIdle: ms, stamped: true},
		{name: "idle too short for the first domain", overload: 1, avgIdle: 10, cost: 11, stamped: true},
		{name: "long enough", overload: 1, avgIdle: 11, cost: 11, looks: true, stamped: true},
		{name: "a wakeup is pending", overload: 1, avgIdle: ms, pending: 1},
	} {
		k := newStill(t, twoSockets, 0, nil)
		k.now = Time(simtime.Second)
		r := &k.rqs[0]
		k.root[0].overload, r.avgIdle, r.ttwuPending, r.idleStamp = c.overload, c.avgIdle, c.pending, -1
		k.domain(0, 0).maxCost = c.cost
		k.cpus[0].irqsOff = 1
		k.takeLock(0, &k.locks[r.lock])
		k.call(0, FnNewidleBalance, 0, 0, 0)
		k.newidleBalance(0, k.top(0))
		if looks := k.count[0].Newidle == 1; looks != c.looks {
			t.Errorf("%s: looks %t, want %t", c.name, looks, c.looks)
		}
		if stamped := r.idleStamp == k.now; stamped != c.stamped {
			t.Errorf("%s: idle_stamp set %t, want %t", c.name, stamped, c.stamped)
		}
	}
}

// TestRunqueueOrder holds the tree against a sorted slice: leftmost first,
// equals in the order in which they came.
func TestRunqueueOrder(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	k := newStill(t, twoSockets, 40, nil)
	r := &k.rqs[0]
	var model, out []TaskID
	for i := range 40 {
		out = append(out, k.testTask(i))
	}
	for step := range 2000 {
		if len(out) > 0 && (len(model) == 0 || rnd.IntN(2) == 0) {
			i := rnd.IntN(len(out))
			id := out[i]
			out = slices.Delete(out, i, i+1)
			k.tasks[id].vruntime = Duration(rnd.IntN(10))
			at := len(model)
			for at > 0 && k.tasks[model[at-1]].vruntime > k.tasks[id].vruntime {
				at--
			}
			model = slices.Insert(model, at, id)
			k.insert(r, id)
		} else {
			i := rnd.IntN(len(model))
			k.remove(r, model[i])
			out = append(out, model[i])
			model = slices.Delete(model, i, i+1)
		}
		var got []TaskID
		last := none
		for id := r.head; id != none; id = k.tasks[id].next {
			got = append(got, id)
			last = id
		}
		if !slices.Equal(got, model) || r.tail != last {
			t.Fatalf("seed %d, step %d: tree %v, tail %d, want %v", seed, step, got, r.tail, model)
		}
	}
}

// TestPELT: values of the series worked by hand. A period of 1024 granules of
// 1.024 us counts 1024 when it is the current one and y^n of it n periods
// later; y^32 = 1/2 and the whole series sums to 47742.
func TestPELT(t *testing.T) {
	for _, c := range []struct{ v, periods, want int64 }{
		{1 << 20, 32, 1 << 19}, {1 << 20, 64, 1 << 18}, {1000000, 1, 978572}, {1000000, 16, 707106}, {loadAvgMax, 63 * 32, 0},
	} {
		if got := decay(c.v, c.periods); got < c.want-1 || got > c.want+1 {
			t.Errorf("%d after %d periods: %d, want %d", c.v, c.periods, got, c.want)
		}
	}
	at := func(periods int64) Time { return Time(periods * peltPeriod * peltGranule) }
	var a avg
	if a.update(Time(1023*peltGranule), 1, true) || a.utilAvg != 0 {
		t.Errorf("utilization %d before the first period has ended, want 0", a.utilAvg)
	}
	a = avg{}
	a.update(at(1), 1, true) // 1024*y = 1002, of 47742 - 1024
	if a.loadSum != 1002 || a.utilAvg != 1002*1024/46718 {
		t.Errorf("after one period: sum %d, utilization %d, want 1002 and 21", a.loadSum, a.utilAvg)
	}
	for p := int64(2); p <= 32; p++ {
		a.update(at(p), 1, true)
	}
	if a.utilAvg < 505 || a.utilAvg > 515 {
		t.Errorf("running for 32 periods from nothing: utilization %d, want half of 1024", a.utilAvg)
	}
	for p := int64(33); p <= 1000; p++ {
		a.update(at(p), 1, true)
	}
	if a.utilAvg < 1015 || a.utilAvg > 1024 || a.loadAvg < 1015 || a.loadAvg > 1024 {
		t.Errorf("always running: utilization %d, load %d, want about 1024", a.utilAvg, a.loadAvg)
	}
	a.update(at(1032), 0, false)
	if a.utilAvg < 505 || a.utilAvg > 515 {
		t.Errorf("asleep for 32 periods: utilization %d, want half of 1024", a.utilAvg)
	}
	whole, steps := avg{}, avg{}
	whole.update(at(10).Add(300*peltGranule), 1, true)
	for g := int64(1); g <= 10*peltPeriod+300; g++ {
		steps.update(Time(g*peltGranule), 1, true)
	}
	if d := whole.loadSum - steps.loadSum; d < -20 || d > 20 || whole.contrib != steps.contrib {
		t.Errorf("at once %+v, granule by granule %+v", whole, steps)
	}
}

// TestGroupLoad: below a task group a CPU's load is its share of the group's
// 1024, but at least 2, times the share of time in which it had a task; a
// task's part of that is rounded down twice.
func TestGroupLoad(t *testing.T) {
	const divider = loadAvgMax - peltPeriod
	for _, c := range []struct {
		name     string
		tasks    int32
		loadAvg  int64 // of the queue, in tasks
		others   int64 // tasks' worth of load on other CPUs
		busy     int64 // percent
		weight   int64
		cpu, own int64
	}{
		{"alone", 1, 1, 0, 100, 1024, 1024, 1022},
		{"one of 640", 1, 1, 639, 100, 2, 2, 0},
		{"one of 640, idle half of the time", 1, 1, 639, 50, 2, 1, 0},
		{"four of 640", 4, 4, 636, 100, 6, 6, 1},
		{"three have just come: they count at once", 4, 1, 636, 100, 6, 6, 4},
		{"they have just gone: their load still counts", 0, 4, 636, 75, 6, 4, 0},
	} {
		k := newStill(t, twoSockets, 8, map[string]int64{"autogroup": 1})
		id := k.testTask(0)
		r := &k.rqs[2]
		k.tasks[id].cpu, k.tasks[id].avg.loadAvg = 2, niceZero
		r.nrRunning, r.avg.loadAvg, r.tgContrib = c.tasks, niceZero*c.loadAvg, niceZero*c.loadAvg
		k.tg[0].loadAvg = niceZero * (c.others + c.loadAvg)
		r.seAvg.loadSum = divider * c.busy / 100
		k.updateCfsGroup(0, 2)
		if r.seWeight != c.weight || k.cpuLoad(2) != c.cpu || k.taskHLoad(id) != c.own {
			t.Errorf("%s: weight %d, load %d, of the task %d; want %d, %d and %d",
				c.name, r.seWeight, k.cpuLoad(2), k.taskHLoad(id), c.weight, c.cpu, c.own)
		}
	}
}

// TestPropagate: the group's entity follows a task that comes or goes at once,
// within what it could have been.
func TestPropagate(t *testing.T) {
	const divider = loadAvgMax - peltPeriod
	for _, c := range []struct {
		name              string
		tasks             int32
		sum, queue, added int64 // load sums before: of the entity, of the queue; of the task
		util              int64 // time for which the queue ran
		want              int64
	}{
		{"comes", 1, 1000, 0, 2000, 0, 3000},
		{"comes to a full one", 2, divider - 1000, 0, 2000, 0, divider},
		{"one of three goes", 2, 20000, 20000, -1, 0, 10000},
		{"goes, the rest ran for longer", 2, 20000, 20000, -1, 15000, 15000},
		{"the last goes", 0, 20000, 20000, -1, 0, 0},
	} {
		r := rq{nrRunning: c.tasks, seAvg: avg{loadSum: c.sum}, avg: avg{loadSum: c.queue, utilSum: c.util * capacity}}
		r.propagate(c.added)
		if r.seAvg.loadSum != c.want {
			t.Errorf("%s: %d, want %d", c.name, r.seAvg.loadSum, c.want)
		}
	}
}

// TestSetNext: a task that is picked again goes on with its slice and stays a
// buddy; one that is picked after another begins anew.
func TestSetNext(t *testing.T) {
	k := newStill(t, twoSockets, 8, nil)
	id := k.testTask(0)
	k.occupy(0, id)
	r := &k.rqs[0]
	k.tasks[id].sumExec, k.tasks[id].prevSumExec = 5, 3
	r.nextBuddy = id
	k.putPrev(0)
	k.setNext(0, id, id)
	if k.tasks[id].prevSumExec != 3 || r.nextBuddy != id || r.curr != id || r.head != none {
		t.Errorf("kept: slice from %d, buddy %d, current %d, head %d", k.tasks[id].prevSumExec, r.nextBuddy, r.curr, r.head)
	}
	k.putPrev(0)
	k.setNext(0, id, none)
	if k.tasks[id].prevSumExec != 5 || r.nextBuddy != none {
		t.Errorf("set anew: slice from %d, buddy %d; want 5 and none", k.tasks[id].prevSumExec, r.nextBuddy)
	}
}
