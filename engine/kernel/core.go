package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// Wake flags.
const (
	wfSync = 1 << iota
	wfMigrated
)

// try_to_wake_up. Frame locals: A wakee, B flags, C chosen CPU, D result.
const (
	ttwuStart = iota
	ttwuLock
	ttwuLocked
	ttwuCheckedRunnable
	ttwuOnCPU
	ttwuWaitOnCPU
	ttwuSelected
	ttwuQueued
	ttwuUnlock
	ttwuReturn
)

// tryToWakeUp mirrors try_to_wake_up of v6.5. It returns 1 if the task was
// woken or kept from sleeping.
func (k *Kernel) tryToWakeUp(c CPUID, f *Frame) Duration {
	cp := &k.cpus[c]
	p := &k.tasks[f.A]
	switch f.Step {
	case ttwuStart:
		f.Step = ttwuLock
		if cp.curr == f.A {
			return k.wakeSelf(c, p)
		}
		return k.cost(c, CostTtwuEntry)
	case ttwuLock:
		f.Step = ttwuLocked
		return k.spinLock(c, p.piLock)
	case ttwuLocked:
		f.Step = ttwuUnlock
		if p.state != taskInterruptible && p.state != taskUninterruptible {
			return again
		}
		k.traceWaking(c, f.A)
		k.mark(f.A, markWaking)
		p.wakerCPU = c
		f.D = 1
		f.Step = ttwuOnCPU
		if p.onRq != 0 {
			f.Step = ttwuCheckedRunnable
			return k.call(c, FnTtwuRunnable, f.A, f.B, 0)
		}
	case ttwuCheckedRunnable:
		f.Step = ttwuOnCPU
		if cp.ret != 0 {
			f.Step = ttwuUnlock
		}
	case ttwuOnCPU:
		p.state = taskWaking
		f.Step = ttwuWaitOnCPU
		if p.onCPU != 0 && k.ttwuQueueCond(c, f.A, p.cpu) {
			f.Step = ttwuQueued
			return k.call(c, FnTtwuQueueWakelist, f.A, p.cpu, 0)
		}
	case ttwuWaitOnCPU:
		if p.onCPU != 0 {
			// smp_cond_load_acquire(&p->on_cpu, !VAL): interrupts are off here
			// and the other CPU ends its switch without us.
			return k.cost(c, CostSpinPoll) + k.Mem.Latency(c, p.cpu)
		}
		f.Step = ttwuSelected
		return k.call(c, FnSelectTaskRqFair, f.A, f.B, 0)
	case ttwuSelected:
		f.C = cp.ret
		k.mark(f.A, markSelected)
		if f.C != p.cpu {
			k.setTaskCPUWaking(c, f.A, f.C)
		}
		p.wakeCPU = f.C
		f.Step = ttwuQueued
		if k.ttwuQueueCond(c, f.A, f.C) {
			return k.call(c, FnTtwuQueueWakelist, f.A, f.C, 0)
		}
		return k.call(c, FnTtwuQueue, f.A, f.C, f.B)
	case ttwuQueued:
		k.mark(f.A, markHandedOn)
		n := &k.count[0]
		n.Wakeups++
		n.WakeupsByRole[p.role]++
		if p.cpu == c {
			n.OnWakersCPU++
		}
		f.Step = ttwuUnlock
	case ttwuUnlock:
		if d := cp.settle(); d > 0 {
			return d
		}
		k.spinUnlock(c, p.piLock)
		f.Step = ttwuReturn
	case ttwuReturn:
		return k.ret(c, f.D)
	}
	return again
}

// wakeSelf mirrors the waking-self path: current is about to sleep and an
// interrupt on its own CPU wakes it. No lock is needed.
func (k *Kernel) wakeSelf(c CPUID, p *task) Duration {
	if p.state != taskInterruptible && p.state != taskUninterruptible {
		return k.ret(c, 0)
	}
	k.traceWaking(c, k.cpus[c].curr)
	p.state = taskRunning
	k.traceWakeup(c, k.cpus[c].curr)
	return k.ret(c, 1)
}

// setTaskCPUWaking mirrors set_task_cpu and migrate_task_rq_fair for a task
// that is being woken: its lag is kept, its load leaves the old queue.
func (k *Kernel) setTaskCPUWaking(c CPUID, id TaskID, to CPUID) {
	p := &k.tasks[id]
	old := &k.rqs[p.cpu]
	k.cpus[c].debt += k.Mem.Access(k.now, c, old.lineCurr, hw.Load)
	if k.feat[EEVDF] == 0 {
		p.vruntime -= old.minVruntime
	}
	p.updateAvg(k.now, 0, false)
	k.detachAvg(old, p)
	p.migrated = 1
	p.mayMigrateAt = k.now.Add(Duration(k.feat[MigrationWindow]))
	k.count[0].Migrations++
	k.count[0].WakeMigrations++
	k.traceMigrate(c, id, p.cpu, to)
	p.cpu = to
}

// ttwuRunnable mirrors ttwu_runnable: the task has not left its runqueue yet,
// so setting its state back may be enough. Its CPU may be in __schedule, on
// the way to dequeue it: whoever takes the runqueue lock first decides whether
// that is a sleep prevented or a wakeup. The forms of TtwuRunnable differ in
// when they update the clock and look whether the task should preempt; only a
// task that is queued but not on a CPU can. A task, B flags, C the runqueue
// locked, D whether to look, T when it was locked.
func (k *Kernel) ttwuRunnable(c CPUID, f *Frame) Duration {
	p := &k.tasks[f.A]
	switch f.Step {
	case 0:
		f.Step = 1
		f.C = p.cpu
		return k.spinLock(c, k.rqs[f.C].lock)
	case 1:
		f.T = int64(k.now)
		f.Step = 2
		if f.C != p.cpu || p.onRq == 0 {
			f.Step = 6
		}
		return k.cost(c, CostRqCheck)
	case 2:
		form := k.feat[TtwuRunnable]
		check := form == ttwuLegacy || form != ttwuAlwaysLight && p.onCPU == 0
		f.Step = 3
		if !check && form != ttwuClockAlways {
			return again
		}
		d := k.updateRqClock(c, f.C)
		if check {
			f.D = 1
			d += k.cost(c, CostCheckPreempt)
		}
		return d
	case 3:
		if k.feat[TtwuRunnable] == ttwuLegacy {
			k.rqs[f.C].endIdleSpan(k.now)
		}
		p.state = taskRunning
		k.count[0].RaceWakes++
		f.Step = 4
		if f.D != 0 && k.checkPreempt(f.C, f.A) {
			return k.call(c, FnReschedCurr, f.C, 0, 0)
		}
	case 4:
		k.traceWakeup(c, f.A)
		f.Step = 5
		if d := k.cpus[c].settle(); d > 0 {
			return d
		}
		fallthrough
	case 5:
		k.count[0].RaceHeld += int64(k.now.Sub(Time(f.T)))
		k.spinUnlock(c, k.rqs[f.C].lock)
		return k.ret(c, 1)
	case 6: // not queued after all, or moved while we waited for the lock
		k.spinUnlock(c, k.rqs[f.C].lock)
		if f.C == p.cpu || p.onRq == 0 {
			return k.ret(c, 0)
		}
		f.Step = 0
	}
	return again
}

// ttwuQueueCond mirrors ttwu_queue_cond: may the wakeup be handed to the
// target CPU instead of taking its runqueue lock?
func (k *Kernel) ttwuQueueCond(c CPUID, id TaskID, to CPUID) bool {
	if k.feat[TtwuQueueFeature] == 0 {
		return false
	}
	if !k.sharesWakelistGroup(c, to) {
		return true
	}
	if to == c || k.feat[WakelistIdle] == 0 {
		return false
	}
	k.cpus[c].debt += k.Mem.Access(k.now, c, k.rqs[to].lineLock, hw.Load)
	return k.rqs[to].running() == 0
}

// ttwuQueue mirrors ttwu_queue's direct path: lock the target's runqueue and
// activate there. A task, B target, C wake flags.
func (k *Kernel) ttwuQueue(c CPUID, f *Frame) Duration {
	r := &k.rqs[f.B]
	switch f.Step {
	case 0:
		f.Step = 1
		if d := k.cpus[c].settle(); d > 0 {
			return d
		}
		return again
	case 1:
		f.Step = 2
		return k.spinLock(c, r.lock)
	case 2:
		f.Step = 3
		return k.updateRqClock(c, f.B) + k.cost(c, CostActivate) + k.Mem.Access(k.now, c, r.lineCfs, hw.RMW) +
			k.Mem.Access(k.now, c, k.tasks[f.A].lineSe, hw.RMW)
	case 3:
		f.Step = 4
		if k.ttwuDoActivate(c, f.B, f.A) {
			return k.call(c, FnReschedCurr, f.B, 0, 0)
		}
		return again
	case 4:
		k.traceWakeup(c, f.A)
		f.Step = 5
		return k.cost(c, CostTtwuTail) + k.cpus[c].settle()
	}
	k.spinUnlock(c, r.lock)
	return k.ret(c, 0)
}

// ttwuDoActivate mirrors ttwu_do_activate on runqueue `on`, whose lock CPU c
// holds; it reports whether the current task there must be rescheduled. The
// caller does that and then traces the wakeup, as check_preempt_curr comes
// before the tracepoint.
func (k *Kernel) ttwuDoActivate(c, on CPUID, id TaskID) bool {
	r, p := &k.rqs[on], &k.tasks[id]
	if p.state != taskWaking {
		k.bug(c, "activates task %d in state %d", id, p.state)
	}
	preempt := true
	if k.isStopper(id) {
		k.enqueueStop(c, on, id)
	} else {
		k.enqueueWakeup(c, on, id)
		preempt = k.checkPreempt(on, id)
	}
	if preempt || k.cpus[on].resched != 0 {
		r.skipClock = 1 // rq_clock_skip_update: __schedule follows at once
	}
	p.state = taskRunning
	p.wokenAt = k.now
	k.mark(id, markActivated)
	r.endIdleSpan(k.now)
	return preempt
}

// endIdleSpan updates avg_idle when a wakeup ends an idle span.
func (r *rq) endIdleSpan(now Time) {
	if r.idleStamp < 0 {
		return
	}
	r.avgIdle += (now.Sub(r.idleStamp) - r.avgIdle) / 8
	r.avgIdle = min(r.avgIdle, 2*r.maxIdleCost)
	r.idleStamp = -1
}

// Bits of cpu.resched. Another CPU sets the flag of the task's thread_info
// alone; this CPU takes it over into its preempt count in scheduler_ipi and
// when it leaves the idle loop. Only traces show the difference.
const (
	tifNeedResched     = 1
	preemptNeedResched = 2
	reschedHere        = tifNeedResched | preemptNeedResched
)

// foldResched mirrors preempt_fold_need_resched.
func (cp *cpu) foldResched() {
	if cp.resched != 0 {
		cp.resched = reschedHere
	}
}

// reschedCurr mirrors resched_curr: set NEED_RESCHED on CPU A, whose runqueue
// lock is held, and tell it if it would not see that.
func (k *Kernel) reschedCurr(c CPUID, f *Frame) Duration {
	cp, to := &k.cpus[c], &k.cpus[f.A]
	switch f.Step {
	case 0:
		if to.resched != 0 {
			return k.ret(c, 0)
		}
		if f.A == c {
			to.resched = reschedHere
			return k.ret(c, 0)
		}
		f.Step = 1
		line := k.rqs[f.A].lineFlags
		if to.curr != f.A {
			line = k.tasks[to.curr].line
		}
		return cp.settle() + k.Mem.Access(k.now, c, line, hw.RMW)
	}
	if f.Step == 1 {
		was := to.resched
		to.resched |= tifNeedResched
		switch {
		case was != 0:
			return k.ret(c, 0)
		case to.polling != 0 && to.curr == f.A:
			k.count[0].PolledWakes++
			k.tracePolled(c, f.A)
			k.wakeMonitor(c, f.A)
			return k.ret(c, 0)
		}
		k.traceIPI(c, f.A, vectorReschedule)
		f.Step = 2
		return Duration(k.hwv[hw.APICWrite])
	}
	k.count[0].ReschedIPIs++
	k.sendIPI(c, f.A, vectorReschedule)
	return k.ret(c, 0)
}

// __schedule. Frame locals: A mode, B next, C previous task's state as it was
// read under the lock, D previous task.
const (
	schedPreempt   = iota // the current task stays runnable
	schedVoluntary        // the current task sleeps unless its state is running
	schedIdle             // from schedule_idle with SM_IDLE
)

const (
	schedLock = iota
	schedLocked
	schedPick
	schedDequeue
	schedPicked
	schedBalanced
	schedSet
	schedRawLock
	schedRawHeld
	schedRawUnlock
	schedSwitch
	schedSame
	schedReturn
)

// schedule mirrors __schedule and context_switch. Interrupts are off from the
// lock to finish_task_switch.
func (k *Kernel) schedule(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case schedLock:
		cp.irqsOff = 1
		f.D = cp.curr
		f.Step = schedLocked
		return k.cost(c, CostScheduleEntry)
	case schedLocked:
		f.Step = schedPick
		return k.spinLock(c, r.lock)
	case schedPick:
		f.Step = schedDequeue
		d := again
		if r.skipClock == 0 {
			d = k.updateRqClock(c, c)
		}
		r.skipClock = 0
		return d
	case schedDequeue:
		// Until here a waker finds the task queued (ttwu_runnable).
		d := k.cost(c, CostSchedule)
		if f.A == schedIdle && r.running() == 0 {
			f.B = c
			f.Step = schedSet
			return d
		}
		prev := &k.tasks[f.D]
		f.C = int32(prev.state)
		if f.A == schedVoluntary && prev.state != taskRunning && f.D >= int32(len(k.cpus)) {
			if k.isStopper(f.D) {
				k.dequeueStop(c, f.D)
			} else {
				k.dequeueSleep(c, f.D)
			}
			prev.sleptAt = k.now
			d += k.cost(c, CostDequeue)
		}
		f.Step = schedPicked
		return d + k.cost(c, CostPick) + k.Mem.Access(k.now, c, r.lineCfs, hw.RMW)
	case schedPicked:
		curr := r.curr
		k.putPrev(c)
		f.Step = schedSet
		if r.stopOn != 0 {
			f.B = k.stopperOf(c)
			return again
		}
		f.B = k.pickNextEntity(c, curr)
		if f.B != none {
			k.setNext(c, f.B, curr)
			return again
		}
		f.Step = schedBalanced
		f.B = c
		return k.call(c, FnNewidleBalance, 0, 0, 0)
	case schedBalanced:
		// Something was pulled or woken here while the lock was dropped: pick
		// again; otherwise idle.
		if cp.ret != 0 && r.running() > 0 {
			f.Step = schedPicked
			return k.cost(c, CostPick)
		}
		if k.feat[IdleDelayFrom] == delayFromClockIdle {
			r.idleEnd = r.clock // update_idle_rq_clock_pelt: clock_idle
		}
		f.Step = schedSet
		return cp.settle()
	case schedSet:
		cp.resched = 0
		if f.D == c { // clear_tsk_need_resched, on the line that senders look at
			cp.debt += k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
		}
		if f.B == f.D {
			if f.B == c {
				k.updateIdleCore(c)
			}
			f.Step = schedSame
			return k.cost(c, CostScheduleTail) + cp.settle()
		}
		if f.B == c {
			k.updateIdleCore(c)
		}
		f.Step = schedSwitch
		if k.feat[RawSpinSwitch] != 0 && k.tasks[f.D].mm != k.tasks[f.B].mm {
			f.Step = schedRawLock
		}
		if nm := k.tasks[f.B].mm; nm != none && k.feat[LruGen] != 0 {
			// Stores become visible in order, the runqueue's unlock too: others wait
			// for the lock, and this CPU at its next locked operation.
			cp.debt += k.Mem.Access(k.now, c, k.mms[nm].lruGen, hw.RMW)
		}
		d := k.cost(c, CostSwitch) + cp.settle() + k.Mem.Access(k.now, c, r.lineCurr, hw.RMW) +
			k.Mem.Access(k.now, c, k.tasks[f.B].lineSe, hw.RMW)
		return d + k.switchMM(c, f.D, f.B)
	case schedRawLock:
		f.Step = schedRawHeld
		return k.spinLock(c, k.mms[k.eitherMM(f.D, f.B)].lock)
	case schedRawHeld:
		f.Step = schedRawUnlock
		return k.cost(c, CostScheduleTail)
	case schedRawUnlock:
		k.spinUnlock(c, k.mms[k.eitherMM(f.D, f.B)].lock)
		f.Step = schedSwitch
		return again
	case schedSame:
		k.spinUnlock(c, r.lock)
		cp.sp--
		cp.ret = 0
		return k.irqOn(c)
	case schedSwitch:
		k.traceSwitch(c, f)
		k.contextSwitch(c, f.D, f.B)
		f.Step = schedReturn
		return again
	}
	return k.ret(c, 0)
}

// switchMM mirrors context_switch's handling of mm references: a user task
// that gives way to a kernel thread leaves it a lazy reference, which the
// next user task drops in finish_task_switch. One atomic each on mm_count.
func (k *Kernel) switchMM(c CPUID, prev, next TaskID) Duration {
	pm, nm := k.tasks[prev].mm, k.tasks[next].mm
	var d Duration
	switch {
	case nm == none && pm != none:
		k.rqs[c].lazyMM = pm
		d = k.mmGrab(c, pm)
	case nm != none && pm == none:
		k.rqs[c].prevMM = k.rqs[c].lazyMM
		k.rqs[c].lazyMM = none
		if k.rqs[c].prevMM != nm {
			d = k.cost(c, CostSwitchMM)
		}
	case nm != pm:
		d = k.cost(c, CostSwitchMM)
	}
	return d
}

// eitherMM is the mm whose cid_lock a switch takes (v6.3's mm_cid_get, mm_cid_put):
// the next task's, else the previous one's. Threads of one mm hand their
// mm_cid over without it.
func (k *Kernel) eitherMM(prev, next TaskID) int32 {
	if m := k.tasks[next].mm; m != none {
		return m
	}
	return k.tasks[prev].mm
}

// updateRqClock mirrors update_rq_clock of CPU on's runqueue by CPU c, which
// holds its lock: what it costs.
func (k *Kernel) updateRqClock(c, on CPUID) Duration {
	r := &k.rqs[on]
	r.clock = k.now
	return k.cost(c, CostUpdateRqClock) + Duration(k.hwv[hw.TSCRead]) + k.Mem.Access(k.now, c, r.lineClock, hw.RMW)
}

// contextSwitch makes next current on CPU c; its stack goes on from here.
func (k *Kernel) contextSwitch(c CPUID, prev, next TaskID) {
	cp, n := &k.cpus[c], &k.count[0]
	if prev != c {
		n.Switches++
	}
	if next == c {
		n.IdleEntries++
	} else if k.tasks[next].wokenAt > 0 {
		n.WakeLatency += int64(k.now.Sub(k.tasks[next].wokenAt))
		k.tasks[next].wokenAt = 0
		k.mark(next, markRunning)
	}
	k.tasks[prev].sp = cp.sp
	cp.curr = next
	t := &k.tasks[next]
	cp.sp = t.sp
	t.onCPU = 1
	t.cpu = c
	k.rqs[c].switchedFrom = prev
	// The task's stack ends in the __schedule that switched it out; on top of
	// it runs finish_task_switch. A new task starts there.
	if k.top(c).Fn == FnSchedule {
		k.call(c, FnFinishTaskSwitch, 0, 0, 0)
	}
}

// finishTaskSwitch mirrors finish_task_switch, run by the new task.
func (k *Kernel) finishTaskSwitch(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case 0:
		f.Step = 1
		t := &k.tasks[cp.curr]
		return k.cost(c, CostFinishSwitch) + k.Mem.Access(k.now, c, t.line, hw.RMW) + k.Mem.Access(k.now, c, t.lineStack, hw.RMW)
	case 1:
		prev := r.switchedFrom
		k.tasks[prev].onCPU = 0
		k.Mem.Access(k.now, c, k.tasks[prev].line, hw.Store)
		k.spinUnlock(c, r.lock)
		f.Step = 2
		return k.irqOn(c)
	case 2:
		f.Step = 3
		m := r.prevMM
		r.prevMM = none
		if cp.curr != c {
			cp.debt += k.Mem.Access(k.now, c, k.tasks[cp.curr].lineThread, hw.RMW)
		}
		if m != none {
			return k.mmDrop(c, m)
		}
	}
	k.endWakeup(cp.curr)
	return k.ret(c, 0)
}

// needResched reports whether CPU c's current task should call schedule at
// its next chance (return to user mode or a voluntary preemption point).
func (k *Kernel) needResched(c CPUID) bool { return k.cpus[c].resched != 0 }

// ExitToUser is what a system call does last: reschedule if asked to. A
// program calls it before it goes on in user mode.
func (k *Kernel) ExitToUser(c CPUID) Duration {
	if k.needResched(c) {
		return k.call(c, FnSchedule, schedPreempt, 0, 0)
	}
	return again
}

// updateIdleCore mirrors __update_idle_core, called when idle is picked: if
// all siblings are idle too, the LLC has an idle core.
func (k *Kernel) updateIdleCore(c CPUID) {
	llc := &k.llcs[k.Topo.CPUs[c].LLC]
	k.cpus[c].debt += k.Mem.Access(k.now, c, llc.line, hw.Load)
	if llc.hasIdleCores != 0 {
		return
	}
	for _, s := range k.Topo.Cores[k.Topo.CoreOf(c)] {
		if s != c && !k.idleCPU(c, s) {
			return
		}
	}
	llc.hasIdleCores = 1
	k.cpus[c].debt += k.Mem.Access(k.now, c, llc.line, hw.RMW)
}

// Sleep puts the current task to sleep for d (schedule_hrtimeout).
func (k *Kernel) Sleep(c CPUID, d Duration) Duration {
	k.call(c, FnSleep, 0, 0, 0)
	k.top(c).T = int64(k.now.Add(max(d, simtime.Nanosecond)))
	return again
}
