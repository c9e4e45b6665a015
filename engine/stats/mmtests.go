// Package stats turns samples of a run, and runs of many seeds, into the
// figures and intervals that reports show.
package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MMTestsColumn is one kernel's samples of a metric.
type MMTestsColumn struct {
	Name    string
	Samples []float64
}

// MMTestsCell is one figure of one kernel, compared with the first kernel's.
type MMTestsCell struct {
	Value       float64 `json:"value"`
	Percent     float64 `json:"percent"`     // how much better than the first kernel; negative is worse
	Significant bool    `json:"significant"` // only ever set in the row of the mean
}

// MMTestsRow is one figure of all kernels.
type MMTestsRow struct {
	Name  string        `json:"name"`
	Cells []MMTestsCell `json:"cells"`
}

// MMTests is the table that mmtests' compare-mmtests.pl of October 2022
// (b5f04c23ee0e) prints for a benchmark of varying time, such as perfpipe.
type MMTests struct {
	Operation string       `json:"operation"` // mmtests' word for a sample: Time, or Ops where more is better
	Unit      string       `json:"unit"`      // of a sample; mmtests does not print it
	Names     []string     `json:"names"`
	Rows      []MMTestsRow `json:"rows"`
}

// Significance is the level below which a difference of means gets its star:
// mmtests' default.
const Significance = 0.10

type figure struct {
	name   string
	of     func(best []float64) float64 // samples, best first
	tested bool                         // gets a star where it differs
	spread bool                         // less is better, whatever the samples are
}

// figures are mmtests' rows in its order. Its mean is the harmonic one where
// more is better.
func figures(higher bool) []figure {
	mean, meanName := arithmetic, "Amean"
	if higher {
		mean, meanName = harmonic, "Hmean"
	}
	list := []figure{{name: "Min", of: slices.Min[[]float64]}}
	for _, q := range []struct {
		name string
		p    int
	}{{"1st-qrtle", 25}, {"2nd-qrtle", 50}, {"3rd-qrtle", 75},
		{"Max-1", 1}, {"Max-5", 5}, {"Max-10", 10}, {"Max-90", 90}, {"Max-95", 95}, {"Max-99", 99}} {
		list = append(list, figure{name: q.name, of: func(s []float64) float64 { return Percentile(s, q.p) }})
	}
	list = append(list, figure{name: "Max", of: slices.Max[[]float64]}, figure{name: meanName, of: mean, tested: true},
		figure{name: "Stddev", of: stdDev, spread: true},
		figure{name: "CoeffVar", spread: true, of: func(s []float64) float64 {
			if m := arithmetic(s); m != 0 {
				return 100 * stdDev(s) / m
			}
			return 0 // all are 0
		}})
	for _, p := range []int{99, 95, 90, 75, 50, 25} {
		list = append(list, figure{name: fmt.Sprintf("B%s-%d", meanName, p), of: func(s []float64) float64 { return mean(s[:rank(len(s), p)]) }})
	}
	return list
}

// NewMMTests makes the table of columns, each of at least two samples. higher
// says that more is better.
func NewMMTests(unit string, higher bool, columns ...MMTestsColumn) MMTests {
	c := MMTests{Operation: "Time", Unit: unit}
	if higher {
		c.Operation = "Ops"
	}
	var sorted [][]float64
	for _, col := range columns {
		if len(col.Samples) < 2 {
			panic(fmt.Sprintf("stats: %d samples of %s: a comparison needs two", len(col.Samples), col.Name))
		}
		c.Names = append(c.Names, col.Name)
		s := slices.Sorted(slices.Values(col.Samples))
		if higher {
			slices.Reverse(s)
		}
		sorted = append(sorted, s)
	}
	for _, f := range figures(higher) {
		row := MMTestsRow{Name: f.name}
		base := f.of(sorted[0])
		for i, s := range sorted {
			v := f.of(s)
			row.Cells = append(row.Cells, MMTestsCell{Value: v, Percent: Percent(base, v, higher && !f.spread),
				Significant: f.tested && i > 0 && TTest(sorted[0], s, v-base) < Significance})
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// Percent is how much better v is than base, in percent, as mmtests counts
// it: of base, and positive for an improvement. Of nothing it counts 100 up
// and 99 down.
func Percent(base, v float64, higher bool) float64 {
	switch {
	case v == base:
		return 0
	case base == 0 && higher:
		return 100
	case base == 0:
		return -99
	case higher:
		return 100*v/base - 100
	}
	return 100 - 100*v/base
}

// rank is the number of the sample, counted from 1, that mmtests takes for
// percentile p of n samples.
func rank(n, p int) int { return max(n*p/100, 1) }

// Percentile is the sample at mmtests' rank for percentile p; sorted must not
// be empty. It does not interpolate: of 30 samples the 1st and the 5th
// percentile are both the first.
func Percentile(sorted []float64, p int) float64 { return sorted[rank(len(sorted), p)-1] }

// TTest is the two-sided p value of Student's t-test that a and b, whose means
// differ by diff, have the same mean. As mmtests does, it takes each sample's
// own variance and counts len(a)+len(b)-2 degrees of freedom, and calls any
// difference of samples without spread certain.
func TTest(a, b []float64, diff float64) float64 {
	na, nb := float64(len(a)), float64(len(b))
	stdErr := math.Sqrt(stat.Variance(a, nil)/na + stat.Variance(b, nil)/nb)
	switch {
	case diff == 0:
		return 1
	case stdErr == 0:
		return 0
	}
	t := distuv.StudentsT{Sigma: 1, Nu: na + nb - 2}
	return 2 * t.Survival(math.Abs(diff)/stdErr)
}

func arithmetic(s []float64) float64 { return stat.Mean(s, nil) }

func harmonic(s []float64) float64 { return stat.HarmonicMean(s, nil) }

func stdDev(s []float64) float64 { return stat.StdDev(s, nil) }

// Text is the table as compare-mmtests.pl prints it, a column per kernel. A
// kernel with a long name gets a wider column.
func (c MMTests) Text() string {
	name := 0
	for _, r := range c.Rows {
		name = max(name, len(r.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%*s", name+1+len(c.Operation), "")
	widths := make([]int, len(c.Names))
	for i, n := range c.Names {
		widths[i] = max(12, len(n)+1-gainWidth)
		fmt.Fprintf(&b, "%*s", widths[i]+gainWidth, n)
	}
	b.WriteByte('\n')
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "%-*s %s", name, r.Name, c.Operation)
		for i, v := range r.Cells {
			open, shut := '(', ')'
			if v.Significant {
				open, shut = '*', '*'
			}
			fmt.Fprintf(&b, "%*.2f %c%7.2f%%%c", widths[i], v.Value, open, v.Percent, shut)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// gainWidth is the width of a percentage with its space and brackets.
const gainWidth = 11
