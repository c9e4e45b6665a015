package kernel

import (
	"errors"
	"fmt"

	"wakelab/engine/param"
	"wakelab/engine/simtime"
)

// Feature indexes the kernel's switches. Every kernel of a study is a set of
// them; none has a code path of its own.
type Feature int

// Features.
const (
	IdleDelay Feature = iota
	IdleDelayNrRunning
	IdleDelayFrom
	MigrationWindow
	BiasPrevIdle
	UtilFitsCapacity
	SelectBiasPrev
	RawSpinSwitch
	CPURelax
	TtwuQueueFeature
	WakelistGroup
	WakelistIdle
	LateTtwuPending
	TtwuRunnable
	PolledIPI
	FlushOnIdleExit
	SMIdle
	NotifyIPI
	SoftirqAfterFlush
	FlushFlag
	IlbNeedResched
	IlbAbort
	IlbRaise
	WakeupGranularity
	WakeupPreemption
	PreemptWaker
	SleeperCredit
	EEVDF
	BaseSlice
	RunToParity
	SyncWakeups
	Newidle
	NewidleGate
	NewidleOneLock
	Overloaded
	AvgIdle
	PeriodicBalance
	NoHz
	SkewTick
	PreemptRT
	ForcePoll
	LazyMMRefcount
	MutexSpin
	PipeWakeOnRoom
	PipeMergeAfterSleep
	PreemptVoluntary
	RqClockApart
	Autogroup
	TgLoadAvgLimit
	LruGen
	StackLines
	ThreadLines
	NumFeatures
)

// Values of IdleDelayFrom.
const (
	delayFromExit      = iota // schedule_idle, on each exit from the idle loop
	delayFromClockIdle        // rq->clock_idle, the last entry into idle
)

// Values of SleeperCredit.
const (
	creditOff = iota
	creditGentle
	creditFull
)

// Values of TtwuRunnable.
const (
	ttwuLegacy      = iota // clock and preemption check always
	ttwuAlwaysLight        // v1 of the patch: never
	ttwuLightOnCPU         // merged: only for a task that is queued but not on a CPU
	ttwuClockAlways        // v6.12: the clock always, the check as merged
)

// Values of NewidleGate.
const (
	gateCost    = iota // avg_idle against the domains' costs
	gatePenalty        // a pass that pulls nothing makes its domain dearer
	gateRandom         // a domain is looked at as often as it used to help
	gateRate           // and always by a CPU that seldom gets there
)

// Values of FlushFlag: off, or where the per-CPU flag lies.
const (
	flagOff             = iota
	flagAligned         // on a line of its own
	flagBesideLocal     // with data that only its own CPU touches
	flagBesideQueue     // with call_single_queue
	flagBesideClock     // with the runqueue clock
	flagBesideRead      // with data that senders read once a call
	flagBesideContended // with data that many CPUs write
)

func on(key, title, help, source string) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Bool, Default: 1, Max: 1, Help: help, Source: source, Confidence: param.Choice, Public: true}
}

func off(key, title, help, source string) param.Def {
	d := on(key, title, help, source)
	d.Default = 0
	return d
}

// FeatureDefs describes the features; defaults are v6.5.
var FeatureDefs = [NumFeatures]param.Def{
	IdleDelay: {Key: "idle_delay", Title: "Idle extension", Kind: param.Duration, Max: int64(10 * simtime.Millisecond),
		Help:   "idle_cpu() stays true for this long after the CPU left the idle loop. The patch uses 1ms; 0 is off.",
		Source: "lore.kernel.org/lkml/20230725193048.124796-1-mathieu.desnoyers@efficios.com", Confidence: param.Choice, Public: true},
	IdleDelayNrRunning: {Key: "idle_delay_nr", Title: "Idle extension up to", Kind: param.Int, Unit: "running tasks", Max: 64,
		Help:   "The idle extension applies only while the runqueue has at most this many tasks; 0 is no limit.",
		Source: "discussed in the same thread", Confidence: param.Choice, Public: true},
	IdleDelayFrom: {Key: "idle_delay_from", Title: "Idle extension counts from", Kind: param.Enum, Options: []string{"idle_exit", "clock_idle"}, Max: delayFromClockIdle,
		Help:   "idle_exit: when the CPU left the idle loop, as in the patch; clock_idle: rq->clock_idle, when it last went idle, which the kernel keeps already.",
		Source: "second version, in the thread of lore.kernel.org/lkml/20230725193048.124796-1-mathieu.desnoyers@efficios.com", Confidence: param.Choice, Public: true},
	MigrationWindow: {Key: "migration_window", Title: "One migration per", Kind: param.Duration, Max: int64(100 * simtime.Millisecond),
		Help:   "A wakee that changed its CPU less than this ago stays on its previous CPU. The patch uses 2ms; 0 is off.",
		Source: "lore.kernel.org/lkml/20230905171105.1005672-2-mathieu.desnoyers@efficios.com", Confidence: param.Choice, Public: true},
	BiasPrevIdle: off("wakeup_bias_prev_idle", "WAKEUP_BIAS_PREV_IDLE", "A wakee stays on its previous CPU if that one's load without it is at most 47 of 1024: almost idle.",
		"lore.kernel.org/lkml/20230929183350.239721-1-mathieu.desnoyers@efficios.com"),
	UtilFitsCapacity: off("util_fits_capacity", "UTIL_FITS_CAPACITY", "The previous, the target's or the recent CPU is taken, though busy, if the wakee and the tasks runnable there use less than 80 % of it.",
		"lore.kernel.org/lkml/20231019160523.1582101-2-mathieu.desnoyers@efficios.com"),
	SelectBiasPrev: off("select_bias_prev", "SELECT_BIAS_PREV", "Within the target's L3 the previous CPU is looked at before the target, and is taken instead of it when nothing is idle.",
		"lore.kernel.org/lkml/20231019160523.1582101-3-mathieu.desnoyers@efficios.com"),
	RawSpinSwitch: off("raw_spin_switch", "Raw spinlock in the switch", "A context switch takes and drops a raw spinlock of the user task's mm unless the other task has the same mm: v6.3's mm->cid_lock, whose removal in v6.4 made hackbench slower.",
		"commits af7f588d8f73 (v6.3) and 223baf9d17f2 (v6.4); the report that began story A: lore.kernel.org/lkml/09e0f469-a3f7-62ef-75a1-e64cec2dcfc5@amd.com"),
	CPURelax: {Key: "cpu_relax", Title: "cpu_relax in do_idle", Kind: param.Int, Unit: "iterations", Max: 100000,
		Help:   "This many cpu_relax() at each entry of do_idle, without looking at NEED_RESCHED.",
		Source: "lore.kernel.org/lkml/20230725193048.124796-1-mathieu.desnoyers@efficios.com", Confidence: param.Choice, Public: true},
	TtwuQueueFeature: on("ttwu_queue", "TTWU_QUEUE", "Remote wakeups may go through the target's wake list and a notification instead of its runqueue lock.", "kernel/sched/features.h"),
	WakelistGroup: {Key: "wakelist_group", Title: "Wake list unless same group of", Kind: param.Int, Unit: "hardware threads", Max: 64,
		Help:   "0: wakeups across L3s use the wake list. N: so do wakeups across groups of N hardware threads within an L3 (2 is 'unless L2 shared').",
		Source: "lore.kernel.org/lkml/20230725193048.124796-1-mathieu.desnoyers@efficios.com (thread)", Confidence: param.Choice, Public: true},
	WakelistIdle:    on("wakelist_idle", "Wake list for idle CPUs", "A wakeup within the L3 uses the wake list if the target has nothing to run.", "commits f3dd3f674555, 28156108fecb"),
	LateTtwuPending: on("late_ttwu_pending", "Late ttwu_pending clear", "rq->ttwu_pending is cleared after the woken tasks are queued, not before.", "commit d6962c4fe8f9"),
	TtwuRunnable: {Key: "ttwu_runnable", Title: "ttwu_runnable()", Kind: param.Enum, Options: []string{"legacy", "v1", "merged", "v6.12"}, Default: ttwuLightOnCPU, Max: 3,
		Help:   "What a wakeup of a task still on its runqueue does. legacy: clock update and preemption check; v1: neither; merged: both only if it is not on a CPU; v6.12: the clock always.",
		Source: "lore.kernel.org/lkml/20221102102343.57845-1-zhouchengming@bytedance.com; commit efe09385864f", Confidence: param.Choice, Public: true},
	PolledIPI:         on("polled_ipi", "Polled IPIs", "A polling idle CPU is told through NEED_RESCHED instead of an interrupt.", "commit b2a02fc43a1f (v5.8)"),
	FlushOnIdleExit:   on("flush_on_idle_exit", "Flush on idle exit", "do_idle flushes the call queue before it schedules. Polled IPIs need it.", "commit b2a02fc43a1f (v5.8)"),
	SMIdle:            off("sm_idle", "SM_IDLE", "schedule_idle() with nothing runnable picks idle at once, without pick_next_task and newidle balance.", "commit 3dcac251b066 (v6.12)"),
	NotifyIPI:         off("notify_ipi", "TIF_NOTIFY_IPI", "A polled call sets a flag of its own; the target flushes without a pass through schedule().", "lore.kernel.org/lkml/20240710090210.41856-1-kprateek.nayak@amd.com"),
	SoftirqAfterFlush: on("softirq_after_flush", "Softirqs after a flush", "Softirqs raised by functions that the idle loop flushed run at once, not at the next interrupt's end.", "commit f9d34595ae4f"),
	FlushFlag: {Key: "flush_flag", Title: "Per-CPU flag around the flush", Kind: param.Enum,
		Options: []string{"off", "aligned", "beside_local", "beside_queue", "beside_clock", "beside_read", "beside_contended"}, Max: 6,
		Help:   "A per-CPU bool says that softirqs will run after this flush, so that raising one need not wake ksoftirqd. Where it lies decides what it costs: on a line of its own, or beside data that only its CPU touches, the call queue, the runqueue clock, data that senders read, data that many CPUs write.",
		Source: "lore.kernel.org/lkml/20240710090210.41856-4-kprateek.nayak@amd.com; the unaligned variable's neighbours are not published", Confidence: param.Choice, Public: true},
	IlbNeedResched:    on("ilb_need_resched", "ILB looks at NEED_RESCHED", "nohz_csd_func() gives up when NEED_RESCHED is set, which a polled kick always does.", "removed by commit ea9cffc0a154"),
	IlbAbort:          on("ilb_abort", "ILB stops at NEED_RESCHED", "The walk over tickless idle CPUs stops when NEED_RESCHED is set; off: only when this CPU is no longer idle.", "changed by commit ff47a0acfcce"),
	IlbRaise:          off("ilb_raise", "ILB without ksoftirqd", "nohz_csd_func() raises the softirq without waking ksoftirqd.", "commit e932c4ab38f0"),
	WakeupGranularity: {Key: "wakeup_granularity", Title: "Wakeup granularity", Kind: param.Duration, Default: int64(simtime.Millisecond), Max: int64(100 * simtime.Millisecond), Help: "How far a wakee must be behind the running task in virtual time to preempt it, before scaling by the CPU count (times 4 from 8 CPUs).", Source: "sysctl_sched_wakeup_granularity, kernel/sched/fair.c v6.5", Confidence: param.Published, Public: true},
	WakeupPreemption:  on("wakeup_preemption", "WAKEUP_PREEMPTION", "A wakee may preempt the running task.", "kernel/sched/features.h"),
	PreemptWaker:      on("preempt_waker", "Wakee may preempt its waker", "Off: a wakee never preempts the task that woke it. An experiment, not a kernel option.", "none: an experiment"),
	SleeperCredit:     {Key: "sleeper_credit", Title: "Sleeper credit", Kind: param.Enum, Options: []string{"off", "gentle", "full"}, Default: creditGentle, Max: 2, Help: "How far behind min_vruntime a sleeper may be when it wakes: not at all, half or all of sched_latency.", Source: "place_entity and GENTLE_FAIR_SLEEPERS, v6.5", Confidence: param.Choice, Public: true},
	EEVDF:             off("eevdf", "EEVDF", "The fair class picks the earliest virtual deadline among tasks that are owed time, and keeps what a sleeper was owed instead of giving sleepers credit. Off: CFS. wakeup_granularity and sleeper_credit are CFS's.", "kernel/sched/fair.c, v6.6"),
	BaseSlice: {Key: "base_slice", Title: "EEVDF base slice", Kind: param.Duration, Default: int64(750 * simtime.Microsecond), Min: int64(100 * simtime.Microsecond), Max: int64(100 * simtime.Millisecond),
		Help: "How long a task's request is, before scaling by the CPU count (times 4 from 8 CPUs).", Source: "sysctl_sched_base_slice, kernel/sched/fair.c v6.6", Confidence: param.Published, Public: true},
	RunToParity: on("run_to_parity", "RUN_TO_PARITY", "EEVDF: a task that was picked goes on until it is no longer owed time or its request is used up. Off: any wakee with an earlier deadline preempts.", "kernel/sched/features.h, v6.6"),
	SyncWakeups: on("wf_sync", "WF_SYNC", "Pipe wakeups tell the scheduler that the waker is about to sleep.", "fs/pipe.c; off is an experiment"),
	Newidle:     on("newidle", "Newidle balance", "A CPU about to idle looks for a task to pull.", "kernel/sched/fair.c; off is an experiment"),
	NewidleGate: {Key: "newidle_gate", Title: "Newidle gate", Kind: param.Enum, Options: []string{"cost", "penalty", "random", "rate"}, Max: gateRate,
		Help:   "What keeps newidle balance from a domain, besides avg_idle against its cost. penalty: a pass that pulls nothing raises that cost by half, up to 0.5 ms; random: a die is thrown against the share of passes that pulled; rate: as random, and a CPU that gets there less than 128 times a second always looks.",
		Source: "commits 155213a2aed4 (reverted by d206fbad9328), 33cf66d88306 and 9fe89f022c05", Confidence: param.Choice, Public: true},
	NewidleOneLock: off("newidle_one_lock", "Newidle with one lock cycle less", "Newidle balance updates blocked averages under the runqueue lock that it holds already, instead of dropping and taking it.", "commit 45e09225085f"),
	Overloaded:     off("rd_overloaded", "Root domain overloaded", "Holds the root domain's overload flag set, as a standing runqueue with two tasks elsewhere on the machine would. Opens newidle balance's first gate.", "scene setting"),
	AvgIdle: {Key: "avg_idle", Title: "avg_idle at the start", Kind: param.Duration, Default: int64(2 * migrationCost), Max: int64(2 * migrationCost),
		Help:   "What each CPU believes its mean idle time to be when the run begins. Only task wakeups change it, so that calls alone leave it where it was: it decides how many domains newidle balance looks at.",
		Source: "scene setting; the kernel starts at 1 ms", Confidence: param.Choice, Public: true},
	PeriodicBalance:     on("periodic_balance", "Periodic balance", "Ticks trigger load balancing.", "kernel/sched/fair.c; off is an experiment"),
	NoHz:                on("nohz", "Tickless idle", "A CPU that expects to idle for long stops its tick.", "CONFIG_NO_HZ_IDLE"),
	SkewTick:            on("skew_tick", "Skewed ticks", "Each CPU's tick has a phase of its own; off: all tick at the same instant, as without the boot option skew_tick=1.", "kernel-parameters.txt"),
	PreemptRT:           off("preempt_rt", "PREEMPT_RT", "Softirqs raised in interrupts and flushes are left to ksoftirqd. Such kernels also run without TTWU_QUEUE.", "kernel/softirq.c; CONFIG_PREEMPT_RT"),
	ForcePoll:           off("idle_poll", "idle=poll", "Idle CPUs never leave the polling loop.", "kernel-parameters.txt"),
	LazyMMRefcount:      on("lazy_mm_refcount", "Lazy mm references", "A switch from a user task to idle and back takes and drops a reference on mm_count.", "CONFIG_MMU_LAZY_TLB_REFCOUNT, v6.5"),
	MutexSpin:           on("mutex_spin", "Optimistic spinning", "Waiters of a mutex spin while its owner runs.", "CONFIG_MUTEX_SPIN_ON_OWNER"),
	PipeWakeOnRoom:      off("pipe_wake_on_room", "Pipe wakes on room", "A read wakes a writer only if it made room in a full pipe (v6.14), not whenever the pipe was full.", "commit aaec5a95d596"),
	PipeMergeAfterSleep: off("pipe_merge_after_sleep", "Merge after sleep", "A writer that has slept may still add to the last page. An experiment: no kernel does.", "none: an experiment"),
	PreemptVoluntary:    on("preempt_voluntary", "Voluntary preemption", "might_sleep() is a preemption point (PREEMPT_VOLUNTARY); off is PREEMPT_NONE.", "guess: the measured machine's configuration is not published"),
	RqClockApart:        on("rq_clock_apart", "rq->clock on its own line", "On: rq->clock and rq->curr are on two lines (v6.5 as built by Ubuntu 22.04); off: on one (v6.12), so that every clock update takes the line that idle_cpu() and the polled-IPI test read.", "struct offsets measured in builds of v6.5.0 and v6.12.0"),
	Autogroup:           on("autogroup", "Autogroup", "All tasks are in one task group below the root: tg->load_avg is shared by all CPUs, and loads that wake_affine compares are shares of 1024.", "CONFIG_SCHED_AUTOGROUP; reweight_entity in the published profile"),
	TgLoadAvgLimit:      {Key: "tg_load_avg_limit", Title: "tg->load_avg at most every", Kind: param.Duration, Max: int64(10 * simtime.Millisecond), Help: "A runqueue updates tg->load_avg at most once in this time; 0 is no limit. v6.7 has 1ms.", Source: "commit 1528c661c24b", Confidence: param.Choice, Public: true},
	LruGen: {Key: "lru_gen", Title: "CONFIG_LRU_GEN", Kind: param.Bool, Default: 1, Max: 1,
		Help:   "Every switch to a user task stores to mm->lru_gen.bitmap, one line for all threads.",
		Source: "lru_gen_use_mm, v6.5; on in Ubuntu 22.04's configuration of 6.5. The published machine's is not known: on is a calibration, story A's baseline has twice the published switches without it", Confidence: param.Calibrated, Public: true},
	StackLines: {Key: "task.stack_lines", Title: "Stack lines of a task", Kind: param.Int, Unit: "lines", Default: 8, Min: 1, Max: 64,
		Help: "Lines that __switch_to_asm needs at once when a task goes on: the top of its kernel stack and the page-table entries that map it. They move when the task changes core.", Source: "guess: __switch_to_asm has 7.1 % of the published profile, 2.0 us a switch", Confidence: param.Guess, Public: true},
	ThreadLines: {Key: "task.thread_lines", Title: "Thread lines of a task", Kind: param.Int, Unit: "lines", Default: 18, Min: 1, Max: 200,
		Help: "Further lines a task needs on a new core before it gets on: FPU state, thread struct, user stack and data.", Source: "guess: FPU state alone is 13 lines without AVX-512", Confidence: param.Guess, Public: true},
}

// CheckFeatures reports values of FeatureDefs that cannot go together.
func CheckFeatures(v []param.Value) error {
	var errs []error
	for _, n := range []struct{ feature, needs Feature }{{PolledIPI, FlushOnIdleExit}, {NotifyIPI, PolledIPI}} {
		if v[n.feature].N != 0 && v[n.needs].N == 0 {
			errs = append(errs, fmt.Errorf("%s: on needs %s on too: calls would be lost", FeatureDefs[n.feature].Key, FeatureDefs[n.needs].Key))
		}
	}
	return errors.Join(errs...)
}
