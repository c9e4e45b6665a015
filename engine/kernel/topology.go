package kernel

import (
	"wakelab/engine/hw"
	"wakelab/engine/simtime"
)

// level is one level of scheduling domains, the same for all CPUs.
type level struct {
	name   string
	of     []int32   // span of each CPU
	spans  [][]CPUID // CPUs of each span
	groups [][]int32 // spans of the level below that each span consists of
	pct    int32     // imbalance_pct
	nice   int32     // cache_nice_tries
	shares bool      // CPUs share the LLC
	numa   bool
}

// schedDomain is the part of struct sched_domain that is per CPU and level.
type schedDomain struct {
	lastBalance Time
	interval    Duration
	maxCost     Duration // max_newidle_lb_cost
	costStamp   Time
	statsStamp  Time  // newidle_stamp
	failed      int32 // nr_balance_failed
	calls       int32 // newidle_call
	successes   int32 // newidle_success
	ratio       int32 // newidle_ratio, of 1024
}

// rootDomain mirrors struct root_domain.
type rootDomain struct {
	line     hw.LineID
	overload int32
}

// llcShared mirrors struct sched_domain_shared: one line per LLC.
type llcShared struct {
	line         hw.LineID
	hasIdleCores int32
	nrIdleScan   int32
	nrBusy       int32
}

// buildDomains makes the domain levels of this machine; a level that adds
// nothing to the one below is left out, as the kernel does.
func (k *Kernel) buildDomains() {
	t := k.Topo
	type candidate struct {
		level
		get func(CPUID) int32
		set [][]CPUID
	}
	all := make([]CPUID, t.N())
	for c := range all {
		all[c] = CPUID(c)
	}
	list := []candidate{
		{level{name: "SMT", pct: 110, nice: 0, shares: true}, func(c CPUID) int32 { return t.CPUs[c].Core }, t.Cores},
		{level{name: "MC", pct: 117, nice: 1, shares: true}, func(c CPUID) int32 { return t.CPUs[c].LLC }, t.LLCs},
		{level{name: "DIE", pct: 117, nice: 1}, func(c CPUID) int32 { return t.CPUs[c].Node }, t.Nodes},
		{level{name: "NODE", pct: 117, nice: 2, numa: true}, func(c CPUID) int32 { return t.CPUs[c].Socket }, t.Sockets},
		{level{name: "NUMA", pct: 117, nice: 2, numa: true}, func(CPUID) int32 { return 0 }, [][]CPUID{all}},
	}
	below := make([]int32, t.N())
	for c := range below {
		below[c] = int32(c)
	}
	spansBelow := t.N()
	for _, l := range list {
		if len(l.set) >= spansBelow || len(l.set) == 0 {
			continue
		}
		l.spans = l.set
		for c := range CPUID(t.N()) {
			l.of = append(l.of, l.get(c))
		}
		for _, span := range l.set {
			var groups []int32
			for _, c := range span {
				if !contains(groups, below[c]) {
					groups = append(groups, below[c])
				}
			}
			l.groups = append(l.groups, groups)
		}
		below, spansBelow = l.of, len(l.set)
		k.levels = append(k.levels, l.level)
	}
	k.domains = make([]schedDomain, t.N()*len(k.levels))
	for c := range t.N() {
		for i := range k.levels {
			d := &k.domains[c*len(k.levels)+i]
			d.interval = k.minInterval(i, CPUID(c))
			d.calls, d.successes, d.ratio = 512, 256, 512
			// The kernel spreads last_balance; a common start would balance in step.
			d.lastBalance = -Time(k.random[rndSched].Intn(int64(d.interval)))
		}
	}
	for i, cpus := range t.LLCs {
		k.llcs[i] = llcShared{line: k.Mem.NewLine("llc[%d].shared", int32(i), cpus[0]), nrBusy: int32(len(cpus)),
			nrIdleScan: int32(len(cpus))}
		for at, c := range cpus {
			k.llcPos[c] = int32(at)
			core := t.CoreOf(c)
			k.corePos[c] = core - t.CoreOf(cpus[0])
		}
	}
	k.root[0].line = k.Mem.NewLine("root_domain.overload", 0, 0)
	k.tg[0].line = k.Mem.NewLine("tg->load_avg", 0, 0)
	k.nohz[0].line = k.Mem.NewLine("nohz", 0, 0)
	k.nohz[0].lineMask = k.Mem.NewLine("nohz.idle_cpus_mask", 0, 0)
}

func contains(list []int32, v int32) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func (k *Kernel) domain(c CPUID, l int) *schedDomain { return &k.domains[int(c)*len(k.levels)+l] }

// minInterval is a domain's balance interval when it is not balanced: its
// weight in milliseconds.
func (k *Kernel) minInterval(l int, c CPUID) Duration {
	lv := &k.levels[l]
	return Duration(len(lv.spans[lv.of[c]])) * simtime.Millisecond
}

// sharesLLC mirrors cpus_share_cache.
func (k *Kernel) sharesLLC(a, b CPUID) bool { return k.Topo.CPUs[a].LLC == k.Topo.CPUs[b].LLC }

// sharesWakelistGroup is cpus_share_cache for ttwu_queue_cond, or the smaller
// group that an experiment asks for.
func (k *Kernel) sharesWakelistGroup(a, b CPUID) bool {
	n := int32(k.feat[WakelistGroup])
	if n == 0 {
		return k.sharesLLC(a, b)
	}
	if !k.sharesLLC(a, b) {
		return false
	}
	threads := int32(len(k.Topo.Cores[k.Topo.CoreOf(a)]))
	pa := k.corePos[a]*threads + k.Topo.CPUs[a].Thread
	pb := k.corePos[b]*threads + k.Topo.CPUs[b].Thread
	return pa/n == pb/n
}

// lowestCommon returns the lowest domain level that spans both CPUs.
func (k *Kernel) lowestCommon(a, b CPUID) int {
	for i := range k.levels {
		if k.levels[i].of[a] == k.levels[i].of[b] {
			return i
		}
	}
	return len(k.levels) - 1
}

func (k *Kernel) imbalancePct(l int) int64 { return int64(k.levels[l].pct) }
