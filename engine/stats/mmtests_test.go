package stats_test

import (
	"fmt"
	"math"
	"testing"

	"wakelab/engine/stats"
)

// published is the perfpipe table of lore.kernel.org/lkml/
// 20221102102343.57845-1-zhouchengming@bytedance.com: 30 iterations of `perf
// bench sched pipe` a kernel, in us per operation. Percentages there were
// computed before rounding; recomputed from two decimals they may be off by
// 0.12 points.
var published = []struct {
	row           string
	base, patched float64
	percent       float64
}{
	{"Min", 8.67, 8.66, 0.13}, {"1st-qrtle", 8.83, 8.72, 1.19}, {"2nd-qrtle", 8.90, 8.76, 1.57}, {"3rd-qrtle", 8.98, 8.82, 1.82},
	{"Max-1", 8.67, 8.66, 0.13}, {"Max-5", 8.67, 8.66, 0.13}, {"Max-10", 8.79, 8.69, 1.09},
	{"Max-90", 9.01, 8.84, 1.94}, {"Max-95", 9.02, 8.85, 1.86}, {"Max-99", 9.02, 8.88, 1.56}, {"Max", 9.59, 8.89, 7.29},
	{"Amean", 8.92, 8.77, 1.65},
}

const rounding = 0.12 // percentage points

// fill makes 30 samples with the given values at the given ranks, straight
// lines between them.
func fill(at map[int]float64) []float64 {
	s := make([]float64, 30)
	last := 1
	for i := 1; i <= len(s); i++ {
		v, ok := at[i]
		if !ok {
			continue
		}
		s[i-1] = v
		for j := last + 1; j < i; j++ {
			s[j-1] = s[last-1] + (v-s[last-1])*float64(j-last)/float64(i-last)
		}
		last = i
	}
	return s
}

// TestPublishedTable makes samples whose ranks have the published values and
// expects every row and percentage of the published table from them.
func TestPublishedTable(t *testing.T) {
	base := fill(map[int]float64{1: 8.67, 3: 8.79, 7: 8.83, 15: 8.90, 22: 8.98, 27: 9.01, 28: 9.02, 29: 9.02, 30: 9.59})
	patched := fill(map[int]float64{1: 8.66, 3: 8.69, 7: 8.72, 15: 8.76, 22: 8.82, 27: 8.84, 28: 8.85, 29: 8.88, 30: 8.89})
	c := stats.NewMMTests("us", false, stats.MMTestsColumn{Name: "linux-next", Samples: base}, stats.MMTestsColumn{Name: "patched", Samples: patched})
	rows := map[string][]stats.MMTestsCell{}
	for _, r := range c.Rows {
		rows[r.Name] = r.Cells
	}
	for _, p := range published {
		got := rows[p.row]
		if math.Abs(got[0].Value-p.base) > 0.011 || math.Abs(got[1].Value-p.patched) > 0.011 || math.Abs(got[1].Percent-p.percent) > rounding {
			t.Errorf("%s: got %.3f, %.3f (%.2f%%), published %.2f, %.2f (%.2f%%)", p.row, got[0].Value, got[1].Value, got[1].Percent, p.base, p.patched, p.percent)
		}
		if star := got[1].Significant; star != (p.row == "Amean") {
			t.Errorf("%s: significance star is %v", p.row, star)
		}
	}
}

func TestPublishedPercentages(t *testing.T) {
	for _, p := range published {
		if got := stats.Percent(p.base, p.patched, false); math.Abs(got-p.percent) > rounding {
			t.Errorf("%s: got %.2f%% from %.2f and %.2f, published %.2f%%", p.row, got, p.base, p.patched, p.percent)
		}
	}
}

// TestMMTestsByHand is worked by hand: 1..10 against 2..11, where the best
// 25 % are two samples and the 5th percentile is the first.
func TestMMTestsByHand(t *testing.T) {
	var a, b []float64
	for i := 10; i >= 1; i-- {
		a, b = append(a, float64(i)), append(b, float64(i+1))
	}
	for _, c := range []struct {
		higher bool
		row    string
		want   [2]float64
		pct    float64
	}{
		{false, "Min", [2]float64{1, 2}, -100}, {false, "1st-qrtle", [2]float64{2, 3}, -50}, {false, "Max-5", [2]float64{1, 2}, -100},
		{false, "Max-99", [2]float64{9, 10}, 100 - 1000./9}, {false, "Max", [2]float64{10, 11}, -10}, {false, "Amean", [2]float64{5.5, 6.5}, 100 - 650/5.5},
		{false, "BAmean-25", [2]float64{1.5, 2.5}, 100 - 250/1.5}, {false, "BAmean-99", [2]float64{5, 6}, -20},
		{false, "Stddev", [2]float64{math.Sqrt(55. / 6), math.Sqrt(55. / 6)}, 0},
		{true, "BHmean-25", [2]float64{2 / (1./10 + 1./9), 2 / (1./11 + 1./10)}, 100*(1./10+1./9)/(1./11+1./10) - 100}, {true, "Min", [2]float64{1, 2}, 100},
		{true, "1st-qrtle", [2]float64{9, 10}, 1000./9 - 100}, {true, "CoeffVar", [2]float64{100 * math.Sqrt(55./6) / 5.5, 100 * math.Sqrt(55./6) / 6.5}, 100 - 550/6.5},
	} {
		found := false
		for _, r := range stats.NewMMTests("x", c.higher, stats.MMTestsColumn{Samples: a}, stats.MMTestsColumn{Samples: b}).Rows {
			if r.Name != c.row {
				continue
			}
			found = true
			for i, want := range c.want {
				if math.Abs(r.Cells[i].Value-want) > 1e-9 {
					t.Errorf("%s, column %d, higher %v: got %v, want %v", c.row, i, c.higher, r.Cells[i].Value, want)
				}
			}
			if math.Abs(r.Cells[1].Percent-c.pct) > 1e-9 {
				t.Errorf("%s, higher %v: got %v%%, want %v%%", c.row, c.higher, r.Cells[1].Percent, c.pct)
			}
		}
		if !found {
			t.Errorf("no row %s, higher %v", c.row, c.higher)
		}
	}
}

// TestTTest uses the critical value of tables, t = 2.776 for 5 % with 4
// degrees of freedom: with variances 1 and n 3 that is a difference of means
// of 2.776 * sqrt(2/3). With 6 and 3 samples of variance 2 and 1, which pooling
// would mix, the error is sqrt(2/6 + 1/3), and t = 2.365 is 5 % of 7 degrees.
func TestTTest(t *testing.T) {
	for _, c := range []struct {
		a, b    []float64
		diff, p float64
	}{
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, 2.776 * math.Sqrt(2./3), 0.05},
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, -2.776 * math.Sqrt(2./3), 0.05},
		{[]float64{-1, 1, -1, 1, math.Sqrt(3), -math.Sqrt(3)}, []float64{1, 2, 3}, 2.365 * math.Sqrt(2./6+1./3), 0.05},
		{[]float64{1, 1}, []float64{1, 1}, 0, 1},
		{[]float64{1, 1}, []float64{2, 2}, 1, 0},
	} {
		if got := stats.TTest(c.a, c.b, c.diff); math.Abs(got-c.p) > 1e-4 {
			t.Errorf("%v and %v with means %g apart: got p = %v, want %v", c.a, c.b, c.diff, got, c.p)
		}
	}
}

// TestPercentOfNothing: mmtests' answers where the first kernel has 0.
func TestPercentOfNothing(t *testing.T) {
	for _, c := range []struct {
		v      float64
		higher bool
		want   float64
	}{{0, true, 0}, {0, false, 0}, {1, true, 100}, {1, false, -99}} {
		if got := stats.Percent(0, c.v, c.higher); got != c.want {
			t.Errorf("%v against 0, higher %v: got %v, want %v", c.v, c.higher, got, c.want)
		}
	}
}

// ExampleMMTests_Text has the published table's first line and its rows Min
// and Amean in their exact shape.
func ExampleMMTests_Text() {
	c := stats.NewMMTests("us", false, stats.MMTestsColumn{Name: "linux-next", Samples: []float64{8.67, 8.67, 9, 9, 9, 9, 9.01, 9.01}},
		stats.MMTestsColumn{Name: "patched", Samples: []float64{8.66, 8.66, 8.81, 8.81, 8.81, 8.81, 8.8, 8.8}})
	c.Rows = append(c.Rows[:1], c.Rows[11:15]...)
	fmt.Print("|\n" + c.Text())
	// Output:
	// |
	//                            linux-next                patched
	// Min       Time        8.67 (   0.00%)        8.66 (   0.12%)
	// Amean     Time        8.92 (   0.00%)        8.77 *   1.68%*
	// Stddev    Time        0.15 (   0.00%)        0.07 (  55.93%)
	// CoeffVar  Time        1.73 (   0.00%)        0.78 (  55.17%)
	// BAmean-99 Time        8.91 (   0.00%)        8.76 (   1.60%)
}
