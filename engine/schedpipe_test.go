package engine_test

import (
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
)

// run simulates d of the default machine with the given settings.
func run(t *testing.T, d simtime.Duration, settings ...string) *engine.Engine {
	t.Helper()
	cfg := engine.Default()
	for _, s := range settings {
		key, text, _ := strings.Cut(s, "=")
		if err := cfg.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.RunUntil(simtime.Time(0).Add(d), 1<<40)
	e.Check()
	return e
}

// TestSchedPipePlaces follows the two tasks: where they end up decides how
// they wake each other. CPUs 0-7 share an L3, CPU 8 is in the next one.
func TestSchedPipePlaces(t *testing.T) {
	const d = 5 * simtime.Millisecond
	for _, c := range []struct {
		name     string
		settings []string
		check    func(n kernel.Counters) bool
	}{
		{"two in one L3 stay on two CPUs", []string{"schedpipe.cpus=0,3", "schedpipe.bind=off"},
			func(n kernel.Counters) bool { return n.Migrations == 0 && n.OnWakersCPU == 0 }},
		// but at first, while they refresh blocked load on their way into idle
		{"polling idle CPUs need no interrupt", []string{"schedpipe.cpus=0,3", "schedpipe.bind=off"},
			func(n kernel.Counters) bool { return n.PolledWakes > 100 && n.IPIs*50 < n.PolledWakes }},
		{"always-IPI kernels send one a wakeup", []string{"schedpipe.cpus=0,3", "polled_ipi=off"},
			func(n kernel.Counters) bool { return n.IPIs >= n.Wakeups && n.PolledWakes == 0 }},
		{"one CPU needs no notification but for idle-balance kicks", []string{"schedpipe.cpus=5"},
			func(n kernel.Counters) bool {
				return n.IPIs == n.NohzKicks && n.WakelistWakes == 0 && n.OnWakersCPU == n.Wakeups
			}},
		{"two L3s come together", []string{"schedpipe.cpus=0,8", "schedpipe.bind=off"},
			func(n kernel.Counters) bool { return n.WakeMigrations > 0 && n.WakeMigrations < 10 }},
		{"bound across L3s all wakeups use the wake list", []string{"schedpipe.cpus=0,8"},
			func(n kernel.Counters) bool { return n.Migrations == 0 && n.WakelistWakes == n.Wakeups }},
		{"bound across L3s even to busy CPUs", []string{"schedpipe.cpus=0,8", "wakelist_idle=off"},
			func(n kernel.Counters) bool { return n.WakelistWakes == n.Wakeups }},
		{"within an L3 without the idle wake list none does", []string{"schedpipe.cpus=0,3", "wakelist_idle=off"},
			func(n kernel.Counters) bool { return n.WakelistWakes == 0 }},
	} {
		e := run(t, d, append([]string{"workload=sched-pipe"}, c.settings...)...)
		n := e.Count()
		if n.Messages < 1000 || !c.check(n) {
			t.Errorf("%s: %d messages, %d wakeups (%d on the waker's CPU, %d by wake list), %d IPIs, %d polled, %d migrations (%d by wakeups)",
				c.name, n.Messages, n.Wakeups, n.OnWakersCPU, n.WakelistWakes, n.IPIs, n.PolledWakes, n.Migrations, n.WakeMigrations)
		}
	}
}

// TestSchedPipeEnds runs a short benchmark to its end and reads its output.
func TestSchedPipeEnds(t *testing.T) {
	e := run(t, simtime.Second, "workload=sched-pipe", "schedpipe.loops=1000", "schedpipe.threads=on", "seed=3")
	if !e.Done() {
		t.Fatal("1000 operations do not end within a second")
	}
	done, total := e.Work()
	if done != 1000 || total != 1000 {
		t.Errorf("%d of %d operations done, want all 1000", done, total)
	}
	want := "# Running 'sched/pipe' benchmark:\n# Executed 1000 pipe operations between two threads\n\n" +
		"     Total time: 0.008 [sec]\n\n       8.000000 usecs/op\n         125000 ops/sec\n"
	if got := e.Output(125000); got != want {
		t.Errorf("output at 125000 operations/s:\n%s\nwant\n%s", got, want)
	}
}

func TestSchedPipeBadCPUs(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"0,400", "schedpipe.cpus: CPU 400: the machine has CPUs 0 to 383"},
		{"3-1", `schedpipe.cpus: "3-1" is not a CPU, a range of CPUs`},
		{"0-2", `schedpipe.cpus: "0-2" names 3 CPUs: at most 2`},
	} {
		cfg := engine.Default()
		for key, text := range map[string]string{"workload": "sched-pipe", "schedpipe.cpus": c.list} {
			if err := cfg.Set(key, text); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := engine.New(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want %q", c.list, err, c.want)
		}
	}
}
