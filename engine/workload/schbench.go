package workload

import (
	"fmt"
	"math"
	"strings"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// schbench mirrors Chris Mason's schbench: workers queue themselves with a
// message thread and wait; it wakes them; each then sleeps for a moment, as
// if for the network, computes, and queues itself again. It reports how long
// a wakeup takes (from the message thread's decision to the worker running)
// and how long a request takes (from there to the end of the computation).
type schbench struct {
	messages, workers int32 // message threads, workers of each
	perCPU            bool  // one worker a CPU, as none were asked for
	sleep, work       kernel.Duration
	runtime           kernel.Duration
	uneven            int64 // permille
	futex             int32 // of the first task; the others follow
	link              int32 // word of the first task: next in its queue, or head
	gone              int32 // word of the first message thread: workers that have ended
	wakeups, requests int32 // histograms
}

// Values of a task's futex.
const (
	schbenchBlocked = 0
	schbenchRunning = 1
)

func newSchbench(v []param.Value, t *topo.Topology) *schbench {
	s := &schbench{messages: int32(v[SchbenchMessages].N), workers: int32(v[SchbenchWorkers].N),
		sleep: kernel.Duration(v[SchbenchSleep].N), work: kernel.Duration(v[SchbenchWork].N), uneven: v[SchbenchUneven].N, runtime: kernel.Duration(v[SchbenchRuntime].N)}
	if s.workers == 0 {
		s.perCPU, s.workers = true, max(int32(t.N())/s.messages, 1)
	}
	return s
}

// tasks returns how many tasks the program has: message threads first.
func (s *schbench) tasks() int32 { return s.messages * (1 + s.workers) }

func (s *schbench) Start(k *kernel.Kernel) {
	order := forkOrder(k.Topo)
	mm := k.NewMM(order[0])
	s.wakeups, s.requests = k.NewHist(), k.NewHist()
	s.link, s.gone = k.NewWords(int(s.tasks())), k.NewWords(int(s.messages))
	for i := range s.tasks() {
		cpu := order[int(i)%len(order)]
		fu := k.NewFutex(cpu)
		if i == 0 {
			s.futex = fu
		}
		role, comm := int32(RoleReceiver), "schbench"
		if i < s.messages {
			role = RoleSender
		}
		*k.Word(s.link + i) = -1
		id := k.NewTask(comm, mm, role, cpu, false, kernel.Frame{A: i, B: -1})
		k.StartTask(id, 0)
	}
}

// Steps of a worker and of a message thread.
const (
	schbenchQueue = iota
	schbenchQueued
	schbenchPosted
	schbenchSleep
	schbenchAsleep
	schbenchWoken
	schbenchCompute
	schbenchDone
	schbenchExit
	schbenchBlock = 20 + iota
	schbenchCollect
	schbenchWake
	schbenchPost
	schbenchWait
)

// Step runs both kinds of thread. Frame locals: A which task, B the next
// worker to wake, T when the request began.
func (s *schbench) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	if f.A < s.messages {
		return s.stepMessage(k, c, f)
	}
	boss := (f.A - s.messages) / s.workers
	switch f.Step {
	case schbenchQueue:
		f.Step = schbenchQueued
		*k.FutexValue(s.futex + f.A) = schbenchBlocked
		return k.FutexFetch(c, s.futex+boss)
	case schbenchQueued:
		if k.Now() < simtime.Time(s.runtime) {
			*k.Word(s.link + f.A) = *k.Word(s.link + boss)
			*k.Word(s.link + boss) = int64(f.A)
			f.Step = schbenchPosted
		} else {
			*k.Word(s.gone + boss)++
			f.Step = schbenchExit
		}
		if v := k.FutexValue(s.futex + boss); *v == schbenchBlocked {
			*v = schbenchRunning
			return k.FutexWake(c, s.futex+boss, 1)
		}
		return simtime.Nanosecond
	case schbenchExit:
		return k.TaskExit(c)
	case schbenchPosted:
		f.Step = schbenchWoken
		return k.FutexWait(c, s.futex+f.A, schbenchBlocked)
	case schbenchWoken:
		now := k.Now()
		f.T = int64(now)
		k.Hist(s.wakeups).Add(now.Sub(*k.FutexStamp(s.futex + f.A)))
		f.Step = schbenchCompute
		return k.Sleep(c, s.sleep)
	case schbenchCompute:
		f.Step = schbenchDone
		return k.Work(c, vary(k, s.work, s.uneven))
	}
	k.Hist(s.requests).Add(k.Now().Sub(simtime.Time(f.T)))
	f.Step = schbenchQueue
	return k.ExitToUser(c)
}

func (s *schbench) stepMessage(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	switch f.Step {
	case 0, schbenchBlock:
		if *k.Word(s.gone + f.A) == int64(s.workers) {
			return k.TaskExit(c)
		}
		f.Step = schbenchCollect
		return k.FutexFetch(c, s.futex+f.A)
	case schbenchCollect: // take the whole queue
		*k.FutexValue(s.futex + f.A) = schbenchBlocked
		f.B = int32(*k.Word(s.link + f.A))
		*k.Word(s.link + f.A) = -1
		f.Step = schbenchWake
		return simtime.Nanosecond
	case schbenchWake:
		if f.B < 0 {
			f.Step = schbenchBlock
			return k.FutexWait(c, s.futex+f.A, schbenchBlocked)
		}
		f.Step = schbenchPost
		return k.FutexFetch(c, s.futex+f.B)
	}
	worker := f.B
	f.B = int32(*k.Word(s.link + worker))
	*k.FutexValue(s.futex + worker) = schbenchRunning
	*k.FutexStamp(s.futex + worker) = k.Now()
	f.Step = schbenchWake
	return k.FutexWake(c, s.futex+worker, 1)
}

// Done counts requests.
func (s *schbench) Done(k *kernel.Kernel) int64 { return k.Hist(s.requests).Count() }

// Total is 0: schbench runs for a time.
func (s *schbench) Total() int64 { return 0 }

// Latency returns the distribution of that name.
func (s *schbench) Latency(k *kernel.Kernel, name string) *kernel.Hist {
	switch name {
	case "wakeup":
		return k.Hist(s.wakeups)
	case "request":
		return k.Hist(s.requests)
	}
	return nil
}

// Output is the final report of schbench 1.0, with the samples that its whole run
// time would have. RPS has one sample, the mean: a run simulates less than the
// second that schbench counts requests over.
func (s *schbench) Output(k *kernel.Kernel, rate float64) string {
	var b strings.Builder
	if s.perCPU {
		fmt.Fprintf(&b, "setting worker threads to %d\n", s.workers)
	}
	seconds := int64(s.runtime / simtime.Second)
	longer := rate * s.runtime.Seconds() / float64(max(k.Hist(s.requests).Count(), 1))
	whole := func(samples int64) int64 { return int64(math.Round(longer * float64(samples))) }
	for _, h := range []struct {
		name string
		h    *kernel.Hist
	}{{"Wakeup", k.Hist(s.wakeups)}, {"Request", k.Hist(s.requests)}} {
		fmt.Fprintf(&b, "%s Latencies percentiles (usec) runtime %d (s) (%d total samples)\n", h.name, seconds, whole(h.h.Count()))
		before := h.h.UpTo(200) // its first percentile, which is not printed here
		for _, p := range []struct {
			permille int64
			mark     byte
		}{{500, ' '}, {900, ' '}, {990, '*'}, {999, ' '}} {
			upTo := h.h.UpTo(p.permille)
			fmt.Fprintf(&b, "\t%c %.1fth: %-10d (%d samples)\n", p.mark, float64(p.permille)/10, micros(h.h.Permille(p.permille)), whole(upTo)-whole(before))
			before = upTo
		}
		fmt.Fprintf(&b, "\t  min=%d, max=%d\n", micros(h.h.Min()), micros(h.h.Max()))
	}
	fmt.Fprintf(&b, "RPS percentiles (requests) runtime %d (s) (1 total samples)\n", seconds)
	rps := int64(rate)
	fmt.Fprintf(&b, "\t  20.0th: %-10d (1 samples)\n\t* 50.0th: %-10d (0 samples)\n\t  90.0th: %-10d (0 samples)\n\t  min=%d, max=%d\n", rps, rps, rps, rps, rps)
	fmt.Fprintf(&b, "average rps: %.2f\n", rate)
	return b.String()
}

func micros(d kernel.Duration) int64 { return int64(d / simtime.Microsecond) }
