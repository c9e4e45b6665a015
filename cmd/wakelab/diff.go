package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/simtime"
	"wakelab/engine/stats"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/study"
)

type diffFlags struct {
	comparison
	set []string
	top int
}

func diffCmd() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff STUDY|FILE.json",
		Short: "Show where two kernels part and where their time goes",
		Long: `Run two kernels of a study with one seed and on one clock. Print the first
event in which they differ, all counters side by side, and the change of each
kernel function's share of the time.`,
		Example:           `  wakelab diff hackbench-epyc9654 --kernel v6.5,idle-1ms --set duration=20ms`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Studies),
		RunE:              func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) },
	}
	d.registerMachine(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&d.kernels, "kernel", nil, "two kernels (default: the study's first two)")
	f.StringArrayVar(&d.set, "set", nil, "KEY=VALUE for any parameter that 'wakelab list params' shows; may be repeated")
	f.Int64Var(&d.first, "seed", 1, "seed of both runs")
	f.IntVar(&d.top, "top", 20, fmt.Sprintf("functions to show, 1 to %d", maxTop))
	return cmd
}

func (d *diffFlags) run(cmd *cobra.Command, arg string) error {
	if d.top < 1 || d.top > maxTop {
		return fmt.Errorf("--top %d: allowed are 1 to %d", d.top, maxTop)
	}
	set, err := settings(d.set)
	if err != nil {
		return err
	}
	d.seeds, d.jobs = 1, 2
	if err := d.choose(arg); err != nil {
		return err
	}
	if d.kernels == nil {
		d.study.Kernels = d.study.Kernels[:min(2, len(d.study.Kernels))]
	}
	if n := len(d.study.Kernels); n != 2 {
		return fmt.Errorf("--kernel: %d kernels: a difference is of 2", n)
	}
	var cfgs [2]engine.Config
	for i, k := range d.study.Kernels {
		if cfgs[i], err = d.config(k.Kernel, 0, set); err != nil {
			return err
		}
	}
	runs, err := d.measure(cmd, cfgs)
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil { // at different instants: nothing to compare
		return fmt.Errorf("%w before both runs had ended", errInterrupted)
	}
	out := cmd.OutOrStdout()
	if err := d.printFirst(cmd.Context(), out, cfgs, runs[0].Engine().Now()); err != nil {
		return err
	}
	if err := d.printCounters(out, runs); err != nil {
		return err
	}
	d.printProfiles(out, runs[0].Engine().Profile(), runs[1].Engine().Profile())
	return nil
}

// measure runs both configurations to their end, or until Ctrl-C.
func (d *diffFlags) measure(cmd *cobra.Command, cfgs [2]engine.Config) (runs [2]*study.Run, err error) {
	bar := newBar(cmd.ErrOrStderr(), "diff")
	defer bar.clear()
	var wg sync.WaitGroup
	var errs [2]error
	for i := range cfgs {
		wg.Go(func() {
			runs[i], errs[i] = simulate(cmd.Context(), cfgs[i], d.metric, func(share float64) { bar.add(share / 2) })
		})
	}
	wg.Wait()
	return runs, cmp.Or(errs[0], errs[1])
}

// printFirst prints the first event in which fresh runs differ.
func (d *diffFlags) printFirst(ctx context.Context, out io.Writer, cfgs [2]engine.Config, until simtime.Time) error {
	var sides [2]*engine.Engine
	for i := range cfgs {
		e, err := engine.New(cfgs[i])
		if err != nil {
			return err
		}
		sides[i] = e
	}
	p := study.NewPair(sides[0], sides[1])
	for !p.Advance(until, chunk) {
		if ctx.Err() != nil {
			return fmt.Errorf("%w before the first difference was found", errInterrupted)
		}
	}
	if !p.Apart {
		_, err := fmt.Fprintf(out, "The runs are the same up to %v.\n\n", until)
		return err
	}
	fmt.Fprintln(out, "First difference, from the benchmark's start:")
	for i, e := range sides {
		line := "no event by then"
		if p.Has[i] {
			line = export.Line(p.First[i], e.Names(), e.Topology())
		}
		fmt.Fprintf(out, "  %-16s %s\n", d.study.Kernels[i].Kernel, line)
	}
	_, err := fmt.Fprintln(out)
	return err
}

func (d *diffFlags) printCounters(out io.Writer, runs [2]*study.Run) error {
	t := stats.Table{Columns: []string{d.study.Kernels[0].Kernel, d.study.Kernels[1].Kernel, "change"}}
	var counters [2][]view.Counter
	for i, r := range runs {
		res, unknown := r.Result() // the counters tell something all the same
		counters[i] = append([]view.Counter{{Title: d.metric.Title, Unit: d.metric.Unit, Value: res.Metric.Value, None: unknown != nil}}, res.Counters...)
	}
	for i, a := range counters[0] {
		b := counters[1][i]
		change := ""
		if a.Value != 0 && !b.None {
			change = fmt.Sprintf("%+.1f%%", 100*(b.Value-a.Value)/a.Value)
		}
		t.Add(study.Label(a.Title, a.Unit), counterCell(a), counterCell(b), stats.Plain(change))
	}
	_, err := fmt.Fprintln(out, t.String())
	return err
}

// printProfiles prints the functions whose share of all CPUs' time changes
// most.
func (d *diffFlags) printProfiles(out io.Writer, a, b []view.FnTime) {
	type change struct {
		name  string
		share [2]float64
	}
	byName := map[string]*change{}
	var all []*change
	for side, profile := range [2][]view.FnTime{a, b} {
		total := 0.0
		for _, f := range profile {
			total += float64(f.Ns)
		}
		for _, f := range profile {
			c := byName[f.Name]
			if c == nil {
				c = &change{name: f.Name}
				byName[f.Name] = c
				all = append(all, c)
			}
			c.share[side] = 100 * float64(f.Ns) / total
		}
	}
	slices.SortStableFunc(all, func(x, y *change) int {
		return cmp.Compare(math.Abs(y.share[1]-y.share[0]), math.Abs(x.share[1]-x.share[0]))
	})
	fmt.Fprintln(out, "Share of all CPUs' time, largest change first:")
	for _, c := range all[:min(d.top, len(all))] {
		fmt.Fprintf(out, "  %-32s %6.2f %% -> %6.2f %%\n", c.name, c.share[0], c.share[1])
	}
}
