// Package stats turns samples of a run, and runs of many seeds, into the
// figures and intervals that reports show.
package stats

import (
	"fmt"
	"math"
	"sort"
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

// MMTests is the table that mmtests' compare-mmtests.pl prints.
type MMTests struct {
	Metric string       `json:"metric"` // what a sample is: "usecs/op"
	Names  []string     `json:"names"`
	Rows   []MMTestsRow `json:"rows"`
}

// Significance is the level below which a difference of means gets its star.
const Significance = 0.05

// rows are mmtests' figures of 2022, in its order.
var rows = buildRows()

type figure struct {
	name string
	of   func(best []float64) float64 // samples, best first
}

func buildRows() []figure {
	list := []figure{{"Min", func(s []float64) float64 { return math.Min(s[0], s[len(s)-1]) }}}
	for _, q := range []struct {
		name string
		p    int
	}{{"1st-qrtle", 25}, {"2nd-qrtle", 50}, {"3rd-qrtle", 75},
		{"Max-1", 1}, {"Max-5", 5}, {"Max-10", 10}, {"Max-90", 90}, {"Max-95", 95}, {"Max-99", 99}} {
		list = append(list, figure{q.name, func(s []float64) float64 { return Percentile(s, q.p) }})
	}
	list = append(list, figure{"Max", func(s []float64) float64 { return math.Max(s[0], s[len(s)-1]) }},
		figure{amean, mean}, figure{"Stddev", stdDev},
		figure{"CoeffVar", func(s []float64) float64 {
			if m := mean(s); m != 0 {
				return 100 * stdDev(s) / m
			}
			return 0 // all are 0
		}})
	for _, p := range []int{99, 95, 90, 75, 50, 25} {
		list = append(list, figure{fmt.Sprintf("BAmean-%d", p), func(s []float64) float64 { return mean(s[:rank(len(s), p)]) }})
	}
	return list
}

const amean = "Amean"

// NewMMTests makes the table of columns, each of at least two samples. higher
// says that more is better.
func NewMMTests(metric string, higher bool, columns ...MMTestsColumn) MMTests {
	c := MMTests{Metric: metric}
	var sorted [][]float64
	for _, col := range columns {
		if len(col.Samples) < 2 {
			panic(fmt.Sprintf("stats: %d samples of %s: a comparison needs two", len(col.Samples), col.Name))
		}
		c.Names = append(c.Names, col.Name)
		s := append([]float64(nil), col.Samples...)
		sort.Float64s(s)
		if higher {
			for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
				s[i], s[j] = s[j], s[i]
			}
		}
		sorted = append(sorted, s)
	}
	for _, f := range rows {
		row := MMTestsRow{Name: f.name}
		base := f.of(sorted[0])
		for i, s := range sorted {
			v := f.of(s)
			cell := MMTestsCell{Value: v, Percent: Percent(base, v, higher)}
			cell.Significant = f.name == amean && i > 0 && TTest(sorted[0], s) < Significance
			row.Cells = append(row.Cells, cell)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// Percent is how much better v is than base, in percent, as mmtests counts
// it: of base, and positive for an improvement.
func Percent(base, v float64, higher bool) float64 {
	if base == 0 {
		return 0
	}
	if higher {
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

// TTest is the two-sided p value of Student's t-test that a and b have the
// same mean. As mmtests does, it weights the variances by the numbers of
// samples and counts len(a)+len(b)-2 degrees of freedom. Samples without any
// spread show nothing: 1.
func TTest(a, b []float64) float64 {
	na, nb := float64(len(a)), float64(len(b))
	ma, va := stat.MeanVariance(a, nil)
	mb, vb := stat.MeanVariance(b, nil)
	pooled, diff := (na*va+nb*vb)/(na+nb), math.Abs(ma-mb)
	if pooled == 0 {
		return 1
	}
	t := distuv.StudentsT{Sigma: 1, Nu: na + nb - 2}
	return 2 * t.Survival(diff/math.Sqrt(pooled*(1/na+1/nb)))
}

func mean(s []float64) float64 { return stat.Mean(s, nil) }

func stdDev(s []float64) float64 { return stat.StdDev(s, nil) }

// Text is the table as compare-mmtests.pl prints it, a column per kernel.
func (c MMTests) Text() string {
	const cell = 23
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s", "")
	for _, n := range c.Names {
		fmt.Fprintf(&b, "%*s", cell, n)
	}
	b.WriteByte('\n')
	for _, r := range c.Rows {
		fmt.Fprintf(&b, "%-10s %-13s", r.Name, c.Metric)
		for _, v := range r.Cells {
			open, shut := '(', ')'
			if v.Significant {
				open, shut = '*', '*'
			}
			fmt.Fprintf(&b, "%12.2f %c%7.2f%%%c", v.Value, open, v.Percent, shut)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
