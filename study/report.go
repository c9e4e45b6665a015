package study

import (
	"math"
	"slices"

	"wakelab/engine"
	"wakelab/engine/stats"
	"wakelab/engine/view"
)

// Kernel is one kernel's part in a report.
type Kernel struct {
	Name       string
	Title      string
	Published  *float64 // nil: no figure for this metric
	Relative   bool     // Published is a ratio to the baseline
	Source     string   // of the published figure
	Calibrated bool
	Side       map[string]float64 // published side figures by counter
	Results    []Result           // by seed, the same seeds in the same order for all kernels
}

// Report is the outcome of a study. Its JSON is a stable contract.
type Report struct {
	Study        string                        `json:"study"`
	ModelVersion int                           `json:"model_version"`
	Seeds        []int64                       `json:"seeds"`
	Rows         []Row                         `json:"rows"`     // the first is the baseline
	Counters     map[string]map[string]float64 `json:"counters"` // by kernel and key, means over the seeds that have a value; absent: none has
	Side         map[string]map[string]float64 `json:"published_counters,omitempty"`
	SimulatedS   float64                       `json:"simulated_s"`
	Events       int64                         `json:"events"`
	WallS        float64                       `json:"wall_s"`
	Partial      bool                          `json:"partial,omitempty"` // stopped before all runs had ended

	Kernels []Kernel `json:"-"`
	Metric  Metric   `json:"-"`
}

// Row is one kernel's figure.
type Row struct {
	Kernel     string    `json:"kernel"`
	Metric     string    `json:"metric"`
	Unit       string    `json:"unit"`
	Value      float64   `json:"value"` // mean over seeds
	Lo         float64   `json:"lo"`    // 95 % interval: over seeds, or within the run if there is one
	Hi         float64   `json:"hi"`
	PerSeed    []float64 `json:"per_seed"`
	Published  *float64  `json:"published"`
	Relative   bool      `json:"published_is_ratio,omitempty"`
	Calibrated bool      `json:"calibrated"`
}

// NewReport sums up the results of kernels; those without results are left
// out.
func NewReport(name string, metric Metric, kernels []Kernel) Report {
	r := Report{Study: name, ModelVersion: engine.ModelVersion, Seeds: []int64{}, Rows: []Row{}, Counters: map[string]map[string]float64{}, Metric: metric}
	for _, k := range kernels {
		if len(k.Results) == 0 {
			continue
		}
		r.Kernels = append(r.Kernels, k)
		row := Row{Kernel: k.Name, Metric: metric.Key, Unit: metric.Unit, Published: k.Published, Relative: k.Relative, Calibrated: k.Calibrated}
		for _, res := range k.Results {
			row.PerSeed = append(row.PerSeed, res.Metric.Value)
			r.SimulatedS += res.SimulatedS
			r.Events += res.Events
		}
		over := Over(k.Results)
		row.Value, row.Lo, row.Hi = over.Value, over.Lo, over.Hi
		r.Rows = append(r.Rows, row)
		r.Counters[k.Name] = meanCounters(k.Results)
		if len(k.Side) > 0 {
			if r.Side == nil {
				r.Side = map[string]map[string]float64{}
			}
			r.Side[k.Name] = k.Side
		}
		if len(k.Results) > len(r.Seeds) {
			r.Seeds = r.Seeds[:0]
			for _, res := range k.Results {
				r.Seeds = append(r.Seeds, res.Seed)
			}
		}
	}
	return r
}

// Over returns the mean of a metric over seeds with its 95 % interval: that
// over the seeds, or that within the run if there is one.
func Over(results []Result) stats.Interval {
	if len(results) == 1 {
		return results[0].Metric
	}
	var values []float64
	for _, res := range results {
		values = append(values, res.Metric.Value)
	}
	return stats.Mean(values)
}

// meanCounters leaves out what has no value: a mean over no events is not 0.
func meanCounters(results []Result) map[string]float64 {
	m, n := map[string]float64{}, map[string]float64{}
	for _, res := range results {
		for _, c := range res.Counters {
			if !c.None {
				m[c.Key] += c.Value
				n[c.Key]++
			}
		}
	}
	for key := range m {
		m[key] /= n[key]
	}
	return m
}

// HasCounter reports whether the runs count key, also if nothing happened.
func (r *Report) HasCounter(key string) bool {
	return slices.ContainsFunc(r.Kernels[0].Results[0].Counters, func(c view.Counter) bool { return c.Key == key })
}

// settledRuns returns how many of kernel i's runs had a steady rate.
func (r *Report) settledRuns(i int) (n int) {
	for _, res := range r.Kernels[i].Results {
		if res.Settled {
			n++
		}
	}
	return n
}

// differs reports whether row i differs from the baseline: significantly, and
// between runs that had settled.
func (r *Report) differs(i int) bool {
	settled := func(i int) bool { return r.settledRuns(i) == len(r.Kernels[i].Results) }
	return i > 0 && settled(0) && settled(i) && r.Compare(i).Differs()
}

// Compare returns how row i relates to the baseline, pairing equal seeds. Where
// one of a pair did nothing there is no ratio, and the pair is left out.
func (r *Report) Compare(i int) stats.Comparison {
	base := map[int64]float64{}
	for _, res := range r.Kernels[0].Results {
		base[res.Seed] = res.Metric.Value
	}
	var a, b []float64
	for _, res := range r.Kernels[i].Results {
		if v, ok := base[res.Seed]; ok && v > 0 && res.Metric.Value > 0 {
			a, b = append(a, v), append(b, res.Metric.Value)
		}
	}
	return stats.Paired(a, b)
}

// Precision returns how wide the report's widest interval is, as a share of
// its value: of the kernels' ratios to the baseline, or of the only kernel's
// figure. It is infinite with one seed.
func (r *Report) Precision() float64 {
	if len(r.Seeds) < 2 {
		return math.Inf(1)
	}
	if len(r.Rows) == 1 {
		row := r.Rows[0]
		return stats.Interval{Value: row.Value, Lo: row.Lo, Hi: row.Hi}.HalfWidth()
	}
	widest := 0.0
	for i := 1; i < len(r.Rows); i++ {
		widest = max(widest, r.Compare(i).Ratio.HalfWidth())
	}
	if math.IsNaN(widest) { // nothing was done in any run: no ratio
		return math.Inf(1)
	}
	return widest
}
