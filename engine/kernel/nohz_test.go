package kernel

import (
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
)

// computing is a program whose threads never sleep; threads lists the CPU on
// which each begins.
type computing struct{ threads []CPUID }

func (p computing) Start(k *Kernel) {
	mm := k.NewMM(0)
	for _, c := range p.threads {
		k.StartTask(k.NewTask("compute", mm, 0, c, false, Frame{}), 0)
	}
}

func (computing) Step(k *Kernel, c CPUID, _ *Frame) Duration {
	return k.Work(c, 100*simtime.Microsecond)
}

// newComputing is a machine on which threads compute from instant 0 on; all
// CPUs tick together and everything but functions is recorded.
func newComputing(t *testing.T, shape topo.Shape, change map[string]int64, threads ...CPUID) *Kernel {
	t.Helper()
	machine, err := shape.Build()
	if err != nil {
		t.Fatal(err)
	}
	change["skew_tick"], change["newidle"] = 0, 0
	k := New(machine, values(hw.Defs[:], change), values(FeatureDefs[:], change), values(CostDefs[:], change), computing{threads}, 1)
	k.Trace().Start(trace.All&^(1<<trace.FuncgraphEntry|1<<trace.FuncgraphExit), 1<<14)
	return k
}

// Four CPUs with an L3 each, in one node.
var fourL3s = topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 4, CoresPerLLC: 1, ThreadsPerCore: 1, NodesPerSocket: 1}

// TestIdleBalanceForOthers: one kick makes the kicked CPU balance for every
// CPU that idles without a tick, for the others before itself.
func TestIdleBalanceForOthers(t *testing.T) {
	change := map[string]int64{"periodic_balance": 0, "ilb_need_resched": 0, "ilb_abort": 0, "ilb_raise": 1, "sm_idle": 1}
	k := newComputing(t, fourL3s, change, 3, 3, 3, 2)
	for c := range CPUID(2) {
		k.BalanceOverdue(c)
	}
	k.Run(Time(tickPeriod).Add(100*simtime.Microsecond), 1<<30)
	k.Check()
	for c := range CPUID(4) {
		if n := k.rqs[c].nrRunning; n != 1 {
			t.Errorf("CPU %d runs %d tasks, want 1", c, n)
		}
	}
	if n := k.count[0].NohzKicks; n != 1 {
		t.Errorf("%d kicks, want 1", n)
	}
	var by, to []CPUID
	k.Trace().Each(0, func(r *trace.Record, _ []uint64) {
		if r.Kind == trace.SchedMigrateTask {
			by, to = append(by, r.CPU), append(to, CPUID(r.Args[2]))
		}
	})
	if len(to) != 2 || by[0] != 0 || to[0] != 1 || by[1] != 0 || to[1] != 0 {
		t.Errorf("CPUs %v pulled for CPUs %v, want CPU 0 for 1 and then for itself", by, to)
	}
}

// TestIdleBalanceNotDue: a kick refreshes the averages of CPUs whose balance
// is not due and remembers when the first one is.
func TestIdleBalanceNotDue(t *testing.T) {
	change := map[string]int64{"periodic_balance": 0, "ilb_need_resched": 0, "ilb_abort": 0, "ilb_raise": 1, "sm_idle": 1}
	k := newComputing(t, fourL3s, change, 3, 3, 3, 2)
	for c := range CPUID(2) {
		k.rqs[c].nextBalance = Time(10 * tickPeriod).Add(Duration(c) * tickPeriod)
	}
	k.Run(Time(tickPeriod).Add(100*simtime.Microsecond), 1<<30)
	if n := k.count[0]; n.NohzKicks != 1 || n.Migrations != 0 {
		t.Errorf("%d kicks and %d migrations, want 1 and none", n.NohzKicks, n.Migrations)
	}
	if got, want := k.nohz[0].nextBalance, k.rqs[0].nextBalance; got != want {
		t.Errorf("the next balance is due at %v, want %v", got, want)
	}
	if k.nohz[0].needsUpdate != 0 {
		t.Error("needs_update is left set")
	}
}

// TestNewidleRefreshesBlockedLoad: a CPU that goes idle for long walks over the
// tickless idle CPUs itself, without a kick, at most every 32 ms.
func TestNewidleRefreshesBlockedLoad(t *testing.T) {
	for _, c := range []struct {
		name    string
		avgIdle Duration
		since   Duration // until the next refresh is due
		want    bool
	}{
		{"long idle and due", ms, -1, true},
		{"too short an idle time", migrationCost - 1, -1, false},
		{"not due", ms, ms, false},
	} {
		s := newScene(t, nil)
		k := s.k
		k.nohz[0].hasBlocked, k.nohz[0].nextBlocked = 1, k.Now().Add(c.since)
		k.rqs[target].avgIdle = c.avgIdle
		s.wake()
		s.settle()
		refreshed := k.nohz[0].nextBlocked > k.Now()
		if c.since > 0 {
			refreshed = k.nohz[0].hasBlocked == 0
		}
		if refreshed != c.want {
			t.Errorf("%s: refreshed %t, want %t", c.name, refreshed, c.want)
		}
		if n := k.count[0].NohzKicks; n != 0 {
			t.Errorf("%s: %d kicks", c.name, n)
		}
	}
}
