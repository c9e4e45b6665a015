package study

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/stats"
	"wakelab/engine/view"
)

// config is hackbench on 4 CPUs, with settings KEY=VALUE.
func config(t *testing.T, settings ...string) engine.Config {
	t.Helper()
	cfg := engine.Default()
	for _, kv := range append([]string{"sockets=1", "dies_per_socket=1", "llcs_per_die=1", "cores_per_llc=2", "threads_per_core=2",
		"hackbench.groups=1", "hackbench.fds=4", "hackbench.threads=on"}, settings...) {
		key, value, _ := strings.Cut(kv, "=")
		if err := cfg.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

func measure(t *testing.T, cfg engine.Config, metric string, step int64) Result {
	t.Helper()
	m, ok := FindMetric(metric)
	if !ok {
		t.Fatal(metric)
	}
	r, err := New(cfg, m)
	if err != nil {
		t.Fatal(err)
	}
	for last := 0.0; !r.Advance(simtime.Never, step); {
		if p := r.Progress(); p < last || p > 1 {
			t.Fatalf("progress %v after %v", p, last)
		} else {
			last = p
		}
	}
	if r.Progress() != 1 {
		t.Errorf("progress of an ended run is %v", r.Progress())
	}
	res, err := r.Result()
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestFullRun(t *testing.T) {
	res := measure(t, config(t, "hackbench.loops=50"), "time", 1000)
	m := res.Metric
	if !res.Full || !res.Settled || m.Value <= 0 || m.Lo != m.Value || m.Hi != m.Value {
		t.Errorf("%+v", res)
	}
	if messages := 4 * 4 * 50.0; math.Abs(res.Rate*m.Value-messages) > 1e-6 {
		t.Errorf("rate %v x time %v is not %v messages", res.Rate, m.Value, messages)
	}
}

func TestStepsDoNotMatter(t *testing.T) {
	cfg := config(t, "hackbench.loops=1000000", "duration=10ms", "seed=3")
	a, b := measure(t, cfg, "time", 1<<40), measure(t, cfg, "time", 777)
	if a.Digest != b.Digest || a.Metric != b.Metric || a.Events != b.Events {
		t.Errorf("one step: %+v\nmany steps: %+v", a, b)
	}
}

// TestExtrapolation compares a run cut short with the full one, which is long
// enough for its last tasks to be few.
func TestExtrapolation(t *testing.T) {
	full := measure(t, config(t, "hackbench.loops=100000", "duration=10s"), "time", 1<<40)
	short := measure(t, config(t, "hackbench.loops=100000", "duration=100ms"), "time", 1<<40)
	if !full.Full || short.Full {
		t.Fatalf("full %+v\nshort %+v", full, short)
	}
	if off := short.Metric.Value/full.Metric.Value - 1; math.Abs(off) > 0.1 {
		t.Errorf("extrapolated %v, full run %v: %.1f %% off", short.Metric, full.Metric.Value, 100*off)
	}
	if short.Metric.Lo >= short.Metric.Value || short.Metric.Hi <= short.Metric.Value {
		t.Errorf("interval %v", short.Metric)
	}
}

func TestPrecisionEndsEarly(t *testing.T) {
	res := measure(t, config(t, "hackbench.loops=1000000", "duration=100ms", "precision=100"), "time", 1<<40)
	if res.SimulatedS >= 0.1 || res.Metric.HalfWidth() > 0.11 {
		t.Errorf("ran %v s, interval %v", res.SimulatedS, res.Metric)
	}
}

func TestWarmup(t *testing.T) {
	res := measure(t, config(t, "hackbench.loops=1000000", "duration=10ms", "warmup=4ms"), "time", 1<<40)
	if res.WarmUpS != 0.004 || !res.Settled {
		t.Errorf("%+v", res)
	}
	drifts := measure(t, config(t, "hackbench.loops=1000000", "duration=10ms", "warmup=4ms", "settles_after=5ms"), "time", 1<<40)
	if drifts.Settled {
		t.Error("settled although the workload is known to drift for longer")
	}
}

// measure looks at the progress of a workload without an end, too.
func TestEndlessWorkload(t *testing.T) {
	res := measure(t, config(t, "workload=schbench", "schbench.workers=8", "duration=100ms"), "wakeup_p99_us", 1000)
	if res.Full {
		t.Errorf("%+v: it has no end", res)
	}
}

func TestPerUnitMetric(t *testing.T) {
	res := measure(t, config(t, "hackbench.loops=50"), "usecs_per_op", 1<<40)
	if want := 1e6 / res.Rate; math.Abs(res.Metric.Value-want) > want*1e-9 {
		t.Errorf("%v us, want %v", res.Metric.Value, want)
	}
}

func TestTooShort(t *testing.T) {
	r, err := New(config(t, "hackbench.loops=1000000", "duration=1ms"), Metrics[0])
	if err != nil {
		t.Fatal(err)
	}
	r.Advance(simtime.Never, 10)
	if _, err := r.Result(); err == nil || !strings.Contains(err.Error(), "longer duration") {
		t.Errorf("result after 10 events: %v", err)
	}
}

// TestNoExtrapolation: the idle-balance scene ends with its slowest thread,
// which speeds up as others end, so its time is known at the end alone.
func TestNoExtrapolation(t *testing.T) {
	ilb := []string{"workload=ilb", "ilb.idle_cpu=0", "ilb.double_cpu=1", "ilb.work=50ms", "periodic_balance=off", "newidle=off", "c2=off", "precision=100"}
	r, err := New(config(t, append(ilb, "duration=60ms")...), Metrics[0])
	if err != nil {
		t.Fatal(err)
	}
	for !r.Advance(simtime.Never, 1<<40) {
	}
	res, err := r.Result()
	if err == nil || !strings.Contains(err.Error(), "cannot be extrapolated") || res.Settled || res.SimulatedS < 0.06 || len(res.Counters) == 0 {
		t.Errorf("%v after %v s, settled %v, %d counters: want a refusal, not settled, with counters", err, res.SimulatedS, res.Settled, len(res.Counters))
	}
	if full := measure(t, config(t, append(ilb, "duration=1s")...), "time", 1<<40); !full.Full || !full.Settled || full.Metric.Value < 0.1 || full.Metric.Value > 0.15 {
		t.Errorf("%+v: want two threads of 50 ms that share a CPU, and a core at first, to need 100 to 150 ms", full)
	}
}

// results makes a result per value, of seeds 1, 2, ...
func results(values ...float64) []Result {
	var out []Result
	for i, v := range values {
		out = append(out, Result{Seed: int64(i + 1), Metric: stats.Interval{Value: v, Lo: v - 1, Hi: v + 1}, Settled: true})
	}
	return out
}

func TestReport(t *testing.T) {
	published := 49.0
	r := NewReport("s", Metrics[0], []Kernel{
		{Name: "base", Published: &published, Source: "mail", Calibrated: true, Results: results(50, 52, 48)},
		{Name: "better", Results: results(40, 42, 38)},
		{Name: "same", Results: results(51, 51, 48.5)},
		{Name: "never run"},
	})
	if len(r.Rows) != 3 || len(r.Seeds) != 3 || r.Rows[0].Value != 50 {
		t.Fatalf("%+v", r)
	}
	if c := r.Compare(1); !c.Differs() || math.Abs(c.Ratio.Value-0.8) > 0.01 {
		t.Errorf("better: %+v", c)
	}
	text := r.Text()
	for _, want := range []string{"*  20.00%*", "(   0.00%)", "~ 0.", "49.00", "none", "calibration", "prediction", "Published base 49.00: mail"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if got, want := r.Precision(), r.Compare(2).Ratio.HalfWidth(); got != want {
		t.Errorf("precision %v, want that of the widest ratio, %v", got, want)
	}
	one := NewReport("s", Metrics[0], []Kernel{{Name: "base", Results: results(50)}})
	if row := one.Rows[0]; row.Lo != 49 || row.Hi != 51 {
		t.Errorf("one seed: %+v, want the interval within the run", row)
	}
	if !math.IsInf(one.Precision(), 1) {
		t.Errorf("one seed claims a precision of %v", one.Precision())
	}
	groups := NewReport("s", Metrics[0], []Kernel{{Name: "base", Results: results(30, 50, 31, 51, 30, 50)}})
	if text := groups.Text(); !strings.Contains(text, "the seeds of base form two groups, 3 of them at 30.00 to 31.00 and 3 at 50.00 to 51.00") {
		t.Error(text)
	}
}

// TestOtherMetrics measures workloads that end by time alone.
func TestOtherMetrics(t *testing.T) {
	rr := measure(t, config(t, "workload=netperf", "duration=10ms", "warmup=1ms"), "ops_per_s", 1<<20)
	if rr.Metric.Value != rr.Rate || rr.Rate < 1e4 || rr.Rate > 1e6 || rr.Metric.Lo > rr.Rate {
		t.Errorf("netperf: %+v, want 10 000 to 1 000 000 transactions a second", rr.Metric)
	}
	tail := measure(t, config(t, "workload=schbench", "schbench.workers=8", "duration=300ms"), "wakeup_p99_us", 1<<20)
	median := measure(t, config(t, "workload=schbench", "schbench.workers=8", "duration=300ms"), "wakeup_p50_us", 1<<20)
	if median.Metric.Value <= 0 || tail.Metric.Value <= median.Metric.Value {
		t.Errorf("schbench: median %v, 99th percentile %v", median.Metric, tail.Metric)
	}
	for _, c := range []struct{ workload, metric, want string }{
		{"schbench", "time", "metric time: the workload schbench has no end of its own"},
		{"netperf", "wakeup_p99_us", "metric wakeup_p99_us: the workload netperf does not record that latency"},
		{"netperf", "ticks_per_s", "metric ticks_per_s: the workload netperf is not idle"},
	} {
		m, _ := FindMetric(c.metric)
		if _, err := New(config(t, "workload="+c.workload), m); err == nil || err.Error() != c.want {
			t.Errorf("%s of %s: error %v, want %q", c.metric, c.workload, err, c.want)
		}
	}
	if res := measure(t, config(t, "workload=idle", "duration=50ms"), "ticks_per_s", 1<<20); res.Metric.Value < 0 {
		t.Errorf("idle: %+v ticks a second", res.Metric)
	}
	cfg := config(t, "workload=idle")
	if m := OwnMetric(&cfg); m.Key != "ticks_per_s" {
		t.Errorf("idle is measured by %s", m.Key)
	}
}

// TestUnknownIsNotZero: a run too short to tell has no result, and two in which
// nothing was done have no ratio.
func TestUnknownIsNotZero(t *testing.T) {
	for _, c := range []struct {
		settings     []string
		metric, want string
	}{
		{[]string{"workload=netperf", "duration=2ms", "warmup=1950us"}, "ops_per_s", "rate is not known well enough"},
		{[]string{"workload=schbench", "duration=1ms"}, "request_p99_us", "there is no request latency yet"},
	} {
		m, _ := FindMetric(c.metric)
		r, err := New(config(t, c.settings...), m)
		if err != nil {
			t.Fatal(err)
		}
		for !r.Advance(simtime.Never, 1<<20) {
		}
		if res, err := r.Result(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %+v, error %v, want %q", c.settings, res.Metric, err, c.want)
		}
	}
	r := NewReport("s", Metrics[0], []Kernel{{Name: "a", Results: results(0, 0, 0)}, {Name: "b", Results: results(0, 0, 0)}})
	if text := r.Text(); strings.Contains(text, "NaN") || !regexp.MustCompile(`ratio to a +1 +none`).MatchString(text) {
		t.Error(text)
	}
}

// TestMMTestsTable: percentiles are printed from ten seeds on.
func TestMMTestsTable(t *testing.T) {
	kernels := []Kernel{{Name: "a"}, {Name: "b"}}
	metric, _ := FindMetric("usecs_per_op")
	for seed := range MinIterations {
		if seed == MinIterations-1 {
			if r := NewReport("x", metric, kernels); r.mmtests() != "" {
				t.Errorf("a table of percentiles from %d seeds", seed)
			}
		}
		for i := range kernels {
			v := float64(10 + i + seed%2)
			kernels[i].Results = append(kernels[i].Results, Result{Seed: int64(seed), Metric: stats.Interval{Value: v, Lo: v, Hi: v}})
		}
	}
	r := NewReport("x", metric, kernels)
	if got, want := r.mmtests(), "Amean     Time       10.50 (   0.00%)       11.50 *  -9.52%*\n"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant a line\n%s", got, want)
	}
}

// TestNothingHappened: a mean over no events is left out of the seeds' mean.
func TestNothingHappened(t *testing.T) {
	two := results(50, 52)
	two[0].Counters = []view.Counter{{Key: "held_ns", Title: "Held", Unit: "ns", None: true}, {Key: "never_ns", Title: "Never", Unit: "ns", None: true}}
	two[1].Counters = []view.Counter{{Key: "held_ns", Title: "Held", Unit: "ns", Value: 393}, {Key: "never_ns", Title: "Never", Unit: "ns", None: true}}
	r := NewReport("s", Metrics[0], []Kernel{{Name: "base", Results: two}})
	if got := r.Counters["base"]; len(got) != 1 || got["held_ns"] != 393 {
		t.Errorf("%v, want held_ns 393 alone", got)
	}
	if text := r.Text(); !regexp.MustCompile(`Never \(ns\) +none`).MatchString(text) {
		t.Error(text)
	}
}

// TestNoFalseSignificance: neither seeds without spread nor runs that had not
// settled show a difference.
func TestNoFalseSignificance(t *testing.T) {
	unsettled := results(40, 42, 38)
	unsettled[1].Settled = false
	for name, other := range map[string][]Result{"no spread": results(40, 42, 38), "not settled": unsettled} {
		base := results(50, 52.5, 47.5) // 1.25 times the other
		if name == "not settled" {
			base = results(50, 51, 48)
		}
		r := NewReport("s", Metrics[0], []Kernel{{Name: "base", Results: base}, {Name: "other", Results: other}})
		if text := r.Text(); strings.Contains(text, "*  20") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	one := NewReport("s", Metrics[0], []Kernel{{Name: "base", Results: []Result{{Metric: stats.Interval{Value: 3, Lo: 3, Hi: 3}}}}})
	if text := one.Text(); !regexp.MustCompile(`95 % interval +none`).MatchString(text) {
		t.Errorf("an interval without width:\n%s", text)
	}
}

func TestFigure(t *testing.T) {
	for _, tt := range []struct {
		v          float64
		unit, want string
	}{{154620, "us", "154.6 ms"}, {154.62, "us", "154.6"}, {2.5e7, "us", "25.00 s"}, {123456, "s", "123456.0"}, {8996000, "1/s", "9.00 M"}, {0, "", "0"}, {0.02, "ns", "0.0200"}, {4.07e-6, "s", "4.1e-06"}} {
		if got := Figure(tt.v, tt.unit); got != tt.want {
			t.Errorf("Figure(%v, %q) = %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

// TestBranch: another kernel goes on from a run's state, and its first stretch
// is left out.
func TestBranch(t *testing.T) {
	own := config(t, "hackbench.loops=1000000", "duration=10ms", "resettles_after=4ms")
	other := config(t, "hackbench.loops=1000000", "duration=10ms", "resettles_after=4ms", "idle_delay=1ms", "pipe.read=60ns")
	if own.SceneKey() != other.SceneKey() || own.WarmKey() == other.WarmKey() {
		t.Error("kernels and costs make a state another one's, but leave its scene alone")
	}
	if crowd := config(t, "hackbench.loops=1000000", "hackbench.groups=2"); crowd.SceneKey() == own.SceneKey() {
		t.Error("two workloads are one scene")
	}
	e, err := engine.New(own)
	if err != nil {
		t.Fatal(err)
	}
	e.RunUntil(simtime.Time(5*simtime.Millisecond), 1<<40)
	for _, branched := range []bool{false, true} {
		r, err := NewFrom(other, Metrics[0], e.Snapshot(nil), branched)
		if err != nil {
			t.Fatal(err)
		}
		for !r.Advance(simtime.Never, 1<<40) {
		}
		res, err := r.Result()
		if err != nil {
			t.Fatal(err)
		}
		if left := res.WarmUpS >= 4e-3; left != branched {
			t.Errorf("branched %v: %g s left out at the start", branched, res.WarmUpS)
		}
	}
}
