package kernel

// EEVDF, the fair class from v6.6 on: earliest eligible virtual deadline first.
// A task is eligible while it has received no more than its share, that is,
// while its vruntime is not beyond the average of its queue. Of the eligible
// ones the earliest deadline runs. What a task is owed (lag) when it leaves the
// queue is given back when it returns. All tasks have one weight here, so
// averages are plain means.

// baseSlice is sysctl_sched_base_slice: how long a request of a task is.
func (k *Kernel) baseSlice() Duration { return Duration(k.feat[BaseSlice]) * k.scale() }

// lagLimit bounds what a task can be owed or owe.
func (k *Kernel) lagLimit() Duration { return max(2*k.baseSlice(), tickPeriod) }

// vruntimes returns the number of tasks of a queue, the current one included,
// and the sum of their vruntimes, counted from min_vruntime.
func (k *Kernel) vruntimes(r *rq) (sum, n Duration) {
	for id := r.head; id != none; id = k.tasks[id].next {
		sum += k.tasks[id].vruntime - r.minVruntime
		n++
	}
	if r.curr != none && k.tasks[r.curr].onRq != 0 {
		sum += k.tasks[r.curr].vruntime - r.minVruntime
		n++
	}
	return sum, n
}

// meanVruntime mirrors avg_vruntime, rounded down.
func (r *rq) meanVruntime(sum, n Duration) Duration {
	if n == 0 {
		return r.minVruntime
	}
	if sum < 0 {
		sum -= n - 1
	}
	return r.minVruntime + sum/n
}

// updateEntityLag mirrors update_entity_lag of a task that is about to leave
// its queue.
func (k *Kernel) updateEntityLag(r *rq, t *task) {
	limit := k.lagLimit()
	t.vlag = min(max(r.meanVruntime(k.vruntimes(r))-t.vruntime, -limit), limit)
}

// placeEntity mirrors place_entity: the task joins the queue with the lag it
// had. Its joining moves the average, so more than that lag is set. A new task
// begins with half a slice.
func (k *Kernel) placeEntity(r *rq, t *task, initial bool) {
	sum, n := k.vruntimes(r)
	lag := Duration(0)
	if n > 0 {
		lag = t.vlag * (n + 1) / n
	}
	t.vruntime = r.meanVruntime(sum, n) - lag
	slice := k.baseSlice()
	if initial {
		slice /= 2
	}
	t.deadline = t.vruntime + slice
}

// updateDeadline mirrors update_deadline: a request used up makes the next one
// and, if somebody waits, a reschedule, which sliceUsed asks for.
func (k *Kernel) updateDeadline(r *rq, t *task) {
	if t.vruntime < t.deadline {
		return
	}
	t.deadline = t.vruntime + k.baseSlice()
	if r.nrRunning > 1 {
		r.sliceUsed = 1
	}
}

// takeSliceUsed reports and clears that update_curr has asked for a reschedule.
func (r *rq) takeSliceUsed() bool {
	used := r.sliceUsed != 0
	r.sliceUsed = 0
	return used
}

// pickEEVDF mirrors pick_eevdf. curr is the task that runs or has just been put
// back, -1 if none. With RUN_TO_PARITY it goes on until it is no longer
// eligible or has used its request up: setNext keeps the deadline of that
// request in vlag.
func (k *Kernel) pickEEVDF(r *rq, curr TaskID) TaskID {
	sum, n := k.vruntimes(r)
	eligible := func(id TaskID) bool { return sum >= (k.tasks[id].vruntime-r.minVruntime)*n }
	best := none
	if curr != none && k.tasks[curr].onRq != 0 && eligible(curr) {
		best = curr
		if t := &k.tasks[curr]; k.feat[RunToParity] != 0 && t.vlag == t.deadline {
			return curr
		}
	}
	for id := r.head; id != none && eligible(id); id = k.tasks[id].next {
		if best == none || k.tasks[id].deadline < k.tasks[best].deadline {
			best = id
		}
	}
	return best
}

// startEEVDF gives a new task credit as lag, as far as lag goes.
func (k *Kernel) startEEVDF(r *rq, t *task, credit Duration) {
	t.vlag = min(credit, k.lagLimit())
	k.placeEntity(r, t, true)
}
