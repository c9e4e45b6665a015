package main

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/param"
	"wakelab/engine/rng"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/study"
)

// calibrateCmd searches costs within their stated ranges. It looks at the
// study's first kernel and at no other: what the others do stays a prediction.
func calibrateCmd() *cobra.Command {
	var c calibration
	var vary, set, figures []string
	var length string
	cmd := &cobra.Command{
		Use:   "calibrate STUDY",
		Short: "Search costs within their ranges for those that meet the baseline's figures",
		Long: `Draw the varied parameters within their stated ranges, uniform in their logarithm, run the
study's first kernel with each draw, from its settled state if one is kept, and
print the draws that come closest to the figures, best first. The error of a
draw is the root mean square of the logarithms of modelled over wanted.`,
		Example: `  wakelab calibrate hackbench-epyc9654 --vary work_scale=550..760,line_occupancy_write --tries 20
  wakelab calibrate hackbench-epyc9654 --vary smt_slowdown,vfs.entry --figure messages_per_s=125.4e6 --figure cpus_used=253`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.prepare(args[0], vary, set, figures, length); err != nil {
				return err
			}
			return c.search(cmd)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&vary, "vary", nil, "parameters to draw, each KEY or KEY=LO..HI within its stated range")
	f.StringArrayVar(&set, "set", nil, "KEY=VALUE held fixed")
	f.StringArrayVar(&figures, "figure", nil, "COUNTER=VALUE to meet; counters are those of 'wakelab study --json' (default: the study's side figures that are marked as calibrated)")
	f.IntVar(&c.tries, "tries", 20, "draws")
	f.StringVar(&length, "for", "120ms", "simulated time of a draw; rates are taken from its second half")
	f.Int64Var(&c.seed, "seed", 1, "seed of the draws")
	f.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), "runs at a time")
	return cmd
}

type calibration struct {
	base    engine.Config
	vary    []varied
	want    map[string]float64
	keys    []string // of want, in order
	metric  study.Metric
	length  simtime.Duration
	tries   int
	jobs    int
	seed    int64
	results []draw
}

// varied is a parameter and where it is drawn from.
type varied struct {
	at     int // in engine.Params
	lo, hi int64
}

// readVaried reads KEY or KEY=LO..HI, which has to lie in the stated range.
func readVaried(arg string) (v varied, err error) {
	key, span, narrowed := strings.Cut(arg, "=")
	if v.at = engine.Find(key); v.at < 0 {
		return v, fmt.Errorf("--vary %s: no such parameter", key)
	}
	d := &engine.Params()[v.at]
	if d.Kind != param.Duration && d.Kind != param.Permille && d.Kind != param.Int {
		return v, fmt.Errorf("--vary %s: a %s has no range to draw from", key, d.Kind)
	}
	v.lo, v.hi = max(d.Min, 1), d.Max
	if !narrowed {
		return v, nil
	}
	lo, hi, _ := strings.Cut(span, "..")
	from, errLo := d.Parse(lo)
	to, errHi := d.Parse(hi)
	if errLo != nil || errHi != nil || d.Check(from) != nil || d.Check(to) != nil || from.N < 1 || from.N > to.N {
		return v, fmt.Errorf("--vary %s: give LO..HI within %s", arg, d.Range())
	}
	v.lo, v.hi = from.N, to.N
	return v, nil
}

// draw is one choice of the varied parameters and what came of it.
type draw struct {
	sets  []string
	got   []float64
	error float64
}

func (c *calibration) prepare(arg string, vary, set, figures []string, length string) error {
	lib := presets.Shipped().Clone()
	name, err := named(lib, presets.Studies, arg)
	if err != nil {
		return err
	}
	st, err := lib.Study(name)
	if err != nil {
		return err
	}
	extra, err := settings(set)
	if err != nil {
		return err
	}
	if c.base, err = lib.Config(st, st.Kernels[0].Kernel, extra.With(presets.Set{"duration": length, "precision": "0"})); err != nil {
		return err
	}
	c.metric, _ = study.FindMetric(st.Metric) // the preset was checked
	if c.length, err = simtime.Parse(length); err != nil {
		return fmt.Errorf("--for: %w", err)
	}
	for _, key := range vary {
		v, err := readVaried(key)
		if err != nil {
			return err
		}
		c.vary = append(c.vary, v)
	}
	c.want = map[string]float64{}
	if len(figures) == 0 {
		for _, key := range slices.Sorted(maps.Keys(st.Kernels[0].Side)) {
			if p := st.Kernels[0].Side[key]; p.Calibrated {
				c.want[key] = p.Value
				c.keys = append(c.keys, key)
			}
		}
	}
	for _, f := range figures {
		key, text, _ := strings.Cut(f, "=")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v <= 0 {
			return fmt.Errorf("--figure %s: give COUNTER=VALUE with a positive value", f)
		}
		c.want[key] = v
		c.keys = append(c.keys, key)
	}
	if len(c.vary) == 0 || len(c.keys) == 0 || c.tries < 1 || c.jobs < 1 {
		return fmt.Errorf("calibrate needs --vary, --figure, and at least one of --tries and --jobs")
	}
	return nil
}

func (c *calibration) search(cmd *cobra.Command) error {
	r := rng.New(uint64(c.seed), "calibrate")
	c.results = make([]draw, c.tries)
	errs := make([]error, c.tries)
	slots := make(chan struct{}, c.jobs)
	var wg sync.WaitGroup
	for i := range c.results {
		cfg := c.base.Clone()
		for _, p := range c.vary {
			d := &engine.Params()[p.at]
			if i > 0 { // the first draw is the costs as they are
				cfg.Values[p.at].N = logUniform(&r, p.lo, p.hi)
			}
			c.results[i].sets = append(c.results[i].sets, d.Key+"="+d.Format(cfg.Values[p.at]))
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if cmd.Context().Err() == nil {
				errs[i] = c.try(cfg, &c.results[i])
				fmt.Fprintf(cmd.ErrOrStderr(), "draw %d: error %.3f, %.3g\n", i, c.results[i].error, c.results[i].got)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return c.print(cmd)
}

// logUniform draws a number between lo and hi whose logarithm is uniform.
func logUniform(r *rng.Stream, lo, hi int64) int64 {
	u := float64(r.Uint64()>>11) / (1 << 53)
	return int64(math.Round(float64(lo) * math.Pow(float64(hi)/float64(lo), u)))
}

func (c *calibration) try(cfg engine.Config, d *draw) error {
	run, err := newRun(cfg, c.metric)
	if err != nil {
		return err
	}
	e := run.Engine()
	start := e.Now()
	run.Advance(start.Add(c.length/2), 1<<62)
	from := e.Sample()
	run.Advance(start.Add(c.length), 1<<62)
	until := e.Sample()
	counters := e.AppendRates(nil, &from, &until)
	for _, key := range c.keys {
		i := slices.IndexFunc(counters, func(v view.Counter) bool { return v.Key == key })
		if i < 0 {
			return fmt.Errorf("--figure %s: no such counter", key)
		}
		d.got = append(d.got, counters[i].Value)
		l := math.Log(max(counters[i].Value, 1e-9) / c.want[key])
		d.error += l * l / float64(len(c.keys))
	}
	d.error = math.Sqrt(d.error)
	return nil
}

func (c *calibration) print(cmd *cobra.Command) error {
	done := slices.DeleteFunc(c.results, func(d draw) bool { return d.got == nil })
	slices.SortStableFunc(done, func(a, b draw) int { return int(math.Copysign(1, a.error-b.error)) })
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d draws of %v, %s, model version %d\n", len(done), c.length, c.base.Get("workload"), engine.ModelVersion)
	for _, p := range c.vary {
		d := &engine.Params()[p.at]
		drawn := func(n int64) string { return d.Format(param.Value{N: n}) }
		fmt.Fprintf(out, "varied %s from %s to %s, of %s: now %s\n", d.Key, drawn(p.lo), drawn(p.hi), d.Range(), c.base.Get(d.Key))
	}
	for _, key := range c.keys {
		fmt.Fprintf(out, "wanted %s %.4g\n", key, c.want[key])
	}
	for _, d := range done {
		fmt.Fprintf(out, "error %.3f ", d.error)
		for i, key := range c.keys {
			fmt.Fprintf(out, " %s %.4g (x %.2f)", key, d.got[i], d.got[i]/c.want[key])
		}
		fmt.Fprintf(out, "\n    --set %s\n", strings.Join(d.sets, " --set "))
	}
	return nil
}
