package engine_test

import (
	"testing"

	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
)

// Machines of the idle-balance scene: all idle states of the Xeon poll, the
// EPYC's deep one does not.
var (
	xeon = []string{"sockets=2", "dies_per_socket=1", "llcs_per_die=1", "cores_per_llc=16", "numbering=alternate",
		"c2=mwait", "c2_latency=133us", "c2_residency=600us", "ilb.double_cpu=1"}
	epyc = []string{"sockets=2", "dies_per_socket=1", "llcs_per_die=2", "cores_per_llc=8", "c2=ioport", "ilb.double_cpu=16"}
)

// onlyKicks leaves nothing but the idle-balance kick to mend the scene.
var onlyKicks = []string{"workload=ilb", "ilb.idle_cpu=0", "ilb.work=10s", "sm_idle=on", "skew_tick=off",
	"periodic_balance=off", "newidle=off"}

// TestIdleBalance runs the scene for half a second, 124 ticks, on each kernel.
func TestIdleBalance(t *testing.T) {
	noTest := []string{"ilb_need_resched=off"}
	flag := append([]string{"flush_flag=aligned"}, noTest...)
	fixedFlag := append([]string{"ilb_abort=off"}, flag...)
	merged := append([]string{"ilb_abort=off", "ilb_raise=on"}, noTest...)
	pulls := func(n kernel.Counters) bool { return n.BalancePulled == 1 && n.NohzKicks <= 2 }
	// The scene begins with one migration, by the migration thread.
	never := func(n kernel.Counters) bool { return n.Migrations == 1 && n.NohzKicks > 100 }
	for _, c := range []struct {
		name              string
		machine, features []string
		check             func(n kernel.Counters) bool
		wakesKsoftirqd    bool
	}{
		{"Xeon, as is", xeon, nil, never, false},
		{"Xeon, test removed", xeon, noTest, never, true},
		{"Xeon, flag alone: the walk stops at NEED_RESCHED", xeon, flag, never, false},
		{"Xeon, flag and idle test in the walk", xeon, fixedFlag, pulls, false},
		{"Xeon, as merged", xeon, merged, pulls, false},
		{"EPYC, as is", epyc, nil, pulls, false},
		{"EPYC, test removed", epyc, noTest, pulls, false},
		{"EPYC, as merged", epyc, merged, pulls, false},
	} {
		settings := append(append(append([]string{}, c.machine...), onlyKicks...), c.features...)
		n := run(t, 500*simtime.Millisecond, settings...).Count()
		if !c.check(n) {
			t.Errorf("%s: %d kicks, %d pulled, %d migrations", c.name, n.NohzKicks, n.BalancePulled, n.Migrations)
		}
		if woken := n.Wakeups > 1; woken != c.wakesKsoftirqd {
			t.Errorf("%s: %d wakeups of ksoftirqd, want some: %v", c.name, n.Wakeups, c.wakesKsoftirqd)
		}
		if polled := n.PolledWakes > 0; polled == (c.machine[len(c.machine)-1] == "ilb.double_cpu=16") {
			t.Errorf("%s: %d polled kicks, %d interrupts", c.name, n.PolledWakes, n.CallIPIs)
		}
	}
}

// TestIdleBalanceByOthers: with all balancing on, something else mends the
// scene even where the kick cannot.
func TestIdleBalanceByOthers(t *testing.T) {
	settings := append(append(append([]string{}, xeon...), onlyKicks...), "periodic_balance=on", "newidle=on")
	if n := run(t, 500*simtime.Millisecond, settings...).Count(); n.Migrations < 2 {
		t.Errorf("nothing was pulled in 124 ticks: %d kicks", n.NohzKicks)
	}
}
