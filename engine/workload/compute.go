package workload

import (
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// compute is threads of one process that compute and meet at a barrier, as
// the loops of the NAS benchmarks do. At the barrier a thread spins for a
// while and then sleeps on a futex; the last one wakes the others.
type compute struct {
	threads, loops int32
	work, spin     kernel.Duration
	uneven         int64 // permille
	bound          bool
	barrier        int32 // futex: its value is the round
	arrived, done  int32 // words: how many wait, rounds of single threads
}

func newCompute(v []param.Value, t *topo.Topology) *compute {
	p := &compute{threads: int32(v[ComputeThreads].N), loops: int32(v[ComputeLoops].N), work: kernel.Duration(v[ComputeWork].N),
		spin: kernel.Duration(v[ComputeSpin].N), uneven: v[ComputeUneven].N, bound: v[ComputeBind].N != 0}
	if p.threads == 0 {
		p.threads = int32(t.N())
	}
	return p
}

func (p *compute) Start(k *kernel.Kernel) {
	order := forkOrder(k.Topo)
	mm := k.NewMM(order[0])
	p.barrier, p.arrived, p.done = k.NewFutex(order[0]), k.NewWords(1), k.NewWords(1)
	for i := range p.threads {
		cpu := order[int(i)%len(order)]
		id := k.NewTask("compute", mm, RoleReceiver, cpu, p.bound, kernel.Frame{A: i})
		k.StartTask(id, 0)
	}
}

// Steps of a round.
const (
	computeWork = iota
	computeArrive
	computeMeet
	computeSpin
	computeLeave
)

// Step runs a part of a round. Frame locals: B rounds done, C the barrier's
// value that this thread waits to change, T until when it spins.
func (p *compute) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	switch f.Step {
	case computeWork:
		if f.B == p.loops {
			return k.TaskExit(c)
		}
		f.Step = computeArrive
		return k.Work(c, vary(k, p.work, p.uneven))
	case computeArrive:
		f.Step = computeMeet
		return k.FutexFetch(c, p.barrier)
	case computeMeet:
		n := k.Word(p.arrived)
		*n++
		f.C = *k.FutexValue(p.barrier)
		if *n == int64(p.threads) {
			*n = 0
			*k.FutexValue(p.barrier)++
			f.Step = computeLeave
			return k.FutexWake(c, p.barrier, p.threads)
		}
		f.T = int64(k.Now().Add(p.spin))
		f.Step = computeSpin
	case computeSpin:
		if *k.FutexValue(p.barrier) == f.C {
			if k.Now() >= simtime.Time(f.T) {
				f.Step = computeLeave
				return k.FutexWait(c, p.barrier, f.C)
			}
			return k.Cost(c, kernel.CostSpinPoll)
		}
		f.Step = computeLeave
	case computeLeave:
		f.B++
		*k.Word(p.done)++
		f.Step = computeWork
		return k.ExitToUser(c)
	}
	return simtime.Nanosecond
}

// vary makes d longer or shorter by up to permille of itself.
func vary(k *kernel.Kernel, d kernel.Duration, permille int64) kernel.Duration {
	return d + d/1000*kernel.Duration(k.Random().Intn(2*permille+1)-permille)
}

// Done counts rounds of single threads.
func (p *compute) Done(k *kernel.Kernel) int64 { return *k.Word(p.done) }

// Total returns the rounds of all threads.
func (p *compute) Total() int64 { return int64(p.threads) * int64(p.loops) }

// Output names the time, as the NAS benchmarks do.
func (p *compute) Output(_ *kernel.Kernel, rate float64) string {
	return fmt.Sprintf(" Time in seconds = %23.2f\n Total threads   = %23d\n", float64(p.Total())/rate, p.threads)
}
