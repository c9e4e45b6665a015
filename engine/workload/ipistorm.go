package workload

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// ipistorm mirrors the modified ipistorm module of the SM_IDLE mails: one
// bound kernel thread per listed CPU makes a fixed number of calls of an empty
// function on another CPU, or on all others, one after another. The module's
// start barrier is left out: all threads start at instant 0.
type ipistorm struct {
	calls        int64
	single, wait bool
	offset, mask int32
	delay        kernel.Duration
	cpus         []topo.CPUID
	writers      int32
}

// RoleCaller and RoleWriter are ipistorm's roles.
const (
	RoleCaller = iota
	RoleWriter
)

func newIpistorm(v []param.Value, t *topo.Topology) *ipistorm {
	cpus, err := callers(v, t)
	if err != nil {
		panic("workload: unchecked CPU list: " + err.Error())
	}
	return &ipistorm{
		calls: v[IpistormNumIPI].N, single: v[IpistormSingle].N != 0, wait: v[IpistormWait].N != 0,
		offset: int32(v[IpistormOffset].N), mask: int32(v[IpistormMask].N), delay: kernel.Duration(v[IpistormDelay].N),
		cpus: cpus, writers: int32(v[IpistormWriters].N),
	}
}

// callers returns the CPUs that call, in order; an empty list is all of them.
func callers(v []param.Value, t *topo.Topology) ([]topo.CPUID, error) {
	list := v[IpistormCPUs].S
	if list == "" {
		list = fmt.Sprintf("0-%d", t.N()-1)
	}
	cpus, err := parseCPUs(Defs[IpistormCPUs].Key, list, t, t.N())
	slices.Sort(cpus)
	return slices.Compact(cpus), err
}

func checkIpistorm(v []param.Value, t *topo.Topology) error {
	var errs []error
	cpus, err := callers(v, t)
	if err != nil {
		errs = append(errs, err)
	}
	if n := len(cpus) * t.N(); v[IpistormSingle].N == 0 && n > maxCallPairs {
		errs = append(errs, fmt.Errorf("ipistorm.single: off with %d callers on %d CPUs makes %d pairs: at most %d; shorten ipistorm.cpulist", len(cpus), t.N(), n, maxCallPairs))
	}
	if v[IpistormWriters].N > int64(t.N()) {
		errs = append(errs, fmt.Errorf("ipistorm.writers: %d on %d CPUs: at most one a CPU", v[IpistormWriters].N, t.N()))
	}
	return errors.Join(errs...)
}

// maxCallPairs bounds the csds of calls to many CPUs.
const maxCallPairs = 1 << 17

// target is the CPU that a single call from CPU c goes to, out of n online
// ones. With a mask, CPUs call within groups of that size.
func (s *ipistorm) target(c topo.CPUID, n int) topo.CPUID {
	if s.mask != 0 {
		return (c&^s.mask + (c+s.offset)&s.mask) % int32(n)
	}
	return (c + s.offset) % int32(n)
}

// Start binds one thread to each listed CPU, and writers to CPUs whose cores
// take no part in the calls.
func (s *ipistorm) Start(k *kernel.Kernel) {
	t := k.Topo
	busy := make([]bool, len(t.Cores))
	for _, c := range s.cpus {
		id := k.NewTask(fmt.Sprintf("ipistorm/%d", c), -1, RoleCaller, c, true, kernel.Frame{A: s.target(c, t.N())})
		k.StartTask(id, 0)
		if !s.single {
			k.UseCallMany(c)
		}
		busy[t.CoreOf(c)] = true
		busy[t.CoreOf(s.target(c, t.N()))] = true
	}
	left := s.writers
	for i := t.N() - 1; i >= 0 && left > 0; i-- {
		if c := topo.CPUID(i); !busy[t.CoreOf(c)] {
			busy[t.CoreOf(c)] = true
			id := k.NewTask(fmt.Sprintf("writer/%d", c), -1, RoleWriter, c, true, kernel.Frame{A: -1})
			k.StartTask(id, 0)
			left--
		}
	}
	s.writers -= left
}

// Step makes one call. A target, -1 a writer; T calls made.
func (s *ipistorm) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	if f.A < 0 {
		if k.Live() <= int64(s.writers) {
			return k.TaskExit(c)
		}
		return k.WriteContended(c)
	}
	switch f.Step {
	case 0:
		if f.T == s.calls {
			return k.TaskExit(c)
		}
		f.T++
		f.Step = 1
		if !s.single {
			return k.SmpCallFunctionMany(c, s.wait)
		}
		return k.SmpCallFunctionSingle(c, f.A, s.wait)
	case 1:
		f.Step = 0
		if s.delay > 0 {
			return k.Sleep(c, s.delay)
		}
		return k.ExitToUser(c) // cond_resched
	}
	panic("workload: no such step of ipistorm")
}

// Done counts finished calls.
func (s *ipistorm) Done(k *kernel.Kernel) int64 { return k.Count().Calls }

// Total returns the calls of all threads.
func (s *ipistorm) Total() int64 { return s.calls * int64(len(s.cpus)) }

// Output is the elapsed time, which the modified module reports; its format
// is not published.
func (s *ipistorm) Output(k *kernel.Kernel, rate float64) string {
	var b strings.Builder
	for _, c := range s.cpus {
		if s.single {
			fmt.Fprintf(&b, "ipistorm: %d -> %d\n", c, s.target(c, k.Topo.N()))
		} else {
			fmt.Fprintf(&b, "ipistorm: %d -> all\n", c)
		}
	}
	ns := float64(s.Total()) / rate * 1e9
	fmt.Fprintf(&b, "ipistorm: %d calls in %.0f ns, %.1f ns a call", s.Total(), ns, ns/float64(s.calls))
	if n := len(s.cpus); n > 1 {
		fmt.Fprintf(&b, " of each of %d threads", n)
	}
	b.WriteByte('\n')
	return b.String()
}
