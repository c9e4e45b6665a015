package kernel

import "wakelab/engine/hw"

// Changes to the choice of a CPU that were proposed after the idle extension:
// each keeps a task on its previous CPU more often.

// mayMigrate is the migration limit's test: has the task not changed its CPU
// within the window? Reading the clock is paid only with the limit on.
func (k *Kernel) mayMigrate(c CPUID, p *task) bool {
	if k.feat[MigrationWindow] == 0 {
		return true
	}
	k.cpus[c].debt += Duration(k.hwv[hw.TSCRead])
	return k.now >= p.mayMigrateAt
}

// almostIdle mirrors almost_idle_cpu of WAKEUP_BIAS_PREV_IDLE: the CPU's load
// without the wakee's is at most a thousandth of LOAD_AVG_MAX. Below a task
// group on a big machine nearly every load is.
func (k *Kernel) almostIdle(c, t CPUID, id TaskID) bool {
	if k.feat[BiasPrevIdle] == 0 {
		return false
	}
	k.cpus[c].debt += k.Mem.Access(k.now, c, k.rqs[t].lineCfs, hw.Load)
	load := k.cpuLoad(t)
	if k.tasks[id].cpu == t {
		load -= min(load, k.taskHLoad(id))
	}
	return load <= loadAvgMax/1000
}

// fitsRemaining mirrors task_fits_remaining_cpu_capacity of UTIL_FITS_CAPACITY:
// the wakee and the tasks that are runnable on CPU t leave a fifth of it.
func (k *Kernel) fitsRemaining(c, t CPUID, id TaskID) bool {
	if k.feat[UtilFitsCapacity] == 0 {
		return false
	}
	r, p := &k.rqs[t], &k.tasks[id]
	k.cpus[c].debt += k.Mem.Access(k.now, c, r.lineCfs, hw.Load)
	p.updateAvg(k.now, 0, false)
	return (r.utilEst+max(p.avg.utilAvg, p.estimated()))*1280 < capacity*1024
}

// biasPrev is SELECT_BIAS_PREV at the start of select_idle_sibling: the
// previous CPU before the target, if it is idle or has room.
func (k *Kernel) biasPrev(c CPUID, f *Frame) bool {
	return k.feat[SelectBiasPrev] != 0 && k.sharesLLC(f.D, f.C) && (k.idleCPU(c, f.D) || k.fitsRemaining(c, f.D, f.A))
}
