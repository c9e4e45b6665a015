// Package workload holds the user programs that run on the simulated kernel.
package workload

import (
	"errors"
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// Param indexes the workloads' parameters.
type Param int

// Workload parameters.
const (
	Kind Param = iota
	HackbenchGroups
	HackbenchFDs
	HackbenchLoops
	HackbenchSize
	HackbenchThreads
	HackbenchWork
	HackbenchCredit
	NumParams
)

// Kinds of workload, as Options of Kind.
const (
	KindHackbench = iota
)

func count(key, title, unit string, def, min, max int64, help, source string) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Int, Unit: unit, Default: def, Min: min, Max: max,
		Help: help, Source: source, Confidence: param.Choice, Public: true}
}

const srcHackbench = "hackbench(8), rt-tests"

// Defs describes the workloads' parameters.
var Defs = [NumParams]param.Def{
	Kind: {Key: "workload", Title: "Workload", Kind: param.Enum, Options: []string{"hackbench"}, Max: 0,
		Help: "Which program runs.", Source: "choice", Confidence: param.Choice, Public: true},
	HackbenchGroups: count("hackbench.groups", "Groups (-g)", "groups", 10, 1, 400, "Independent groups of senders and receivers.", srcHackbench),
	HackbenchFDs:    count("hackbench.fds", "Receivers per group (-f)", "tasks", 20, 1, 200, "Receivers, and senders, of each group; every sender writes to every receiver.", srcHackbench),
	HackbenchLoops:  count("hackbench.loops", "Loops (-l)", "rounds", 100, 1, 100000000, "Rounds of each sender: one message to each receiver.", srcHackbench),
	HackbenchSize:   count("hackbench.size", "Message size (-s)", "bytes", 100, 1, 4096, "Bytes of a message.", srcHackbench),
	HackbenchThreads: {Key: "hackbench.threads", Title: "Threads", Kind: param.Bool, Default: 0, Max: 1,
		Help: "--threads: all tasks share one mm and file table; otherwise each is a process.", Source: srcHackbench, Confidence: param.Choice, Public: true},
	HackbenchWork: {Key: "hackbench.user_work", Title: "User work per message", Kind: param.Duration, Default: 15000, Min: 1000, Max: 1000000,
		Help: "hackbench's own code between two system calls.", Source: "guess: a loop around read or write", Confidence: param.Guess, Public: true},
	HackbenchCredit: {Key: "hackbench.start_credit", Title: "Senders' credit at the start", Kind: param.Duration, Max: 24000000000,
		Help:   "Virtual time that senders start behind receivers. A long run accumulates such credit; starting with some shortens the way to the settled state, and starting without shows the way.",
		Source: "choice of the starting state", Confidence: param.Choice, Public: true},
}

// Check reports values that do not fit together or do not fit the machine.
func Check(v []param.Value, t *topo.Topology) error {
	var errs []error
	if v[Kind].N == KindHackbench {
		if tasks := 2 * v[HackbenchGroups].N * v[HackbenchFDs].N; tasks > maxTasks {
			errs = append(errs, fmt.Errorf("hackbench.groups: %d x hackbench.fds %d makes %d tasks: at most %d", v[HackbenchGroups].N, v[HackbenchFDs].N, tasks, maxTasks))
		}
	}
	return errors.Join(errs...)
}

// maxTasks bounds the memory of a run.
const maxTasks = 20000

// New returns the program that the values ask for.
func New(v []param.Value) kernel.Program {
	return newHackbench(v)
}
