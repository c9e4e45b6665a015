package kernel

import "wakelab/engine/hw"

// taskGroup mirrors the one task_group (autogroup) that all tasks are in.
// Its load_avg is one line that every CPU reads at each enqueue and dequeue
// and writes when its own part has changed enough.
type taskGroup struct {
	loadAvg int64
	line    hw.LineID
	pad     int32
}

// updateTgLoadAvg mirrors update_tg_load_avg for CPU on's part, done by CPU c:
// an atomic add when the part has changed by more than 1/64.
func (k *Kernel) updateTgLoadAvg(c, on CPUID) {
	if k.feat[Autogroup] == 0 {
		return
	}
	r, tg := &k.rqs[on], &k.tg[0]
	delta := r.avg.loadAvg - r.tgContrib
	if max(delta, -delta) <= r.tgContrib/64 {
		return
	}
	if limit := Duration(k.feat[TgLoadAvgLimit]); limit > 0 {
		if k.now.Sub(r.tgUpdated) < limit {
			return
		}
		r.tgUpdated = k.now
	}
	tg.loadAvg += delta
	r.tgContrib = r.avg.loadAvg
	k.count[0].TgUpdates++
	k.cpus[c].debt += k.Mem.Access(k.now, c, tg.line, hw.RMW)
}

// updateCfsGroup mirrors update_cfs_group, calc_group_shares and
// reweight_entity of CPU on's part, done by CPU c once the number of tasks is
// right: read the group's load, weigh the group's entity anew. Weights are
// what scale_load_down leaves, which is never below 2.
func (k *Kernel) updateCfsGroup(c, on CPUID) {
	if k.feat[Autogroup] == 0 {
		return
	}
	r, tg := &k.rqs[on], &k.tg[0]
	k.cpus[c].debt += k.Mem.Access(k.now, c, tg.line, hw.Load) + k.cost(c, CostReweight)
	load := max(niceZero*int64(r.nrRunning), r.avg.loadAvg)
	total := tg.loadAvg - r.tgContrib + load
	if total > 0 {
		r.seWeight = max(2, min(niceZero*load/total, niceZero))
	}
}

// updateGroupEntity brings the runnable time of the group's entity, which is
// runnable while any task is, up to now.
func (r *rq) updateGroupEntity(now Time) { r.seAvg.update(now, min(int64(r.nrRunning), 1), false) }

// propagate mirrors update_tg_cfs_load: the group's entity follows what joins
// its queue or leaves it. added is the load sum of a task that joins, negative
// when tasks have left.
func (r *rq) propagate(added int64) {
	divider := int64(loadAvgMax - peltPeriod + r.seAvg.contrib)
	sum := min(r.seAvg.loadSum+added, divider)
	if added < 0 {
		sum = 0
		if r.nrRunning > 0 {
			sum = min(r.seAvg.loadSum, r.avg.loadSum/int64(r.nrRunning))
		}
	}
	r.seAvg.loadSum = max(sum, r.avg.utilSum/capacity)
}

// cpuLoad mirrors cpu_load: the root cfs_rq's load average. Below a task group
// that is the weight of the group's entity, a small integer on a big machine,
// times the share of time in which it was runnable.
func (k *Kernel) cpuLoad(on CPUID) int64 {
	r := &k.rqs[on]
	if k.feat[Autogroup] == 0 {
		return r.avg.loadAvg
	}
	return r.seWeight * r.seAvg.loadSum / int64(loadAvgMax-peltPeriod+r.seAvg.contrib)
}

// taskHLoad mirrors task_h_load: the task's part of its CPU's load. With few
// tasks beside it on a big machine that is 0.
func (k *Kernel) taskHLoad(id TaskID) int64 {
	t := &k.tasks[id]
	if k.feat[Autogroup] == 0 {
		return t.avg.loadAvg
	}
	r := &k.rqs[t.cpu]
	if jiffy := int64(k.now) / int64(tickPeriod); r.hLoadJiffy != jiffy { // update_cfs_rq_h_load
		r.hLoadJiffy = jiffy
		load := k.cpuLoad(t.cpu)
		r.hLoad = load * load / (load + 1)
	}
	return t.avg.loadAvg * r.hLoad / (r.avg.loadAvg + 1)
}
