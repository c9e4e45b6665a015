package study_test

import (
	"math"
	"testing"

	"wakelab/engine/stats"
	"wakelab/study"
)

// runs makes results of seeds 1, 2, ... with these values; 0 stands for a seed
// without a result.
func runs(values ...float64) []study.Result {
	var all []study.Result
	for i, v := range values {
		if v > 0 {
			all = append(all, study.Result{Seed: int64(i + 1), Metric: stats.Interval{Value: v, Lo: v, Hi: v}, Settled: i > 0})
		}
	}
	return all
}

func TestSummariesPairSeeds(t *testing.T) {
	r := study.NewReport("s", study.Metrics[0], []study.Kernel{
		{Name: "base", Results: runs(10, 20, 0, 40)},
		{Name: "half", Results: runs(5, 0, 15, 20.4)},
	})
	base, half := r.Summaries()[0], r.Summaries()[1]
	if base.Ratio != nil || base.Seeds != 3 || base.Settled != 2 || base.Median != 20 {
		t.Errorf("baseline: %+v", base)
	}
	if half.Pairs != 2 || math.Abs(half.Ratio.Value-0.505) > 0.01 || !half.Differs || half.Median != 15 {
		t.Errorf("half: %+v", half)
	}
}

func TestSummariesWithoutPairs(t *testing.T) {
	r := study.NewReport("s", study.Metrics[0], []study.Kernel{
		{Name: "base", Results: runs(10, 0)},
		{Name: "other", Results: runs(0, 9)},
	})
	if other := r.Summaries()[1]; other.Ratio != nil || other.Differs || other.Pairs != 0 {
		t.Errorf("no seed in common: %+v", other)
	}
	r = study.NewReport("s", study.Metrics[0], []study.Kernel{{Name: "base", Results: runs(1, 1.1, 1.2, 9, 9.1, 9.2)}})
	if groups := r.Summaries()[0].Groups; len(groups) != 2 || len(groups[0]) != 3 {
		t.Errorf("groups: %v", groups)
	}
}
