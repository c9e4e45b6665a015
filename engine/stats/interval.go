package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the level of every interval here.
const Confidence = 0.95

// Interval is a value and the 95 % interval it lies in.
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// HalfWidth returns the larger distance of a bound, as a share of the value.
func (i Interval) HalfWidth() float64 {
	return math.Max(i.Hi-i.Value, i.Value-i.Lo) / math.Abs(i.Value)
}

// Mean returns the mean of independent samples with Student's t interval. The
// interval of a single sample is the sample: it says nothing about spread.
func Mean(x []float64) Interval {
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return Interval{mean, mean, mean}
	}
	half := quantileT(len(x)-1) * stat.StdErr(sd, float64(len(x)))
	return Interval{mean, mean - half, mean + half}
}

// quantileT is the two-sided t quantile of the confidence level.
func quantileT(degrees int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}
	return t.Quantile(1 - (1-Confidence)/2)
}

// Comparison is how one kernel's runs relate to the baseline's.
type Comparison struct {
	// Ratio is other / base: the geometric mean over seeds.
	Ratio Interval
	// P is the chance of a ratio this far from 1 if there were no difference,
	// by the paired t test on logarithms; NaN, which is no difference, with
	// fewer than two pairs or without any spread, which tell nothing.
	P float64
	N int // pairs
}

// Differs reports whether the two differ at the confidence level.
func (c Comparison) Differs() bool { return c.P < 1-Confidence }

// rounding is the spread that equal logarithms may have by rounding alone.
const rounding = 1e-12

// Paired compares runs of equal seeds: base[i] and other[i] share one. All
// values must be positive.
func Paired(base, other []float64) Comparison {
	n := min(len(base), len(other))
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = math.Log(other[i] / base[i])
	}
	m := Mean(logs)
	c := Comparison{Ratio: Interval{math.Exp(m.Value), math.Exp(m.Lo), math.Exp(m.Hi)}, P: math.NaN(), N: n}
	if n < 2 {
		return c
	}
	if se := (m.Hi - m.Value) / quantileT(n-1); se > rounding {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
		c.P = 2 * t.Survival(math.Abs(m.Value)/se)
	}
	return c
}

// Median returns the middle sample, or the mean of the two in the middle; x
// must not be empty.
func Median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
