package kernel

import (
	"cmp"
	"slices"
	"sort"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/engine/view"
)

// Bounds of what one frame can carry.
const (
	maxSpansAFrame  = 1 << 16
	maxArrowsAFrame = 1 << 13
)

// Shown remembers what the last frame said, for its 'since then' parts. It is
// not part of the run's state.
type Shown struct {
	at       Time
	lineWait []Duration // of what was booked, what has passed
	state    [][view.NumStates]Duration
	pipes    []int64
	wakeups  []uint32
}

// Static fills s with what does not change during the run.
func (k *Kernel) Static(s *view.Static) {
	for _, p := range k.Topo.CPUs {
		s.Places = append(s.Places, view.Place{Socket: p.Socket, Node: p.Node, Die: p.Die, LLC: p.LLC, Core: p.Core, Thread: p.Thread})
	}
	for f := range NumFn {
		s.Functions = append(s.Functions, f.String())
	}
	s.Tasks = append(s.Tasks, k.comms...)
	s.CStates = []string{"POLL", "C1", "C2"}
	s.CPULines = k.cpuLines()
}

// Observe starts or stops collecting what frames and HotLines show of who does
// what.
func (k *Kernel) Observe(on bool) {
	k.Mem.Watch(on)
	k.observers.since = k.Now()
	k.observers.spans, k.observers.arrows = nil, nil
	if on {
		k.observers.spans = make([]view.Span, 0, maxSpansAFrame)
		k.observers.arrows = make([]view.Arrow, 0, maxArrowsAFrame)
	}
}

// ForgetObserved drops what Observe has collected.
func (k *Kernel) ForgetObserved() {
	k.Mem.ForgetWatched()
	k.observers.since = k.Now()
	k.observers.spans, k.observers.arrows, k.observers.lost = k.observers.spans[:0], k.observers.arrows[:0], 0
}

// Trace returns the ring of tracepoint records; enable it with Start.
func (k *Kernel) Trace() *trace.Ring { return &k.observers.ring }

// Names returns what the indices in trace records stand for.
func (k *Kernel) Names() trace.Names {
	var n trace.Names
	for i, comm := range k.comms {
		prio := int32(120)
		if k.isStopper(TaskID(i)) {
			prio = 0
		}
		n.Tasks = append(n.Tasks, trace.Task{Comm: comm, PID: k.pids[i], Prio: prio})
	}
	for f := range NumFn {
		name := f.String()
		if f == FnHandler {
			name += " [ipistorm]" // as %ps writes a module's function
		}
		n.Functions = append(n.Functions, name)
	}
	n.Functions = append(n.Functions, siteNames...)
	n.Messages = messages
	return n
}

// Frame fills f with the state of this instant and what happened since the
// last frame that s remembers.
func (k *Kernel) Frame(f *view.Frame, s *Shown) {
	n := len(k.cpus)
	if len(s.state) != n {
		*s = Shown{lineWait: make([]Duration, n), state: make([][view.NumStates]Duration, n), pipes: make([]int64, len(k.pipes)), wakeups: make([]uint32, n)}
		for c := range k.cpus {
			s.state[c] = k.cpus[c].stateTime
		}
		for i := range k.pipes {
			s.pipes[i] = k.pipes[i].messages
		}
		s.at = k.Now()
	}
	now := k.Now()
	f.NowPs, f.SincePs, f.Events, f.Done = int64(now), int64(s.at), uint64(k.count[0].Events), k.Done()
	f.CPUs = f.CPUs[:0]
	for c := range k.cpus {
		f.CPUs = append(f.CPUs, k.frameCPU(CPUID(c), now, &s.state[c], &s.lineWait[c]))
	}
	f.Arrows = append(f.Arrows[:0], k.observers.arrows...)
	for _, a := range f.Arrows {
		if a.Kind == view.Wakeup {
			f.CPUs[a.To].Wakeups++
		}
	}
	for i := range k.pipes {
		p := &k.pipes[i]
		if d := p.messages - s.pipes[i]; d > 0 {
			f.Arrows = append(f.Arrows, view.Arrow{Kind: view.Pipe, From: p.writer, To: p.reader, Count: uint32(d), AtPs: int64(now), EndPs: int64(now)})
			s.pipes[i] = p.messages
		}
	}
	f.Spans = append(f.Spans[:0], k.observers.spans...)
	f.Lost = k.observers.lost
	k.observers.arrows, k.observers.spans, k.observers.lost = k.observers.arrows[:0], k.observers.spans[:0], 0
	s.at = now
}

// Function returns the function that a CPU is in, an index into view.Static's.
func (k *Kernel) Function(c CPUID) uint16 { return k.cpus[c].fn }

func (k *Kernel) frameCPU(c CPUID, now Time, last *[view.NumStates]Duration, lineWait *Duration) view.CPU {
	cp := &k.cpus[c]
	out := view.CPU{State: cp.state, NeedResched: cp.resched != 0, Polling: cp.polling != 0, IRQsOff: cp.irqsOff != 0,
		NrRunning: uint16(k.rqs[c].running()), Fn: cp.fn, Task: cp.curr}
	if cp.curr == c {
		out.Task = -1
	}
	var d [view.NumStates]Duration
	var sum Duration
	for i, t := range cp.stateTime {
		if view.State(i) == cp.state {
			t += now.Sub(cp.since)
		}
		d[i] = t - last[i]
		last[i] = t
		sum += d[i]
	}
	if sum <= 0 {
		return out
	}
	pm := func(x Duration) uint16 { return uint16(1000 * x / sum) }
	out.Busy = pm(d[view.User] + d[view.Kernel] + d[view.Spin] + d[view.IRQ] + d[view.SoftIRQ])
	out.LockWait = pm(d[view.Spin])
	waited := min(sum, k.Mem.WaitOf(c)-*lineWait) // a wait under way is booked in full
	out.LineWait = pm(waited)
	*lineWait += waited
	out.IRQShare = pm(d[view.IRQ] + d[view.SoftIRQ])
	return out
}

// FnTimes returns the time of all CPUs in each function.
func (k *Kernel) FnTimes() (d [NumFn]Duration) {
	copy(d[:], k.prof)
	return d
}

// Profile returns the time of all CPUs outside of idle states by kernel
// function, longest first.
func (k *Kernel) Profile() []view.FnTime {
	idle := Duration(0)
	for c := range k.cpus {
		s := &k.cpus[c].stateTime
		idle += s[view.IdlePoll] + s[view.IdleC1] + s[view.IdleC2]
	}
	var out []view.FnTime
	for f, d := range k.prof {
		if Fn(f) == FnCpuidleEnter {
			d -= idle
		}
		if d > 0 {
			out = append(out, view.FnTime{Name: Fn(f).String(), Ns: uint64(d / simtime.Nanosecond)})
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].Ns > out[b].Ns })
	return out
}

// HotLines returns the n lines that CPUs waited for longest.
func (k *Kernel) HotLines(n int) []view.Line {
	type hot struct {
		hw.LineStat
		id hw.LineID
	}
	stats := make([]hot, 0, k.Mem.NumLines())
	for i := 1; i < k.Mem.NumLines(); i++ {
		if s := k.Mem.Stat(hw.LineID(i)); s.Transfers > 0 {
			stats = append(stats, hot{s, hw.LineID(i)})
		}
	}
	sort.SliceStable(stats, func(a, b int) bool { return stats[a].Wait > stats[b].Wait })
	var out []view.Line
	for _, s := range stats[:min(n, len(stats))] {
		l := view.Line{Name: s.Name, Owner: s.Owner, Sharers: int32(s.Sharers), Transfers: uint64(s.Transfers),
			WaitNs: uint64(s.Wait / simtime.Nanosecond), QueueNs: uint64(s.Queue / simtime.Nanosecond),
			BusyPm: uint16(min(1000*s.Busy/max(k.Now().Sub(k.clk[0].MeasureAt), 1), 1000)), Variables: names(k.variables(s.id))}
		for _, d := range k.Mem.WaitByLLC(s.id) {
			l.L3WaitNs = append(l.L3WaitNs, uint64(d/simtime.Nanosecond))
		}
		out = append(out, l)
	}
	return out
}

// ObservedSince returns from when on Observe has counted.
func (k *Kernel) ObservedSince() Time { return k.observers.since }

// HotLocks returns the n spinlocks and mutexes that CPUs waited for longest; of
// those that nobody waited for, the ones held longest.
func (k *Kernel) HotLocks(n int) []view.Lock {
	var out []view.Lock
	for i := range k.locks {
		if l := &k.locks[i]; l.acquired > 0 {
			out = append(out, view.Lock{Name: k.Mem.Name(l.line), Acquired: uint64(l.acquired), Contended: uint64(l.contended),
				WaitNs: uint64(l.wait / simtime.Nanosecond), HoldNs: uint64(l.hold / simtime.Nanosecond)})
		}
	}
	for i := range k.mutexes {
		if m := &k.mutexes[i]; m.acquired > 0 {
			out = append(out, view.Lock{Name: k.Mem.Name(m.line), Acquired: uint64(m.acquired), Contended: uint64(m.contended),
				WaitNs: uint64(m.wait / simtime.Nanosecond), HoldNs: uint64(m.hold / simtime.Nanosecond)})
		}
	}
	slices.SortStableFunc(out, func(a, b view.Lock) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(b.HoldNs, a.HoldNs))
	})
	return out[:min(n, len(out))]
}

// StateTime returns how long all CPUs together were in each state.
func (k *Kernel) StateTime() (sum [view.NumStates]Duration) {
	for c := range k.cpus {
		cp := &k.cpus[c]
		for i, d := range cp.stateTime {
			sum[i] += d
		}
		sum[cp.state] += k.Now().Sub(cp.since)
	}
	return sum
}
