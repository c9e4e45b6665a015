package engine_test

import (
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
)

// storyA is hackbench with 1280 threads on 384 CPUs.
func storyA(tb testing.TB) *engine.Engine {
	tb.Helper()
	return started(tb, "hackbench.groups=32", "hackbench.fds=20", "hackbench.threads=on", "hackbench.loops=480000")
}

// started is a run of the defaults with settings KEY=VALUE.
func started(tb testing.TB, settings ...string) *engine.Engine {
	tb.Helper()
	cfg := engine.Default()
	for _, kv := range settings {
		key, value, _ := strings.Cut(kv, "=")
		if err := cfg.Set(key, value); err != nil {
			tb.Fatal(err)
		}
	}
	e, err := engine.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// TestStoryANeedsNoMemory: steady state allocates nothing, and the state is
// small.
func TestStoryANeedsNoMemory(t *testing.T) {
	e := storyA(t)
	e.RunUntil(simtime.Never, 200_000)
	if allocs := testing.AllocsPerRun(5, func() { e.RunUntil(simtime.Never, 20_000) }); allocs != 0 {
		t.Errorf("%v allocations in 20 000 events", allocs)
	}
	if size := e.Snapshot(nil).Size(); size > 20<<20 {
		t.Errorf("the state takes %d MiB, at most 20", size>>20)
	}
}

// BenchmarkStoryA is story A, from its first microseconds on.
func BenchmarkStoryA(b *testing.B) {
	e := storyA(b)
	e.RunUntil(simtime.Never, 200_000)
	b.ReportAllocs()
	b.ResetTimer()
	e.RunUntil(simtime.Never, int64(b.N))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// BenchmarkWakeup is one wakeup of an idle CPU: half a round of perf bench
// sched pipe.
func BenchmarkWakeup(b *testing.B) {
	e := started(b, "workload=sched-pipe", "schedpipe.loops=100000000")
	e.RunUntil(simtime.Never, 100_000)
	b.ReportAllocs()
	b.ResetTimer()
	first := e.Count().Wakeups
	for e.Count().Wakeups < first+int64(b.N) {
		e.RunUntil(simtime.Never, 10_000) // some 300 wakeups: counting must not count
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(e.Count().Wakeups-first)*1e9, "ns/wakeup")
}
