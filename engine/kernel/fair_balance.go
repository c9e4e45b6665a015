package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// The balancing half of kernel/sched/fair.c.

// Kinds of balancing CPU.
const (
	newlyIdle = iota
	cpuIdle
	notIdle
)

// newidleBalance mirrors newidle_balance. The runqueue lock is held on entry
// and exit and dropped in between; interrupts stay off. It returns 1 if the
// queue has tasks now. A: level, B: tasks pulled, C: what a success counts;
// T: cost so far, as a start instant.
func (k *Kernel) newidleBalance(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case 0:
		if r.ttwuPending != 0 || k.feat[Newidle] == 0 {
			return k.ret(c, 0)
		}
		r.idleStamp = k.now
		if len(k.levels) == 0 {
			return k.ret(c, 0)
		}
		cp.debt += k.Mem.Access(k.now, c, k.root[0].line, hw.Load)
		if k.root[0].overload == 0 && k.feat[Overloaded] == 0 || r.avgIdle < k.domain(c, 0).maxCost {
			k.count[0].NewidleGated++
			f.Step = 9
			return k.cost(c, CostNewidleGate) + cp.settle()
		}
		k.count[0].Newidle++
		f.Step = 1
		return k.cost(c, CostNewidleGate) + cp.settle()
	case 1:
		f.T = int64(k.now)
		if k.feat[NewidleOneLock] != 0 {
			f.Step = 3
			break
		}
		k.spinUnlock(c, r.lock)
		f.Step = 2
	case 2: // update_blocked_averages takes its own lock again
		f.Step = 3
		return k.spinLock(c, r.lock)
	case 3:
		f.Step = 4
		r.clock = k.now // update_blocked_averages does so, in its price
		return k.cost(c, CostBlockedAverages)
	case 4:
		f.Step = 10
		if k.updateCfsRq(r) {
			k.updateTgLoadAvg(c, c)
		}
		return cp.settle()
	case 10:
		k.spinUnlock(c, r.lock)
		f.Step = 5
	case 5:
		if f.A >= int32(len(k.levels)) || r.avgIdle < k.now.Sub(Time(f.T))+k.domain(c, int(f.A)).maxCost {
			f.Step = 7
			break
		}
		if f.C = k.newidleWeight(k.domain(c, int(f.A))); f.C == 0 {
			f.A++
			break
		}
		f.E = int32(k.now.Sub(Time(f.T)) / simtime.Nanosecond)
		f.Step = 6
		return k.call(c, FnLoadBalance, f.A, newlyIdle, c)
	case 6:
		f.B += max(cp.ret, 0) // -1: should_we_balance said no
		d := k.domain(c, int(f.A))
		first := Duration(f.E) * simtime.Nanosecond
		if f.A == 0 {
			first = 0
		}
		k.updateNewidleCost(d, k.now.Sub(Time(f.T))-first, f.C, f.B > 0)
		f.A++
		f.Step = 5
		if f.B > 0 || r.running() > 0 || r.ttwuPending != 0 {
			f.Step = 7
		}
	case 7:
		f.Step = 8
		return k.spinLock(c, r.lock)
	case 8:
		r.maxIdleCost = max(r.maxIdleCost, k.now.Sub(Time(f.T)))
		f.Step = 9
		if f.B > 0 {
			k.count[0].NewidlePulled++
		}
		if r.running() > 0 {
			r.idleStamp = -1
			f.B = 1
		}
		return k.cost(c, CostNewidleTail)
	case 9:
		f.Step = 11
		if f.B == 0 {
			k.nohzNewidleBalance(c)
		}
		return cp.settle()
	case 11:
		return k.ret(c, min(f.B, 1))
	}
	return again
}

// newidleWeight decides whether newidle balance looks at domain d: 0 is no,
// otherwise what one success counts.
func (k *Kernel) newidleWeight(d *schedDomain) int32 {
	switch k.feat[NewidleGate] {
	case gateRandom:
	case gateRate:
		if d.ratio >= 1024 {
			return 1
		}
	default:
		return 1
	}
	share := 1 + d.ratio
	if int32(k.random[rndSched].Intn(1024)) > share {
		k.newidleStats(d, 0)
		return 0
	}
	return (1024 + share/2) / share
}

// newidleStats mirrors update_newidle_stats. NI_RATE adds to the share of
// successes what time the calls took, 4.2 ms a part, so that a CPU that seldom
// gets here always looks.
func (k *Kernel) newidleStats(d *schedDomain, success int32) {
	d.calls++
	d.successes += success
	if d.calls >= 1024 {
		d.ratio = d.successes
		if k.feat[NewidleGate] == gateRate {
			d.ratio += int32(min(1024, int64(k.now.Sub(d.statsStamp)/simtime.Nanosecond)>>22))
			d.statsStamp = k.now
		}
		d.ratio = min(1024, d.ratio)
		d.calls /= 2
		d.successes /= 2
	}
}

// updateNewidleCost mirrors update_newidle_cost: a new maximum, or 1/85 less a
// second. weight is what a success counts.
func (k *Kernel) updateNewidleCost(d *schedDomain, cost Duration, weight int32, pulled bool) {
	switch k.feat[NewidleGate] {
	case gatePenalty:
		if !pulled { // the larger of both: a machine that has run before knows its cost
			cost = max(cost, 3*d.maxCost/2)
		}
		cost = min(cost, migrationCost+200*simtime.Nanosecond)
	case gateRandom, gateRate:
		if !pulled {
			weight = 0
		}
		k.newidleStats(d, weight)
	}
	if cost > d.maxCost {
		d.maxCost = cost
		d.costStamp = k.now
	} else if k.now.Sub(d.costStamp) > simtime.Second {
		d.maxCost = d.maxCost * 253 / 256
		d.costStamp = k.now
	}
}

// groupStats is sg_lb_stats.
type groupStats struct {
	running, weight, idle int64
	util, load, runnable  int64
	kind                  int
}

// Group types, least busy first.
const (
	groupHasSpare = iota
	groupFullyBusy
	groupOverloaded
)

// groupCPUs returns the CPUs of group g of a level: the span of the level
// below, or one CPU.
func (k *Kernel) groupCPUs(l int, g int32) []CPUID {
	if l == 0 {
		return k.single[g : g+1]
	}
	return k.levels[l-1].spans[g]
}

// groupStats mirrors update_sg_lb_stats for group g of level l.
func (k *Kernel) groupStats(l int, g int32) groupStats {
	var s groupStats
	for _, t := range k.groupCPUs(l, g) {
		r := &k.rqs[t]
		s.weight++
		s.running += int64(r.running())
		s.util += r.util()
		s.load += k.cpuLoad(t)
		s.runnable += r.avg.loadAvg
		if r.running() == 0 && k.plainIdle(t) {
			s.idle++
		}
	}
	pct, total := k.imbalancePct(l), s.weight*capacity
	switch {
	case s.running > s.weight && (s.util*pct > total*100 || s.runnable*100 > total*pct):
		s.kind = groupOverloaded
	case s.running < s.weight || (s.runnable*100 <= total*pct && s.util*pct < total*100):
		s.kind = groupHasSpare
	default:
		s.kind = groupFullyBusy
	}
	return s
}

// plainIdle is idle_cpu without the cost of reading: balancing charges each
// CPU it visits one fixed price. The idle extension widens it too.
func (k *Kernel) plainIdle(t CPUID) bool {
	r := &k.rqs[t]
	if k.feat[IdleDelay] != 0 && k.idleExtended(r) {
		return true
	}
	return k.cpus[t].curr == t && r.running() == 0 && r.ttwuPending == 0
}

// shouldWeBalance mirrors should_we_balance.
func (k *Kernel) shouldWeBalance(c CPUID, l int, kind int32) bool {
	r := &k.rqs[c]
	if kind == newlyIdle {
		return r.running() == 0 && r.ttwuPending == 0
	}
	own := c
	if l > 0 {
		own = k.levels[l-1].of[c]
	}
	cpus := k.groupCPUs(l, own)
	for _, t := range cpus {
		if k.plainIdle(t) {
			return t == c
		}
	}
	return cpus[0] == c
}

// imbalance is what load_balance wants to even out: pull from src, which is -1
// if there is nothing to do, up to n tasks.
type imbalance struct {
	src   CPUID
	n     int32
	tasks bool // migration_type is migrate_task
}

// findBusiest mirrors find_busiest_group and find_busiest_queue for CPU c.
func (k *Kernel) findBusiest(c CPUID, l int, kind int32) imbalance {
	lv := &k.levels[l]
	own := c
	if l > 0 {
		own = k.levels[l-1].of[c]
	}
	local := k.groupStats(l, own)
	var busiest groupStats
	from := none
	anyOverload := local.running > local.weight
	var sumLoad, sumWeight = local.load, local.weight
	for _, g := range lv.groups[lv.of[c]] {
		if g == own {
			continue
		}
		s := k.groupStats(l, g)
		sumLoad += s.load
		sumWeight += s.weight
		anyOverload = anyOverload || s.running > s.weight
		if from == none || k.busier(&s, &busiest) {
			busiest, from = s, g
		}
	}
	if l == len(k.levels)-1 {
		k.root[0].overload = 0
		for t := range k.rqs {
			if k.rqs[t].running() > 1 {
				k.root[0].overload = 1
				break
			}
		}
	}
	balanced := imbalance{src: none}
	if from == none || busiest.running == 0 || local.kind > busiest.kind {
		return balanced
	}
	var n int64
	tasks := true
	prefer := l > 0 && local.kind == groupHasSpare && busiest.running > local.running+1
	switch {
	case local.kind == groupOverloaded:
		if local.load*busiest.weight >= busiest.load*local.weight ||
			local.load*sumWeight >= sumLoad*local.weight ||
			100*busiest.load*local.weight <= int64(lv.pct)*local.load*busiest.weight {
			return balanced
		}
		// migrate_load: a task's load here is at most 1, so a unit is a task.
		n = min(busiest.load*sumWeight-sumLoad*busiest.weight, sumLoad*local.weight-local.load*sumWeight) / sumWeight
		tasks = false
	case prefer:
		n = (busiest.running - local.running) >> 1
	case busiest.kind != groupOverloaded:
		if kind == notIdle || (busiest.weight > 1 && local.idle <= busiest.idle+1) || busiest.running == 1 {
			return balanced
		}
		n = (local.idle - busiest.idle) >> 1
		if busiest.weight == 1 {
			n = 1
		}
	default:
		n, tasks = max((busiest.running-local.running)>>1, 1), lv.shares // migrate_util beyond the LLC
	}
	if lv.numa && local.kind == groupHasSpare && local.running+1 <= int64(k.imbNumaNr) && n <= 2 && busiest.kind != groupOverloaded {
		return balanced
	}
	src, most := none, int32(0)
	for _, t := range k.groupCPUs(l, from) {
		if k.rqs[t].nrRunning > most {
			src, most = t, k.rqs[t].nrRunning
		}
	}
	return imbalance{src, int32(max(n, 1)), tasks}
}

// busier reports whether group a is to be preferred over b as the busiest.
func (k *Kernel) busier(a, b *groupStats) bool {
	if a.kind != b.kind {
		return a.kind > b.kind
	}
	if a.kind == groupHasSpare {
		return a.idle < b.idle || (a.idle == b.idle && a.running > b.running)
	}
	return a.load*b.weight > b.load*a.weight
}

// migrateTasks is added to the kind of balancing while tasks are to be moved,
// not load: only then a running task may be pushed.
const migrateTasks = 4

// loadBalance mirrors load_balance: look at every CPU of the domain, lock the
// busiest queue and detach, lock the pulling queue and attach. The two locks
// are never held together. The CPU that pulls is c itself or one that idles
// without a tick. If nothing but a running task is left to pull, failing often
// enough has the busiest CPU's migration thread push it. A level, B kind, C the
// CPU that pulls, D tasks wanted or the list of detached tasks, E moved, T
// source.
func (k *Kernel) loadBalance(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	kind := f.B &^ migrateTasks
	switch f.Step {
	case 0:
		f.Step = 1
		if !k.shouldWeBalance(f.C, int(f.A), kind) {
			return k.ret(c, -1)
		}
		lv := &k.levels[f.A]
		return k.cost(c, CostBalancePerDomain) + k.visit(c, lv.spans[lv.of[f.C]])
	case 1:
		b := k.findBusiest(f.C, int(f.A), kind)
		if lv := &k.levels[f.A]; kind != newlyIdle && lv.name == "MC" {
			k.updateIdleCPUScan(c, lv)
		}
		if b.src == none {
			if kind != newlyIdle {
				k.balanced(f.C, int(f.A))
			}
			return k.ret(c, 0)
		}
		f.T, f.D = int64(b.src), b.n
		if b.tasks {
			f.B |= migrateTasks
		}
		cp.irqsOff = 1
		f.Step = 5
		if k.rqs[f.T].running() > 1 {
			f.Step = 2
		}
	case 2:
		f.Step = 3
		return k.spinLock(c, k.rqs[f.T].lock)
	case 3:
		f.Step = 4
		return k.updateRqClock(c, CPUID(f.T)) + k.cost(c, CostDetach) + k.Mem.Access(k.now, c, k.rqs[f.T].lineCfs, hw.RMW)
	case 4:
		f.D, f.E = k.detachTasks(c, f)
		f.Step = 10
		return cp.settle()
	case 10:
		k.spinUnlock(c, k.rqs[f.T].lock)
		f.Step = 5
		if f.E > 0 {
			return k.call(c, FnAttachTasks, f.D, f.C, f.E)
		}
	case 5:
		f.Step = 8
		d := k.domain(f.C, int(f.A))
		switch {
		case f.E > 0:
			d.failed = 0
		case kind != newlyIdle:
			d.failed++
		}
		if f.E == 0 && f.B&migrateTasks != 0 && d.failed > k.levels[f.A].nice+2 { // need_active_balance
			f.Step = 6
			return k.spinLock(c, k.rqs[f.T].lock)
		}
	case 6:
		f.Step = 7
		return k.cost(c, CostStopWork)
	case 7:
		f.Step = 8
		s := &k.stoppers[f.T]
		curr := &k.tasks[k.cpus[f.T].curr]
		push := s.push == none && (curr.allowed == none || curr.allowed == f.C)
		if push {
			s.push = f.C
		}
		k.spinUnlock(c, k.rqs[f.T].lock)
		if push {
			return k.call(c, FnCPUStopQueueWork, CPUID(f.T), none, 0)
		}
	case 8:
		f.Step = 9
		if kind != newlyIdle {
			k.count[0].BalancePulled += int64(f.E)
			k.domain(f.C, int(f.A)).interval = k.minInterval(int(f.A), f.C)
			return k.irqOn(c)
		}
	case 9:
		return k.ret(c, f.E)
	}
	return again
}

// activeLoadBalance mirrors active_load_balance_cpu_stop: the migration thread
// has preempted the task that ran here and pushes a task, B, to CPU A.
func (k *Kernel) activeLoadBalance(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case 0:
		cp.irqsOff = 1
		f.Step = 1
		return k.spinLock(c, r.lock)
	case 1:
		f.Step = 2
		return k.updateRqClock(c, c) + k.cost(c, CostDetach) + k.Mem.Access(k.now, c, r.lineCfs, hw.RMW)
	case 2:
		id := none
		if r.running() > 1 {
			id = k.oldest(r, func(_ TaskID, t *task) bool { return t.allowed == none || t.allowed == f.A })
		}
		if id != none {
			k.detachTask(c, id, c, f.A)
			k.domain(f.A, k.lowestCommon(c, f.A)).failed = 0
		}
		k.stoppers[c].push = none
		f.B = id
		f.Step = 5
		return cp.settle()
	case 5:
		k.spinUnlock(c, r.lock)
		f.Step = 3
		if f.B != none {
			return k.call(c, FnAttachTasks, f.B, f.A, 1)
		}
	case 3:
		f.Step = 4
		return k.irqOn(c)
	case 4:
		return k.ret(c, 0)
	}
	return again
}

// visit is what reading every CPU's runqueue statistics costs CPU c: a fixed
// price each, and the lines that their owners have written since.
func (k *Kernel) visit(c CPUID, cpus []CPUID) Duration {
	d := Duration(len(cpus)) * k.cost(c, CostBalancePerCPU)
	for _, t := range cpus {
		r := &k.rqs[t]
		d += k.Mem.Access(k.now, c, r.lineLock, hw.Load) + k.Mem.Access(k.now, c, r.lineCfs, hw.Load)
	}
	return d
}

// balanced doubles the interval up to twice the domain's weight.
func (k *Kernel) balanced(c CPUID, l int) {
	d := k.domain(c, l)
	d.failed = 0
	d.interval = min(2*d.interval, 2*k.minInterval(l, c))
}

// detachTasks takes up to f.D tasks from the busiest queue, longest unpicked
// first; a newly idle CPU takes one. It returns the list and its length.
func (k *Kernel) detachTasks(c CPUID, f *Frame) (TaskID, int32) {
	src := &k.rqs[f.T]
	list, n := none, int32(0)
	want := f.D
	if f.B&^migrateTasks == newlyIdle {
		want = 1
	}
	movable := func(id TaskID, t *task) bool { return t.allowed == none && !k.taskHot(f, t, id) }
	for tries := 32; n < want && src.running() > 1 && tries > 0; tries-- {
		id := k.oldest(src, movable)
		if id == none {
			break
		}
		k.detachTask(c, id, CPUID(f.T), f.C)
		k.tasks[id].timerNext = list
		list = id
		n++
	}
	return list, n
}

// oldest returns the task of a queue that was picked longest ago among those
// that ok accepts, -1 if there is none: the end of rq->cfs_tasks.
func (k *Kernel) oldest(r *rq, ok func(TaskID, *task) bool) TaskID {
	best := none
	for id := r.head; id != none; id = k.tasks[id].next {
		t := &k.tasks[id]
		if ok(id, t) && (best == none || t.sleptAt < k.tasks[best].sleptAt) {
			best = id
		}
	}
	return best
}

// detachTask mirrors detach_task: CPU c takes task id from a queue whose lock
// it holds, to move it.
func (k *Kernel) detachTask(c CPUID, id TaskID, from, to CPUID) {
	src, t := &k.rqs[from], &k.tasks[id]
	k.updateCurr(from)
	k.clearBuddies(src, id)
	if k.feat[EEVDF] != 0 {
		k.updateEntityLag(src, t)
	} else {
		t.vruntime -= src.minVruntime
	}
	k.remove(src, id)
	src.nrRunning--
	src.utilEst -= t.estimated()
	t.onRq = 0
	t.updateAvg(k.now, 1, false)
	k.updateCfsRq(src)
	src.avg.loadAvg = max(src.avg.loadAvg-t.avg.loadAvg, 0)
	src.avg.utilAvg = max(src.avg.utilAvg-t.avg.utilAvg, 0)
	src.avg.loadSum = max(src.avg.loadSum-t.avg.loadSum, 0)
	src.avg.utilSum = max(src.avg.utilSum-t.avg.utilSum, 0)
	t.contributes = 0
	src.propagate(-1)
	k.updateTgLoadAvg(c, from)
	k.updateCfsGroup(c, from)
	k.updateMinVruntime(src)
	t.mayMigrateAt = k.now.Add(Duration(k.feat[MigrationWindow]))
	t.state = taskMigrating
	k.count[0].Migrations++
	k.traceMigrate(c, id, from, to)
}

// taskHot mirrors task_hot and the override after failures.
func (k *Kernel) taskHot(f *Frame, t *task, id TaskID) bool {
	d := k.domain(f.C, int(f.A))
	if d.failed > k.levels[f.A].nice || k.levels[f.A].name == "SMT" {
		return false
	}
	src := &k.rqs[f.T]
	if k.rqs[f.C].nrRunning > 0 && (src.nextBuddy == id || src.lastBuddy == id) {
		return true
	}
	return src.clock.Sub(t.execStart) < migrationCost
}

// attachTasks mirrors attach_tasks. A list of detached tasks, B their new CPU,
// C how many. Interrupts are off.
func (k *Kernel) attachTasks(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[f.B]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.spinLock(c, r.lock)
	case 1:
		f.Step = 2
		return k.updateRqClock(c, f.B) + Duration(f.C)*k.cost(c, CostActivate)
	case 2:
		resched := false
		for f.A != none {
			id := f.A
			f.A = k.tasks[id].timerNext
			k.tasks[id].timerNext = none
			resched = k.attachTask(c, f.B, id) || resched
		}
		f.Step = 3
		if resched {
			return k.call(c, FnReschedCurr, f.B, 0, 0)
		}
	case 3:
		if d := cp.settle(); d > 0 {
			return d
		}
		k.spinUnlock(c, r.lock)
		return k.ret(c, 0)
	}
	return again
}

// attachTask mirrors attach_task on CPU on; it reports whether the task takes
// over there.
func (k *Kernel) attachTask(c, on CPUID, id TaskID) bool {
	r, t := &k.rqs[on], &k.tasks[id]
	k.updateCurr(on)
	k.updateCfsRq(r)
	t.cpu, t.wakeCPU = on, on
	if k.feat[EEVDF] != 0 {
		k.placeEntity(r, t, false)
	} else {
		t.vruntime += r.minVruntime
	}
	k.attachAvg(r, t)
	k.updateTgLoadAvg(c, on)
	t.state = taskRunning
	k.enqueueEntity(c, on, id)
	k.updateCfsGroup(c, on)
	return k.checkPreempt(on, id)
}

// updateIdleCPUScan mirrors update_idle_cpu_scan (SIS_UTIL).
func (k *Kernel) updateIdleCPUScan(c CPUID, lv *level) {
	cpus := lv.spans[lv.of[c]]
	sum := int64(0)
	for _, t := range cpus {
		k.updateCfsRq(&k.rqs[t])
		sum += k.rqs[t].util()
	}
	n := int64(len(cpus))
	x := sum / n
	t := min(x*x*int64(lv.pct)*int64(lv.pct)/(10000*capacity), capacity)
	nr := int32((capacity - t) * n / capacity)
	llc := &k.llcs[k.Topo.CPUs[c].LLC]
	if llc.nrIdleScan != nr {
		llc.nrIdleScan = nr
		k.cpus[c].debt += k.Mem.Access(k.now, c, llc.line, hw.Store)
	}
}

// runRebalanceDomains mirrors run_rebalance_domains, what SCHED_SOFTIRQ does:
// balance for idle CPUs without a tick if there was a kick, else for itself.
func (k *Kernel) runRebalanceDomains(c CPUID, f *Frame) Duration {
	kind := int32(notIdle)
	if k.cpus[c].idleBal != 0 {
		kind = cpuIdle
	}
	if f.Step == 0 {
		if work := k.takeNohzWork(c, kind); work != 0 {
			*f = Frame{Fn: FnNohzIdleBalance, E: work}
			return again
		}
		f.Step = 1
		return k.cost(c, CostBlockedAverages)
	}
	k.updateCfsRq(&k.rqs[c])
	*f = Frame{Fn: FnRebalanceDomains, B: kind, C: c}
	return again
}

// rebalanceDomains mirrors rebalance_domains. A level, B kind, C the CPU
// balanced for.
func (k *Kernel) rebalanceDomains(c CPUID, f *Frame) Duration {
	r := &k.rqs[f.C]
	switch f.Step {
	case 0:
		r.nextBalance = k.now.Add(60 * simtime.Second)
		f.Step = 1
	case 1:
		if f.A >= int32(len(k.levels)) {
			return k.ret(c, 0)
		}
		d := k.domain(f.C, int(f.A))
		interval := k.balanceInterval(d, f.B)
		if k.now < d.lastBalance.Add(interval) {
			k.nextBalance(r, d.lastBalance.Add(interval))
			f.A++
			break
		}
		f.Step = 2
		return k.call(c, FnLoadBalance, f.A, f.B, f.C)
	case 2:
		d := k.domain(f.C, int(f.A))
		d.lastBalance = k.now
		k.nextBalance(r, d.lastBalance.Add(k.balanceInterval(d, f.B)))
		f.Step = 1
		if ret := k.cpus[c].ret; ret < 0 { // should_we_balance said no: higher levels are not ours either
			f.A = int32(len(k.levels))
		} else if ret > 0 {
			f.B = notIdle
			if k.plainIdle(f.C) {
				f.B = cpuIdle
			}
		}
		f.A++
	}
	return again
}

func (k *Kernel) nextBalance(r *rq, at Time) { r.nextBalance = min(r.nextBalance, at) }

// balanceInterval mirrors get_sd_balance_interval.
func (k *Kernel) balanceInterval(d *schedDomain, kind int32) Duration {
	i := d.interval
	if kind != cpuIdle {
		i = 16*i - tickPeriod
	}
	return max(i, tickPeriod)
}
