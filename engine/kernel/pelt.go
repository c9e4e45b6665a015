package kernel

// Per-entity load tracking (kernel/sched/pelt.c): geometric series over
// periods of 1024 granules of 1024 ns, halved every 32 periods.

const (
	peltGranule = 1024 * 1000 // ps
	peltPeriod  = 1024        // granules
	loadAvgMax  = 47742       // sum of the whole series
	niceZero    = 1024        // weight of a nice-0 task
	capacity    = 1024        // of one CPU
)

// decayTable[n] is 2^32 * 0.5^(n/32), computed by integer square roots.
var decayTable = makeDecayTable()

func makeDecayTable() [32]uint64 {
	// y^16 = sqrt(1/2), y^8 = sqrt(y^16), ... down to y^1, in 2^-62 units.
	var root [5]uint64 // y^16, y^8, y^4, y^2, y^1
	v := uint64(1) << 61
	for i := range root {
		v = isqrtScaled(v)
		root[i] = v
	}
	var t [32]uint64
	for n := range t {
		p := uint64(1) << 62
		for bit, r := range root {
			if n&(16>>bit) != 0 {
				p = mulShift(p, r, 62)
			}
		}
		t[n] = p >> 30
	}
	t[0] = 1<<32 - 1
	return t
}

// avg mirrors struct sched_avg of a task or a cfs_rq. last is in granules.
type avg struct {
	last    int64
	loadSum int64
	utilSum int64
	contrib int64
	loadAvg int64
	utilAvg int64
}

// newEntity gives a new task the full load the kernel starts it with.
func (a *avg) newEntity() {
	*a = avg{loadSum: loadAvgMax, loadAvg: niceZero, utilSum: loadAvgMax * capacity / 2, utilAvg: capacity / 2}
}

func decay(v int64, periods int64) int64 {
	if periods >= 63*32 {
		return 0
	}
	v >>= uint(periods / 32)
	return int64(mulShift(uint64(v), decayTable[periods%32], 32))
}

// update accumulates the time since the last update: load is the runnable
// weight in tasks, running whether it ran. It reports whether a period ended,
// which is when the averages change.
func (a *avg) update(now Time, load int64, running bool) bool {
	at := int64(now) / peltGranule
	delta := at - a.last
	if delta <= 0 {
		return false
	}
	a.last = at
	d1, periods := delta, (delta+a.contrib)/peltPeriod
	c := delta
	if periods > 0 {
		a.loadSum = decay(a.loadSum, periods)
		a.utilSum = decay(a.utilSum, periods)
		d1 = peltPeriod - a.contrib
		d3 := (delta + a.contrib) % peltPeriod
		c = decay(d1, periods) + loadAvgMax - decay(loadAvgMax, periods) - peltPeriod + d3
		a.contrib = d3
	} else {
		a.contrib += delta
	}
	a.loadSum += load * c
	if running {
		a.utilSum += c * capacity
	}
	if periods == 0 {
		return false
	}
	divider := int64(loadAvgMax - peltPeriod + a.contrib)
	a.loadAvg = niceZero * a.loadSum / divider
	a.utilAvg = a.utilSum / divider
	return true
}

// updateAvg brings a task's average up to now.
func (t *task) updateAvg(now Time, load int64, running bool) {
	if t.avg.update(now, load, running) {
		t.utilEst &^= utilAvgUnchanged // cfs_se_util_change
	}
}

// utilEstMargin is UTIL_EST_MARGIN: estimates closer than that are the same.
const utilEstMargin = capacity / 100

// utilAvgUnchanged is UTIL_AVG_UNCHANGED: the average is what the estimate was
// made from.
const utilAvgUnchanged = 1 << 31

// estimated mirrors _task_util_est: what the task needs when it runs again.
func (t *task) estimated() int64 { return max(t.utilEWMA, t.utilEst&^utilAvgUnchanged) }

// updateUtilEst mirrors util_est_update of a task that goes to sleep: the
// estimate rises at once and falls by a quarter of the distance.
func (t *task) updateUtilEst() {
	if t.utilEst&utilAvgUnchanged != 0 {
		return
	}
	before := t.utilEst
	util := t.avg.utilAvg
	switch {
	case t.utilEWMA < util:
		t.utilEWMA = util
	case t.utilEWMA-util < utilEstMargin:
		if before-util < utilEstMargin && util-before < utilEstMargin {
			return
		}
	default:
		t.utilEWMA = (3*t.utilEWMA + util) / 4
	}
	t.utilEst = util | utilAvgUnchanged
}

// util mirrors cpu_util_cfs: the runqueue's utilization, or what its runnable
// tasks are expected to need if that is more.
func (r *rq) util() int64 { return min(max(r.avg.utilAvg, r.utilEst), capacity) }

// attachAvg adds a task's average to its runqueue's (attach_entity_load_avg).
func (k *Kernel) attachAvg(r *rq, t *task) {
	t.avg.last, t.avg.contrib = r.avg.last, r.avg.contrib
	divider := int64(loadAvgMax - peltPeriod + r.avg.contrib)
	t.avg.loadSum = t.avg.loadAvg * divider / niceZero
	t.avg.utilSum = t.avg.utilAvg * divider
	r.avg.loadAvg += t.avg.loadAvg
	r.avg.utilAvg += t.avg.utilAvg
	r.avg.loadSum += t.avg.loadSum
	r.avg.utilSum += t.avg.utilSum
	t.contributes = 1
	r.propagate(t.avg.loadSum)
}

// detachAvg removes a migrating task's average from its runqueue's. The
// kernel defers it through cfs_rq->removed; the next update absorbs it.
func (k *Kernel) detachAvg(r *rq, t *task) {
	if t.contributes == 0 {
		return
	}
	t.contributes = 0
	r.removedLoad += t.avg.loadAvg
	r.removedUtil += t.avg.utilAvg
}

// updateCfsRq brings a runqueue's average up to now.
func (k *Kernel) updateCfsRq(r *rq) bool {
	load := int64(r.nrRunning)
	r.updateGroupEntity(k.now)
	absorbed := r.removedLoad|r.removedUtil != 0
	if absorbed {
		divider := int64(loadAvgMax - peltPeriod + r.avg.contrib)
		r.avg.loadAvg = max(r.avg.loadAvg-r.removedLoad, 0)
		r.avg.utilAvg = max(r.avg.utilAvg-r.removedUtil, 0)
		r.avg.loadSum = r.avg.loadAvg * divider / niceZero
		r.avg.utilSum = r.avg.utilAvg * divider
		r.removedLoad, r.removedUtil = 0, 0
		r.propagate(-1)
	}
	return r.avg.update(k.now, load, r.curr != none) || absorbed
}

// updateLoadAvg brings a task's and its runqueue's averages up to now. It
// reports whether the runqueue's changed.
func (k *Kernel) updateLoadAvg(r *rq, id TaskID) bool {
	t := &k.tasks[id]
	onRq := int64(t.onRq)
	t.updateAvg(k.now, onRq, r.curr == id)
	return k.updateCfsRq(r)
}
