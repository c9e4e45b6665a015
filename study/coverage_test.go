package study

import (
	"flag"
	"fmt"
	"testing"

	"wakelab/engine/stats"
)

var coverage = flag.Bool("coverage", false, "measure how often a 95 % interval holds the truth (minutes)")

// TestCoverage takes the rate of one long run on 4 CPUs as the truth and counts
// how often intervals hold it: those over five seeds, which must, and those
// within one short run, which do not know the modes in which a run can stay.
func TestCoverage(t *testing.T) {
	if !*coverage {
		t.Skip("needs -coverage")
	}
	const repetitions, seeds = 200, 5
	op := func(settings ...string) stats.Interval {
		return measure(t, config(t, append(settings, "hackbench.loops=100000000")...), "usecs_per_op", 1<<40).Metric
	}
	truth := op("duration=5s", "warmup=20ms", "seed=100000").Value
	holds := func(m stats.Interval) int {
		if m.Lo <= truth && truth <= m.Hi {
			return 1
		}
		return 0
	}
	over, within := 0, 0
	for r := range repetitions {
		var values []float64
		for s := range seeds {
			m := op("duration=20ms", fmt.Sprintf("seed=%d", r*seeds+s+1))
			within += holds(m)
			values = append(values, m.Value)
		}
		over += holds(stats.Mean(values))
	}
	t.Logf("of 95 %% intervals, %.1f %% over %d seeds and %.1f %% within one run hold %.4f us",
		100*float64(over)/repetitions, seeds, 100*float64(within)/(repetitions*seeds), truth)
	if over < repetitions*90/100 || over > repetitions*98/100 {
		t.Errorf("over seeds: %d of %d, want 90 to 98 %%", over, repetitions)
	}
}
