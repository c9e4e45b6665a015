package kernel

import (
	"math/bits"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// nohzState mirrors the global nohz structure: which CPUs idle without a tick.
type nohzState struct {
	line        hw.LineID
	lineMask    hw.LineID
	nextBalance Time
	nrCPUs      int32
	hasBlocked  int32
	nextBlocked Time
	needsUpdate int32 // a CPU has joined whose next balance may come first
	pad         int32
}

// Kick flags (NOHZ_*_KICK).
const (
	nohzBalanceKick = 1 << iota
	nohzStatsKick
	nohzNewilbKick
	nohzNextKick
)

// nohzBalanceEnterIdle mirrors nohz_balance_enter_idle, called when the tick
// has been stopped.
func (k *Kernel) nohzBalanceEnterIdle(c CPUID) {
	cp, n, r := &k.cpus[c], &k.nohz[0], &k.rqs[c]
	n.hasBlocked = 1
	if r.nohzTickStop != 0 {
		cp.debt += k.Mem.Access(k.now, c, n.line, hw.Store)
		return
	}
	r.nohzTickStop = 1
	k.idleMask[c>>6] |= 1 << (c & 63)
	n.nrCPUs++
	n.needsUpdate = 1
	llc := &k.llcs[k.Topo.CPUs[c].LLC]
	llc.nrBusy--
	cp.debt += k.Mem.Access(k.now, c, n.lineMask, hw.RMW) + k.Mem.Access(k.now, c, n.line, hw.RMW) +
		k.Mem.Access(k.now, c, llc.line, hw.RMW)
}

// nohzBalanceExitIdle mirrors nohz_balance_exit_idle: the first busy tick
// takes the CPU out of the mask, not the end of idling.
func (k *Kernel) nohzBalanceExitIdle(c CPUID) {
	cp, n, r := &k.cpus[c], &k.nohz[0], &k.rqs[c]
	if r.nohzTickStop == 0 {
		return
	}
	r.nohzTickStop = 0
	k.idleMask[c>>6] &^= 1 << (c & 63)
	n.nrCPUs--
	llc := &k.llcs[k.Topo.CPUs[c].LLC]
	llc.nrBusy++
	cp.debt += k.Mem.Access(k.now, c, n.lineMask, hw.RMW) + k.Mem.Access(k.now, c, n.line, hw.RMW) +
		k.Mem.Access(k.now, c, llc.line, hw.RMW)
}

// nohzBalancerKick mirrors nohz_balancer_kick and kick_ilb, at every tick of
// a busy CPU. A: flags, B: the CPU to kick.
func (k *Kernel) nohzBalancerKick(c CPUID, f *Frame) Duration {
	cp, n, r := &k.cpus[c], &k.nohz[0], &k.rqs[c]
	switch f.Step {
	case 0:
		k.nohzBalanceExitIdle(c)
		f.Step = 1
		return cp.settle() + k.cost(c, CostNohzKick) + k.Mem.Access(k.now, c, n.line, hw.Load)
	case 1:
		if n.nrCPUs == 0 {
			return k.ret(c, 0)
		}
		if n.hasBlocked != 0 && k.now >= n.nextBlocked {
			f.A |= nohzStatsKick
		}
		if k.now >= n.nextBalance {
			llc := &k.llcs[k.Topo.CPUs[c].LLC]
			if r.running() >= 2 || llc.nrBusy > 1 {
				f.A |= nohzBalanceKick | nohzStatsKick
			}
		}
		if n.needsUpdate != 0 {
			f.A |= nohzNextKick
		}
		if f.A == 0 {
			return k.ret(c, 0)
		}
		if f.A&nohzBalanceKick != 0 {
			n.nextBalance = jiffy(k.now).Add(tickPeriod)
		}
		f.B = k.findNewIlb(c)
		f.Step = 2
		return cp.settle()
	case 2:
		if f.B == none || k.cpus[f.B].nohzFlags&uint8(f.A) == uint8(f.A) {
			return k.ret(c, 0)
		}
		f.Step = 3
		return k.Mem.Access(k.now, c, k.rqs[f.B].lineTtwu, hw.RMW)
	case 3:
		to := &k.cpus[f.B]
		was := to.nohzFlags
		to.nohzFlags |= uint8(f.A)
		if was&(nohzBalanceKick|nohzStatsKick|nohzNextKick) != 0 {
			return k.ret(c, 0)
		}
		id := k.nohzCsd(f.B)
		if k.csds[id].locked != 0 { // smp_call_function_single_async: -EBUSY
			return k.ret(c, 0)
		}
		k.csds[id].locked, k.csds[id].src, k.csds[id].dst = 1, c, f.B
		k.count[0].NohzKicks++
		f.Step = 4
		return k.call(c, FnCallSingleQueue, f.B, id, 0)
	}
	return k.ret(c, 0)
}

// BalanceOverdue makes CPU c one that has not balanced for long: a balance on
// its behalf looks at all its domains. A Program calls it from Start.
func (k *Kernel) BalanceOverdue(c CPUID) {
	for l := range k.levels {
		d := k.domain(c, l)
		d.lastBalance = -Time(2 * k.balanceInterval(d, cpuIdle))
	}
}

// nohzNewidleBalance mirrors nohz_newidle_balance: a CPU that will idle for
// long has its idle loop refresh the blocked load of all tickless idle CPUs.
func (k *Kernel) nohzNewidleBalance(c CPUID) {
	cp, n, r := &k.cpus[c], &k.nohz[0], &k.rqs[c]
	if r.avgIdle < migrationCost {
		return
	}
	cp.debt += k.Mem.Access(k.now, c, n.line, hw.Load)
	if n.hasBlocked == 0 || k.now < n.nextBlocked {
		return
	}
	cp.nohzFlags |= nohzNewilbKick
	cp.debt += k.Mem.Access(k.now, c, r.lineTtwu, hw.RMW)
}

// nohzRunIdleBalance mirrors nohz_run_idle_balance: do_idle does what
// nohzNewidleBalance has asked for, unless a kick will.
func (k *Kernel) nohzRunIdleBalance(c CPUID) Duration {
	cp := &k.cpus[c]
	flags := cp.nohzFlags
	cp.nohzFlags &^= nohzNewilbKick
	if flags != nohzNewilbKick || cp.resched != 0 {
		return again
	}
	k.call(c, FnNohzIdleBalance, 0, 0, 0)
	k.top(c).E = nohzStatsKick
	return again
}

// findNewIlb mirrors find_new_ilb: the first idle CPU of the mask.
func (k *Kernel) findNewIlb(c CPUID) CPUID {
	for w, b := range k.idleMask {
		for ; b != 0; b &= b - 1 {
			t := CPUID(w<<6 + bits.TrailingZeros64(b))
			if t != c && k.idleCPU(c, t) {
				return t
			}
		}
	}
	return none
}

// nohzCsdFunc mirrors nohz_csd_func on the kicked CPU.
func (k *Kernel) nohzCsdFunc(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cost(c, CostNohzCsd) + k.Mem.Access(k.now, c, k.rqs[c].lineTtwu, hw.RMW)
	case 1:
		f.A = int32(cp.nohzFlags & (nohzBalanceKick | nohzStatsKick | nohzNextKick))
		cp.nohzFlags &^= nohzBalanceKick | nohzStatsKick | nohzNextKick
		cp.idleBal = 0
		if k.idleCPU(c, c) {
			cp.idleBal = 1
		}
		if cp.idleBal == 0 || (k.feat[IlbNeedResched] != 0 && cp.resched != 0) {
			cp.idleBal = 0
			f.Step = 3
			return cp.settle()
		}
		cp.nohzWork = uint8(f.A)
		k.tracePrint(c, msgRaiseSched)
		f.Step = 2
		if k.feat[IlbRaise] != 0 {
			k.raiseSoftirq(c, softirqSched)
			return cp.settle()
		}
		return k.call(c, FnRaiseSoftirq, softirqSched, 0, 0)
	case 2:
		f.Step = 3
		return cp.settle()
	}
	return k.ret(c, 0)
}

// takeNohzWork returns the flags of the kick that the SCHED softirq on c has
// to serve, 0 if there is none or the CPU was not idle.
func (k *Kernel) takeNohzWork(c CPUID, kind int32) int32 {
	cp := &k.cpus[c]
	work := cp.nohzWork
	cp.nohzWork = 0
	if kind != cpuIdle {
		return 0
	}
	return int32(work)
}

// nohzIdleBalance mirrors _nohz_idle_balance: for every tickless idle CPU,
// this one last, refresh its average and balance its domains if that is due. A
// CPU at hand, B CPUs looked at, D whether load is left that decays, E the
// kick's flags, T the earliest next balance.
func (k *Kernel) nohzIdleBalance(c CPUID, f *Frame) Duration {
	cp, n := &k.cpus[c], &k.nohz[0]
	r := &k.rqs[f.A]
	switch f.Step {
	case 0:
		f.A, f.T = c, int64(simtime.Never)
		f.Step = 1
		if f.E&nohzStatsKick != 0 {
			n.hasBlocked = 0
		}
		if f.E&nohzNextKick != 0 {
			n.needsUpdate = 0
		}
		return k.cost(c, CostNohzKick)
	case 1:
		if f.B == int32(len(k.cpus)) {
			if f.T != int64(simtime.Never) {
				n.nextBalance = Time(f.T)
			}
			if f.E&nohzStatsKick != 0 {
				n.nextBlocked = k.now.Add(32 * simtime.Millisecond)
			}
			n.hasBlocked |= f.D
			return k.ret(c, 0)
		}
		f.A = (f.A + 1) % int32(len(k.cpus))
		f.B++
		if k.idleMask[f.A>>6]&(1<<(f.A&63)) == 0 || !k.idleCPU(c, f.A) {
			return cp.settle()
		}
		if cp.resched != 0 && (k.feat[IlbAbort] != 0 || !k.plainIdle(c)) {
			if f.E&nohzStatsKick != 0 {
				n.hasBlocked = 1
			}
			if f.E&nohzNextKick != 0 {
				n.needsUpdate = 1
			}
			return k.ret(c, 0)
		}
		f.Step = 2
		if k.rqs[f.A].blocked() && f.E&nohzStatsKick != 0 {
			k.updateCfsRq(&k.rqs[f.A])
			cp.debt += k.cost(c, CostBlockedAverages)
		}
		return cp.settle()
	case 2:
		if r.blocked() {
			f.D = 1
		}
		f.Step = 5
		if k.now < r.nextBalance {
			break
		}
		cp.irqsOff = 1
		f.Step = 3
		return k.spinLock(c, r.lock)
	case 3:
		f.Step = 4
		return k.updateRqClock(c, f.A)
	case 4:
		k.spinUnlock(c, r.lock)
		f.Step = 6
		return k.irqOn(c)
	case 6:
		f.Step = 5
		if f.E&nohzBalanceKick != 0 {
			return k.call(c, FnRebalanceDomains, 0, cpuIdle, f.A)
		}
	case 5:
		f.T = min(f.T, int64(r.nextBalance))
		f.Step = 1
	}
	return again
}

// blocked reports whether an idle runqueue still has load to decay
// (has_blocked_load).
func (r *rq) blocked() bool { return r.avg.loadAvg != 0 || r.avg.utilAvg != 0 }
