package kernel

import (
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
)

// mover is a program of two threads: one on the caller's CPU that calls the
// target once it is told to, one on the target that moves to CPU `to` then.
type mover struct{ call, move bool }

const moverTo = CPUID(3)

func (p *mover) Start(k *Kernel) {
	mm := k.NewMM(0)
	for _, c := range []CPUID{caller, target} {
		k.StartTask(k.NewTask("mover", mm, 0, c, false, Frame{}), 0)
	}
}

func (p *mover) Step(k *Kernel, c CPUID, _ *Frame) Duration {
	switch {
	case c == caller && p.call:
		p.call = false
		return k.SmpCallFunctionSingle(c, target, false)
	case c == target && p.move:
		p.move = false
		return k.MigrateTaskTo(c, moverTo)
	}
	return simtime.Nanosecond
}

func newMover(t *testing.T, change map[string]int64) (*Kernel, *mover) {
	t.Helper()
	machine, err := fourL3s.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := &mover{}
	change["periodic_balance"] = 0
	k := New(machine, values(hw.Defs[:], change), values(FeatureDefs[:], change), values(CostDefs[:], change), p, 1)
	k.Trace().Start(trace.All&^(1<<trace.FuncgraphEntry|1<<trace.FuncgraphExit), 1<<14)
	k.Run(Time(100*simtime.Microsecond), 1<<30)
	return k, p
}

// records returns the records of a kind since instant `since`.
func (k *Kernel) records(kind trace.Kind, since Time) (list []trace.Record) {
	k.Trace().Each(0, func(r *trace.Record, _ []uint64) {
		if r.Kind == kind && Time(r.AtPs) >= since {
			list = append(list, *r)
		}
	})
	return list
}

// TestMigrateTaskTo: the task wakes its CPU's migration thread, which preempts
// it at once and moves it.
func TestMigrateTaskTo(t *testing.T) {
	k, p := newMover(t, map[string]int64{})
	since := k.Now()
	p.move = true
	k.Run(since.Add(50*simtime.Microsecond), 1<<30)
	k.Check()
	stopper, moved := k.stopperOf(target), k.testTask(1)
	if k.tasks[moved].cpu != moverTo || k.rqs[moverTo].curr != moved || k.rqs[target].running() != 0 {
		t.Errorf("the task is on CPU %d, %d tasks run where it was", k.tasks[moved].cpu, k.rqs[target].running())
	}
	woken, migrated := k.records(trace.SchedWakeup, since), k.records(trace.SchedMigrateTask, since)
	if len(woken) != 1 || woken[0].Args[0] != int64(stopper) || woken[0].Task != moved {
		t.Errorf("wakeups %v, want task %d waking %d", woken, moved, stopper)
	}
	if len(migrated) != 1 || migrated[0].Task != stopper || migrated[0].PreemptDepth != 3 {
		t.Errorf("migrations %v, want one by task %d at preempt depth 3", migrated, stopper)
	}
	var on []trace.Record
	for _, r := range k.records(trace.SchedSwitch, since) {
		if r.CPU == target {
			on = append(on, r)
		}
	}
	if len(on) != 2 || on[0].Args[0] != trace.TaskPreempted || on[0].Args[1] != int64(stopper) ||
		on[1].Task != stopper || on[1].Args[0] != trace.TaskInterruptible {
		t.Errorf("switches %v, want the task preempted by the migration thread, which then sleeps", on)
	}
}

// TestMigrationThreadFlushes: a call is queued and its interrupt on the way
// when the migration thread runs: it flushes, and the handler finds nothing.
func TestMigrationThreadFlushes(t *testing.T) {
	k, p := newMover(t, map[string]int64{"apic_deliver": 20 * int64(simtime.Microsecond)})
	since := k.Now()
	p.call = true
	for k.count[0].CallIPIs == 0 {
		k.Run(simtime.Never-1, 1)
	}
	p.move = true
	k.Run(since.Add(100*simtime.Microsecond), 1<<30)
	k.Check()
	ran, handlers := k.records(trace.CSDFunctionEntry, since), k.records(trace.CallFunctionSingleEntry, since)
	if len(ran) != 1 || ran[0].Task != k.stopperOf(target) || ran[0].Flags&trace.HardIRQ != 0 || ran[0].Flags&trace.IRQsOff == 0 {
		t.Fatalf("functions run: %v, want one by the migration thread with interrupts off", ran)
	}
	if migrated := k.records(trace.SchedMigrateTask, since); len(migrated) != 1 || migrated[0].AtPs < ran[0].AtPs {
		t.Errorf("migrations %v, want one after the flush at %d", migrated, ran[0].AtPs)
	}
	if len(handlers) != 1 || handlers[0].AtPs < ran[0].AtPs || k.count[0].SpuriousIRQs != 1 {
		t.Errorf("handlers %v, %d spurious, want one that is late", handlers, k.count[0].SpuriousIRQs)
	}
}

// TestActiveBalance: two threads that compute share a core beside an idle one.
// Neither can be pulled while it runs; after failing often enough the balance
// has the migration thread push one.
func TestActiveBalance(t *testing.T) {
	twoCores := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 1}
	k := newComputing(t, twoCores, map[string]int64{"nohz": 0}, 0, 2)
	if k.Topo.CoreOf(0) != k.Topo.CoreOf(2) {
		t.Fatal("CPUs 0 and 2 are not siblings")
	}
	for k.count[0].Migrations == 0 && k.Now() < Time(simtime.Second) {
		k.Run(k.Now().Add(10*simtime.Microsecond), 1<<30)
	}
	k.Run(k.Now().Add(100*simtime.Microsecond), 1<<30)
	k.Check()
	migrated := k.records(trace.SchedMigrateTask, 0)
	if len(migrated) != 1 {
		t.Fatalf("migrations %v, want one", migrated)
	}
	from, to := CPUID(migrated[0].Args[1]), CPUID(migrated[0].Args[2])
	if migrated[0].Task != k.stopperOf(from) || k.Topo.CoreOf(from) == k.Topo.CoreOf(to) {
		t.Errorf("task %d moves a thread from CPU %d to %d, want the migration thread to move it to the other core", migrated[0].Task, from, to)
	}
	for c := range CPUID(4) {
		if k.stoppers[c].push != none {
			t.Errorf("CPU %d's active balance has not ended", c)
		}
	}
	if k.domain(to, k.lowestCommon(from, to)).failed != 0 {
		t.Error("nr_balance_failed is not reset")
	}
}
