package workload

import (
	"wakelab/engine/param"
	"wakelab/engine/simtime"
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
	SchedPipeLoops
	SchedPipeThreads
	SchedPipeCPUs
	SchedPipeBind
	SchedPipeWork
	NumParams
)

// Kinds of workload, as Options of Kind.
const (
	KindHackbench = iota
	KindSchedPipe
)

const maxLoops = 100_000_000

func count(key, title, unit string, def, min, max int64, help, source string) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Int, Unit: unit, Default: def, Min: min, Max: max,
		Help: help, Source: source, Confidence: param.Choice, Public: true}
}

func flag(key, title string, help, source string) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Bool, Max: 1, Help: help, Source: source, Confidence: param.Choice, Public: true}
}

// userWork is the time a program's own code takes between two system calls.
func userWork(key string, def simtime.Duration, help, source string) param.Def {
	return param.Def{Key: key, Title: "User work", Kind: param.Duration, Default: int64(def), Min: 1000, Max: int64(100 * simtime.Millisecond),
		Help: help, Source: source, Confidence: param.Guess, Public: true}
}

func cpuList(key, help, source string) param.Def {
	return param.Def{Key: key, Title: "CPUs", Kind: param.Text, Max: 4 * topo.MaxCPUs, Help: help, Source: source, Confidence: param.Choice, Public: true}
}

// Sources of the programs' options.
const (
	srcHackbench = "hackbench(8), rt-tests"
	srcSchedPipe = "perf bench sched pipe, tools/perf/bench/sched-pipe.c of v6.12"
)

// Defs describes the workloads' parameters.
var Defs = [NumParams]param.Def{
	Kind: {Key: "workload", Title: "Workload", Kind: param.Enum, Options: []string{"hackbench", "sched-pipe"}, Max: KindSchedPipe,
		Help: "Which program runs.", Source: "choice", Confidence: param.Choice, Public: true},

	HackbenchGroups:  count("hackbench.groups", "Groups (-g)", "groups", 10, 1, 400, "Independent groups of senders and receivers.", srcHackbench),
	HackbenchFDs:     count("hackbench.fds", "Receivers per group (-f)", "tasks", 20, 1, 200, "Receivers, and senders, of each group; every sender writes to every receiver.", srcHackbench),
	HackbenchLoops:   count("hackbench.loops", "Loops (-l)", "rounds", 100, 1, maxLoops, "Rounds of each sender: one message to each receiver.", srcHackbench),
	HackbenchSize:    count("hackbench.size", "Message size (-s)", "bytes", 100, 1, 4096, "Bytes of a message.", srcHackbench),
	HackbenchThreads: flag("hackbench.threads", "Threads", "--threads: all tasks share one mm and file table; otherwise each is a process.", srcHackbench),
	HackbenchWork:    userWork("hackbench.user_work", 15*simtime.Nanosecond, "hackbench's own code between two system calls.", "guess: a loop around read or write"),
	HackbenchCredit: {Key: "hackbench.start_credit", Title: "Senders' credit at the start", Kind: param.Duration, Max: int64(24 * simtime.Millisecond),
		Help:   "Virtual time that senders start behind receivers. A long run accumulates such credit; starting with some shortens the way to the settled state, and starting without shows the way.",
		Source: "choice of the starting state", Confidence: param.Choice, Public: true},

	SchedPipeLoops:   count("schedpipe.loops", "Loops (-l)", "operations", 1_000_000, 1, maxLoops, "Round trips of the 4-byte message.", srcSchedPipe),
	SchedPipeThreads: flag("schedpipe.threads", "Threads (-T)", "Two threads of one process instead of two processes.", srcSchedPipe),
	SchedPipeCPUs:    cpuList("schedpipe.cpus", "Empty: the scheduler places both tasks. One CPU: both are bound to it. Two: the writer of the first message to the first, the other task to the second.", "taskset(1); mmtests binds with it"),
	SchedPipeBind: {Key: "schedpipe.bind", Title: "Bind", Kind: param.Bool, Default: 1, Max: 1,
		Help: "The tasks stay on schedpipe.cpus; off: they only start there.", Source: "taskset(1)", Confidence: param.Choice, Public: true},
	SchedPipeWork: userWork("schedpipe.user_work", 8*simtime.Nanosecond, "The benchmark's own code between two system calls.", "guess: a loop around read and write"),
}
