package study

import (
	"fmt"
	"math"
	"strings"

	"wakelab/engine/stats"
)

// Text formats the report for a terminal: the metric in the shape of mmtests,
// published figures above modelled ones, then the side figures.
func (r *Report) Text() string {
	var t stats.Table
	for _, k := range r.Kernels {
		t.Columns = append(t.Columns, k.Name)
	}
	unit := r.Metric.Title + " (" + r.Metric.Unit + ")"
	t.Add(unit+" published", r.cells(r.published)...)
	t.Add(unit+" modelled", r.cells(r.modelled)...)
	t.Add("  95 % interval", r.cells(func(i int) stats.Cell {
		return stats.Plain(fmt.Sprintf("%s .. %s", Figure(r.Rows[i].Lo), Figure(r.Rows[i].Hi)))
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
		name := c.Title
		if c.Unit != "" {
			name += " (" + c.Unit + ")"
		}
		t.Add(name, r.cells(func(i int) stats.Cell {
			return stats.Plain(Figure(r.Counters[r.Rows[i].Kernel][c.Key]))
		})...)
		if r.hasSide(c.Key) {
			t.Add("  published", r.cells(func(i int) stats.Cell { return r.side(i, c.Key) })...)
		}
	}
	return t.String() + r.notes() + r.mmtests()
}

// minIterations is how many seeds a table of percentiles needs.
const minIterations = 10

// mmtests is the table that mmtests makes of as many iterations as seeds.
func (r *Report) mmtests() string {
	var columns []stats.MMTestsColumn
	for _, row := range r.Rows {
		if len(row.PerSeed) < minIterations {
			return ""
		}
		columns = append(columns, stats.MMTestsColumn{Name: row.Kernel, Samples: row.PerSeed})
	}
	return "\n" + stats.NewMMTests(r.Metric.Unit, r.Metric.Higher, columns...).Text()
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

func (r *Report) side(i int, key string) stats.Cell {
	if v, ok := r.Kernels[i].Side[key]; ok {
		return stats.Plain(Figure(v))
	}
	return stats.Plain("none")
}

func (r *Report) published(i int) stats.Cell {
	p, base := r.Rows[i].Published, r.Rows[0].Published
	switch {
	case p != nil && r.Rows[i].Relative:
		return stats.Plain("x " + Figure(*p))
	case p == nil:
		return stats.Plain("none")
	case base == nil:
		return stats.Plain(Figure(*p))
	}
	return stats.Cell{Text: Figure(*p), Gain: stats.Percent(*base, *p, r.Metric.Higher)}
}

func (r *Report) modelled(i int) stats.Cell {
	return stats.Cell{Text: Figure(r.Rows[i].Value), Gain: stats.Percent(r.Rows[0].Value, r.Rows[i].Value, r.Metric.Higher),
		Sure: i > 0 && r.Compare(i).Differs()}
}

func (r *Report) ratio(i int) stats.Cell {
	c := r.Compare(i)
	switch {
	case i == 0:
		return stats.Plain("1")
	case c.N < 2:
		return stats.Plain(fmt.Sprintf("%.3f (1 pair)", c.Ratio.Value))
	case !c.Differs():
		return stats.Plain(fmt.Sprintf("~ %.3f .. %.3f", c.Ratio.Lo, c.Ratio.Hi))
	}
	return stats.Plain(fmt.Sprintf("%.3f .. %.3f", c.Ratio.Lo, c.Ratio.Hi))
}

func (r *Report) settled(i int) stats.Cell {
	n := 0
	for _, res := range r.Kernels[i].Results {
		if res.Settled {
			n++
		}
	}
	if all := len(r.Kernels[i].Results); n < all {
		return stats.Plain(fmt.Sprintf("%d of %d", n, all))
	}
	return stats.Plain("yes")
}

// notes says what a reader must know to trust the figures.
func (r *Report) notes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n(x%%): gain over %s; *x%%*: significant at 95 %% (paired t test over seeds); ~: no difference shown.\n", r.Kernels[0].Name)
	var full, all int
	for i, k := range r.Kernels {
		if low, high, ok := stats.TwoGroups(r.Rows[i].PerSeed); ok {
			fmt.Fprintf(&b, "Careful: the seeds of %s form two groups, %d of them at %s to %s and %d at %s to %s. Its mean describes neither.\n",
				k.Name, len(low), Figure(low[0]), Figure(low[len(low)-1]), len(high), Figure(high[0]), Figure(high[len(high)-1]))
		}
		if k.Source != "" && k.Published != nil {
			times := ""
			if k.Relative {
				times = "x "
			}
			fmt.Fprintf(&b, "Published %s %s%s: %s\n", k.Name, times, Figure(*k.Published), k.Source)
		}
		for _, res := range k.Results {
			all++
			if res.Full {
				full++
			}
		}
	}
	fmt.Fprintf(&b, "Simulated %.4g s in %d runs, %d of them to the end, the others extrapolated; %.4g M events; model version %d.\n",
		r.SimulatedS, all, full, float64(r.Events)/1e6, r.ModelVersion)
	if r.Partial {
		b.WriteString("Stopped before all runs had ended: what was done by then is counted.\n")
	}
	return b.String()
}

// Figure writes v with about four significant digits and an SI prefix.
func Figure(v float64) string {
	a := math.Abs(v)
	switch {
	case a >= 1e9:
		return fmt.Sprintf("%.2f G", v/1e9)
	case a >= 1e6:
		return fmt.Sprintf("%.2f M", v/1e6)
	case a >= 1e4:
		return fmt.Sprintf("%.2f k", v/1e3)
	case a == 0:
		return "0"
	case a >= 100:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}
