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

// wakeupSlices describes the time from each mark to the next.
var wakeupSlices = [numMarks - 1]struct{ name, fn, patch string }{
	{"choose a CPU", "select_task_rq_fair", "the idle extension widens idle_cpu(), which this scan asks"},
	{"hand over", "ttwu_queue", "polled IPIs set a flag here instead of sending an interrupt"},
	{"target wakes up", "cpuidle, flush_smp_call_function_queue", ""},
	{"wait for the CPU", "runqueue, __schedule", "SM_IDLE shortens passes without a task"},
	{"switch in", "finish_task_switch", "mm_count, the raw spinlock's neighbour"},
}

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
	at := t.marks[markWaking]
	for i := range wakeupSlices {
		next := max(t.marks[i+1], at)
		k.anatomy[i].Add(next.Sub(at))
		at = next
	}
	t.marks = [numMarks]Time{}
}

// WakeupTime returns how many wakeups ended in a switch to the woken task, and
// the time from try_to_wake_up to the end of that switch, of all of them.
func (k *Kernel) WakeupTime() (n int64, all Duration) {
	for i := range k.anatomy {
		n, all = k.anatomy[i].count, all+k.anatomy[i].sum
	}
	return n, all
}

// Anatomy returns the slices of a wakeup over all wakeups that ended in a
// switch to the woken task.
func (k *Kernel) Anatomy() []view.Slice {
	var out []view.Slice
	for i, s := range wakeupSlices {
		h := &k.anatomy[i]
		if h.count == 0 {
			return nil
		}
		out = append(out, view.Slice{Name: s.name, Fn: s.fn, Patch: s.patch, Ns: h.Mean().Ns(),
			P10Ns: h.Permille(100).Ns(), P90Ns: h.Permille(900).Ns()})
	}
	return out
}
