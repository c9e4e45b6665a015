package sweep

import (
	"fmt"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/stats"
	"wakelab/presets"
	"wakelab/study"
)

// plan sweeps the idle extension of two kernels, of which one has none, over
// two seeds.
func plan(t *testing.T) *Plan {
	t.Helper()
	lib := presets.Shipped()
	st, err := lib.Study("hackbench-epyc9654")
	if err != nil {
		t.Fatal(err)
	}
	grid, err := ParseGrid([]string{"idle_delay=0,1ms", "c2=off"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan("s", study.Metrics[0], st.Kernels[:2], grid, 2, func(kernel string, n int, set presets.Set) (engine.Config, error) {
		return lib.Config(st, kernel, set.With(presets.Set{"seed": fmt.Sprint(n + 1)}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCells(t *testing.T) {
	p := plan(t)
	// The first kernel owns no idle_delay: one combination; the other has two.
	if len(p.Points) != 3*2 {
		t.Fatalf("%d points", len(p.Points))
	}
	results := make([]*study.Result, len(p.Points))
	for i, v := range []float64{10, 12, 20, 0, 5, 7} {
		if v > 0 {
			results[i] = &study.Result{Metric: stats.Interval{Value: v, Lo: v - 1, Hi: v + 1}}
		}
	}
	var got []string
	for _, c := range p.Cells(results) {
		got = append(got, fmt.Sprintf("%s %v %g %.3f %d", c.Kernel, c.Values, c.Mean.Value, c.Mean.Hi, c.Seeds))
	}
	// t quantile of one degree of freedom: 12.706; the standard error is 1.
	want := "v6.5 [0 off] 11 23.706 2\nidle-1ms [0 off] 20 21.000 1\nidle-1ms [1ms off] 6 18.706 2"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("cells:\n%s\nwant:\n%s", text, want)
	}
	var csv strings.Builder
	if err := p.WriteCSV(&csv, results); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	if len(lines) != 6 || !strings.HasSuffix(lines[0], "seed,idle_delay,c2,time,time_lo,time_hi,settled,digest") || !strings.HasPrefix(lines[4], "5,6,") {
		t.Errorf("CSV:\n%s", csv.String())
	}
}

func TestParseGridRefuses(t *testing.T) {
	for text, want := range map[string]string{"idle_delay": "want KEY=VALUE", "nothing=1": "nothing", "idle_delay=-1ms": "idle_delay"} {
		if _, err := ParseGrid([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
