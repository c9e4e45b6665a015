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
	SchbenchMessages
	SchbenchWorkers
	SchbenchSleep
	SchbenchWork
	SchbenchUneven
	SchbenchRuntime
	TbenchClients
	TbenchRequest
	TbenchResponse
	TbenchClientWork
	TbenchServerWork
	NetperfPairs
	NetperfRequest
	NetperfResponse
	NetperfWork
	ComputeThreads
	ComputeLoops
	ComputeWork
	ComputeUneven
	ComputeSpin
	ComputeBind
	IpistormNumIPI
	IpistormSingle
	IpistormOffset
	IpistormMask
	IpistormCPUs
	IpistormWait
	IpistormDelay
	IpistormWriters
	IlbIdle
	IlbDouble
	IlbWork
	NumParams
)

// Kinds of workload, as Options of Kind.
const (
	KindHackbench = iota
	KindSchedPipe
	KindSchbench
	KindTbench
	KindNetperf
	KindCompute
	KindIdle
	KindIpistorm
	KindIlb
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

func unevenness(key string, def int64, source string) param.Def {
	return param.Def{Key: key, Title: "Unevenness", Kind: param.Permille, Default: def, Max: 1000,
		Help: "A computation is longer or shorter by up to this share, evenly spread.", Source: source, Confidence: param.Guess, Public: true}
}

func cpuList(key, help, source string) param.Def {
	return param.Def{Key: key, Title: "CPUs", Kind: param.Text, Max: 4 * topo.MaxCPUs, Help: help, Source: source, Confidence: param.Choice, Public: true}
}

// Sources of the programs' options.
const (
	srcHackbench = "hackbench(8), rt-tests"
	srcSchedPipe = "perf bench sched pipe, tools/perf/bench/sched-pipe.c of v6.12"
	srcSchbench  = "schbench: git.kernel.org/pub/scm/linux/kernel/git/mason/schbench.git"
	srcTbench    = "tbench of dbench 4: dbench.samba.org"
	srcNetperf   = "netperf TCP_RR: hewlettpackard.github.io/netperf"
	srcCompute   = "NAS parallel benchmarks, OpenMP: barriers of GNU libgomp"
	srcIpistorm  = "github.com/antonblanchard/ipistorm; numipi as used in lore.kernel.org/lkml/20240710090210.41856-4-kprateek.nayak@amd.com"
	srcIlb       = "scene of lore.kernel.org/lkml/20240710090210.41856-1-kprateek.nayak@amd.com"
)

// Defs describes the workloads' parameters.
var Defs = [NumParams]param.Def{
	Kind: {Key: "workload", Title: "Workload", Kind: param.Enum, Options: []string{"hackbench", "sched-pipe", "schbench", "tbench", "netperf", "compute", "idle", "ipistorm", "ilb"}, Max: KindIlb,
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

	SchbenchMessages: count("schbench.messages", "Message threads (-m)", "threads", 1, 1, 64, "Threads that wake workers.", srcSchbench),
	SchbenchWorkers:  count("schbench.workers", "Workers each (-t)", "threads", 0, 0, 2048, "Workers of each message thread; 0: one for each CPU in all.", srcSchbench),
	SchbenchSleep: {Key: "schbench.sleep", Title: "Sleep", Kind: param.Duration, Default: int64(100 * simtime.Microsecond), Min: 1000, Max: int64(simtime.Second),
		Help: "A worker sleeps this long, as if for the network, before it computes.", Source: srcSchbench, Confidence: param.Choice, Public: true},
	SchbenchWork:   userWork("schbench.work", 5*simtime.Millisecond, "A worker's computation of one request: five multiplications of matrices that fill 256 kB (-n 5 -F 256).", "guess: five times 1.1 million multiply-adds at about 1 ns"),
	SchbenchUneven: unevenness("schbench.uneven", 200, "guess: caches and memory make the same multiplications take longer or shorter"),
	SchbenchRuntime: {Key: "schbench.runtime", Title: "Run time (-r)", Kind: param.Duration, Default: int64(30 * simtime.Second), Min: int64(simtime.Millisecond), Max: int64(600 * simtime.Second),
		Help: "When the program ends.", Source: srcSchbench, Confidence: param.Choice, Public: true},

	TbenchClients:    count("tbench.clients", "Clients", "clients", 64, 1, 4096, "Clients, each with a server process of its own.", srcTbench),
	TbenchRequest:    count("tbench.request", "Request", "bytes", 300, 1, 65536, "Bytes of a request.", "guess: a mean over dbench's load file, whose calls are mostly short"),
	TbenchResponse:   count("tbench.response", "Response", "bytes", 900, 1, 65536, "Bytes of a response.", "guess: see tbench.request"),
	TbenchClientWork: userWork("tbench.client_work", 1500*simtime.Nanosecond, "A client's own code between two operations.", "guess: reading a line of the load file"),
	TbenchServerWork: userWork("tbench.server_work", 1*simtime.Microsecond, "The server's own code for an operation.", "guess: tbench_srv does no file operations"),

	NetperfPairs:    count("netperf.pairs", "Pairs", "pairs", 1, 1, 4096, "netperf and netserver processes.", srcNetperf),
	NetperfRequest:  count("netperf.request", "Request (-r)", "bytes", 1, 1, 65536, "Bytes of a request.", srcNetperf),
	NetperfResponse: count("netperf.response", "Response (-r)", "bytes", 1, 1, 65536, "Bytes of a response.", srcNetperf),
	NetperfWork:     userWork("netperf.user_work", 50*simtime.Nanosecond, "netperf's own code between two system calls.", "guess"),

	ComputeThreads: count("compute.threads", "Threads", "threads", 0, 0, 4096, "Threads; 0: one for each CPU.", srcCompute),
	ComputeLoops:   count("compute.loops", "Rounds", "rounds", 1000, 1, maxLoops, "Barriers that each thread passes.", srcCompute),
	ComputeWork:    userWork("compute.work", simtime.Millisecond, "A thread's computation between two barriers.", "guess: NAS kernels have 0.1 to 10 ms"),
	ComputeUneven:  unevenness("compute.uneven", 20, "guess: the threads of a NAS loop have equal shares"),
	ComputeSpin: {Key: "compute.spin", Title: "Spin at the barrier", Kind: param.Duration, Max: int64(simtime.Second),
		Help: "A thread spins this long before it sleeps; 0 is OMP_WAIT_POLICY=passive.", Source: srcCompute, Confidence: param.Choice, Public: true},
	ComputeBind: flag("compute.bind", "Bind", "Each thread stays on one CPU.", "taskset(1), OMP_PROC_BIND"),

	IpistormNumIPI:  count("ipistorm.numipi", "Calls (numipi)", "calls", 100_000, 1, maxLoops, "Calls that each thread makes.", srcIpistorm),
	IpistormSingle:  flag("ipistorm.single", "One target (single)", "Each call goes to one CPU; off: to all other CPUs at once.", srcIpistorm),
	IpistormOffset:  count("ipistorm.offset", "Offset", "CPUs", 1, 0, topo.MaxCPUs-1, "A single call goes to this many CPUs further, wrapping at the number of CPUs. If that is the caller itself, the function runs at once, without the queue.", srcIpistorm),
	IpistormMask:    count("ipistorm.mask", "Mask", "", 0, 0, topo.MaxCPUs-1, "Targets wrap within groups of mask + 1 CPUs; 0 is no mask.", srcIpistorm),
	IpistormCPUs:    cpuList("ipistorm.cpulist", "CPUs that call; empty is all.", srcIpistorm),
	IpistormWait:    {Key: "ipistorm.wait", Title: "Wait", Kind: param.Bool, Default: 1, Max: 1, Help: "A call returns when the function has run. Off: it returns once it is queued, and the next one first waits for the caller's one csd.", Source: srcIpistorm, Confidence: param.Choice, Public: true},
	IpistormDelay:   {Key: "ipistorm.delay", Title: "Delay", Kind: param.Duration, Max: int64(simtime.Second), Help: "Sleep between two calls; the module takes us.", Source: srcIpistorm, Confidence: param.Choice, Public: true},
	IpistormWriters: count("ipistorm.writers", "Writers", "CPUs", 0, 0, topo.MaxCPUs, "CPUs that write the line which flush_flag=beside_contended shares, without a pause. Part of the scene, not of the module.", "scene setting"),

	IlbIdle:   count("ilb.idle_cpu", "Idle CPU", "", 0, 0, topo.MaxCPUs-1, "The CPU without a thread.", srcIlb),
	IlbDouble: count("ilb.double_cpu", "CPU with two threads", "", 1, 0, topo.MaxCPUs-1, "The CPU that could give one away.", srcIlb),
	IlbWork:   {Key: "ilb.work", Title: "Work", Kind: param.Duration, Default: int64(simtime.Second), Min: int64(simtime.Millisecond), Max: int64(100 * simtime.Second), Help: "How long each thread computes, in whole ms.", Source: srcIlb, Confidence: param.Choice, Public: true},
}
