package workload

import (
	"errors"
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// ilb is the scene of the idle-load-balance mails: one compute thread per CPU
// that never sleeps, until NUMA balancing moves one: its CPU idles from then
// on, another has two threads.
type ilb struct {
	idle, double topo.CPUID
	chunks       int64 // that each thread computes
	cpus         int64
}

// RoleCompute is the role of ilb's threads.
const RoleCompute = 0

// computeChunk is how long a thread computes between two steps.
const computeChunk = simtime.Millisecond

func newIlb(v []param.Value, t *topo.Topology) *ilb {
	return &ilb{idle: topo.CPUID(v[IlbIdle].N), double: topo.CPUID(v[IlbDouble].N),
		chunks: v[IlbWork].N / int64(computeChunk), cpus: int64(t.N())}
}

func checkIlb(v []param.Value, t *topo.Topology) error {
	var errs []error
	for _, p := range []Param{IlbIdle, IlbDouble} {
		if v[p].N >= int64(t.N()) {
			errs = append(errs, fmt.Errorf("%s: %d: this machine's CPUs are 0-%d", Defs[p].Key, v[p].N, t.N()-1))
		}
	}
	if v[IlbIdle].N == v[IlbDouble].N {
		errs = append(errs, fmt.Errorf("%s: %d is %s too: one CPU cannot be idle and have two threads", Defs[IlbIdle].Key, v[IlbIdle].N, Defs[IlbDouble].Key))
	}
	return errors.Join(errs...)
}

// Start places a thread on each CPU; they may be moved. The CPU that will idle
// has not balanced for long: the first balance on its behalf is due.
func (s *ilb) Start(k *kernel.Kernel) {
	k.BalanceOverdue(s.idle)
	for c := range topo.CPUID(k.Topo.N()) {
		start := kernel.Frame{}
		if c == s.idle {
			start.A = 1
		}
		k.StartTask(k.NewTask(fmt.Sprintf("compute-%d", c), k.NewMM(c), RoleCompute, c, false, start), 0)
	}
}

// Step computes for a while. A: whether to move first, T: chunks done.
func (s *ilb) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	if f.A != 0 {
		f.A = 0
		return k.MigrateTaskTo(c, s.double)
	}
	if f.Step != 0 {
		f.T++
		k.Count().Chunks++
	}
	f.Step = 1
	if f.T == s.chunks {
		return k.TaskExit(c)
	}
	return k.Work(c, computeChunk)
}

// Done counts the chunks that all threads have computed.
func (s *ilb) Done(k *kernel.Kernel) int64 { return k.Count().Chunks }

// Total returns the chunks of all threads: one a CPU.
func (s *ilb) Total() int64 { return s.chunks * s.cpus }

// Output says what was pulled; the scene has no program to print anything.
func (s *ilb) Output(k *kernel.Kernel, _ float64) string {
	n := k.Count()
	return fmt.Sprintf("kicks %d, tasks pulled by load balance %d, by newidle balance %d\n", n.NohzKicks, n.BalancePulled, n.NewidlePulled)
}
