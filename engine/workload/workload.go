// Package workload holds the user programs that run on the simulated kernel.
package workload

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// Program is a user program. What it does is counted in units of its own:
// messages, operations, requests.
type Program interface {
	kernel.Program
	// Done returns how many units a run has done.
	Done(k *kernel.Kernel) int64
	// Total returns how many units end the program; 0 if only time does.
	Total() int64
	// Output is what the program prints at its end if it does rate units a
	// second.
	Output(k *kernel.Kernel, rate float64) string
}

// Check reports values that do not fit together or do not fit the machine.
func Check(v []param.Value, t *topo.Topology) error {
	switch v[Kind].N {
	case KindHackbench:
		if tasks := 2 * v[HackbenchGroups].N * v[HackbenchFDs].N; tasks > maxTasks {
			return fmt.Errorf("hackbench.groups: %d x hackbench.fds %d makes %d tasks: at most %d", v[HackbenchGroups].N, v[HackbenchFDs].N, tasks, maxTasks)
		}
	case KindSchbench:
		if tasks := newSchbench(v, t).tasks(); tasks > maxTasks {
			return fmt.Errorf("schbench.workers: %d for each of schbench.messages %d makes %d tasks: at most %d", v[SchbenchWorkers].N, v[SchbenchMessages].N, tasks, maxTasks)
		}
	case KindSchedPipe:
		_, err := parseCPUs(Defs[SchedPipeCPUs].Key, v[SchedPipeCPUs].S, t, 2)
		return err
	case KindIpistorm:
		return checkIpistorm(v, t)
	case KindIlb:
		return checkIlb(v, t)
	}
	return nil
}

// maxTasks bounds the memory of a run.
const maxTasks = 20000

// New returns the program that the values ask for; they must have passed
// Check on topology t.
func New(v []param.Value, t *topo.Topology) Program {
	switch v[Kind].N {
	case KindSchedPipe:
		return newSchedPipe(v, t)
	case KindSchbench:
		return newSchbench(v, t)
	case KindTbench:
		return newTbench(v)
	case KindNetperf:
		return newNetperf(v)
	case KindCompute:
		return newCompute(v, t)
	case KindIdle:
		return idle{}
	case KindIpistorm:
		return newIpistorm(v, t)
	case KindIlb:
		return newIlb(v, t)
	}
	return newHackbench(v)
}

// parseCPUs reads a CPU list such as "0-3,64" for parameter key; it may name
// at most limit CPUs of t.
func parseCPUs(key, text string, t *topo.Topology, limit int) ([]topo.CPUID, error) {
	var cpus []topo.CPUID
	var errs []error
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		switch {
		case errA != nil || errB != nil || a > b:
			errs = append(errs, fmt.Errorf("%s: %q is not a CPU or a range of CPUs such as 0-3", key, part))
			continue
		case b >= t.N():
			errs = append(errs, fmt.Errorf("%s: CPU %d: the machine has CPUs 0 to %d", key, b, t.N()-1))
			continue
		}
		for c := a; c <= b; c++ {
			cpus = append(cpus, topo.CPUID(c))
		}
	}
	if len(cpus) > limit {
		errs = append(errs, fmt.Errorf("%s: %q names %d CPUs: at most %d", key, text, len(cpus), limit))
	}
	return cpus, errors.Join(errs...)
}
