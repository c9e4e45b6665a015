// Package sweep plans the runs of a study's kernels over values of parameters,
// and tabulates what came out. The command line and the page use it, so that
// both write the same rows.
package sweep

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine"
	"wakelab/engine/stats"
	"wakelab/presets"
	"wakelab/study"
)

// MaxPoints bounds the runs of a sweep.
const MaxPoints = 100_000

// Grid is every combination of the values of parameters.
type Grid struct {
	Keys []string
	Sets []presets.Set // the last key's values change fastest
}

// ParseGrid reads KEY=VALUE,VALUE... texts, one a parameter.
func ParseGrid(texts []string) (Grid, error) {
	if len(texts) == 0 {
		return Grid{}, errors.New("no --set: a sweep wants KEY=VALUE,VALUE..., such as idle_delay=0,500us,1ms; without values there is 'wakelab study'")
	}
	g := Grid{Sets: []presets.Set{{}}}
	for _, f := range texts {
		key, values, ok := strings.Cut(f, "=")
		if !ok {
			return Grid{}, fmt.Errorf("--set %q: want KEY=VALUE,VALUE..., such as idle_delay=0,500us,1ms", f)
		}
		if slices.Contains(g.Keys, key) {
			return Grid{}, fmt.Errorf("--set %s: given twice", key)
		}
		g.Keys = append(g.Keys, key)
		var next []presets.Set
		for _, set := range g.Sets {
			for _, v := range strings.Split(values, ",") {
				next = append(next, set.With(presets.Set{key: v}))
			}
			if len(next) > MaxPoints {
				return Grid{}, fmt.Errorf("--set: more than %d combinations", MaxPoints)
			}
		}
		g.Sets = next
	}
	for _, set := range g.Sets {
		if err := set.Check("--set"); err != nil {
			return Grid{}, err
		}
	}
	return g, nil
}

// Plan is a sweep's runs.
type Plan struct {
	Header []string // of the table of rows
	Points []Point  // in the order of their rows
}

// Point is one run.
type Point struct {
	Config engine.Config
	Kernel string
	Set    presets.Set // the grid's
	Row    []string    // what identifies it: the first columns of its row
}

// NumberedColumns are the first columns: the row's number and how many rows the
// whole sweep has.
var NumberedColumns = []string{"row", "rows"}

// identity are the columns before those of the parameters.
var identity = append(slices.Clone(NumberedColumns), "model_version", "study", "kernel", "seed")

// NewPlan lists the runs of kernels over a grid and seeds. config makes the
// configuration of a kernel's nth seed with some settings. Combinations that
// are the same to a kernel, because another one owns the parameter, are one
// point.
func NewPlan(name string, metric study.Metric, kernels []presets.StudyKernel, g Grid, seeds int, config func(kernel string, n int, set presets.Set) (engine.Config, error)) (*Plan, error) {
	p := &Plan{Header: slices.Concat(identity, g.Keys, []string{metric.Key, metric.Key + "_lo", metric.Key + "_hi", "settled", "digest"})}
	seen := map[string]bool{}
	for _, set := range g.Sets {
		for _, k := range kernels {
			for n := range seeds {
				cfg, err := config(k.Kernel, n, set)
				if err != nil {
					return nil, err
				}
				id := k.Kernel + " " + strings.Join(cfg.Changed(), " ")
				if seen[id] {
					continue
				}
				seen[id] = true
				row := []string{"", "", strconv.Itoa(engine.ModelVersion), name, k.Kernel, cfg.Get("seed")}
				for _, key := range g.Keys {
					row = append(row, cfg.Get(key))
				}
				p.Points = append(p.Points, Point{cfg, k.Kernel, set, row})
			}
		}
		if len(p.Points) > MaxPoints {
			return nil, fmt.Errorf("more than %d runs", MaxPoints)
		}
	}
	for i := range p.Points {
		p.Points[i].Row[0], p.Points[i].Row[1] = strconv.Itoa(i+1), strconv.Itoa(len(p.Points))
	}
	return p, nil
}

// Done returns a point's whole row.
func (p *Point) Done(res *study.Result) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	m := res.Metric
	return append(slices.Clone(p.Row), number(m.Value), number(m.Lo), number(m.Hi), strconv.FormatBool(res.Settled), res.Digest.String())
}

// Values returns a point's values of the swept parameters.
func (p *Point) Values() []string { return p.Row[len(identity):] }

// Cell is what one kernel's seeds say at one combination of values.
type Cell struct {
	Kernel string         `json:"kernel"`
	Values []string       `json:"values"` // of the swept parameters
	Mean   stats.Interval `json:"mean"`   // over seeds; of one, within its run
	Seeds  int            `json:"seeds"`
}

// Cells sums up results by point; nil where there is none yet. A combination
// without results has no cell.
func (p *Plan) Cells(results []*study.Result) []Cell {
	var cells []Cell
	var runs [][]study.Result
	at := map[string]int{}
	for i := range p.Points {
		if results[i] == nil {
			continue
		}
		point := &p.Points[i]
		id := point.Kernel + " " + strings.Join(point.Values(), " ")
		n, ok := at[id]
		if !ok {
			n = len(cells)
			at[id] = n
			cells = append(cells, Cell{Kernel: point.Kernel, Values: point.Values()})
			runs = append(runs, nil)
		}
		runs[n] = append(runs[n], *results[i])
	}
	for n := range cells {
		cells[n].Mean, cells[n].Seeds = study.Over(runs[n]), len(runs[n])
	}
	return cells
}

// WriteCSV writes the rows of the points that have a result.
func (p *Plan) WriteCSV(w io.Writer, results []*study.Result) error {
	out := csv.NewWriter(w)
	out.Write(p.Header)
	for i := range p.Points {
		if results[i] != nil {
			out.Write(p.Points[i].Done(results[i]))
		}
	}
	out.Flush()
	return out.Error()
}
