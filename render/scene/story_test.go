package scene_test

import (
	"wakelab/engine/view"
)

// storm feeds one interrupt on its way from CPU 8 to CPU 16 of an otherwise
// idle machine, as ipistorm sends them.
func storm(b player, side int) {
	d := newDemo(256, 0)
	d.flag(side == 1)
	b.SetStatic(side, &d.static)
	f := &d.frame
	for range 60 {
		f.SincePs, f.NowPs = f.NowPs, f.NowPs+20e3
		f.CPUs[8] = view.CPU{State: view.Kernel, Fn: 7, Task: 1, NrRunning: 1, Busy: 1000}
		f.CPUs[16] = view.CPU{State: view.IdlePoll, Polling: side == 0, NeedResched: side == 1, Task: -1}
		kind := view.IPI
		if side == 1 {
			kind = view.PolledWake
		}
		f.Arrows = []view.Arrow{{Kind: kind, From: 8, To: 16, Count: 1, AtPs: 900e3, EndPs: 1700e3}}
		b.Add(side, f)
	}
	heat(b, side)
}

// heat gives a side lines, locks and slices.
func heat(b player, side int) {
	fight := func(n int) (ns []uint64) {
		for i := range 16 {
			ns = append(ns, uint64(i*n%7)*uint64(100+n))
		}
		return ns
	}
	b.SetLines(side, 400e3, []view.Line{
		{Name: "idle[16].flags", L3WaitNs: fight(3), Variables: "NEED_RESCHED, POLLING_NRFLAG", Owner: 16, Sharers: 2, Transfers: 200123, WaitNs: 41_200_000, QueueNs: 12_000_000},
		{Name: "call_single_queue[16]", L3WaitNs: fight(5), Variables: "llist head, flush flag", Owner: 8, Sharers: 1, Transfers: 100040, WaitNs: 22_310_000, QueueNs: 300_000},
		{Name: "csd.stack[8]", L3WaitNs: fight(1), Variables: "the waiting caller's csd", Owner: -1, Transfers: 99000, WaitNs: 9_000_000},
		{Name: "rq[16].lock", L3WaitNs: fight(2), Variables: "__lock, nr_running", Owner: 16, Sharers: 1, Transfers: 4100, WaitNs: 730_000},
	}, []view.Lock{
		{Name: "rq[16].lock", Acquired: 200100, Contended: 1200, WaitNs: 1_900_000, HoldNs: 60_000_000},
		{Name: "pipe[12].mutex", Acquired: 100, Contended: 0, WaitNs: 0, HoldNs: 40_000},
	})
	slices := []view.Slice{
		{Name: "select", Fn: "select_task_rq_fair", Ns: 310, P10Ns: 120, P25Ns: 236, P50Ns: 352, P75Ns: 526, P90Ns: 700, P99Ns: 1120},
		{Name: "queue", Fn: "ttwu_queue_wakelist", Ns: 140, P10Ns: 90, P25Ns: 120, P50Ns: 150, P75Ns: 195, P90Ns: 240, P99Ns: 384},
		{Name: "notify", Fn: "send_call_function_single_ipi", Ns: 420, P10Ns: 60, P25Ns: 228, P50Ns: 396, P75Ns: 648, P90Ns: 900, P99Ns: 1440, Patch: "no interrupt to a polling CPU"},
		{Name: "C-state exit", Fn: "cpuidle_enter_state", Ns: 900, P10Ns: 0, P25Ns: 420, P50Ns: 840, P75Ns: 1470, P90Ns: 2100, P99Ns: 3360, Patch: "idle extension"},
		{Name: "idle exit", Fn: "flush_smp_call_function_queue", Ns: 350, P10Ns: 300, P25Ns: 324, P50Ns: 348, P75Ns: 384, P90Ns: 420, P99Ns: 672},
		{Name: "schedule", Fn: "__schedule", Ns: 510, P10Ns: 420, P25Ns: 464, P50Ns: 508, P75Ns: 574, P90Ns: 640, P99Ns: 1024},
		{Name: "switch-in", Fn: "finish_task_switch", Ns: 260, P10Ns: 220, P25Ns: 242, P50Ns: 264, P75Ns: 297, P90Ns: 330, P99Ns: 528},
	}
	if side == 1 {
		slices[3].Ns, slices[3].P25Ns, slices[3].P50Ns, slices[3].P75Ns, slices[3].P90Ns, slices[3].P99Ns = 180, 80, 150, 300, 500, 700
	}
	b.SetSlices(side, slices)
}
