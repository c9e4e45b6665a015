package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// rq mirrors struct rq and its root cfs_rq. The comments name the line each
// group of fields lives on.
type rq struct {
	clock        Time     // clock line
	idleStamp    Time     // start of the current idle span; -1 none
	idleEnd      Time     // idle extension: from when on it counts, see IdleDelayFrom
	nextBalance  Time     // jiffy-aligned
	minVruntime  Duration // monotone
	avgIdle      Duration
	maxIdleCost  Duration
	avg          avg
	removedLoad  int64
	removedUtil  int64
	seAvg        avg   // the task group's entity: when any task was runnable
	seWeight     int64 // its weight
	hLoad        int64 // the group's h_load, as of hLoadJiffy
	hLoadJiffy   int64
	utilEst      int64 // util_est.enqueued: what its runnable tasks are expected to need
	tgContrib    int64
	tgUpdated    Time
	lock         lockID
	lineLock     hw.LineID // __lock, nr_running
	lineTtwu     hw.LineID // ttwu_pending, nohz_flags, nr_switches, nohz_csd
	lineCurr     hw.LineID // curr, idle
	lineClock    hw.LineID // clock; the line of curr in later kernels
	lineCfs      hw.LineID // cfs: tree, min_vruntime, averages
	lineFlags    hw.LineID // idle task's thread_info.flags
	lineQueue    hw.LineID // call_single_queue
	nrRunning    int32     // cfs.h_nr_running; first line
	stopOn       int32     // the stop task is queued or runs; it counts in rq->nr_running
	curr         TaskID    // fair task that runs; -1 idle
	head         TaskID    // leftmost of the tree
	tail         TaskID
	nextBuddy    TaskID
	lastBuddy    TaskID
	ttwuPending  int32
	skipClock    int32
	nohzTickStop int32
	lazyMM       int32 // mm whose reference the idle task holds; -1 none
	prevMM       int32 // reference that finish_task_switch drops
	switchedFrom TaskID
	sliceUsed    int32 // EEVDF: the current task's request is used up
}

// running is rq->nr_running: the tasks of all classes.
func (r *rq) running() int32 { return r.nrRunning + r.stopOn }

func (k *Kernel) initRq(c CPUID) {
	r := &k.rqs[c]
	*r = rq{idleStamp: -1, idleEnd: -1 << 40, curr: none, head: none, tail: none, nextBuddy: none, lastBuddy: none,
		seWeight: 2, hLoadJiffy: -1, lazyMM: none, prevMM: none, switchedFrom: none, avgIdle: Duration(k.feat[AvgIdle]), maxIdleCost: migrationCost}
	r.lineLock = k.Mem.NewLine("rq[%d].lock", c, c)
	r.lineTtwu = k.Mem.NewLine("rq[%d].ttwu_pending", c, c)
	r.lineCurr = k.Mem.NewLine("rq[%d].curr", c, c)
	r.lineClock = r.lineCurr
	if k.feat[RqClockApart] != 0 {
		r.lineClock = k.Mem.NewLine("rq[%d].clock", c, c)
	}
	r.lineCfs = k.Mem.NewBundle("rq[%d].cfs", c, c, cfsLines)
	r.lineFlags = k.Mem.NewLine("idle[%d].flags", c, c)
	r.lineQueue = k.Mem.NewLine("call_single_queue[%d]", c, c)
	r.lock = k.newLock(r.lineLock)
}

// cfsLines is how many lines of a runqueue's cfs part an enqueue touches, and
// taskLines how many of a task beside that of its lock: offsets measured in a
// build of v6.5.0.
const (
	cfsLines  = 4
	taskLines = 7
)

// migrationCost is sysctl_sched_migration_cost (kernel/sched/fair.c).
const migrationCost = 500 * simtime.Microsecond

// scale is the factor of tunables with the number of CPUs.
func (k *Kernel) scale() Duration {
	f := Duration(1)
	for n := min(k.Topo.N(), 8); n > 1; n >>= 1 {
		f++
	}
	return f
}

func (k *Kernel) schedLatency() Duration { return 6 * simtime.Millisecond * k.scale() }
func (k *Kernel) minGranularity() Duration {
	return 750 * simtime.Microsecond * k.scale()
}
func (k *Kernel) wakeupGranularity() Duration {
	return Duration(k.feat[WakeupGranularity]) * k.scale()
}

// updateCurr mirrors update_curr: charge the running task up to the runqueue's
// clock, which may be behind: what follows the last update_rq_clock is charged
// to whoever runs next.
func (k *Kernel) updateCurr(c CPUID) {
	r := &k.rqs[c]
	if r.curr == none {
		return
	}
	t := &k.tasks[r.curr]
	delta := r.clock.Sub(t.execStart)
	if delta <= 0 {
		return
	}
	t.execStart = r.clock
	t.sumExec += delta
	t.vruntime += delta
	if k.feat[EEVDF] != 0 {
		k.updateDeadline(r, t)
	}
	k.updateMinVruntime(r)
}

func (k *Kernel) updateMinVruntime(r *rq) {
	v := r.minVruntime
	switch {
	case r.curr != none && k.tasks[r.curr].onRq != 0:
		v = k.tasks[r.curr].vruntime
		if r.head != none {
			v = min(v, k.tasks[r.head].vruntime)
		}
	case r.head != none:
		v = k.tasks[r.head].vruntime
	}
	r.minVruntime = max(r.minVruntime, v)
}

// insert puts a task into the tree, behind equals.
func (k *Kernel) insert(r *rq, id TaskID) {
	t := &k.tasks[id]
	after := r.tail
	for after != none && k.tasks[after].vruntime > t.vruntime {
		after = k.tasks[after].prev
	}
	t.prev = after
	if after == none {
		t.next = r.head
		r.head = id
	} else {
		t.next = k.tasks[after].next
		k.tasks[after].next = id
	}
	if t.next == none {
		r.tail = id
	} else {
		k.tasks[t.next].prev = id
	}
}

func (k *Kernel) remove(r *rq, id TaskID) {
	t := &k.tasks[id]
	if t.prev == none {
		r.head = t.next
	} else {
		k.tasks[t.prev].next = t.next
	}
	if t.next == none {
		r.tail = t.prev
	} else {
		k.tasks[t.next].prev = t.prev
	}
	t.next, t.prev = none, none
}

// enqueueWakeup mirrors enqueue_task_fair for a wakeup: bring the vruntime to
// this queue, floor the sleeper's credit, insert.
func (k *Kernel) enqueueWakeup(c, on CPUID, id TaskID) {
	r, t := &k.rqs[on], &k.tasks[id]
	k.updateCurr(on)
	changed := k.updateCfsRq(r)
	eevdf := k.feat[EEVDF] != 0
	if t.migrated != 0 {
		if !eevdf {
			t.vruntime += r.minVruntime
		}
		k.attachAvg(r, t)
		changed = true
		t.execStart = 0
		t.migrated = 0
	} else {
		t.updateAvg(k.now, 0, false)
	}
	if changed { // once, for what left the queue and what joins it
		k.updateTgLoadAvg(c, on)
	}
	if eevdf {
		k.placeEntity(r, t, false)
	} else {
		t.vruntime = max(t.vruntime, r.minVruntime-k.sleeperCredit())
	}
	if t.role < int32(len(k.count[0].LagPs)) {
		k.count[0].LagPs[t.role] += int64(r.minVruntime - t.vruntime)
	}
	k.enqueueEntity(c, on, id)
	k.updateCfsGroup(c, on)
}

// sleeperCredit is how far behind min_vruntime place_entity lets a sleeper be.
func (k *Kernel) sleeperCredit() Duration {
	switch k.feat[SleeperCredit] {
	case creditGentle:
		return k.schedLatency() / 2
	case creditFull:
		return k.schedLatency()
	}
	return 0
}

// enqueueEntity adds a task whose vruntime is right to the queue of CPU on; c
// does it.
func (k *Kernel) enqueueEntity(c, on CPUID, id TaskID) {
	r, t := &k.rqs[on], &k.tasks[id]
	if t.onRq != 0 {
		k.bug(c, "task %d is enqueued twice", id)
	}
	t.cpu = on
	t.onRq = 1
	t.sleptAt = k.now // front of cfs_tasks
	k.insert(r, id)
	r.nrRunning++
	r.utilEst += t.estimated()
	k.noteOverload(c, r)
}

// noteOverload is add_nr_running's part in the root domain's overload flag.
func (k *Kernel) noteOverload(c CPUID, r *rq) {
	if r.running() == 2 && k.root[0].overload == 0 {
		k.root[0].overload = 1
		k.cpus[c].debt += k.Mem.Access(k.now, c, k.root[0].line, hw.RMW)
	}
}

// dequeueSleep mirrors dequeue_task_fair of the current task going to sleep.
func (k *Kernel) dequeueSleep(c CPUID, id TaskID) {
	r, t := &k.rqs[c], &k.tasks[id]
	k.updateCurr(c)
	if k.updateLoadAvg(r, id) {
		k.updateTgLoadAvg(c, c)
	}
	k.clearBuddies(r, id)
	if r.curr != id {
		k.bug(c, "task %d sleeps but does not run", id)
	}
	if k.feat[EEVDF] != 0 {
		k.updateEntityLag(r, &k.tasks[id])
	}
	t.onRq = 0
	r.nrRunning--
	r.utilEst -= t.estimated()
	t.updateUtilEst()
	k.updateCfsGroup(c, c)
	k.updateMinVruntime(r)
}

func (k *Kernel) clearBuddies(r *rq, id TaskID) {
	if r.nextBuddy == id {
		r.nextBuddy = none
	}
	if r.lastBuddy == id {
		r.lastBuddy = none
	}
}

// putPrev mirrors put_prev_entity: a task that stays runnable goes back into
// the tree.
func (k *Kernel) putPrev(c CPUID) {
	r := &k.rqs[c]
	id := r.curr
	if id == none {
		return
	}
	t := &k.tasks[id]
	if t.onRq != 0 {
		k.updateCurr(c)
		k.updateLoadAvg(r, id)
		k.insert(r, id)
	}
	r.curr = none
}

// pickNextEntity mirrors pick_next_entity; -1 when the tree is empty. curr is
// the task that putPrev has just put back, -1 if none.
func (k *Kernel) pickNextEntity(c CPUID, curr TaskID) TaskID {
	r := &k.rqs[c]
	if k.feat[EEVDF] != 0 {
		return k.pickEEVDF(r, curr)
	}
	left := r.head
	if left == none {
		return none
	}
	gran := k.wakeupGranularity()
	lv := k.tasks[left].vruntime
	switch {
	case r.nextBuddy != none && k.tasks[r.nextBuddy].vruntime-lv <= gran:
		return r.nextBuddy
	case r.lastBuddy != none && k.tasks[r.lastBuddy].vruntime-lv <= gran:
		return r.lastBuddy
	}
	return left
}

// setNext mirrors set_next_entity. A task that is picked again, curr, goes on
// with its slice: pick_next_task_fair leaves it where it is.
func (k *Kernel) setNext(c CPUID, id, curr TaskID) {
	r, t := &k.rqs[c], &k.tasks[id]
	k.remove(r, id)
	if id == curr {
		r.curr = id
		r.sliceUsed = 0
		t.sleptAt = k.now // front of cfs_tasks
		return
	}
	k.clearBuddies(r, id)
	if k.updateLoadAvg(r, id) {
		k.updateTgLoadAvg(c, c)
	}
	r.curr = id
	t.execStart = r.clock
	t.prevSumExec = t.sumExec
	t.sleptAt = k.now // front of cfs_tasks
	if k.feat[EEVDF] != 0 {
		t.vlag = t.deadline
		r.sliceUsed = 0
	}
}

// checkPreempt mirrors check_preempt_wakeup: does woken task id take over
// from the current one? It marks the buddies; the caller reschedules.
func (k *Kernel) checkPreempt(c CPUID, id TaskID) bool {
	r := &k.rqs[c]
	if k.cpus[c].resched != 0 {
		return false
	}
	if r.curr == none {
		return k.cpus[c].curr == c // the idle class always yields
	}
	if r.takeSliceUsed() {
		return true
	}
	if k.feat[WakeupPreemption] == 0 || r.curr == id {
		return false
	}
	if k.feat[PreemptWaker] == 0 && k.tasks[id].wakerCPU == c {
		return false
	}
	k.updateCurr(c)
	if k.feat[EEVDF] != 0 {
		if r.takeSliceUsed() {
			return true
		}
		if k.pickEEVDF(r, r.curr) != id {
			return false
		}
	} else {
		if k.tasks[r.curr].vruntime-k.tasks[id].vruntime <= k.wakeupGranularity() {
			return false
		}
		r.nextBuddy = id
		if r.nrRunning >= 8 {
			r.lastBuddy = r.curr
		}
	}
	n := &k.count[0]
	n.Preemptions++
	if k.tasks[id].wakerCPU == c {
		n.PreemptWaker++
	}
	if a, b := k.tasks[r.curr].role, k.tasks[id].role; a < 4 && b < 4 {
		n.PreemptPairs[PreemptPair(a, b)]++
	}
	return true
}

// schedSlice mirrors sched_slice for equal weights.
func (k *Kernel) schedSlice(r *rq) Duration {
	n := Duration(max(r.nrRunning, 1))
	period := k.schedLatency()
	if n > 8 {
		period = n * k.minGranularity()
	}
	return max(period/n, k.minGranularity())
}

// taskTick mirrors task_tick_fair; it reports whether to reschedule.
func (k *Kernel) taskTick(c CPUID) bool {
	r := &k.rqs[c]
	if r.curr == none {
		return false
	}
	k.updateCurr(c)
	if k.updateLoadAvg(r, r.curr) {
		k.updateTgLoadAvg(c, c)
	}
	k.updateCfsGroup(c, c)
	if k.feat[EEVDF] != 0 {
		return r.takeSliceUsed()
	}
	if r.nrRunning < 2 {
		return false
	}
	t := &k.tasks[r.curr]
	ideal := k.schedSlice(r)
	ran := t.sumExec - t.prevSumExec
	if ran > ideal {
		k.clearBuddies(r, r.curr)
		return true
	}
	if ran < k.minGranularity() || r.head == none {
		return false
	}
	return t.vruntime-k.tasks[r.head].vruntime > ideal
}

// idleCPU mirrors idle_cpu(t) as CPU c sees it: the reads move t's lines to c
// and their time is added to c's debt. With the idle extension a CPU counts
// as idle for a while after it left the idle loop; that test comes first.
func (k *Kernel) idleCPU(c, t CPUID) bool {
	cp, r := &k.cpus[c], &k.rqs[t]
	cp.debt += k.cost(c, CostIdleCPUTest)
	cp.debt += k.Mem.Access(k.now, c, r.lineCurr, hw.Load)
	if k.feat[IdleDelay] != 0 {
		cp.debt += Duration(k.hwv[hw.TSCRead])
		if k.feat[IdleDelayFrom] == delayFromClockIdle {
			cp.debt += k.Mem.Access(k.now, c, r.lineClock, hw.Load)
		}
		if k.idleExtended(r) {
			return true
		}
	}
	if k.cpus[t].curr != t || r.curr != none {
		return false
	}
	cp.debt += k.Mem.Access(k.now, c, r.lineLock, hw.Load)
	if r.running() != 0 {
		return false
	}
	cp.debt += k.Mem.Access(k.now, c, r.lineTtwu, hw.Load)
	return r.ttwuPending == 0
}

// idleExtended reports whether the idle extension makes a runqueue's CPU count
// as idle.
func (k *Kernel) idleExtended(r *rq) bool {
	limit := k.feat[IdleDelayNrRunning]
	return k.now.Sub(r.idleEnd) < Duration(k.feat[IdleDelay]) && (limit == 0 || int64(r.running()) <= limit)
}

// recordWakee mirrors record_wakee.
func (k *Kernel) recordWakee(waker, wakee TaskID) {
	w := &k.tasks[waker]
	if k.now.Sub(w.flipsAt) > simtime.Second {
		w.flips >>= 1
		w.flipsAt = k.now
	}
	if w.lastWakee != wakee {
		w.lastWakee = wakee
		w.flips++
	}
}

// wakeWide mirrors wake_wide.
func (k *Kernel) wakeWide(waker, wakee TaskID, llcSize int32) bool {
	lo, hi := k.tasks[wakee].flips, k.tasks[waker].flips
	if lo > hi {
		lo, hi = hi, lo
	}
	return lo >= llcSize && hi >= lo*llcSize
}

// select_task_rq_fair: the wakeup's choice of a CPU. Frame locals: A wakee,
// B flags, C the chosen CPU so far, D wakee's previous CPU, E scan state.
const (
	selStart = iota
	selAffineIdle
	selAffine
	selTarget
	selPrev
	selRecent
	selSMT
	selScan
	selScanned
	selDone
)

// selectTaskRqFair mirrors select_task_rq_fair, wake_affine and
// select_idle_sibling of v6.5 in the kernel's order of tests.
func (k *Kernel) selectTaskRqFair(c CPUID, f *Frame) Duration {
	p := &k.tasks[f.A]
	cp := &k.cpus[c]
	switch f.Step {
	case selStart:
		if p.allowed != none {
			return k.ret(c, p.allowed)
		}
		f.D = p.wakeCPU
		f.C = f.D
		k.recordWakee(cp.curr, f.A)
		wide := k.wakeWide(cp.curr, f.A, int32(len(k.Topo.LLCs[k.Topo.CPUs[c].LLC])))
		switch {
		case !wide && !k.mayMigrate(c, p):
			f.Step = selDone
		case wide || f.D == c:
			f.Step = selTarget
		default:
			f.Step = selAffineIdle
		}
		return k.cost(c, CostSelectBase)
	case selAffineIdle:
		f.Step = selAffine
		// wake_affine_idle, first test: only an interrupt can wake on an idle CPU.
		if k.sharesLLC(c, f.D) && k.idleCPU(c, c) {
			if !k.idleCPU(c, f.D) {
				f.C = c
			}
			f.Step = selTarget
		}
		return cp.settle()
	case selAffine:
		f.Step = selTarget
		switch {
		case f.B&wfSync != 0 && k.rqs[c].running() == 1:
			f.C = c
		case k.idleCPU(c, f.D) || k.almostIdle(c, f.D, f.A):
		case k.wakeAffineWeight(c, f):
			f.C = c
		}
		return cp.settle()
	case selTarget:
		f.Step = selPrev
		switch {
		case k.biasPrev(c, f):
			f.C = f.D
			f.Step = selDone
		case k.idleCPU(c, f.C) || f.C == f.D && k.almostIdle(c, f.C, f.A) || k.fitsRemaining(c, f.C, f.A):
			f.Step = selDone
		}
		return cp.settle()
	case selPrev:
		f.Step = selRecent
		if f.D != f.C && k.sharesLLC(f.D, f.C) && k.feat[SelectBiasPrev] == 0 &&
			(k.idleCPU(c, f.D) || k.almostIdle(c, f.D, f.A) || k.fitsRemaining(c, f.D, f.A)) {
			f.C = f.D
			f.Step = selDone
		}
		return cp.settle()
	case selRecent:
		f.Step = selSMT
		if w := &k.tasks[cp.curr]; w.kthread != 0 && w.allowed == c && cp.hardirq == 0 && cp.softirq == 0 &&
			f.D == c && k.rqs[c].running() <= 1 {
			f.C = f.D
			f.Step = selDone
			return again
		}
		r := p.recentCPU
		p.recentCPU = f.D
		if r != f.D && r != f.C && k.sharesLLC(r, f.C) && (k.idleCPU(c, r) || k.fitsRemaining(c, r, f.A)) {
			f.C = r
			f.Step = selDone
		}
		return cp.settle()
	case selSMT:
		llc := &k.llcs[k.Topo.CPUs[f.C].LLC]
		cp.debt += k.Mem.Access(k.now, c, llc.line, hw.Load)
		f.E = llc.hasIdleCores
		f.Step = selScan
		if f.E == 0 && k.sharesLLC(f.D, f.C) {
			for _, s := range k.Topo.Cores[k.Topo.CoreOf(f.D)] {
				if s != f.D && k.idleCPU(c, s) {
					f.C = s
					f.Step = selDone
					break
				}
			}
		}
		return cp.settle()
	case selScan:
		f.Step = selScanned
		return k.call(c, FnSelectIdleCPU, f.A, f.C, f.E)
	case selScanned:
		switch {
		case cp.ret != none:
			f.C = cp.ret
		case k.feat[SelectBiasPrev] != 0 && k.sharesLLC(f.D, f.C): // all are busy: do not move
			f.C = f.D
		}
	}
	return k.ret(c, f.C)
}

// wakeAffineWeight mirrors wake_affine_weight: is this CPU lighter than the
// wakee's previous one once the wakee is counted here?
func (k *Kernel) wakeAffineWeight(c CPUID, f *Frame) bool {
	cp := &k.cpus[c]
	cp.debt += k.Mem.Access(k.now, c, k.rqs[c].lineCfs, hw.Load) + k.Mem.Access(k.now, c, k.rqs[f.D].lineCfs, hw.Load)
	load := k.cpuLoad(c)
	if f.B&wfSync != 0 {
		w := k.taskHLoad(cp.curr)
		if w > load {
			return true
		}
		load -= w
	}
	p := k.taskHLoad(f.A)
	load = (load + p) * 100
	pct := k.imbalancePct(k.lowestCommon(c, f.D))
	before := (k.cpuLoad(f.D) - p) * (100 + (pct-100)/2)
	if f.B&wfSync != 0 {
		before++
	}
	return load < before
}

// selectIdleCPU mirrors select_idle_cpu with SIS_UTIL; one CPU or core is
// looked at per step. A wakee, B target, C has_idle_cores, D position,
// E an idle CPU seen on the way, T looks left or mask of cores done.
func (k *Kernel) selectIdleCPU(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	llcID := k.Topo.CPUs[f.B].LLC
	llc := &k.llcs[llcID]
	cpus := k.Topo.LLCs[llcID]
	if f.Step == 0 {
		f.Step = 1
		f.E = none
		k.count[0].IdleScans++
		nr := llc.nrIdleScan + 1
		if nr == 1 {
			return k.ret(c, none)
		}
		f.T = int64(nr)
		if f.C != 0 {
			f.T = 0
		}
		f.D = k.llcPos[f.B]
		return k.cost(c, CostSelectScan)
	}
	f.D++
	if int(f.D) >= len(cpus) {
		f.D = 0
	}
	if f.Step++; int(f.Step) > len(cpus)+1 {
		if f.C != 0 {
			llc.hasIdleCores = 0
			cp.debt += k.Mem.Access(k.now, c, llc.line, hw.Store)
		}
		return k.ret(c, f.E)
	}
	t := cpus[f.D]
	if f.C == 0 {
		if f.T--; f.T == 0 {
			return k.ret(c, none)
		}
		k.count[0].IdleScanned++
		if k.idleCPU(c, t) {
			f.E = t
			f.Step = uint16(len(cpus)) + 1
		}
		return cp.settle()
	}
	bit := int64(1) << (k.corePos[t] & 63)
	if f.T&bit != 0 {
		return again
	}
	f.T |= bit
	idle := true
	for _, s := range k.Topo.Cores[k.Topo.CoreOf(t)] {
		k.count[0].IdleScanned++
		if !k.idleCPU(c, s) {
			idle = false
			if f.E != none {
				break
			}
		} else if f.E == none {
			f.E = s
		}
	}
	if idle {
		f.E = t
		f.C = 0
		f.Step = uint16(len(cpus)) + 1
	}
	return cp.settle()
}

// settle turns a CPU's debt into the delay of its next step.
func (cp *cpu) settle() Duration {
	d := cp.debt
	cp.debt = 0
	return d
}
