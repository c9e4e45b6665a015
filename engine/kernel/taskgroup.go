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

// updateCfsGroup mirrors update_cfs_group and reweight_entity: read the
// group's load, weigh the group's entity anew.
func (k *Kernel) updateCfsGroup(c CPUID) {
	if k.feat[Autogroup] == 0 {
		return
	}
	k.cpus[c].debt += k.Mem.Access(k.now, c, k.tg[0].line, hw.Load) + k.cost(c, CostReweight)
}

// cpuLoad mirrors cpu_load: the root cfs_rq's load average. Below a task group
// that is the group entity's share of 1024, a small integer on a big machine.
func (k *Kernel) cpuLoad(on CPUID) int64 {
	r := &k.rqs[on]
	if k.feat[Autogroup] == 0 {
		return r.avg.loadAvg
	}
	total := k.tg[0].loadAvg - r.tgContrib + r.avg.loadAvg
	if total <= 0 {
		return 0
	}
	return niceZero * r.avg.loadAvg / total
}

// taskHLoad mirrors task_h_load: the task's part of its CPU's load.
func (k *Kernel) taskHLoad(id TaskID) int64 {
	t := &k.tasks[id]
	if k.feat[Autogroup] == 0 {
		return t.avg.loadAvg
	}
	return t.avg.loadAvg * k.cpuLoad(t.cpu) / (k.rqs[t.cpu].avg.loadAvg + 1)
}
