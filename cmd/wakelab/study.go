package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/goccy/go-json"
	"github.com/spf13/cobra"

	"wakelab/presets"
	"wakelab/study"
)

// Limits of a study on the command line.
const (
	maxSeeds = 1000
	maxJobs  = 1024
)

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
	f := cmd.Flags()
	f.StringSliceVar(&s.kernels, "kernel", nil, "kernels to compare, the first is the baseline (default: the study's)")
	f.StringArrayVar(&s.set, "set", nil, "KEY=VALUE for any parameter that 'wakelab list params' shows; may be repeated")
	f.IntVar(&s.seeds, "seeds", 1, fmt.Sprintf("number of seeds, 1 to %d", maxSeeds))
	f.Int64Var(&s.first, "seed", 1, "first seed; the others follow it")
	f.IntVar(&s.jobs, "jobs", runtime.GOMAXPROCS(0), "runs at a time")
	f.BoolVar(&s.json, "json", false, "print JSON")
	f.StringVar(&s.csv, "csv", "", "also write this CSV file: a row a run, with all parameters")
	return cmd
}

type studyFlags struct {
	kernels, set []string
	csv          string
	seeds, jobs  int
	first        int64
	json         bool
}

func (s *studyFlags) run(cmd *cobra.Command, arg string) error {
	begun := time.Now()
	if s.seeds < 1 || s.seeds > maxSeeds {
		return fmt.Errorf("--seeds %d: allowed are 1 to %d", s.seeds, maxSeeds)
	}
	if s.jobs < 1 || s.jobs > maxJobs {
		return fmt.Errorf("--jobs %d: allowed are 1 to %d", s.jobs, maxJobs)
	}
	set, err := settings(s.set)
	if err != nil {
		return err
	}
	lib := presets.Shipped().Clone()
	name, err := named(lib, presets.Studies, arg)
	if err != nil {
		return err
	}
	st, err := lib.Study(name)
	if err != nil {
		return err
	}
	kernels, err := s.pick(lib, st)
	if err != nil {
		return err
	}
	jobs, err := s.plan(lib, st, kernels, set)
	if err != nil {
		return err
	}
	bar := newBar(cmd.ErrOrStderr(), name)
	err = runJobs(cmd.Context(), jobs, s.jobs, bar)
	bar.clear()
	if err != nil {
		return err
	}
	report, err := s.report(cmd.Context(), name, st, kernels, jobs)
	if err != nil {
		return err
	}
	report.WallS = time.Since(begun).Seconds()
	if err := s.print(cmd, st, report); err != nil {
		return err
	}
	if s.csv != "" {
		if err := writeCSV(s.csv, st, kernels, jobs); err != nil {
			return err
		}
	}
	if report.Partial {
		return errInterrupted
	}
	return nil
}

// pick returns the kernels to compare: those of --kernel, or the study's.
func (s *studyFlags) pick(lib *presets.Library, st *presets.Study) ([]presets.StudyKernel, error) {
	if s.kernels == nil {
		return st.Kernels, nil
	}
	var out []presets.StudyKernel
	for _, arg := range s.kernels {
		name, err := named(lib, presets.Kernels, arg)
		if err != nil {
			return nil, err
		}
		k := presets.StudyKernel{Kernel: name}
		for _, own := range st.Kernels {
			if own.Kernel == name {
				k = own
			}
		}
		for _, other := range out {
			if other.Kernel == name {
				return nil, fmt.Errorf("--kernel %s: given twice", name)
			}
		}
		out = append(out, k)
	}
	if len(out) == 0 || len(out) > presets.MaxKernels {
		return nil, fmt.Errorf("--kernel: %d kernels: allowed are 1 to %d", len(out), presets.MaxKernels)
	}
	return out, nil
}

// plan makes the jobs, all kernels of a seed one after another, so that an
// early stop leaves whole seeds.
func (s *studyFlags) plan(lib *presets.Library, st *presets.Study, kernels []presets.StudyKernel, set presets.Set) ([]*job, error) {
	metric, _ := study.FindMetric(st.Metric) // the preset was checked
	var jobs []*job
	for i := range s.seeds {
		for _, k := range kernels {
			cfg, err := lib.Config(st, k.Kernel, set)
			if err != nil {
				return nil, err
			}
			if err := cfg.Set("seed", fmt.Sprint(s.first+int64(i))); err != nil {
				return nil, fmt.Errorf("--seed: %w", err)
			}
			jobs = append(jobs, &job{cfg: cfg, metric: metric})
		}
	}
	return jobs, nil
}

// report collects the jobs' results by kernel.
func (s *studyFlags) report(ctx context.Context, name string, st *presets.Study, kernels []presets.StudyKernel, jobs []*job) (*study.Report, error) {
	var rows []study.Kernel
	var failed error
	for i, k := range kernels {
		row := study.Kernel{Name: k.Kernel}
		if k.Published != nil {
			row.Published, row.Source, row.Calibrated = &k.Published.Value, k.Published.Source, k.Published.Calibrated
		}
		for seed := range s.seeds {
			j := jobs[seed*len(kernels)+i]
			if j.run == nil {
				continue
			}
			res, err := j.run.Result()
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s, seed %d: %w", k.Kernel, res.Seed, err))
				continue
			}
			row.Results = append(row.Results, res)
		}
		rows = append(rows, row)
	}
	if len(rows[0].Results) == 0 || failed != nil && ctx.Err() == nil {
		if failed == nil {
			failed = fmt.Errorf("stopped before the baseline had a result")
		}
		return nil, failed
	}
	metric, _ := study.FindMetric(st.Metric) // the preset was checked
	r := study.NewReport(name, metric, rows)
	r.Partial = ctx.Err() != nil
	return &r, nil
}

func (s *studyFlags) print(cmd *cobra.Command, st *presets.Study, r *study.Report) error {
	out := cmd.OutOrStdout()
	if s.json {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, string(text))
		return err
	}
	_, err := fmt.Fprintf(out, "%s\n%s\n\n%s", st.Title, st.Summary, r.Text())
	for _, l := range st.LookAt {
		fmt.Fprintf(out, "Look at: %s\n", l)
	}
	return err
}
