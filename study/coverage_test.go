package study

import (
	"flag"
	"fmt"
	"testing"
)

var coverage = flag.Bool("coverage", false, "measure how often the 95 % interval of one run holds the truth (minutes)")

// TestCoverage takes the rate of one long run as the truth and counts in how
// many short runs, of as many seeds, the interval holds it.
func TestCoverage(t *testing.T) {
	if !*coverage {
		t.Skip("needs -coverage")
	}
	const runs = 200
	setting := "hackbench.loops=100000000"
	truth := measure(t, config(t, setting, "duration=4s", "warmup=20ms", "seed=1000"), "usecs_per_op", 1<<40).Metric.Value
	hits, settled := 0, 0
	for seed := range runs {
		res := measure(t, config(t, setting, "duration=40ms", fmt.Sprintf("seed=%d", seed+1)), "usecs_per_op", 1<<40)
		if res.Settled {
			settled++
		}
		if res.Metric.Lo <= truth && truth <= res.Metric.Hi {
			hits++
		}
	}
	t.Logf("%d of %d intervals hold %.4f us; %d runs were settled", hits, runs, truth, settled)
	if hits < runs*90/100 || hits > runs*98/100 {
		t.Error("outside 90 to 98 %")
	}
}
