package presets

import (
	"math"
	"strconv"
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/stats"
	"wakelab/study"
)

// results runs a shipped study's kernels over seeds 1 to n.
func results(t *testing.T, name string, n int) map[string][]study.Result {
	t.Helper()
	lib := Shipped()
	s, err := lib.Study(name)
	if err != nil {
		t.Fatal(err)
	}
	metric, _ := study.FindMetric(s.Metric)
	all := map[string][]study.Result{}
	for _, k := range s.Kernels {
		for seed := 1; seed <= n; seed++ {
			cfg, err := lib.Config(s, k.Kernel, Set{"seed": strconv.Itoa(seed)})
			if err != nil {
				t.Fatal(err)
			}
			r, err := study.New(cfg, metric)
			if err != nil {
				t.Fatal(err)
			}
			for !r.Advance(simtime.Never, 1<<20) {
			}
			r.Engine().Check()
			res, err := r.Result()
			if err != nil {
				t.Fatal(err)
			}
			all[k.Kernel] = append(all[k.Kernel], res)
		}
	}
	return all
}

func values(rs []study.Result) (v []float64) {
	for _, r := range rs {
		v = append(v, r.Metric.Value)
	}
	return v
}

func counter(t *testing.T, r study.Result, key string) float64 {
	t.Helper()
	for _, c := range r.Counters {
		if c.Key == key {
			return c.Value
		}
	}
	t.Fatalf("no counter %s", key)
	return 0
}

// TestPerfpipeCalibration holds the calibrated row to its figure and states
// the known gap: the published gain of 1.65 % is not there, because no wakeup
// of the model's sched pipe finds its task still on the runqueue.
func TestPerfpipeCalibration(t *testing.T) {
	all := results(t, "perfpipe-xeon", 6)
	base := stats.Mean(values(all["linux-next-2022-11"]))
	if base.Value < 8.92*0.985 || base.Value > 8.92*1.015 {
		t.Errorf("linux-next takes %.3f us an operation, published 8.92: recalibrate work_scale of the study", base.Value)
	}
	spread := 0.0
	for _, v := range values(all["linux-next-2022-11"]) {
		spread = math.Max(spread, math.Abs(v-base.Value))
	}
	if spread < 0.05 || spread > 0.5 {
		t.Errorf("iterations lie up to %.3f us from their mean, published 0.25 below and 0.67 above", spread)
	}
	for kernel, rs := range all {
		for i, r := range rs {
			if p := counter(t, r, "polled_wakes_per_s"); counter(t, r, "ipis_per_s") > 0.01*p {
				t.Errorf("%s, seed %d: %.0f interrupts a second against %.0f polled wakes: want hardly any", kernel, i+1, counter(t, r, "ipis_per_s"), p)
			}
			if share := counter(t, r, "prevented_sleeps"); share > 1e-4 {
				t.Errorf("%s, seed %d: %v of the wakeups prevent a sleep: the known gap has closed, see DEVIATIONS.md", kernel, i+1, share)
			}
		}
	}
}

// TestPolledIPIPrediction holds only the direction: there is no figure.
func TestPolledIPIPrediction(t *testing.T) {
	all := results(t, "polled-ipi-value", 2)
	with, without := stats.Mean(values(all["v6.5"])), stats.Mean(values(all["no-polled-ipi"]))
	if with.Value >= without.Value {
		t.Errorf("sched pipe takes %.2f us with polled IPIs, %.2f without: want less", with.Value, without.Value)
	}
}

// TestPerfpipeCostsInRange: calibration may move costs within their ranges
// only.
func TestPerfpipeCostsInRange(t *testing.T) {
	lib := Shipped()
	s, err := lib.Study("perfpipe-xeon")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := lib.Config(s, s.Kernels[0].Kernel, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range engine.Params() {
		if v := cfg.Values[i].N * cfg.Number("work_scale") / 1000; d.Group == "cost" && (v < d.Min || v > d.Max) {
			t.Errorf("%s: %s scaled to %d ps leaves its range %s", d.Key, d.Format(cfg.Values[i]), v, d.Range())
		}
	}
}
