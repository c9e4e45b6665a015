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

// parseCPUs reads a CPU list for parameter key as the kernel's
// bitmap_parselist does: "0-3,64", "all", N for the last CPU, and "0-31:2/8" for
// the first two of every eight. It may name at most limit CPUs of t, and only
// an empty text may name none.
func parseCPUs(key, text string, t *topo.Topology, limit int) ([]topo.CPUID, error) {
	var cpus []topo.CPUID
	var errs []error
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		r, ok := parseRegion(part, t.N()-1)
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%s: %.40q is not a CPU, a range of CPUs such as 0-3 or 0-31:2/8, N or all", key, part))
			continue
		case r.last >= t.N():
			errs = append(errs, fmt.Errorf("%s: CPU %d: the machine has CPUs 0 to %d", key, r.last, t.N()-1))
			continue
		}
		for c := r.first; c <= r.last; c++ {
			if (c-r.first)%r.group < r.used {
				cpus = append(cpus, topo.CPUID(c))
			}
		}
	}
	switch {
	case len(cpus) > limit:
		errs = append(errs, fmt.Errorf("%s: %q names %d CPUs: at most %d", key, text, len(cpus), limit))
	case len(cpus) == 0 && text != "" && errs == nil:
		errs = append(errs, fmt.Errorf("%s: %q names no CPU: give a list such as 0-3, or nothing", key, text))
	}
	return cpus, errors.Join(errs...)
}

// region is the first used CPUs of every group from first to last.
type region struct{ first, last, used, group int }

// parseRegion reads one part of a CPU list; N is the CPU end.
func parseRegion(text string, end int) (r region, ok bool) {
	span, pattern, hasPattern := strings.Cut(text, ":")
	first, last, isRange := strings.Cut(span, "-")
	if !isRange {
		last = first
	}
	if strings.EqualFold(span, "all") {
		first, last = "0", "N"
	}
	r.used, r.group = 1, 1
	ok = true
	number := func(text string, to *int) {
		n, err := strconv.Atoi(text)
		if text == "N" {
			n, err = end, nil
		}
		*to, ok = n, ok && err == nil && n >= 0
	}
	number(first, &r.first)
	number(last, &r.last)
	if hasPattern {
		used, group, _ := strings.Cut(pattern, "/")
		number(used, &r.used)
		number(group, &r.group)
	}
	return r, ok && r.first <= r.last && r.group > 0 && r.used <= r.group
}
