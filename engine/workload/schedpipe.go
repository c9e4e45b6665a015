package workload

import (
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// schedPipe mirrors `perf bench sched pipe`: two tasks pass a 4-byte message
// round through two pipes. One operation is one round: two writes, two reads
// and two wakeups.
type schedPipe struct {
	loops   int64
	threads bool
	work    kernel.Duration
	cpus    []topo.CPUID // where the tasks start; empty: anywhere
	bound   bool         // they stay there
	pipes   [2]int32     // to the child, to the parent
}

// schedPipeBytes is the message's size, an int.
const schedPipeBytes = 4

func newSchedPipe(v []param.Value, t *topo.Topology) *schedPipe {
	cpus, err := parseCPUs(Defs[SchedPipeCPUs].Key, v[SchedPipeCPUs].S, t, 2)
	if err != nil {
		panic("workload: unchecked CPU list: " + err.Error())
	}
	return &schedPipe{loops: v[SchedPipeLoops].N, threads: v[SchedPipeThreads].N != 0,
		work: kernel.Duration(v[SchedPipeWork].N), cpus: cpus, bound: len(cpus) > 0 && v[SchedPipeBind].N != 0}
}

// Start makes the parent, which writes first, and the child. If unnamed, the
// parent starts on any CPU, and the child where fork puts it on an idle
// machine: on another core of the parent's L3.
func (s *schedPipe) Start(k *kernel.Kernel) {
	parent := topo.CPUID(k.Random().Intn(int64(k.Topo.N())))
	child := otherCore(k, parent)
	if len(s.cpus) > 0 {
		parent, child = s.cpus[0], s.cpus[len(s.cpus)-1]
	}
	s.pipes = [2]int32{k.NewPipe(parent, s.threads), k.NewPipe(parent, s.threads)}
	mm := k.NewMM(parent)
	for i, cpu := range []topo.CPUID{parent, child} {
		if i == 1 && !s.threads {
			mm = k.NewMM(child)
		}
		id := k.NewTask("sched-pipe", mm, int32(i), cpu, s.bound, kernel.Frame{A: int32(i), B: int32(i)})
		k.StartTask(id, 0)
	}
}

// otherCore returns a random CPU of another core that shares c's L3, or c if
// there is none.
func otherCore(k *kernel.Kernel, c topo.CPUID) topo.CPUID {
	var others []topo.CPUID
	for _, o := range k.Topo.LLCs[k.Topo.CPUs[c].LLC] {
		if k.Topo.CoreOf(o) != k.Topo.CoreOf(c) {
			others = append(others, o)
		}
	}
	if len(others) == 0 {
		return c
	}
	return others[k.Random().Intn(int64(len(others)))]
}

// Step runs half a round. Frame locals: A which task, B what comes next (0
// write, 1 read), T system calls done.
func (s *schedPipe) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	if f.Step == 0 {
		f.Step = 1
		return k.Work(c, s.work)
	}
	f.Step = 0
	if f.T == 2*s.loops {
		return k.TaskExit(c)
	}
	f.T++
	next := f.B
	f.B = 1 - next
	if next == 0 {
		return k.PipeWrite(c, s.pipes[f.A], schedPipeBytes)
	}
	return k.PipeRead(c, s.pipes[1-f.A], schedPipeBytes)
}

// Done counts whole rounds.
func (s *schedPipe) Done(k *kernel.Kernel) int64 { return k.Count().Messages / 2 }

// Total returns the rounds asked for.
func (s *schedPipe) Total() int64 { return s.loops }

// Output is perf's default format.
func (s *schedPipe) Output(_ *kernel.Kernel, rate float64) string {
	who := "processes"
	if s.threads {
		who = "threads"
	}
	ms := int64(float64(s.loops) / rate * 1000)
	return fmt.Sprintf("# Running 'sched/pipe' benchmark:\n# Executed %d pipe operations between two %s\n\n %14s: %d.%03d [sec]\n\n %14f usecs/op\n %14d ops/sec\n",
		s.loops, who, "Total time", ms/1000, ms%1000, 1e6/rate, int64(rate))
}
