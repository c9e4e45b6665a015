package engine_test

import (
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
)

// milan is a 2 x EPYC 7763 as in the SM_IDLE mails: boost on, C2 disabled. The
// root domain is overloaded, so that newidle balance passes its first gate.
var milan = []string{"sockets=2", "dies_per_socket=1", "llcs_per_die=8", "line_smt=10.2ns", "line_llc=25ns", "line_die=114ns",
	"line_remote=303.6ns", "line_remote_home=291ns", "c2=off", "rq_clock_apart=off", "skew_tick=off", "rd_overloaded=on"}

// mail is the mails' ipistorm command with fewer calls.
var mail = []string{"workload=ipistorm", "ipistorm.numipi=2000", "ipistorm.single=on", "ipistorm.offset=8", "ipistorm.cpulist=8"}

// storm runs ipistorm to its end and returns ns a call.
func storm(t testing.TB, settings ...string) (float64, kernel.Counters) {
	t.Helper()
	cfg := config(t, append(append(append([]string{}, milan...), mail...), settings...)...)
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.RunUntil(simtime.Time(10*simtime.Second), 20_000_000)
	if !e.Done() {
		t.Fatalf("%v: not done after %v and %d events", settings, e.Now(), e.Events())
	}
	e.Check()
	n := e.Count()
	return float64(e.DoneAt()) / float64(simtime.Nanosecond) / float64(n.Calls), n
}

func config(t testing.TB, settings ...string) engine.Config {
	t.Helper()
	cfg := engine.Default()
	for _, s := range settings {
		key, text, _ := strings.Cut(s, "=")
		if err := cfg.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// TestIpistormRatios holds the calibrated ratio and what must be equal by
// mechanism: a flag on a line of its own costs nothing, and the baseline whose
// newidle balance turns back at its gate is as fast as SM_IDLE.
func TestIpistormRatios(t *testing.T) {
	slow, n := storm(t)
	fast, _ := storm(t, "rd_overloaded=off")
	sm, m := storm(t, "sm_idle=on")
	aligned, _ := storm(t, "sm_idle=on", "flush_flag=aligned")
	for _, c := range []struct {
		what              string
		got, want, within float64
	}{
		{"SM_IDLE to slow mode", sm / slow, 0.25, 0.05},
		{"fast mode to SM_IDLE", fast / sm, 1, 0.03},
		{"aligned flag to SM_IDLE", aligned / sm, 1, 0.01},
	} {
		if c.got < c.want-c.within || c.got > c.want+c.within {
			t.Errorf("%s: %.3f, want %.3f within %.2f", c.what, c.got, c.want, c.within)
		}
	}
	if n.Newidle < n.Calls/3 || m.Newidle != 0 {
		t.Errorf("%d newidle balances in %d calls, %d with SM_IDLE: want about one in two calls, and none", n.Newidle, n.Calls, m.Newidle)
	}
	if m.PolledWakes < m.Calls*9/10 {
		t.Errorf("SM_IDLE: %d of %d calls polled, want nearly all", m.PolledWakes, m.Calls)
	}
}

// TestNewidleGates: in calls nothing is ever pulled, so gates that learn from
// that shut. The penalty stops at 0.5 ms and needs an avg_idle below it.
func TestNewidleGates(t *testing.T) {
	slow, _ := storm(t, "ipistorm.numipi=20000")
	for _, c := range []struct {
		settings []string
		shuts    bool
	}{
		{[]string{"newidle_gate=penalty"}, false},
		{[]string{"newidle_gate=penalty", "avg_idle=300us"}, true},
		{[]string{"newidle_gate=cost", "avg_idle=300us"}, false},
		{[]string{"newidle_gate=random"}, true},
	} {
		ns, _ := storm(t, append(c.settings, "ipistorm.numipi=20000")...)
		if shut := ns < slow/2; shut != c.shuts {
			t.Errorf("%v: %.0f ns a call, the open gate %.0f; shut %v, want %v", c.settings, ns, slow, shut, c.shuts)
		}
	}
}

// TestFlushFlagPlacement: the flag costs what its neighbours make it cost. A
// line that no other CPU touches costs nothing; one that others use does not
// make calls faster.
func TestFlushFlagPlacement(t *testing.T) {
	none, _ := storm(t, "sm_idle=on")
	cost := map[string]float64{}
	for _, place := range []string{"aligned", "beside_local", "beside_queue", "beside_clock", "beside_read", "beside_contended"} {
		ns, _ := storm(t, "sm_idle=on", "flush_flag="+place, "ipistorm.writers=8")
		cost[place] = ns / none
		t.Logf("%-17s %.3f", place, cost[place])
		if ns < none*0.99 {
			t.Errorf("%s: %.1f ns a call, without a flag %.1f", place, ns, none)
		}
	}
	for _, place := range []string{"aligned", "beside_local"} {
		if cost[place] > 1.005 {
			t.Errorf("%s: %.3f of the time without a flag, though no other CPU touches its line", place, cost[place])
		}
	}
	if cost["beside_read"] < 1.05 || cost["beside_contended"] < 1.05 {
		t.Errorf("lines that others use cost nothing: %v", cost)
	}
}

// TestIpistormNotifications looks at how calls reach the target.
func TestIpistormNotifications(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings []string
		check    func(n kernel.Counters) bool
	}{
		{"always an interrupt", []string{"polled_ipi=off", "flush_on_idle_exit=off"},
			func(n kernel.Counters) bool { return n.CallIPIs >= n.Calls && n.PolledWakes == 0 && n.Newidle == 0 }},
		{"TIF_NOTIFY_IPI never schedules", []string{"notify_ipi=on"},
			func(n kernel.Counters) bool { return n.PolledWakes > n.Calls*9/10 && n.Newidle < 20 }},
		// The target never leaves its idle loop, so its tick stays stopped, and
		// with a stopped tick the governor goes on choosing the deep state.
		{"C2 takes interrupts and never schedules", []string{"c2=ioport"},
			func(n kernel.Counters) bool { return n.CallIPIs >= n.Calls && n.PolledWakes < 20 && n.Newidle < 20 }},
		{"idle=poll polls", []string{"idle_poll=on", "sm_idle=on"},
			func(n kernel.Counters) bool { return n.PolledWakes > n.Calls*9/10 }},
		{"own CPU runs at once", []string{"ipistorm.offset=256", "ipistorm.cpulist=0"},
			func(n kernel.Counters) bool { return n.Calls == 2000 && n.PolledWakes+n.CallIPIs < 20 }},
		{"without wait all calls are made", []string{"ipistorm.wait=off"},
			func(n kernel.Counters) bool { return n.Calls == 2000 }},
		{"two callers of neighbouring targets", []string{"ipistorm.cpulist=8,9", "sm_idle=on"},
			func(n kernel.Counters) bool { return n.Calls == 4000 && n.PolledWakes > n.Calls*9/10 }},
		{"all others get real interrupts", []string{"ipistorm.single=off", "ipistorm.numipi=20"},
			func(n kernel.Counters) bool { return n.Calls == 20 && n.CallIPIs >= 20*250 && n.PolledWakes < 100 }},
		{"a delay lets the target sleep deep", []string{"ipistorm.delay=5ms", "ipistorm.numipi=20", "c2=ioport"},
			func(n kernel.Counters) bool { return n.Calls == 20 && n.CallIPIs >= 20 }},
	} {
		if _, n := storm(t, c.settings...); !c.check(n) {
			t.Errorf("%s: %d calls, %d polled, %d interrupts, %d told nobody, %d newidle", c.name, n.Calls, n.PolledWakes, n.CallIPIs, n.NoNotify, n.Newidle)
		}
	}
}

// TestIpistormTarget: the mails' command line means CPU 8 -> CPU 16.
func TestIpistormTarget(t *testing.T) {
	for _, c := range []struct{ settings, want string }{
		{"", "ipistorm: 8 -> 16\n"},
		{"ipistorm.cpulist=255", "ipistorm: 255 -> 7\n"}, // 256 CPUs
		{"ipistorm.cpulist=6 ipistorm.offset=3 ipistorm.mask=7", "ipistorm: 6 -> 1\n"},
		{"ipistorm.single=off", "ipistorm: 8 -> all\n"},
	} {
		e, err := engine.New(config(t, append(append(append([]string{}, milan...), mail...), strings.Fields(c.settings)...)...))
		if err != nil {
			t.Fatal(err)
		}
		if out := e.Output(1e6); !strings.HasPrefix(out, c.want) {
			t.Errorf("%q: %q, want %q", c.settings, out, c.want)
		}
	}
}

// TestIpistormBadInput: what cannot be is said with its place.
func TestIpistormBadInput(t *testing.T) {
	for _, c := range []struct{ settings, want string }{
		{"ipistorm.cpulist=300", "ipistorm.cpulist: CPU 300: the machine has CPUs 0 to 255"},
		{"ipistorm.cpulist=8-", `ipistorm.cpulist: "8-" is not a CPU`},
		{"ipistorm.cpulist=8,x,400", "ipistorm.cpulist: CPU 400"}, // and the other problem
		{"ipistorm.writers=300", "ipistorm.writers: 300 on 256 CPUs"},
		{"flush_on_idle_exit=off", "polled_ipi: on needs flush_on_idle_exit on too"},
		{"polled_ipi=off notify_ipi=on", "notify_ipi: on needs polled_ipi on too"},
		{"workload=ilb ilb.idle_cpu=256", "ilb.idle_cpu: 256: this machine's CPUs are 0-255"},
		{"workload=ilb ilb.idle_cpu=3 ilb.double_cpu=3", "ilb.idle_cpu: 3 is ilb.double_cpu too"},
	} {
		_, err := engine.New(config(t, append(append(append([]string{}, milan...), mail...), strings.Fields(c.settings)...)...))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.settings, err, c.want)
		}
	}
	cfg := engine.Default()
	for _, c := range []struct{ key, text, want string }{
		{"ipistorm.numipi", "0", "allowed are 1 to 100000000 calls"},
		{"ipistorm.numipi", "99999999999", "allowed are 1 to 100000000 calls"},
		{"ipistorm.offset", "-1", "allowed are 0 to 1023 CPUs"},
	} {
		if err := cfg.Set(c.key, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.text, err, c.want)
		}
	}
}

// TestCostSpread: drawn costs follow the seed, and kernels with one seed share
// them.
func TestCostSpread(t *testing.T) {
	plain, _ := storm(t, "sm_idle=on")
	a, _ := storm(t, "sm_idle=on", "cost_spread=200", "seed=7")
	again, _ := storm(t, "sm_idle=on", "cost_spread=200", "seed=7")
	aligned, _ := storm(t, "sm_idle=on", "flush_flag=aligned", "cost_spread=200", "seed=7")
	b, _ := storm(t, "sm_idle=on", "cost_spread=200", "seed=8")
	if a != again {
		t.Errorf("seed 7 gives %.3f and %.3f ns a call", a, again)
	}
	if a == b || a == plain {
		t.Errorf("%.3f and %.3f ns a call with two seeds, %.3f without spread: want three values", a, b, plain)
	}
	if d := aligned/a - 1; d < -0.01 || d > 0.01 {
		t.Errorf("aligned flag: %.1f ns a call, without a flag %.1f: not the same costs", aligned, a)
	}
}

func BenchmarkIpistorm100000(b *testing.B) {
	for _, kernel := range []string{"sm_idle=off", "sm_idle=on"} {
		b.Run(kernel, func(b *testing.B) {
			for range b.N {
				ns, _ := storm(b, "ipistorm.numipi=100000", kernel)
				b.ReportMetric(ns, "simulated-ns/call")
			}
		})
	}
}

// TestCallParts: the caller does nothing but call, so the parts of a call add
// up to its time.
func TestCallParts(t *testing.T) {
	for _, features := range []string{"sm_idle=off", "sm_idle=on"} {
		e, err := engine.New(config(t, append(append([]string{features}, milan...), mail...)...))
		if err != nil {
			t.Fatal(err)
		}
		e.RunUntil(simtime.Time(simtime.Millisecond), 20_000_000) // by then the other CPUs sleep and lines are where they are used
		from := e.Sample()
		e.RunUntil(simtime.Time(2900*simtime.Microsecond), 20_000_000)
		until := e.Sample()
		var sum, target float64
		for _, c := range e.AppendRates(nil, &from, &until) {
			if strings.HasPrefix(c.Key, "call_") {
				sum += c.Value
			}
			if strings.HasPrefix(c.Key, "target_") {
				target += c.Value
			}
		}
		ns := float64(until.At.Sub(from.At)) / float64(simtime.Nanosecond) / float64(until.Count.Calls-from.Count.Calls)
		if sum < 0.98*ns || sum > 1.01*ns {
			t.Errorf("%s: the caller's parts are %.1f ns, a call is %.1f", features, sum, ns)
		}
		if target < 0.3*ns || target > ns {
			t.Errorf("%s: the target's parts are %.1f ns, a call is %.1f", features, target, ns)
		}
	}
}
