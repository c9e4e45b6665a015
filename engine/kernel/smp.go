package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/trace"
)

// csd mirrors call_single_data_t. Index: a task's wake_entry has the task's
// id; after them come each CPU's synchronous csd (on its stack), its
// asynchronous csd_data and its runqueue's nohz_csd, then for each sender of
// calls to many CPUs one for every CPU (cfd_data).
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
	k.csds = make([]csd, len(k.tasks)+(3+len(k.manyCallers))*int(n))
	for i := range k.csds {
		k.csds[i] = csd{next: none, waiter: none, kind: csdTtwu, src: none, dst: none}
	}
	k.newFlushFlags()
	for i, from := range k.manyCallers {
		for t := range n {
			d := &k.csds[k.manyCsd(i, t)]
			d.line, d.src, d.dst = k.Mem.NewLine("cfd_data.csd[%d]", t, t), from, t
		}
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
func (k *Kernel) manyCsd(caller int, t CPUID) int32 {
	return int32(len(k.tasks)+(3+caller)*len(k.cpus)) + t
}

// SmpCallFunctionSingle runs an empty function on CPU t and, with wait,
// returns when it has run.
func (k *Kernel) SmpCallFunctionSingle(c, t CPUID, wait bool) Duration {
	return k.call(c, FnSmpCallFunctionSingle, t, flag(wait), 0)
}

// UseCallMany prepares CPU c for SmpCallFunctionMany; a Program calls it from
// Start for every CPU that will.
func (k *Kernel) UseCallMany(c CPUID) { k.manyCallers = append(k.manyCallers, c) }

// SmpCallFunctionMany runs an empty function on all CPUs but c
// (smp_call_function) and, with wait, returns when all have run it.
func (k *Kernel) SmpCallFunctionMany(c CPUID, wait bool) Duration {
	for i, from := range k.manyCallers {
		if from == c {
			return k.call(c, FnSmpCallFunctionMany, int32(i), flag(wait), 0)
		}
	}
	k.bug(c, "calls many CPUs without UseCallMany")
	return again
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// smp_call_function_single.
const (
	singleStart = iota
	singleFree
	singleFilled
	singleQueued
	singleLocal
	singleLocalDone
	singleDone
)

// smpCallFunctionSingle mirrors smp_call_function_single. A target, B wait. A
// call to the CPU itself runs there at once, with interrupts off.
func (k *Kernel) smpCallFunctionSingle(c CPUID, f *Frame) Duration {
	id := k.asyncCsd(c)
	if f.B != 0 {
		id = k.syncCsd(c)
	}
	d := &k.csds[id]
	switch f.Step {
	case singleStart:
		f.Step = singleFree
		k.markCall(c, markCalling)
		if f.B == 0 && d.locked != 0 {
			return k.call(c, FnCsdLockWait, id, 0, 0)
		}
	case singleFree:
		f.Step = singleFilled
		if f.A == c {
			f.Step = singleLocal
		}
		return k.cost(c, CostCsdFill) + k.Mem.Access(k.now, c, d.line, hw.RMW)
	case singleFilled:
		d.locked, d.src, d.dst, d.kind = 1, c, f.A, csdAsync
		if f.B != 0 {
			d.kind = csdSync
		}
		f.Step = singleQueued
		return k.call(c, FnCallSingleQueue, f.A, id, 0)
	case singleQueued:
		f.Step = singleDone
		k.markCall(c, markTold)
		if f.B != 0 {
			return k.call(c, FnCsdLockWait, id, 0, 0)
		}
	case singleLocal:
		k.cpus[c].irqsOff = 1
		f.Step = singleLocalDone
		return k.call(c, FnHandler, 0, 0, 0)
	case singleLocalDone:
		f.Step = singleDone
		return k.irqOn(c)
	case singleDone:
		k.count[0].Calls++
		if f.B != 0 && f.A != c {
			k.markCall(c, markAnswered)
		}
		return k.ret(c, 0)
	}
	return again
}

// smp_call_function_many_cond.
const (
	manyNext = iota
	manyFree
	manyFilled
	manyPushed
	manySend
	manySent
	manyWait
	manyWaitNext
)

// smpCallFunctionMany mirrors smp_call_function_many_cond for all other CPUs:
// a csd for each, pushed one after another; one interrupt for each whose queue
// was empty, without a look at their idle state unless it is a single one;
// then the waits, in CPU order. A caller's number, B wait, C CPU at hand, D
// CPUs to tell, E the last of them.
func (k *Kernel) smpCallFunctionMany(c CPUID, f *Frame) Duration {
	n := int32(len(k.cpus))
	if f.C == c {
		f.C++
	}
	id := k.manyCsd(int(f.A), min(f.C, n-1))
	d := &k.csds[id]
	switch f.Step {
	case manyNext:
		if f.C >= n {
			f.Step = manySend
			break
		}
		f.Step = manyFree
		if d.locked != 0 {
			return k.call(c, FnCsdLockWait, id, 0, 0)
		}
	case manyFree:
		f.Step = manyFilled
		return k.cost(c, CostCsdFill) + k.Mem.Access(k.now, c, d.line, hw.RMW)
	case manyFilled:
		d.locked, d.kind = 1, csdAsync
		if f.B != 0 {
			d.kind = csdSync
		}
		f.Step = manyPushed
		return k.cost(c, CostCsdPush) + k.Mem.Access(k.now, c, k.rqs[f.C].lineQueue, hw.RMW)
	case manyPushed:
		k.traceCsdQueue(c, f.C, id)
		if k.pushCsd(f.C, id) {
			f.D++
			f.E = f.C
			k.tellLater(f.A, f.C)
		} else {
			k.count[0].NoNotify++
		}
		f.C++
		f.Step = manyNext
	case manySend:
		f.C = 0
		f.Step = manySent
		switch f.D {
		case 0:
			f.Step = manyWait
		case 1:
			k.untell(f.A, f.E)
			f.Step = manyWait
			return k.call(c, FnSendCallIPI, f.E, 0, 0)
		default:
			k.traceIPIMask(c, k.toTell(f.A))
		}
	case manySent:
		for f.C < n && !k.untell(f.A, f.C) {
			f.C++
		}
		if f.C >= n {
			f.C = 0
			f.Step = manyWait
			break
		}
		f.Step = manyWaitNext
		return Duration(k.hwv[hw.APICWrite])
	case manyWaitNext:
		k.count[0].CallIPIs++
		k.sendIPI(c, f.C, vectorCallMany)
		f.C++
		f.Step = manySent
	case manyWait:
		if f.B == 0 || f.C >= n {
			k.count[0].Calls++
			return k.ret(c, 0)
		}
		f.C++
		return k.call(c, FnCsdLockWait, id, 0, 0)
	}
	return again
}

// toTell is the set of CPUs that a call to many has yet to tell.
func (k *Kernel) toTell(caller int32) []uint64 {
	w := len(k.idleMask)
	return k.manyMask[int(caller)*w : (int(caller)+1)*w]
}

func (k *Kernel) tellLater(caller int32, t CPUID) { k.toTell(caller)[t>>6] |= 1 << (t & 63) }

// untell takes t out of the set and reports whether it was in.
func (k *Kernel) untell(caller int32, t CPUID) bool {
	w := &k.toTell(caller)[t>>6]
	was := *w&(1<<(t&63)) != 0
	*w &^= 1 << (t & 63)
	return was
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

// pushCsd adds csd id to CPU t's queue and reports whether that was empty.
func (k *Kernel) pushCsd(t CPUID, id int32) bool {
	cp := &k.cpus[t]
	empty := cp.csdHead == none
	k.csds[id].next = cp.csdHead
	cp.csdHead = id
	return empty
}

// callSingleQueue mirrors __smp_call_single_queue: a look at the list's head
// and one locked push; only the push onto an empty list notifies. A target, B
// csd.
func (k *Kernel) callSingleQueue(c CPUID, f *Frame) Duration {
	line := k.rqs[f.A].lineQueue
	switch f.Step {
	case 0:
		k.traceCsdQueue(c, f.A, f.B)
		f.Step = 1
		return k.cpus[c].settle() + k.cost(c, CostCsdPush) + k.Mem.Access(k.now, c, line, hw.Load)
	case 1:
		f.Step = 2
		return k.Mem.Access(k.now, c, line, hw.RMW)
	case 2:
		f.Step = 3
		if k.csds[f.B].kind == csdSync {
			k.markCall(c, markPushed)
		}
		if k.pushCsd(f.A, f.B) {
			return k.call(c, FnSendCallIPI, f.A, 0, 0)
		}
		k.count[0].NoNotify++
	}
	return k.ret(c, 0)
}

// send_call_function_single_ipi.
const (
	notifyStart = iota
	notifyCurr
	notifyFlags
	notifyTest
	notifySet
	notifyWrite
	notifySend
)

// sendCallFunctionSingleIPI mirrors send_call_function_single_ipi and
// call_function_single_prep_ipi: tell CPU A that its queue is not empty.
func (k *Kernel) sendCallFunctionSingleIPI(c CPUID, f *Frame) Duration {
	to := &k.cpus[f.A]
	r := &k.rqs[f.A]
	switch f.Step {
	case notifyStart:
		f.Step = notifyCurr
		if k.feat[PolledIPI] == 0 {
			f.Step = notifyWrite
		}
		if k.feat[FlushFlag] == flagBesideRead {
			return k.Mem.Access(k.now, c, k.flushFlag[f.A], hw.Load)
		}
	case notifyCurr:
		f.Step = notifyFlags
		return k.cost(c, CostNotify) + k.Mem.Access(k.now, c, r.lineCurr, hw.Load)
	case notifyFlags:
		f.Step = notifyTest
		return k.Mem.Access(k.now, c, r.lineFlags, hw.Load)
	case notifyTest:
		f.Step = notifySet
		if to.polling != 0 && !k.leaving(to) {
			return k.Mem.Access(k.now, c, r.lineFlags, hw.RMW)
		}
	case notifySet: // what the cmpxchg finds decides, not the load before it
		switch {
		case to.polling == 0:
			f.Step = notifyWrite
			return again
		case k.leaving(to):
			k.count[0].NoNotify++
			return k.ret(c, 0)
		}
		if k.feat[NotifyIPI] != 0 {
			to.notifyIPI = 1
		} else {
			to.resched |= tifNeedResched
		}
		k.count[0].PolledWakes++
		k.tracePolled(c, f.A)
		k.wakeMonitor(c, f.A)
		return k.ret(c, 0)
	case notifyWrite:
		k.traceIPI(c, f.A, vectorCallSingle)
		f.Step = notifySend
		return Duration(k.hwv[hw.APICWrite])
	case notifySend:
		k.count[0].CallIPIs++
		k.sendIPI(c, f.A, vectorCallSingle)
		return k.ret(c, 0)
	}
	return again
}

// flush_smp_call_function_queue.
const (
	flushStart = iota
	flushTest
	flushTake
	flushTaken
	flushSync
	flushSyncRun
	flushSyncRan
	flushAsync
	flushAsyncRun
	flushAsyncRan
	flushTtwu
	flushTtwuDone
	flushSoftirq
	flushEnd
	flushReturn
)

// Who flushes.
const (
	flushIdle    = iota // the idle loop
	flushIRQ            // the interrupt
	flushStopper        // the migration thread, with interrupts off
)

// flushSmpCallFunctionQueue mirrors flush_smp_call_function_queue and the
// interrupt's __flush_smp_call_function_queue. A: who flushes. B, C, D: the lists of synchronous, asynchronous and wakeup entries; E:
// softirqs that were pending before; T: next of the asynchronous entry that
// runs.
func (k *Kernel) flushSmpCallFunctionQueue(c CPUID, f *Frame) Duration {
	cp, r := &k.cpus[c], &k.rqs[c]
	switch f.Step {
	case flushStart:
		f.B, f.C, f.D = none, none, none
		f.Step = flushTake
		if f.A != flushIRQ {
			f.Step = flushTest
			return k.Mem.Access(k.now, c, r.lineQueue, hw.Load)
		}
	case flushTest:
		if cp.csdHead == none {
			return k.ret(c, 0)
		}
		cp.irqsOff = 1
		f.E = int32(cp.softirqs)
		f.Step = flushTake
		return k.setFlushFlag(c, 1)
	case flushTake:
		f.Step = flushTaken
		return cp.settle() + k.cost(c, CostFlush) + k.Mem.Access(k.now, c, r.lineQueue, hw.RMW)
	case flushTaken:
		k.takeCsds(cp, f)
		f.Step = flushSync
	case flushSync: // run, then release
		if f.B == none {
			f.Step = flushAsync
			break
		}
		f.Step = flushSyncRun
		return k.Mem.Access(k.now, c, k.csds[f.B].line, hw.Load)
	case flushSyncRun:
		f.Step = flushSyncRan
		k.traceCsdFunc(c, f.B, trace.CSDFunctionEntry)
		return k.callCsdFunc(c, f.B)
	case flushSyncRan:
		id := f.B
		f.B = k.csds[id].next
		k.traceCsdFunc(c, id, trace.CSDFunctionExit)
		k.markCall(k.csds[id].src, markRan)
		k.csdUnlock(c, id)
		f.Step = flushSync
	case flushAsync: // release, then run
		if f.C == none {
			f.Step = flushTtwu
			break
		}
		f.Step = flushAsyncRun
		return k.Mem.Access(k.now, c, k.csds[f.C].line, hw.Load)
	case flushAsyncRun:
		f.T = int64(k.csds[f.C].next) // its owner may queue it again at once
		k.csdUnlock(c, f.C)
		k.traceCsdFunc(c, f.C, trace.CSDFunctionEntry)
		f.Step = flushAsyncRan
		return k.callCsdFunc(c, f.C)
	case flushAsyncRan:
		k.traceCsdFunc(c, f.C, trace.CSDFunctionExit)
		f.C = int32(f.T)
		f.Step = flushAsync
	case flushTtwu: // all in one go
		f.Step = flushTtwuDone
		if f.D != none {
			k.traceCsdFunc(c, f.D, trace.CSDFunctionEntry)
			return k.call(c, FnSchedTtwuPending, f.D, 0, 0)
		}
	case flushTtwuDone:
		if f.D != none {
			k.traceCsdFunc(c, f.D, trace.CSDFunctionExit)
		}
		f.Step = flushReturn
		if f.A != flushIRQ {
			f.Step = flushSoftirq
		}
	case flushSoftirq:
		f.Step = flushEnd
		return k.softirqPostFlush(c, uint32(f.E))
	case flushEnd:
		f.Step = flushReturn
		if d := k.setFlushFlag(c, 0); d > 0 {
			cp.debt += d
		}
		if f.A == flushIdle {
			return k.irqOn(c)
		}
	case flushReturn:
		return k.ret(c, 0)
	}
	return again
}

// takeCsds empties the queue into three lists, oldest first.
func (k *Kernel) takeCsds(cp *cpu, f *Frame) {
	if cp.csdHead == none {
		k.count[0].SpuriousIRQs++
	}
	for id := cp.csdHead; id != none; {
		d := &k.csds[id]
		next := d.next
		switch d.kind {
		case csdSync:
			d.next, f.B = f.B, id
		case csdTtwu:
			d.next, f.D = f.D, id
		default:
			d.next, f.C = f.C, id
		}
		id = next
	}
	cp.csdHead = none
}

func (k *Kernel) callCsdFunc(c CPUID, id int32) Duration {
	if k.csds[id].fn == csdFuncNohz {
		return k.call(c, FnNohzCsdFunc, 0, 0, 0)
	}
	return k.call(c, FnHandler, 0, 0, 0)
}

// handler is the empty function that calls carry.
func (k *Kernel) handler(c CPUID, f *Frame) Duration {
	if f.Step == 0 {
		f.Step = 1
		return k.cost(c, CostHandler)
	}
	return k.ret(c, 0)
}

// newFlushFlags places each CPU's 'a softirq will be run after this flush'
// flag on the line that the placement says.
func (k *Kernel) newFlushFlags() {
	k.flushFlag = make([]hw.LineID, len(k.cpus))
	shared := hw.LineID(0)
	if k.feat[FlushFlag] == flagBesideContended {
		shared = k.Mem.NewLine("flush flag, contended", 0, 0)
	}
	for c := range k.flushFlag {
		r := &k.rqs[c]
		switch k.feat[FlushFlag] {
		case flagOff:
		case flagBesideQueue:
			k.flushFlag[c] = r.lineQueue
		case flagBesideClock:
			k.flushFlag[c] = r.lineClock
		case flagBesideContended:
			k.flushFlag[c] = shared
		default:
			k.flushFlag[c] = k.Mem.NewLine("flush flag[%d]", int32(c), CPUID(c))
		}
	}
}

// setFlushFlag stores v to the flag. A locked operation follows soon (the
// queue's xchg, the runqueue lock) and waits until the store is done, so
// fetching its line is paid in full; a store to a line that is here is free.
func (k *Kernel) setFlushFlag(c CPUID, v uint8) Duration {
	line := k.flushFlag[c]
	if line == 0 {
		return again
	}
	k.cpus[c].inFlush = v
	if k.Mem.Held(c, line) {
		return again
	}
	return k.Mem.Access(k.now, c, line, hw.RMW) - Duration(k.hwv[hw.LockedOp])
}

// WriteContended is one atomic on the line that the flag shares with data
// many CPUs write, if it is placed there.
func (k *Kernel) WriteContended(c CPUID) Duration {
	return k.cost(c, CostSpinPoll) + k.Mem.Access(k.now, c, k.flushFlag[c], hw.RMW)
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
			cp.resched = reschedHere
		}
		k.traceWakeup(c, id)
		f.Step = 2
		return cp.settle()
	}
	r.ttwuPending = 0
	k.spinUnlock(c, r.lock)
	return k.ret(c, 0)
}
