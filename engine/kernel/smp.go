package kernel

import "wakelab/engine/hw"

// csd mirrors call_single_data_t. Index: a task's wake_entry has the task's
// id; after them come each CPU's synchronous csd (on its stack), its
// asynchronous csd_data and its runqueue's nohz_csd.
type csd struct {
	next   int32
	line   hw.LineID // 0: embedded in a task whose line is charged elsewhere
	fn     int32
	src    int32
	dst    int32
	waiter int32 // CPU that spins on it; -1 none
	kind   uint8
	locked uint8
	pad    [6]uint8
}

// Kinds of csd, as u_flags' type bits.
const (
	csdAsync = iota
	csdSync
	csdIrqWork
	csdTtwu
)

// Functions a csd can carry.
const (
	csdFuncProgram = iota // the workload's handler
	csdFuncNohz           // nohz_csd_func
)

func (k *Kernel) initCsds() {
	n := CPUID(k.Topo.N())
	k.csds = make([]csd, len(k.tasks)+3*int(n))
	for i := range k.csds {
		k.csds[i] = csd{next: none, waiter: none, kind: csdTtwu, src: none, dst: none}
	}
	for c := range n {
		k.csds[k.syncCsd(c)].line = k.Mem.NewLine("csd.stack[%d]", c, c)
		k.csds[k.asyncCsd(c)].line = k.Mem.NewLine("csd_data[%d]", c, c)
		k.csds[k.nohzCsd(c)].line = k.rqs[c].lineTtwu
		k.csds[k.nohzCsd(c)].fn = csdFuncNohz
		k.csds[k.nohzCsd(c)].kind = csdAsync
	}
}

func (k *Kernel) syncCsd(c CPUID) int32  { return int32(len(k.tasks)) + c }
func (k *Kernel) asyncCsd(c CPUID) int32 { return int32(len(k.tasks)+len(k.cpus)) + c }
func (k *Kernel) nohzCsd(c CPUID) int32  { return int32(len(k.tasks)+2*len(k.cpus)) + c }

// SmpCallFunctionSingle runs the program's handler on CPU t and, with wait,
// returns when it has run.
func (k *Kernel) SmpCallFunctionSingle(c, t CPUID, wait bool) Duration {
	w := int32(0)
	if wait {
		w = 1
	}
	return k.call(c, FnSmpCallFunctionSingle, t, w, 0)
}

// smpCallFunctionSingle mirrors smp_call_function_single. A target, B wait.
func (k *Kernel) smpCallFunctionSingle(c CPUID, f *Frame) Duration {
	id := k.asyncCsd(c)
	if f.B != 0 {
		id = k.syncCsd(c)
	}
	d := &k.csds[id]
	switch f.Step {
	case 0:
		f.Step = 1
		if f.B == 0 && d.locked != 0 {
			return k.call(c, FnCsdLockWait, id, 0, 0)
		}
	case 1:
		f.Step = 2
		return k.cost(c, CostCsdFill) + k.Mem.Access(k.now, c, d.line, hw.RMW)
	case 2:
		if f.A == c {
			k.bug(c, "calls a function on itself")
		}
		d.locked, d.fn, d.src, d.dst = 1, csdFuncProgram, c, f.A
		d.kind = csdAsync
		if f.B != 0 {
			d.kind = csdSync
		}
		f.Step = 3
		return k.call(c, FnCallSingleQueue, f.A, id, 0)
	case 3:
		f.Step = 4
		if f.B != 0 {
			return k.call(c, FnCsdLockWait, id, 0, 0)
		}
	case 4:
		k.count[0].Calls++
		return k.ret(c, 0)
	}
	return again
}

// csdLockWait mirrors csd_lock_wait: spin on u_flags until the target has
// released it. A: the csd.
func (k *Kernel) csdLockWait(c CPUID, f *Frame) Duration {
	d := &k.csds[f.A]
	if f.Step == 0 {
		f.Step = 1
		// The spinner's first load brings the line back here, shared.
		return k.Mem.Access(k.now, c, d.line, hw.Load)
	}
	if d.locked == 0 {
		d.waiter = none
		return k.ret(c, 0)
	}
	d.waiter = c
	return watch
}

// csdUnlock is the release store that ends a csd's use; a spinning sender
// sees it when the line has come back to it.
func (k *Kernel) csdUnlock(c CPUID, id int32) {
	d := &k.csds[id]
	d.locked = 0
	if d.line == 0 {
		return
	}
	k.Mem.Access(k.now, c, d.line, hw.Store)
	if d.waiter != none {
		k.poke(d.waiter, k.Mem.Access(k.now, d.waiter, d.line, hw.Load))
	}
}

// callSingleQueue mirrors __smp_call_single_queue: one locked push; only the
// push onto an empty list notifies. A target, B csd.
func (k *Kernel) callSingleQueue(c CPUID, f *Frame) Duration {
	cp := &k.cpus[f.A]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cpus[c].settle() + k.cost(c, CostCsdPush) + k.Mem.Access(k.now, c, k.rqs[f.A].lineQueue, hw.RMW)
	case 1:
		k.traceCsdQueue(c, f.A, f.B)
		empty := cp.csdHead == none
		k.csds[f.B].next = cp.csdHead
		cp.csdHead = f.B
		f.Step = 2
		if empty {
			return k.call(c, FnSendCallIPI, f.A, 0, 0)
		}
		k.count[0].NoNotify++
	}
	return k.ret(c, 0)
}

// sendCallFunctionSingleIPI mirrors send_call_function_single_ipi and
// call_function_single_prep_ipi: tell CPU A that its queue is not empty.
func (k *Kernel) sendCallFunctionSingleIPI(c CPUID, f *Frame) Duration {
	to := &k.cpus[f.A]
	r := &k.rqs[f.A]
	switch f.Step {
	case 0:
		if k.feat[PolledIPI] == 0 {
			f.Step = 4
			return Duration(k.hwv[hw.APICWrite])
		}
		f.Step = 1
		return k.cost(c, CostNotify) + k.Mem.Access(k.now, c, r.lineCurr, hw.Load)
	case 1:
		f.Step = 2
		return k.Mem.Access(k.now, c, r.lineFlags, hw.Load)
	case 2:
		if to.polling != 0 && !k.notified(to) {
			f.Step = 3
			return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
		}
		f.Step = 3
		return again
	case 3:
		switch {
		case to.polling == 0:
			f.Step = 4
			return Duration(k.hwv[hw.APICWrite])
		case k.notified(to):
			k.count[0].NoNotify++
			return k.ret(c, 0)
		}
		if k.feat[NotifyIPI] != 0 {
			to.notifyIPI = 1
		} else {
			to.resched = 1
		}
		k.count[0].PolledWakes++
		k.tracePolled(c, f.A)
		k.wakeMonitor(c, f.A)
		return k.ret(c, 0)
	}
	k.count[0].CallIPIs++
	k.sendIPI(c, f.A, vectorCallSingle)
	return k.ret(c, 0)
}

// notified reports whether a polling CPU is already bound to flush its queue.
func (k *Kernel) notified(to *cpu) bool {
	return to.resched != 0 || (k.feat[NotifyIPI] != 0 && to.notifyIPI != 0)
}

// flushSmpCallFunctionQueue mirrors flush_smp_call_function_queue (A 0: from
// the idle loop) and the interrupt's __flush_smp_call_function_queue (A 1).
// B, C, D: the lists of synchronous, asynchronous and wakeup entries.
func (k *Kernel) flushSmpCallFunctionQueue(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case 0:
		f.B, f.C, f.D = none, none, none
		f.Step = 1
		if f.A == 0 {
			if cp.csdHead == none {
				return k.ret(c, 0)
			}
			cp.irqsOff = 1
		}
		return cp.settle() + k.cost(c, CostFlush) + k.Mem.Access(k.now, c, r.lineQueue, hw.RMW)
	case 1:
		if cp.csdHead == none && f.A != 0 {
			k.count[0].SpuriousIRQs++
		}
		for id := cp.csdHead; id != none; {
			d := &k.csds[id]
			next := d.next
			list := &f.C
			switch d.kind {
			case csdSync:
				list = &f.B
			case csdTtwu:
				list = &f.D
			}
			d.next = *list
			*list = id
			id = next
		}
		cp.csdHead = none
		f.Step = 2
	case 2: // synchronous: run, then release
		if f.B == none {
			f.Step = 5
			return again
		}
		f.Step = 3
		return k.Mem.Access(k.now, c, k.csds[f.B].line, hw.Load)
	case 3:
		f.Step = 4
		return k.callCsdFunc(c, f.B)
	case 4:
		id := f.B
		f.B = k.csds[id].next
		k.csdUnlock(c, id)
		f.Step = 2
	case 5: // asynchronous: release, then run
		if f.C == none {
			f.Step = 7
			return again
		}
		f.Step = 6
		return k.Mem.Access(k.now, c, k.csds[f.C].line, hw.Load)
	case 6:
		id := f.C
		f.C = k.csds[id].next
		k.csdUnlock(c, id)
		f.Step = 5
		return k.callCsdFunc(c, id)
	case 7: // wakeups, all in one go
		f.Step = 8
		if f.D != none {
			return k.call(c, FnSchedTtwuPending, f.D, 0, 0)
		}
	case 8:
		f.Step = 9
		if f.A == 0 && cp.softirqs != 0 {
			return k.call(c, FnHandleSoftirqs, 0, 0, 0)
		}
	case 9:
		f.Step = 10
		if f.A == 0 {
			return k.irqOn(c)
		}
	case 10:
		return k.ret(c, 0)
	}
	return again
}

func (k *Kernel) callCsdFunc(c CPUID, id int32) Duration {
	if k.csds[id].fn == csdFuncNohz {
		return k.call(c, FnNohzCsdFunc, 0, 0, 0)
	}
	return k.call(c, FnHandler, k.csds[id].src, 0, 0)
}

// ttwuQueueWakelist mirrors __ttwu_queue_wakelist. A task, B target CPU.
func (k *Kernel) ttwuQueueWakelist(c CPUID, f *Frame) Duration {
	switch f.Step {
	case 0:
		f.Step = 1
		// sched_clock_cpu, then a plain store of ttwu_pending: the store buffer
		// hides the line's move from the sender, not from the target.
		k.Mem.Access(k.now, c, k.rqs[f.B].lineTtwu, hw.Store)
		return k.cpus[c].settle() + k.cost(c, CostWakelist) + Duration(k.hwv[hw.TSCRead])
	case 1:
		k.rqs[f.B].ttwuPending = 1
		k.count[0].WakelistWakes++
		f.Step = 2
		return k.call(c, FnCallSingleQueue, f.B, f.A, 0)
	}
	return k.ret(c, 0)
}

// schedTtwuPending mirrors sched_ttwu_pending: activate the tasks of list A
// under one hold of the runqueue lock.
func (k *Kernel) schedTtwuPending(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case 0:
		f.Step = 1
		if k.feat[LateTtwuPending] == 0 {
			r.ttwuPending = 0
		}
		return k.spinLock(c, r.lock)
	case 1:
		f.Step = 2
		return k.updateRqClock(c, c)
	case 2:
		if f.A == none {
			f.Step = 4
			return k.Mem.Access(k.now, c, r.lineTtwu, hw.RMW)
		}
		if p := &k.tasks[f.A]; p.onCPU != 0 && p.cpu != c {
			return k.cost(c, CostSpinPoll) + k.Mem.Latency(c, p.cpu)
		}
		f.Step = 3
		return k.cost(c, CostActivate) + k.Mem.Access(k.now, c, k.tasks[f.A].line, hw.RMW) +
			k.Mem.Access(k.now, c, k.tasks[f.A].lineSe, hw.RMW) + k.Mem.Access(k.now, c, r.lineCfs, hw.RMW)
	case 3:
		id := f.A
		f.A = k.csds[id].next
		k.csds[id].next = none
		if k.ttwuDoActivate(c, c, id) {
			cp.resched = 1
		}
		f.Step = 2
		return cp.settle()
	}
	r.ttwuPending = 0
	k.spinUnlock(c, r.lock)
	return k.ret(c, 0)
}
