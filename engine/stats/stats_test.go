package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestMean(t *testing.T) {
	// t quantile of 4 degrees of freedom is 2.776; sd of 1..5 is 1.581.
	m := Mean([]float64{1, 2, 3, 4, 5})
	if m.Value != 3 || !near(m.Hi-3, 2.776*1.5811/math.Sqrt(5), 0.001) || !near(3-m.Lo, m.Hi-3, 1e-12) {
		t.Errorf("Mean(1..5) = %v, want 3 ± 1.963", m)
	}
	if one := Mean([]float64{7}); one != (Interval{7, 7, 7}) {
		t.Errorf("Mean of one sample = %v", one)
	}
}

func TestPaired(t *testing.T) {
	base := []float64{10, 12, 11, 13}
	tests := []struct {
		name    string
		other   []float64
		ratio   float64
		differs bool
	}{
		{"half", []float64{5, 6.1, 5.4, 6.6}, 0.5, true},
		{"noise", []float64{10.3, 11.8, 11.2, 12.8}, 1, false},
		{"the same", base, 1, false},
		{"exactly twice: no spread, no test", []float64{20, 24, 22, 26}, 2, false},
	}
	for _, tt := range tests {
		c := Paired(base, tt.other)
		if !near(c.Ratio.Value, tt.ratio, 0.02) || c.Differs() != tt.differs {
			t.Errorf("%s: ratio %.3f (want %.2f), p %.3f, differs %v", tt.name, c.Ratio.Value, tt.ratio, c.P, c.Differs())
		}
	}
	if c := Paired([]float64{2}, []float64{1}); c.Differs() || c.Ratio.Value != 0.5 {
		t.Errorf("one pair: %+v must not claim a difference", c)
	}
}

// series is a noisy rate that starts away from its mean and approaches it.
func series(r *rand.Rand, n int, offset, decay float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 100 + offset*math.Exp(-float64(i)/decay) + r.NormFloat64()
	}
	return x
}

func TestWarmUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		name          string
		offset, decay float64
		least, most   int
		settled       bool
	}{
		{"steady from the start", 0, 1, 0, 40, true},
		{"short warm-up", -50, 8, 15, 80, true},
		{"still rising at the end", -50, 400, 0, 0, false},
	}
	for _, tt := range tests {
		x := series(r, 200, tt.offset, tt.decay)
		cut, settled := WarmUp(x)
		if settled != tt.settled || settled && (cut < tt.least || cut > tt.most) {
			t.Errorf("%s: cut %d, settled %v; want %d to %d, %v", tt.name, cut, settled, tt.least, tt.most, tt.settled)
		}
	}
	if _, settled := WarmUp([]float64{1, 2, 3}); settled {
		t.Error("three samples cannot be called settled")
	}
}

// TestCoverage counts how often the interval of batch means holds the truth
// for correlated series, the second so much that its ten batches correlate too.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		correlation float64
		samples     int
		least, most float64
	}{{0.6, 500, 0.90, 0.98}, {0.95, 200, 0.80, 0.98}} {
		r := rand.New(rand.NewPCG(3, 4))
		const trials = 400
		hits := 0
		for range trials {
			x := make([]float64, c.samples)
			noise := r.NormFloat64() / math.Sqrt(1-c.correlation*c.correlation)
			for i := range x {
				noise = c.correlation*noise + r.NormFloat64()
				x[i] = 100 + noise
			}
			if m := BatchMeans(x); m.Lo <= 100 && 100 <= m.Hi {
				hits++
			}
		}
		if share := float64(hits) / trials; share < c.least || share > c.most {
			t.Errorf("correlation %g: the 95 %% interval held the mean in %.1f %% of trials", c.correlation, 100*share)
		}
	}
}

func TestTimeFor(t *testing.T) {
	got := TimeFor(1000, 100, 2, Interval{90, 80, 100})
	if want := (Interval{12, 11, 13.25}); got != want {
		t.Errorf("TimeFor = %v, want %v", got, want)
	}
}

func TestTwoGroups(t *testing.T) {
	for _, tt := range []struct {
		name string
		x    []float64
		low  int
	}{
		{"two groups", []float64{30, 50, 31, 51, 29, 52, 30}, 4},
		{"one group", []float64{30, 31, 32, 33, 34, 35}, 0},
		{"an outlier is no group", []float64{30, 31, 30, 32, 31, 90}, 0},
		{"too few", []float64{30, 30, 50, 50}, 0},
		{"all equal", []float64{30, 30, 30, 30, 30, 30}, 0},
	} {
		low, high, ok := TwoGroups(tt.x)
		if ok != (tt.low > 0) || len(low) != tt.low || ok && len(low)+len(high) != len(tt.x) {
			t.Errorf("%s: %v %v %v", tt.name, low, high, ok)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	false6 := 0
	for range 2000 {
		x := make([]float64, 6)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		if _, _, ok := TwoGroups(x); ok {
			false6++
		}
	}
	if false6 > 100 {
		t.Errorf("two groups seen in %d of 2000 sets of six normal samples", false6)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{7}, 7}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(c.x); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}
