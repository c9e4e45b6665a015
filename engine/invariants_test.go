package engine

import (
	"fmt"
	"strings"
	"testing"

	"wakelab/engine/param"
	"wakelab/engine/rng"
	"wakelab/engine/simtime"
)

// randomConfig draws a small machine, a short workload and any features; sets
// is what it set, to repeat it.
func randomConfig(t *testing.T, seed uint64) (cfg Config, sets string) {
	t.Helper()
	r := rng.New(seed, "random config")
	cfg = Default()
	var list []string
	set := func(key, text string) {
		list = append(list, key+"="+text)
		if err := cfg.Set(key, text); err != nil {
			t.Fatal(err)
		}
	}
	pick := func(options ...string) string { return options[r.Intn(int64(len(options)))] }
	set("seed", fmt.Sprint(seed))
	set("sockets", pick("1", "2"))
	set("dies_per_socket", pick("1", "2"))
	set("llcs_per_die", pick("1", "2"))
	set("cores_per_llc", pick("1", "2", "4"))
	set("threads_per_core", pick("1", "2"))
	set("numbering", pick("block", "adjacent", "alternate"))
	set("c1", pick("off", "mwait", "ioport"))
	set("c2", pick("off", "mwait", "ioport"))
	set("c2_residency", pick("2us", "20us", "800us"))
	set("hackbench.groups", pick("1", "2", "3"))
	set("hackbench.fds", pick("1", "3", "8"))
	set("hackbench.loops", pick("20", "100"))
	set("hackbench.size", pick("4", "100", "3000"))
	set("hackbench.threads", pick("on", "off"))
	set("hackbench.start_credit", pick("0", "9ms"))
	for i := range Params() {
		d := &Params()[i]
		if d.Group != "kernel" || r.Intn(3) != 0 {
			continue
		}
		v := param.Value{N: d.Min + r.Intn(d.Max-d.Min+1)}
		switch d.Key {
		case "polled_ipi", "flush_on_idle_exit", "notify_ipi": // drawn together below: one needs the other
			continue
		case "cpu_relax":
			v.N %= 500
		case "wakelist_group":
			v.N = []int64{0, 1, 2, 8}[r.Intn(4)]
		}
		if d.Kind == param.Duration {
			v.N = max(v.N%int64(5*simtime.Millisecond), d.Min)
		}
		set(d.Key, d.Format(v))
	}
	ipi := [][3]string{{"on", "on", "off"}, {"on", "on", "on"}, {"off", "on", "off"}, {"off", "off", "off"}}[r.Intn(4)]
	set("polled_ipi", ipi[0])
	set("flush_on_idle_exit", ipi[1])
	set("notify_ipi", ipi[2])
	set("ipistorm.numipi", pick("1", "10", "40"))
	set("ipistorm.single", pick("on", "off"))
	set("ipistorm.wait", pick("on", "off"))
	set("ipistorm.offset", pick("0", "1", "3"))
	set("ipistorm.delay", pick("0", "0", "20us"))
	set("ipistorm.writers", pick("0", "1"))
	set("ilb.work", pick("1ms", "20ms"))
	set("workload", pick("hackbench", "hackbench", "ipistorm", "ilb"))
	if cfg.Validate() != nil { // the scene needs two CPUs
		set("workload", "hackbench")
	}
	return cfg, strings.Join(list, " ")
}

// Random machines, workloads and kernels run to their end with every
// invariant intact, and nothing is lost on the way.
func TestRandomRunsKeepInvariants(t *testing.T) {
	n := uint64(120)
	if testing.Short() {
		n = 30
	}
	for seed := range n {
		cfg, sets := randomConfig(t, seed)
		e, err := New(cfg)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, sets)
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d: %v\n%s", seed, p, sets)
				}
			}()
			for !e.Done() && e.Events() < 3_000_000 {
				e.RunUntil(simtime.Never, 5000)
				e.Check()
			}
		}()
		if !e.Done() {
			t.Errorf("seed %d: not done after %d events, at %v\n%s", seed, e.Events(), e.Now(), sets)
		}
	}
}

// A run that is copied, restored and played again is the same run.
func TestSnapshotReplaysExactly(t *testing.T) {
	for seed := range uint64(10) {
		cfg, sets := randomConfig(t, seed)
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		e.RunUntil(simtime.Never, 3000)
		at := e.Snapshot(nil)
		e.RunUntil(simtime.Never, 4000)
		want, when := e.Digest(), e.Now()
		if err := e.Restore(at); err != nil {
			t.Fatal(err)
		}
		for range 40 { // in other steps than the first time
			e.RunUntil(simtime.Never, 100)
		}
		if got := e.Digest(); got != want || e.Now() != when {
			t.Errorf("seed %d: digest %016x at %v after the replay, want %016x at %v\n%s", seed, got, e.Now(), want, when, sets)
		}
	}
}

// The same configuration gives the same run, another seed another one.
func TestDigestFollowsSeed(t *testing.T) {
	digest := func(seed string) uint64 {
		cfg, _ := randomConfig(t, 7)
		if err := cfg.Set("seed", seed); err != nil {
			t.Fatal(err)
		}
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		e.RunUntil(simtime.Never, 20000)
		return e.Digest()
	}
	a, b, c := digest("1"), digest("1"), digest("2")
	if a != b {
		t.Errorf("two runs of seed 1 differ: %016x and %016x", a, b)
	}
	if a == c {
		t.Errorf("seeds 1 and 2 give the same run: %016x", a)
	}
}
