// Package record keeps what the model says of hackbench in many configurations:
// a plan lists them in tables, each is run over seeds, and the rows and the
// text made of them stay in the repository.
package record

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/presets"
	"wakelab/study"
)

// Plan is what a record holds.
type Plan struct {
	Title  string  `json:"title"`
	Intro  string  `json:"intro"`
	Study  string  `json:"study"` // machine, workload, settings and metric
	Seeds  int     `json:"seeds"` // from 1 on
	Tables []Table `json:"tables"`
}

// Table is configurations that are shown together: each kernel with each row's
// settings.
type Table struct {
	Title   string   `json:"title"`
	Text    string   `json:"text,omitempty"`
	Machine string   `json:"machine,omitempty"` // preset; default: the study's
	Kernels []string `json:"kernels"`           // presets; a row's other kernels are compared with its first
	// Settle is how long one run of seed 1 goes on, from the kept state of its
	// scene or else from the workload's start, before all seeds are measured
	// from the state that it has reached.
	Settle  string        `json:"settle"`
	Fair    bool          `json:"fair,omitempty"` // settle from the workload's start even where a state is kept
	Measure string        `json:"measure"`        // simulated time of each seed
	Rows    []presets.Set `json:"rows"`
}

// Row is one configuration, to be run over the plan's seeds.
type Row struct {
	Table, Set int // indices in the plan
	Kernel     string
	Settle     simtime.Duration
	Fair       bool
	Seeds      []engine.Config
	IDs        [][]string // by seed: the first columns of its line
}

// identity are the columns that say what a run is; counted are the counters
// that follow its figure.
var (
	identity = []string{"row", "rows", "model_version", "machine", "kernel", "settings", "settle", "measure", "seed"}
	counted  = []string{
		"cpus_used", "switches_per_s", "migrations_per_s", "idle_entries_per_s", "messages_per_s", "messages_per_switch",
		"wakeups_reader_per_s", "wakeups_writer_per_s", "on_wakers_cpu", "preempted_reader_by_writer_per_s", "lag_writer_ms",
	}
)

// Parse reads a plan.
func Parse(text []byte) (*Plan, error) {
	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, err
	}
	if p.Seeds < 1 || len(p.Tables) == 0 {
		return nil, errors.New("a plan wants seeds, at least 1, and tables")
	}
	return p, nil
}

// Metric is what the plan's study reports.
func (p *Plan) Metric(lib *presets.Library) (study.Metric, error) {
	st, err := lib.Study(p.Study)
	if err != nil {
		return study.Metric{}, err
	}
	m, _ := study.FindMetric(st.Metric) // the preset was checked
	return m, nil
}

// Header names the columns of a run's line.
func Header(m study.Metric) []string {
	return slices.Concat(identity, []string{m.Key}, counted, []string{"settled", "digest"})
}

// Rows lists the plan's configurations in order.
func (p *Plan) Rows(lib *presets.Library) ([]Row, error) {
	st, err := lib.Study(p.Study)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, t := range p.Tables {
		settle, err := simtime.Parse(t.Settle)
		if err != nil {
			return nil, fmt.Errorf("%s: settle: %w", t.Title, err)
		}
		from := t.Settle
		if t.Fair {
			from += " from a fair start"
		}
		machine := t.Machine
		if machine == "" {
			machine = st.Machine
		}
		for j, set := range t.Rows {
			for _, kernel := range t.Kernels {
				row := Row{Table: i, Set: j, Kernel: kernel, Settle: settle, Fair: t.Fair}
				for seed := range p.Seeds {
					after := set.With(presets.Set{"seed": strconv.Itoa(seed + 1), "duration": t.Measure, "warmup": "1ns", "precision": "0"})
					cfg, err := lib.Combine(machine, st.Workload, kernel, st.Set, after)
					if err != nil {
						return nil, fmt.Errorf("%s: %w", t.Title, err)
					}
					row.Seeds = append(row.Seeds, cfg)
					row.IDs = append(row.IDs, []string{"", "", strconv.Itoa(engine.ModelVersion), machine, kernel, settings(set),
						from, t.Measure, strconv.Itoa(seed + 1)})
				}
				rows = append(rows, row)
			}
		}
	}
	n := 0
	for _, row := range rows {
		for _, id := range row.IDs {
			n++
			id[0], id[1] = strconv.Itoa(n), strconv.Itoa(len(rows)*p.Seeds)
		}
	}
	return rows, nil
}

// settings writes a set in one cell.
func settings(set presets.Set) string {
	var out []string
	for _, key := range set.Keys() {
		out = append(out, key+"="+set[key])
	}
	return strings.Join(out, " ")
}

// Line returns the line of a run with its result.
func Line(id []string, res *study.Result) ([]string, error) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	line := append(slices.Clone(id), number(res.Metric.Value))
	for _, key := range counted {
		value, found := "", false
		for _, c := range res.Counters {
			if c.Key == key {
				found = true
				if !c.None {
					value = number(c.Value)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("no counter %s", key)
		}
		line = append(line, value)
	}
	return append(line, strconv.FormatBool(res.Settled), res.Digest.String()), nil
}
