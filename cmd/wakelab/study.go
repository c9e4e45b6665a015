package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/study"
)

// Limits of --until.
const (
	maxSeedsUntil = 20
	seedsAtATime  = 3
	minUntil      = 0.1 // percent
)

type studyFlags struct {
	comparison
	set     []string
	csv     string
	mmtests string
	until   string
	json    bool

	moved []string // what of machine and workload is not the study's
}

func studyCmd() *cobra.Command {
	var s studyFlags
	cmd := &cobra.Command{
		Use:   "study NAME|FILE.json",
		Short: "Compare the kernels of a study over seeds",
		Long: `Run every kernel of a study with the same seeds and print the published and
the modelled figures side by side.

A --set of a parameter that some kernel of the study sets itself changes those
kernels alone; any other changes all kernels.`,
		Example: `  wakelab study hackbench-epyc9654 --seeds 5
  wakelab study hackbench-epyc9654 --kernel v6.5,idle-1ms --set idle_delay=500us --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd, args[0])
		},
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&s.set, "set", nil, "KEY=VALUE for any parameter that 'wakelab list params' shows; may be repeated")
	f.StringVar(&s.until, "until", "", fmt.Sprintf("run further seeds until every ratio's interval is within this, such as 2%%, or there are %d", maxSeedsUntil))
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.StringVar(&s.csv, "csv", "", "also write this CSV file: a row a run, with all parameters")
	f.StringVar(&s.mmtests, "mmtests", "", fmt.Sprintf("also write this file: the percentiles over seeds as mmtests prints them, from %d seeds on", study.MinIterations))
	return cmd
}

func (s *studyFlags) run(cmd *cobra.Command, arg string) error {
	begun := time.Now()
	if s.mmtests != "" && s.seeds < study.MinIterations {
		return fmt.Errorf("--mmtests with --seeds %d: allowed from %d seeds on", s.seeds, study.MinIterations)
	}
	set, err := settings(s.set)
	if err != nil {
		return err
	}
	if err := s.choose(arg); err != nil {
		return err
	}
	if s.moved, err = s.movedBy(set); err != nil {
		return err
	}
	precision, err := s.precision()
	if err != nil {
		return err
	}
	var jobs []*job
	var report *study.Report
	for {
		more, err := s.plan(set, len(jobs)/len(s.study.Kernels))
		if err != nil {
			return err
		}
		jobs = append(jobs, more...)
		bar := newBar(cmd.ErrOrStderr(), s.name)
		err = runJobs(cmd.Context(), more, s.jobs, bar, nil)
		bar.clear()
		if err != nil {
			return err
		}
		if report, err = s.report(cmd.Context(), jobs); err != nil {
			return err
		}
		if report.Partial || report.Precision() <= precision || s.seeds >= maxSeedsUntil {
			break
		}
		s.seeds = min(s.seeds+seedsAtATime, maxSeedsUntil)
	}
	report.WallS = time.Since(begun).Seconds()
	if err := s.print(cmd, report); err != nil {
		return err
	}
	if s.csv != "" {
		if err := writeCSV(s.csv, s.study, jobs); err != nil {
			return err
		}
	}
	if table, ok := report.MMTests(); ok && s.mmtests != "" {
		write := func(w io.Writer) error {
			_, err := io.WriteString(w, table.Text())
			return err
		}
		if err := writeFile(s.mmtests, write); err != nil {
			return err
		}
	}
	if report.Partial {
		return errInterrupted
	}
	return nil
}

// precision reads --until: the share of a ratio that its interval may have;
// infinite without the flag.
func (s *studyFlags) precision() (float64, error) {
	if s.until == "" {
		return math.Inf(1), nil
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(s.until, "%"), 64)
	if err != nil || !(v >= minUntil && v <= 100) {
		return 0, fmt.Errorf("--until %q: allowed are %v%% to 100%%", s.until, minUntil)
	}
	s.seeds = max(s.seeds, seedsAtATime)
	return v / 100, nil
}

// movedBy lists what of machine and workload is not the study's, by --machine or
// by set: published figures belong to the study's.
func (s *studyFlags) movedBy(set presets.Set) ([]string, error) {
	kernel := s.study.Kernels[0].Kernel
	own, err := s.config(kernel, 0, nil)
	if err != nil {
		return nil, err
	}
	cfg, err := s.config(kernel, 0, set)
	if err != nil {
		return nil, err
	}
	var moved []string
	if s.machine != "" {
		moved = append(moved, "machine "+s.study.Machine)
	}
	for _, key := range set.Keys() {
		if group := engine.Params()[engine.Find(key)].Group; (group == "machine" || group == "workload") && own.Get(key) != cfg.Get(key) {
			moved = append(moved, key)
		}
	}
	return moved, nil
}

// plan makes the jobs from the nth seed on, all kernels of a seed one after
// another, so that an early stop leaves whole seeds.
func (s *studyFlags) plan(set presets.Set, from int) ([]*job, error) {
	var jobs []*job
	for n := from; n < s.seeds; n++ {
		for _, k := range s.study.Kernels {
			cfg, err := s.config(k.Kernel, n, set)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, &job{cfg: cfg, metric: s.metric})
		}
	}
	return jobs, nil
}

// report collects the jobs' results by kernel.
func (s *studyFlags) report(ctx context.Context, jobs []*job) (*study.Report, error) {
	var rows []study.Kernel
	var failed error
	kernels := s.study.Kernels
	for i, k := range kernels {
		row := study.Kernel{Name: k.Kernel}
		if k.Published != nil && s.moved == nil {
			p := k.Published
			row.Published, row.Relative, row.Source, row.Calibrated = &p.Value, p.Relative, p.Source, p.Calibrated
		}
		if len(k.Side) > 0 && s.moved == nil {
			row.Side = map[string]float64{}
			for key, p := range k.Side {
				row.Side[key] = p.Value
			}
		}
		for seed := range s.seeds {
			j := jobs[seed*len(kernels)+i]
			switch {
			case !j.begun:
			case j.err != nil:
				failed = errors.Join(failed, fmt.Errorf("%s, seed %d: %w", k.Kernel, j.result.Seed, j.err))
			default:
				row.Results = append(row.Results, j.result)
			}
		}
		rows = append(rows, row)
	}
	stopped := ctx.Err() != nil
	switch {
	case failed != nil && !stopped:
		return nil, failed
	case len(rows[0].Results) == 0:
		return nil, fmt.Errorf("%w before the baseline had a result", errInterrupted)
	}
	r := study.NewReport(s.name, s.metric, rows)
	for name, side := range r.Side {
		for key := range side {
			if !r.HasCounter(key) {
				return nil, fmt.Errorf("study %s: side figure %s of kernel %s: no such counter; there are %s", s.name, key, name,
					strings.Join(slices.Sorted(maps.Keys(r.Counters[name])), ", "))
			}
		}
	}
	r.Partial = stopped
	return &r, nil
}

func (s *studyFlags) print(cmd *cobra.Command, r *study.Report) error {
	out := cmd.OutOrStdout()
	if s.json {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, string(text))
		return err
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n\n%s", s.study.Title, s.study.Summary, r.Text())
	if s.moved != nil {
		fmt.Fprintf(out, "Other configuration (%s): published figures are left out.\n", strings.Join(s.moved, ", "))
	}
	for _, l := range s.study.LookAt {
		fmt.Fprintf(out, "Look at: %s\n", l)
	}
	return err
}
