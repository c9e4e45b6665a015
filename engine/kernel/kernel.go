package kernel

import (
	"fmt"
	"slices"
	"strings"

	"wakelab/engine/des"
	"wakelab/engine/hw"
	"wakelab/engine/param"
	"wakelab/engine/rng"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
	"wakelab/engine/view"
)

// Short names of the types used everywhere here.
type (
	CPUID    = topo.CPUID
	Time     = simtime.Time
	Duration = simtime.Duration
	// TaskID indexes tasks; 0..N-1 are the CPUs' idle tasks.
	TaskID = int32
)

const none = int32(-1)

// The kernel's own threads of CPU c have the PIDs from firstKthreadPID +
// c*kthreadPIDs on.
const (
	firstKthreadPID = 16
	kthreadPIDs     = 6
)

// Program is the workload: it creates tasks and steps their own code.
type Program interface {
	// Start creates the tasks, pipes and mms of the run.
	Start(k *Kernel)
	// Step runs one step of an FnUser frame.
	Step(k *Kernel, c CPUID, f *Frame) Duration
}

// cpu is a logical CPU's state, apart from its runqueue. What every event
// touches comes first.
type cpu struct {
	since      Time     // time is accounted up to here
	debt       Duration // time to add to the next delay
	sp         int32    // stack pointer: index of the current task's top frame
	curr       TaskID
	ret        int32
	fn         uint16 // what the time since `since` is accounted to
	state      view.State
	parked     uint8
	irqsOff    uint8
	hardirq    uint8
	softirq    uint8
	preempt    uint8
	resched    uint8 // tifNeedResched and preemptNeedResched of the current task
	polling    uint8 // TIF_POLLING_NRFLAG of the idle task
	notifyIPI  uint8 // TIF_NOTIFY_IPI of the idle task
	inState    uint8
	idleState  uint8 // POLL, C1 or C2 while parked in it
	tickOff    uint8 // the tick is stopped
	intervalAt uint8
	nohzFlags  uint8
	nohzWork   uint8 // rq->nohz_idle_balance: what the SCHED softirq has to do
	idleBal    uint8 // rq->idle_balance
	inFlush    uint8 // the per-CPU flag of the FlushFlag feature
	online     uint8
	nextOSQ    int32
	nextWaiter int32
	stateTime  [view.NumStates]Duration
	vectors    uint32 // interrupts arrived and not taken
	softirqs   uint32 // pending softirqs
	csdHead    int32  // call_single_queue, newest first; -1 empty
	hrtimer    TaskID // first sleeping task; -1 none
	timerWork  int32
	pad2       int32
	tickAt     Time // local timer: next tick, or simtime.Never
	idleAt     Time // entry into the current idle state
	hrtimerAt  Time // earliest sleeper of this CPU
	predicted  Duration
	idleUsage  [3]int64 // entries into POLL, C1, C2
	ipiAt      [maxInFlight]Time
	ipiVector  [maxInFlight]uint8
	intervals  [8]int64 // menu governor: last idle spans in us
	_          [5]int64 // up to a multiple of 64 bytes: what each event touches stays one cache line of the host
}

const maxInFlight = 8

// Task states.
const (
	taskRunning = iota
	taskInterruptible
	taskUninterruptible
	taskWaking
	taskMigrating
	taskDead
)

// task mirrors task_struct and its sched_entity.
type task struct {
	sp           int32 // stack pointer while it does not run: index of its top frame
	cpu          int32
	vruntime     Duration
	deadline     Duration // EEVDF: virtual deadline of its request
	vlag         Duration // EEVDF: what it was owed when it left its queue; the deadline at pick while it is current
	sumExec      Duration
	prevSumExec  Duration // sumExec when it was last picked
	execStart    Time
	wakeAt       Time // hrtimer expiry of a sleeper
	wokenAt      Time
	marks        [numMarks]Time // of the wakeup under way
	flipsAt      Time           // wakee_flip_decay_ts
	mayMigrateAt Time           // next_migration_time of the migration limit
	sleptAt      Time
	avg          avg
	utilEst      int64  // util_est.enqueued: utilization when it last went to sleep, with utilAvgUnchanged
	utilEWMA     int64  // util_est.ewma
	next         TaskID // runqueue list, by vruntime
	prev         TaskID
	wqNext       TaskID
	wqPrev       TaskID
	wq           int32 // wait queue it is on; -1 none
	timerNext    TaskID
	lastWakee    TaskID
	flips        int32
	recentCPU    int32 // recent_used_cpu
	wakeCPU      int32
	mm           int32 // -1 kernel thread
	line         hw.LineID
	csdNext      int32 // wake_entry in a call_single_queue
	allowed      int32 // the one CPU it is pinned to; -1 any
	wakerCPU     int32 // who woke it last
	role         int32 // the workload's: which part it plays
	piLock       lockID
	lineSe       hw.LineID // the rest of the task that a wakeup and a switch touch
	lineStack    hw.LineID // top of the kernel stack and what maps it
	lineThread   hw.LineID // registers and working set that the task needs to go on
	state        uint8
	onRq         uint8
	onCPU        uint8
	migrated     uint8
	kthread      uint8
	onOSQ        uint8
	mmHeld       uint8
	contributes  uint8 // its average is attached to rq of cpu
}

// Counters count what the run did, since its start.
type Counters struct {
	Events         int64
	Switches       int64 // a task other than idle leaves a CPU, as perf counts for the workload
	Migrations     int64
	WakeMigrations int64
	IdleEntries    int64 // sched_goidle: switches to the idle task
	Wakeups        int64
	WakeupsByRole  [8]int64
	OnWakersCPU    int64
	IPIs           int64
	ReschedIPIs    int64
	CallIPIs       int64
	PolledWakes    int64
	NoNotify       int64 // pushes onto a non-empty queue or with NEED_RESCHED set
	WakelistWakes  int64
	SpuriousIRQs   int64
	Preemptions    int64
	PreemptPairs   [16]int64 // by PreemptPair
	PreemptWaker   int64     // of them on the CPU that woke
	RaceWakes      int64     // ttwu_runnable: prevented sleeps
	RaceHeld       int64     // ps that these held the runqueue lock
	Newidle        int64
	NewidlePulled  int64
	NewidleGated   int64
	BalancePulled  int64
	Messages       int64
	Ticks          int64
	MutexSleeps    int64
	SpuriousWakes  int64 // woken pipe waiters that found nothing to do
	Calls          int64 // finished smp_call_function calls of the workload
	Chunks         int64 // stretches of computation that the workload has finished
	WakeLatency    int64 // ps, summed over wakeups: wakeup to running
	NohzKicks      int64
	IdleScans      int64
	IdleScanned    int64
	LagPs          [8]int64 // vruntime behind min_vruntime at wakeup, by role
	TgUpdates      int64    // atomic adds to tg->load_avg
}

// PreemptPair is where PreemptPairs counts how often a task of one role that ran
// was preempted by a woken one of another. Roles are below 4.
func PreemptPair(runs, by int32) int32 { return 4*runs + by }

// clock is the run's scalar state.
type clock struct {
	Now       Time
	DoneAt    Time
	Live      int64 // tasks of the workload that still run
	MeasureAt Time  // statistics count from here: 0, or where a settled state was taken up or they were forgotten
}

// Kernel is the machine with the kernel running on it.
type Kernel struct {
	Topo *topo.Topology
	Mem  *hw.Mem

	costs [2][NumCosts]Duration // with the SMT sibling idle, busy
	feat  [NumFeatures]int64
	hwv   []int64
	prog  Program

	// Everything below is state: plain slices of plain structs.
	clk      []clock
	count    []Counters
	prof     []Duration // by Fn
	steps    des.Queue  // CPUs' next steps
	arrivals des.Queue  // CPUs' next interrupt or timer
	cpus     []cpu
	rqs      []rq
	llcs     []llcShared
	coreBusy []int32
	tasks    []task
	frames   []Frame // maxDepth for each task
	locks    []spinlock
	mutexes  []mutex
	waits    []waitQueue
	pipes    []pipe
	futexes  []futex
	sockets  []socket
	words    []int64 // programs' shared memory
	hists    []Hist
	mms      []mm
	csds     []csd
	domains  []schedDomain
	root     []rootDomain
	nohz     []nohzState
	tg       []taskGroup
	stoppers []stopper
	anatomy  []Hist      // of each of Slices
	calls    []callMarks // by CPU
	idleMask []uint64
	manyMask []uint64 // per caller of many CPUs: those yet to be told
	random   []rng.Stream

	now Time // clk[0].Now while running

	manyCallers []CPUID
	flushFlag   []hw.LineID // of each CPU; 0: no flag
	pids        []int32
	comms       []string
	levels      []level
	llcPos      []int32 // a CPU's position in its LLC's list
	corePos     []int32 // its core's number within the LLC
	single      []CPUID // 0, 1, 2, ...: one-CPU groups
	imbNumaNr   int32
	local       Duration // longest wait of an access that moves nothing
	observers   observers
}

// New builds a machine with values v of hw.Defs, features and costs, and
// starts prog on it.
func New(t *topo.Topology, v []param.Value, features, costs []param.Value, prog Program, seed uint64) *Kernel {
	k := &Kernel{
		Topo: t, Mem: hw.NewMem(t, v), prog: prog,
		clk: make([]clock, 1), count: make([]Counters, 1), prof: make([]Duration, NumFn),
		steps: des.NewQueue(t.N()), arrivals: des.NewQueue(t.N()),
		cpus: make([]cpu, t.N()), rqs: make([]rq, t.N()),
		llcs: make([]llcShared, len(t.LLCs)), coreBusy: make([]int32, len(t.Cores)),
		tasks: make([]task, 0, 3*t.N()), stoppers: make([]stopper, t.N()), root: make([]rootDomain, 1), nohz: make([]nohzState, 1), tg: make([]taskGroup, 1), anatomy: make([]Hist, len(Slices)), calls: make([]callMarks, t.N()),
		idleMask: make([]uint64, (t.N()+63)/64),
		llcPos:   make([]int32, t.N()), corePos: make([]int32, t.N()), imbNumaNr: 12,
	}
	for c := range CPUID(t.N()) {
		k.single = append(k.single, c)
	}
	k.clk[0].DoneAt = simtime.Never
	for i := range v {
		k.hwv = append(k.hwv, v[i].N)
	}
	for i := range k.feat {
		k.feat[i] = features[i].N
	}
	slow := k.hwv[hw.SMTSlowdown]
	for i := range k.costs[0] {
		k.costs[0][i] = Duration(costs[i].N) * Duration(k.hwv[hw.WorkScale]) / 1000
		k.costs[1][i] = k.costs[0][i] * Duration(slow) / 1000
	}
	for _, name := range randomStreams {
		k.random = append(k.random, rng.New(seed, name))
	}
	k.local = k.Mem.Local()
	k.newLock(0) // lock 0 is no lock
	k.buildDomains()
	for c := range CPUID(t.N()) {
		k.initCPU(c)
	}
	k.initKthreads()
	prog.Start(k)
	k.manyMask = make([]uint64, len(k.manyCallers)*len(k.idleMask))
	k.initCsds()
	k.startTicks()
	return k
}

// Random streams.
const (
	rndWorkload = iota
	rndTick
	rndSched
)

// Random returns the workload's random stream.
func (k *Kernel) Random() *rng.Stream { return &k.random[rndWorkload] }

func (k *Kernel) initCPU(c CPUID) {
	cp := &k.cpus[c]
	*cp = cpu{tickAt: simtime.Never, hrtimerAt: simtime.Never, curr: c, csdHead: none, nextWaiter: none, hrtimer: none,
		online: 1, irqsOff: 0, state: view.IdleLoop, fn: uint16(FnDoIdle)}
	for i := range cp.intervals { // the machine idled before the run
		cp.intervals[i] = int64(simtime.Second / simtime.Microsecond)
	}
	idle := k.newTask(fmt.Sprintf("swapper/%d", c), 0, none, c, Frame{Fn: FnDoIdle})
	t := &k.tasks[idle]
	t.kthread, t.onCPU, t.onRq, t.state = 1, 1, 1, taskRunning
	t.cpu, t.allowed = c, c
	cp.sp = t.sp - 1               // it runs already
	k.coreBusy[k.Topo.CoreOf(c)]++ // it has yet to enter an idle state
	k.initRq(c)
	k.steps.Set(c, 0)
}

// newTask adds a task that, when it first gets a CPU, finishes the switch and
// goes on in frame start.
func (k *Kernel) newTask(comm string, pid int32, mm int32, near CPUID, start Frame) TaskID {
	id := TaskID(len(k.tasks))
	k.frames = append(k.frames, make([]Frame, maxDepth)...)
	k.frames[id*maxDepth] = start
	k.frames[id*maxDepth+1] = Frame{Fn: FnFinishTaskSwitch}
	line := k.Mem.NewLine("task[%d]", pid, near)
	k.tasks = append(k.tasks, task{
		sp:  id*maxDepth + 1,
		cpu: near, wakeCPU: near, next: none, prev: none, wqNext: none, wqPrev: none, wq: none, timerNext: none,
		lastWakee: none, recentCPU: near, mm: mm, csdNext: none, allowed: none, wakerCPU: none,
		line: line, piLock: k.newLock(line), lineSe: k.Mem.NewBundle("task[%d].se", pid, near, taskLines),
		lineStack:  k.Mem.NewBundle("task[%d].stack", pid, near, k.feat[StackLines]),
		lineThread: k.Mem.NewBundle("task[%d].thread", pid, near, k.feat[ThreadLines]), state: taskInterruptible,
	})
	k.comms = append(k.comms, comm)
	k.pids = append(k.pids, pid)
	return id
}

// NewTask creates a user task or bound kernel thread of the workload, asleep,
// whose code starts with a frame of FnUser. role is reported by counters;
// near is the CPU it is placed on; pinned binds it there.
func (k *Kernel) NewTask(comm string, mm int32, role int32, near CPUID, pinned bool, start Frame) TaskID {
	start.Fn = FnUser
	pid := max(1000, kthreadPIDs*len(k.cpus)+firstKthreadPID) + len(k.tasks) // above those of the kernel's own threads
	id := k.newTask(comm, int32(pid), mm, near, start)
	t := &k.tasks[id]
	t.role = role
	if mm == none {
		t.kthread = 1
	}
	if pinned {
		t.allowed = near
	}
	t.vruntime = 0
	k.clk[0].Live++
	return id
}

// StartTask makes a task of NewTask runnable on its CPU at the start of the
// run, as a fork placed there would be, with credit of virtual time.
func (k *Kernel) StartTask(id TaskID, credit Duration) {
	t := &k.tasks[id]
	t.state = taskRunning
	t.avg.newEntity()
	r := &k.rqs[t.cpu]
	k.attachAvg(r, t)
	if k.feat[EEVDF] != 0 {
		k.startEEVDF(r, t, credit)
	} else {
		t.vruntime = r.minVruntime - credit
	}
	k.enqueueEntity(t.cpu, t.cpu, id)
	k.cpus[t.cpu].resched = reschedHere
}

// Now returns the current instant.
func (k *Kernel) Now() Time { return k.now }

// Count returns the counters.
func (k *Kernel) Count() *Counters { return &k.count[0] }

// Done reports whether the workload's tasks have all ended.
func (k *Kernel) Done() bool { return k.clk[0].DoneAt != simtime.Never }

// Live returns how many tasks of the workload have not ended.
func (k *Kernel) Live() int64 { return k.clk[0].Live }

// DoneAt returns when the workload ended, or simtime.Never.
func (k *Kernel) DoneAt() Time { return k.clk[0].DoneAt }

// On reports whether a boolean feature is on.
func (k *Kernel) On(f Feature) bool { return k.feat[f] != 0 }

// cost is the time CPU c needs for the named piece of work now.
func (k *Kernel) cost(c CPUID, id Cost) Duration {
	return k.costs[k.smtBusy(c)][id]
}

// Cost is cost for workloads.
func (k *Kernel) Cost(c CPUID, id Cost) Duration { return k.cost(c, id) }

// Charge adds d to the time until CPU c's next step: work nobody can observe.
func (k *Kernel) Charge(c CPUID, d Duration) { k.cpus[c].debt += d }

// touch accesses a line; if it is here already, the caller goes on at once and
// the time is charged.
func (k *Kernel) touch(c CPUID, id hw.LineID, op hw.Op) Duration {
	d := k.Mem.Access(k.now, c, id, op)
	if d <= k.local {
		k.cpus[c].debt += d
		return again
	}
	return d
}

// Work is a span of the workload's own computation, slowed by a busy sibling.
func (k *Kernel) Work(c CPUID, d Duration) Duration {
	if k.smtBusy(c) != 0 {
		return d * Duration(k.hwv[hw.SMTSlowdown]) / 1000
	}
	return d
}

// smtBusy is 1 while another hardware thread of c's core is not halted.
func (k *Kernel) smtBusy(c CPUID) int {
	if k.coreBusy[k.Topo.CoreOf(c)] > 1 {
		return 1
	}
	return 0
}

// Run handles events up to and including instant until, at most budget of
// them, and stops when the workload is done. It returns how many it handled.
func (k *Kernel) Run(until Time, budget int64) int64 {
	k.now = k.clk[0].Now
	n := int64(0)
	for ; n < budget && k.clk[0].Live > 0; n++ {
		t, c := k.steps.Min()
		at, on := k.arrivals.Min()
		next := min(t, at)
		if next == simtime.Never {
			k.bug(0, "no CPU will ever do anything again, but %d tasks are not done", k.clk[0].Live)
		}
		if next > until {
			k.now = max(k.now, until)
			break
		}
		if at <= t {
			k.now = at
			k.arrive(on)
			continue
		}
		k.now = t
		if k.observers.functions() { // account, by hand: a call is dear in WebAssembly
			k.observed(c)
		}
		k.book(&k.cpus[c])
		k.exec(c)
	}
	k.count[0].Events += n
	k.clk[0].Now = k.now
	return n
}

// account books the time since the CPU's last event.
func (k *Kernel) account(c CPUID) {
	if k.observers.functions() {
		k.observed(c)
	}
	k.book(&k.cpus[c])
}

// book is what account does if nobody looks.
func (k *Kernel) book(cp *cpu) {
	d := k.now.Sub(cp.since)
	cp.stateTime[cp.state] += d
	k.prof[cp.fn] += d
	cp.since = k.now
}

// observed shows observers what CPU c did since its last event.
func (k *Kernel) observed(c CPUID) {
	cp := &k.cpus[c]
	if cp.since == k.now {
		return
	}
	if k.observers.spans != nil {
		k.observers.span(cp, c, k.now)
	}
	if k.observers.ring.On(trace.FuncgraphExit) {
		k.traceFunction(c)
	}
}

// unpark lets CPU c, parked with interrupts off, go on after d.
func (k *Kernel) unpark(c CPUID, d Duration) {
	cp := &k.cpus[c]
	if cp.parked != isParked {
		k.bug(c, "unparked while it runs")
	}
	cp.parked = 0
	k.steps.Set(c, k.now.Add(d))
}

// poke lets CPU c, if it watches something, look again after d. If it is in an
// interrupt that came while it watched, it looks when that returns; if it is
// between two looks, it will see the change by itself.
func (k *Kernel) poke(c CPUID, d Duration) {
	cp := &k.cpus[c]
	if cp.parked == isWatching {
		cp.parked = 0
		k.steps.Set(c, k.now.Add(d))
		return
	}
	stack := k.stack(cp.curr)
	for i := len(stack) - 1; i >= 0; i-- {
		if f := &stack[i]; f.Fn == FnInterrupt && f.T == int64(watch) {
			f.T = 0
			return
		}
	}
}

// bug panics: an invariant of the model is broken. The message shows what CPU
// c is in, innermost function first.
func (k *Kernel) bug(c CPUID, format string, args ...any) {
	var where strings.Builder
	for _, f := range slices.Backward(k.stack(k.cpus[c].curr)) {
		fmt.Fprintf(&where, " %v:%d", f.Fn, f.Step)
	}
	panic(fmt.Sprintf("kernel: at %v, CPU %d in%s: %s", k.now, c, where.String(), fmt.Sprintf(format, args...)))
}

// TaskExit ends the current task of CPU c; its FnUser frame calls it last.
func (k *Kernel) TaskExit(c CPUID) Duration {
	k.tasks[k.cpus[c].curr].state = taskDead
	k.clk[0].Live--
	if k.clk[0].Live == 0 {
		k.clk[0].DoneAt = k.now
	}
	return k.call(c, FnSchedule, schedVoluntary, 0, 0)
}

// Curr returns the task running on CPU c.
func (k *Kernel) Curr(c CPUID) TaskID { return k.cpus[c].curr }

// Ret returns what the function that CPU c called last returned.
func (k *Kernel) Ret(c CPUID) int32 { return k.cpus[c].ret }

// randomStreams are the run's streams, in the order of their indices.
var randomStreams = []string{"workload", "tick", "sched"}

// Reseed starts the random streams of another seed, draws every CPU's next
// tick anew within the coming jiffy and lets statistics count from now.
func (k *Kernel) Reseed(seed uint64) {
	k.clk[0].MeasureAt = k.Now()
	for i, name := range randomStreams {
		k.random[i] = rng.New(seed, name)
	}
	for c := range k.cpus {
		cp := &k.cpus[c]
		if cp.tickOff != 0 {
			continue
		}
		cp.tickAt = k.Now() + Time(1+k.random[rndTick].Intn(int64(tickPeriod)))
		k.program(CPUID(c))
	}
}
