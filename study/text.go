package study

import (
	"fmt"
	"math"
	"strings"

	"wakelab/engine/stats"
	"wakelab/engine/view"
)

// Text formats the report for a terminal: the metric in the shape of mmtests,
// published figures above modelled ones, then the side figures.
func (r *Report) Text() string {
	var t stats.Table
	for _, k := range r.Kernels {
		t.Columns = append(t.Columns, k.Name)
	}
	unit := Label(r.Metric.Title, r.Metric.Unit)
	t.Add(unit+" published", r.cells(r.published)...)
	t.Add(unit+" modelled", r.cells(r.modelled)...)
	t.Add("  95 % interval", r.cells(func(i int) stats.Cell {
		return stats.Plain(r.span(stats.Interval{Lo: r.Rows[i].Lo, Hi: r.Rows[i].Hi}))
	})...)
	t.Add("  ratio to "+r.Kernels[0].Name, r.cells(r.ratio)...)
	t.Add("  this row is a", r.cells(func(i int) stats.Cell {
		if r.Rows[i].Calibrated {
			return stats.Plain("calibration")
		}
		return stats.Plain("prediction")
	})...)
	t.Add("  seeds", r.cells(func(i int) stats.Cell { return stats.Plain(fmt.Sprint(len(r.Rows[i].PerSeed))) })...)
	t.Add("  settled", r.cells(r.settled)...)
	for _, c := range r.Kernels[0].Results[0].Counters {
		t.Add(Label(c.Title, c.Unit), r.cells(func(i int) stats.Cell {
			return r.counter(r.Counters[r.Rows[i].Kernel], c)
		})...)
		if r.hasSide(c.Key) {
			t.Add("  published", r.cells(func(i int) stats.Cell { return r.counter(r.Kernels[i].Side, c) })...)
		}
	}
	return t.String() + r.notes() + r.mmtests()
}

// MinIterations is how many seeds a table of percentiles needs.
const MinIterations = 10

// MMTests is the table that mmtests makes of as many iterations as seeds; ok is
// false with too few of them.
func (r *Report) MMTests() (table stats.MMTests, ok bool) {
	var columns []stats.MMTestsColumn
	for _, row := range r.Rows {
		if len(row.PerSeed) < MinIterations {
			return table, false
		}
		columns = append(columns, stats.MMTestsColumn{Name: row.Kernel, Samples: row.PerSeed})
	}
	return stats.NewMMTests(r.Metric.Unit, r.Metric.Higher, columns...), true
}

func (r *Report) mmtests() string {
	table, ok := r.MMTests()
	if !ok {
		return ""
	}
	return fmt.Sprintf("\nAs mmtests prints it, in %s, stars at p < %g:\n%s", table.Unit, stats.Significance, table.Text())
}

func (r *Report) cells(f func(i int) stats.Cell) []stats.Cell {
	out := make([]stats.Cell, len(r.Rows))
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// hasSide reports whether any kernel has a published figure for a counter.
func (r *Report) hasSide(key string) bool {
	for _, k := range r.Kernels {
		if _, ok := k.Side[key]; ok {
			return true
		}
	}
	return false
}

func (r *Report) counter(values map[string]float64, c view.Counter) stats.Cell {
	if v, ok := values[c.Key]; ok {
		return stats.Plain(Figure(v, c.Unit))
	}
	return stats.Plain("none")
}

func (r *Report) figure(v float64) string { return Figure(v, r.Metric.Unit) }

func (r *Report) span(i stats.Interval) string { return Span(i, r.Metric.Unit) }

func (r *Report) published(i int) stats.Cell {
	p, base := r.Rows[i].Published, r.Rows[0].Published
	switch {
	case p != nil && r.Rows[i].Relative:
		return stats.Plain("x " + Figure(*p, ""))
	case p == nil:
		return stats.Plain("none")
	case base == nil:
		return stats.Plain(r.figure(*p))
	}
	return stats.Cell{Text: r.figure(*p), Gain: stats.Percent(*base, *p, r.Metric.Higher)}
}

func (r *Report) modelled(i int) stats.Cell {
	return stats.Cell{Text: r.figure(r.Rows[i].Value), Gain: stats.Percent(r.Rows[0].Value, r.Rows[i].Value, r.Metric.Higher),
		Sure: r.differs(i)}
}

func (r *Report) ratio(i int) stats.Cell {
	c := r.Compare(i)
	switch {
	case i == 0:
		return stats.Plain("1")
	case c.N == 0:
		return stats.Plain("none")
	case c.N < 2:
		return stats.Plain(fmt.Sprintf("%.3f (1 pair)", c.Ratio.Value))
	case math.IsNaN(c.P):
		return stats.Plain(fmt.Sprintf("%.3f (no spread)", c.Ratio.Value))
	case !r.differs(i):
		return stats.Plain(fmt.Sprintf("~ %.3f .. %.3f", c.Ratio.Lo, c.Ratio.Hi))
	}
	return stats.Plain(fmt.Sprintf("%.3f .. %.3f", c.Ratio.Lo, c.Ratio.Hi))
}

func (r *Report) settled(i int) stats.Cell {
	if n, all := r.settledRuns(i), len(r.Kernels[i].Results); n < all {
		return stats.Plain(fmt.Sprintf("%d of %d", n, all))
	}
	return stats.Plain("yes")
}

// notes says what a reader must know to trust the figures.
func (r *Report) notes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n(x%%): gain over %s; *x%%*: significant at 95 %% (paired t test over seeds that settled); ~: no difference shown.\n", r.Kernels[0].Name)
	var full, all int
	for i, k := range r.Kernels {
		if low, high, ok := stats.TwoGroups(r.Rows[i].PerSeed); ok {
			fmt.Fprintf(&b, "Careful: the seeds of %s form two groups, %d of them at %s to %s and %d at %s to %s. Its mean describes neither.\n",
				k.Name, len(low), r.figure(low[0]), r.figure(low[len(low)-1]), len(high), r.figure(high[0]), r.figure(high[len(high)-1]))
		}
		if k.Source != "" && k.Published != nil {
			fmt.Fprintf(&b, "Published %s %s: %s\n", k.Name, strings.TrimSpace(r.published(i).Text), k.Source)
		}
		for _, res := range k.Results {
			all++
			if res.Full {
				full++
			}
		}
	}
	ends := fmt.Sprintf("%d of them to the end", full)
	switch full {
	case 0:
		ends = "none to the end"
	case all:
		ends = "all to the end"
	}
	fmt.Fprintf(&b, "Simulated %.4g s; runs: %d, %s; %.4g M events; model version %d.\n",
		r.SimulatedS, all, ends, float64(r.Events)/1e6, r.ModelVersion)
	if r.Partial {
		b.WriteString("Stopped before all runs had ended: what was done by then is counted.\n")
	}
	return b.String()
}

// Label writes what a figure is and its unit, unless the title names that.
func Label(title, unit string) string {
	if unit == "" || strings.HasPrefix(title, unit) {
		return title
	}
	return title + " (" + unit + ")"
}

// Span writes an interval of figures of that unit. One without width comes from
// a single figure, which has no interval.
func Span(i stats.Interval, unit string) string {
	if i.Lo == i.Hi {
		return "none"
	}
	return Figure(i.Lo, unit) + " .. " + Figure(i.Hi, unit)
}

// longer is the next unit of a time.
var longer = map[string]string{"ns": "us", "us": "ms", "ms": "s"}

// Figure writes v, of that unit, with about four significant digits: large
// counts with an SI prefix, long times in a longer unit, which is named.
func Figure(v float64, unit string) string {
	as := unit
	for longer[as] != "" && math.Abs(v) >= 1e4 {
		v, as = v/1e3, longer[as]
	}
	if as != unit {
		return digits(v) + " " + as
	}
	a := math.Abs(v)
	switch {
	case a < 1e4 || unit == "s":
		return digits(v)
	case a >= 1e9:
		return fmt.Sprintf("%.2f G", v/1e9)
	case a >= 1e6:
		return fmt.Sprintf("%.2f M", v/1e6)
	}
	return fmt.Sprintf("%.2f k", v/1e3)
}

func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	case a >= 1e-3:
		return fmt.Sprintf("%.4f", v)
	}
	return fmt.Sprintf("%.2g", v) // not 0.0000: it is not nothing
}
