// Package hw is what silicon does: cache lines that move between cores,
// idle states, interrupt delivery, the slow-down of SMT siblings.
package hw

import (
	"errors"
	"fmt"

	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// Param indexes the machine's parameters.
type Param int

// Machine parameters. Figures' sources stand in Defs.
const (
	Sockets Param = iota
	DiesPerSocket
	LLCsPerDie
	CoresPerLLC
	ThreadsPerCore
	NodesPerSocket
	CPUNumbering
	LineHit
	LineSMT
	LineLLC
	LineDie
	LineSocket
	LineRemote
	LineRemoteHome
	LineSpread
	LineUpgrade
	LineOccupancyWrite
	LineOccupancyRead
	LineBundle
	LockedOp
	TSCRead
	WorkScale
	SMTSlowdown
	APICWrite
	APICDeliver
	APICHop
	C1
	C1Exit
	C1Latency
	C1Residency
	C2
	C2Entry
	C2Exit
	C2ExitDeep
	C2DeepAfter
	C2Latency
	C2Residency
	NumParams
)

// C-state kinds: how the state is entered decides what can end it.
const (
	StateOff    = iota // disabled
	StateMWAIT         // monitors thread_info.flags: a store to it ends the state
	StateIOPort        // I/O port read or HLT: only an interrupt ends it
)

const ns = int64(simtime.Nanosecond)
const us = int64(simtime.Microsecond)

const (
	srcC2C  = "core-to-core latency tables: github.com/KCORES/core-to-core-latency-plus @264ea0a1, github.com/nviennot/core-to-core-latency @96a943ac"
	srcIdle = "cpuidle measurement: lore.kernel.org/lkml/70998f86-74d7-7ced-867e-f17695bc88e7@gmail.com"
	srcIPI  = "IPI latency measurement on an Intel client: lore.kernel.org/linux-pm/CAAYoRsVob1UBukdDAQBJrp6xV03u0V67SgfTVkWQ9bN1XhS8Jw@mail.gmail.com"
)

func count(key, title, unit string, def, min, max int64, help string) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Int, Unit: unit, Default: def, Min: min, Max: max,
		Help: help, Source: "choice", Confidence: param.Choice, Public: true}
}

func span(key, title string, def, min, max int64, help, source string, conf param.Confidence) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Duration, Default: def, Min: min, Max: max,
		Help: help, Source: source, Confidence: conf, Public: true}
}

func permille(key, title string, def, min, max int64, help, source string, conf param.Confidence) param.Def {
	return param.Def{Key: key, Title: title, Kind: param.Permille, Default: def, Min: min, Max: max,
		Help: help, Source: source, Confidence: conf, Public: true}
}

// Defs describes the machine parameters; defaults are a 2 x EPYC 9654.
var Defs = [NumParams]param.Def{
	Sockets:        count("sockets", "Sockets", "sockets", 2, 1, topo.MaxSockets, "Processor packages."),
	DiesPerSocket:  count("dies_per_socket", "Quadrants per socket", "dies", 4, 1, 64, "Groups of L3 caches that are a little nearer to each other (EPYC: quadrants of the I/O die)."),
	LLCsPerDie:     count("llcs_per_die", "L3 caches per quadrant", "L3 caches", 3, 1, 256, "L3 caches in each quadrant."),
	CoresPerLLC:    count("cores_per_llc", "Cores per L3", "cores", 8, 1, topo.MaxCPUs, "Cores that share one L3 cache."),
	ThreadsPerCore: count("threads_per_core", "Threads per core", "threads", 2, 1, topo.MaxSMT, "Hardware threads of a core (SMT); 1 is SMT off."),
	NodesPerSocket: count("nodes_per_socket", "NUMA nodes per socket", "nodes", 1, 1, 64, "The BIOS setting NPS."),
	CPUNumbering: {Key: "numbering", Title: "CPU numbering", Kind: param.Enum, Options: []string{"block", "adjacent", "alternate"},
		Max: int64(topo.NumNumberings) - 1, Help: "block: siblings half the machine apart; adjacent: siblings next to each other; alternate: sockets take turns.",
		Source: "choice of the firmware", Confidence: param.Choice, Public: true},
	LineHit: span("line_hit", "Line hit", 1500, 500, 5*ns, "A load that finds the line in the core's own cache.",
		"4-5 cycles of L1 at 3.5 GHz: lore.kernel.org/lkml/20230725193048.124796-1-mathieu.desnoyers@efficios.com", param.Derived),
	LineSMT:    span("line_smt", "Line from SMT sibling", 10*ns, 3*ns, 30*ns, "Handing a line to the other hardware thread of the core.", srcC2C, param.Derived),
	LineLLC:    span("line_llc", "Line within an L3", 27*ns, 10*ns, 80*ns, "Moving a line between cores that share an L3.", srcC2C, param.Derived),
	LineDie:    span("line_die", "Line within a quadrant", 90*ns, 10*ns, 300*ns, "Moving a line to another L3 of the same quadrant.", srcC2C, param.Derived),
	LineSocket: span("line_socket", "Line within a socket", 100*ns, 10*ns, 400*ns, "Moving a line to another quadrant of the socket.", srcC2C, param.Derived),
	LineRemote: span("line_remote", "Line across sockets", 192*ns, 30*ns, 600*ns, "Moving a line to another socket.", srcC2C, param.Derived),
	LineRemoteHome: span("line_remote_home", "Line with a remote home", 192*ns, 30*ns, 600*ns,
		"Moving a line between L3s of one socket when the other socket holds its memory: its home decides.",
		"github.com/nviennot/core-to-core-latency/issues/97 and the 9754 matrix of KCORES", param.Derived),
	LineSpread: span("line_spread", "Spread between core pairs", 0, 0, 10*ns,
		"How much nearer or farther than its class a pair of cores may be: every pair of different cores of the machine differs by its own amount, evenly spread up to this one. On a mesh this is where the cores sit.",
		"core-to-core matrix of 2 x Xeon 8375C: within a socket 51.2 ns with a standard deviation of 4.0 ns, which is +-7 ns spread evenly; 0 is none", param.Derived),
	LineUpgrade: permille("line_upgrade", "Upgrade of a shared line", 600, 300, 1000,
		"A write to a line that others only read costs this share of a transfer from the farthest of them.", "guess: no invalidation latencies were found", param.Guess),
	LineOccupancyWrite: permille("line_occupancy_write", "Occupancy of a write", 735, 300, 1000,
		"Share of an exclusive transfer during which the line can serve nobody else.", "fitted to the figures of story A's baseline together with work_scale (docs/calibration-a.txt)", param.Calibrated),
	LineOccupancyRead: permille("line_occupancy_read", "Occupancy of a read", 200, 0, 1000,
		"Share of a shared transfer during which the line can serve nobody else.", "guess", param.Guess),
	LineBundle: permille("line_bundle", "Further lines of a struct", 350, 100, 1000,
		"When several lines of one struct move together, each after the first costs this share of a transfer, because the misses overlap.", "guess: two to three misses in flight", param.Guess),
	LockedOp: span("locked_op", "Locked operation", 5*ns, 1*ns, 15*ns, "An atomic on a line the core owns.", "guess: about 18 cycles", param.Guess),
	TSCRead:  span("tsc_read", "TSC read", 11*ns, 5*ns, 30*ns, "rdtsc: one sched_clock() read.", "guess: 35-40 cycles at 3.5 GHz", param.Guess),
	WorkScale: permille("work_scale", "Kernel work", 1000, 500, 3000,
		"Kernel work takes this many thousandths of the cost table's times on this machine: slower cores, mitigations, other compilers and configurations.",
		"choice: 1000 is the cost table as it stands", param.Choice),
	SMTSlowdown: permille("smt_slowdown", "SMT slow-down", 1500, 1000, 2500,
		"Work takes this many thousandths of its time while the other hardware thread of the core is busy.", "guess: SMT yields 20-40 % more throughput on such code", param.Guess),
	APICWrite:   span("apic_write", "ICR write", 120*ns, 30*ns, 400*ns, "One WRMSR to the x2APIC interrupt command register, on the sender.", "guess", param.Guess),
	APICDeliver: span("apic_deliver", "Interrupt delivery", 250*ns, 100*ns, 700*ns, "From the ICR write to the target taking the interrupt, same L3.", srcIPI+" (452-468 ns to handler on POLL, less entry)", param.Derived),
	APICHop:     permille("apic_hop", "Delivery per distance", 1000, 0, 3000, "Added to the delivery: this share of a line transfer over the same distance.", "guess: no figures for EPYC were found", param.Guess),
	C1: {Key: "c1", Title: "C1", Kind: param.Enum, Options: []string{"off", "mwait", "ioport"}, Default: StateMWAIT, Max: 2,
		Help:   "The shallow idle state. mwait: a store to thread_info.flags ends it, so no interrupt is needed (TIF_POLLING_NRFLAG); ioport or HLT: only an interrupt does.",
		Source: "AMD servers: C1 is MWAIT", Confidence: param.Published, Public: true},
	C1Exit:      span("c1_exit", "C1 exit", 150*ns, 50*ns, 1*us, "From the store or interrupt to the first instruction after MWAIT.", srcIdle+" (84 ns above POLL), "+srcIPI+" (500-600 ns)", param.Derived),
	C1Latency:   span("c1_latency", "C1 advertised latency", 1*us, 0, 100*us, "What the governor is told.", srcIdle, param.Published),
	C1Residency: span("c1_residency", "C1 target residency", 2*us, 0, 1000*us, "What the governor is told.", srcIdle, param.Published),
	C2: {Key: "c2", Title: "C2", Kind: param.Enum, Options: []string{"off", "mwait", "ioport"}, Default: StateIOPort, Max: 2,
		Help:   "The deep idle state. On EPYC an I/O port read: the CPU does not poll and needs a real interrupt.",
		Source: srcIdle, Confidence: param.Published, Public: true},
	C2Entry:     span("c2_entry", "C2 entry", 500*ns, 0, 20*us, "From the port read to the state, during which a wake has to wait.", "guess", param.Guess),
	C2Exit:      span("c2_exit", "C2 exit, early", 2400*ns, 500*ns, 100*us, "Exit soon after entry.", srcIdle+" (3541 against 1155 ns)", param.Derived),
	C2ExitDeep:  span("c2_exit_deep", "C2 exit, deep", 20*us, 1*us, 300*us, "Exit once the core is power-gated.", "guess: 20-25 us are reported for Zen 2", param.Guess),
	C2DeepAfter: span("c2_deep_after", "C2 becomes deep after", 100*us, 1*us, 10000*us, "Time in C2 after which the exit is the deep one.", "guess: 50 us still showed the early exit in the source above", param.Guess),
	C2Latency:   span("c2_latency", "C2 advertised latency", 400*us, 0, 1000*us, "What the governor is told.", srcIdle, param.Published),
	C2Residency: span("c2_residency", "C2 target residency", 800*us, 0, 3000*us, "What the governor is told.", srcIdle, param.Published),
}

// Shape reads the machine's shape from parameter values.
func Shape(v []param.Value) topo.Shape {
	return topo.Shape{
		Sockets: v[Sockets].N, DiesPerSocket: v[DiesPerSocket].N, LLCsPerDie: v[LLCsPerDie].N,
		CoresPerLLC: v[CoresPerLLC].N, ThreadsPerCore: v[ThreadsPerCore].N,
		NodesPerSocket: v[NodesPerSocket].N, Numbering: topo.Numbering(v[CPUNumbering].N),
	}
}

// Check reports values of Defs that cannot go together: a deeper idle state is
// never left faster. States that are off do not count.
func Check(v []param.Value) error {
	var errs []error
	for _, exits := range []struct {
		fast, slow Param
		counts     bool
	}{
		{C1Exit, C2Exit, v[C1].N != StateOff && v[C2].N != StateOff},
		{C2Exit, C2ExitDeep, v[C2].N != StateOff},
	} {
		fast, slow := &Defs[exits.fast], &Defs[exits.slow]
		if limit := v[exits.slow]; exits.counts && v[exits.fast].N > limit.N {
			errs = append(errs, fmt.Errorf("%s: %s: allowed is at most %s, %s", fast.Key, fast.Format(v[exits.fast]), slow.Key, slow.Format(limit)))
		}
	}
	return errors.Join(errs...)
}
