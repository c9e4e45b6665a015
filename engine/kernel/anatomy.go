package kernel

import "wakelab/engine/view"

// Marks of one wakeup, in order of time.
const (
	markWaking    = iota // try_to_wake_up holds p->pi_lock
	markSelected         // a CPU is chosen
	markHandedOn         // the waker goes on: the task is enqueued, or pushed and notified
	markActivated        // the task is on its runqueue
	markRunning          // __schedule picked it and switches
	markReturned         // finish_task_switch is done
	numMarks
)

// Marks of one call that is waited for, in order of time.
const (
	markCalling  = iota // smp_call_function_single begins
	markPushed          // the csd is in the target's queue
	markTold            // the caller begins to wait
	markRan             // the target has run the function
	markAnswered        // the caller has seen that
	numCallMarks
)

// callMarks are those of a CPU's call under way.
type callMarks [numCallMarks]Time

// Slice describes a part of a wakeup or of a call.
type Slice struct {
	Path     string // "wakeup" or "call"
	Name, Fn string // Fn: kernel function in which the time passes
	Patch    string // what a compared kernel changes here; "" nothing
	Costs    []Cost // that are paid in it, besides cache lines, locks and idle states
	Features []Feature
}

// Slices describes the time from each mark to the next: of a wakeup, then of a
// call.
var Slices = []Slice{
	{"wakeup", "choose a CPU", "select_task_rq_fair", "the idle extension widens idle_cpu(), which this scan asks",
		[]Cost{CostSelectBase, CostSelectScan, CostIdleCPUTest}, []Feature{IdleDelay, SyncWakeups}},
	{"wakeup", "hand over", "ttwu_queue", "polled IPIs set a flag here instead of sending an interrupt",
		[]Cost{CostWakelist, CostCsdPush, CostNotify, CostActivate, CostTtwuTail}, []Feature{PolledIPI, TtwuQueueFeature, WakelistIdle, WakelistGroup}},
	{"wakeup", "target wakes up", "cpuidle, flush_smp_call_function_queue", "",
		[]Cost{CostPollExit, CostCpuidleExit, CostTickIdleExit, CostTickRestart, CostIrqEntry, CostEOI, CostIrqExit, CostFlush, CostActivate}, []Feature{PolledIPI, LateTtwuPending, ForcePoll}},
	{"wakeup", "wait for the CPU", "runqueue, __schedule", "SM_IDLE shortens passes without a task",
		[]Cost{CostScheduleEntry, CostUpdateRqClock, CostSchedule, CostPick}, []Feature{WakeupPreemption, WakeupGranularity, SleeperCredit, IdleDelay}},
	{"wakeup", "switch in", "finish_task_switch", "mm_count, the raw spinlock's neighbour",
		[]Cost{CostSwitch, CostSwitchMM, CostFinishSwitch}, []Feature{RawSpinSwitch, LazyMMRefcount, LruGen}},

	{"call", "fill and push", "__smp_call_single_queue", "",
		[]Cost{CostCsdFill, CostCsdPush}, []Feature{FlushFlag}},
	{"call", "tell the target", "send_call_function_single_ipi", "polled IPIs set a flag here instead of sending an interrupt",
		[]Cost{CostNotify}, []Feature{PolledIPI, NotifyIPI}},
	{"call", "target wakes up and runs it", "do_idle or sysvec, flush_smp_call_function_queue", "SM_IDLE ends the pass before sooner: newidle balance keeps interrupts out",
		[]Cost{CostPollExit, CostCpuidleExit, CostTickIdleExit, CostIrqEntry, CostFlush, CostHandler, CostSchedule, CostBalancePerDomain, CostBalancePerCPU},
		[]Feature{SMIdle, Newidle, NewidleGate, FlushOnIdleExit, FlushFlag}},
	{"call", "answer", "csd_lock_wait", "", nil, nil},
}

// wakeupSlices of Slices are a wakeup's.
const wakeupSlices = numMarks - 1

// mark notes that wakeup of task id has reached m. Marks that a path reaches in
// another order (a target that activates before the waker goes on) count as
// reached together.
func (k *Kernel) mark(id TaskID, m int) {
	k.tasks[id].marks[m] = k.now
}

// endWakeup adds a finished wakeup's slices to the distributions.
func (k *Kernel) endWakeup(id TaskID) {
	t := &k.tasks[id]
	if t.marks[markWaking] == 0 {
		return
	}
	k.mark(id, markReturned)
	k.addSlices(0, t.marks[:])
	t.marks = [numMarks]Time{}
}

// markCall notes that CPU c's call has reached m; the last mark ends it.
func (k *Kernel) markCall(c CPUID, m int) {
	marks := &k.calls[c]
	marks[m] = k.now
	if m == markAnswered {
		k.addSlices(wakeupSlices, marks[:])
	}
}

// addSlices adds the times between marks to the distributions from first on.
func (k *Kernel) addSlices(first int, marks []Time) {
	at := marks[0]
	for i, m := range marks[1:] {
		next := max(m, at)
		k.anatomy[first+i].Add(next.Sub(at))
		at = next
	}
}

// WakeupTime returns how many wakeups ended in a switch to the woken task, and
// the time from try_to_wake_up to the end of that switch, of all of them.
func (k *Kernel) WakeupTime() (n int64, all Duration) {
	for i := range k.anatomy[:wakeupSlices] {
		n, all = k.anatomy[i].count, all+k.anatomy[i].sum
	}
	return n, all
}

// Anatomy returns the slices of a wakeup, over all that ended in a switch to
// the woken task, or, if there was none, of a call that was waited for.
func (k *Kernel) Anatomy() []view.Slice {
	first, end := 0, wakeupSlices
	if k.anatomy[0].count == 0 {
		first, end = wakeupSlices, len(Slices)
	}
	var out []view.Slice
	for i := first; i < end; i++ {
		s, h := &Slices[i], &k.anatomy[i]
		if h.count == 0 {
			return nil
		}
		out = append(out, view.Slice{Path: s.Path, Name: s.Name, Fn: s.Fn, Patch: s.Patch, Ns: h.Mean().Ns(),
			P10Ns: h.Permille(100).Ns(), P25Ns: h.Permille(250).Ns(), P50Ns: h.Permille(500).Ns(),
			P75Ns: h.Permille(750).Ns(), P90Ns: h.Permille(900).Ns(), P99Ns: h.Permille(990).Ns()})
	}
	return out
}
