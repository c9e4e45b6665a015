package main

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/study"
)

// Limits of a comparison on the command line.
const (
	maxSeeds = 1000
	maxJobs  = 1024
)

// comparison is the flags of commands that run a study's kernels over seeds,
// and what they choose.
type comparison struct {
	machine     string
	kernels     []string
	seeds, jobs int
	first       int64

	lib    *presets.Library
	name   string
	study  *presets.Study // with the chosen machine and kernels
	metric study.Metric
}

func (c *comparison) register(cmd *cobra.Command) {
	f := cmd.Flags()
	c.registerMachine(cmd)
	f.StringSliceVar(&c.kernels, "kernel", nil, "kernels to compare, the first is the baseline (default: the study's)")
	f.IntVar(&c.seeds, "seeds", 1, fmt.Sprintf("number of seeds, 1 to %d", maxSeeds))
	f.Int64Var(&c.first, "seed", 1, "first seed; the others follow it")
	f.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), fmt.Sprintf("runs at a time, 1 to %d", maxJobs))
}

func (c *comparison) registerMachine(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.machine, "machine", "", "machine preset or FILE.json, such as one of 'wakelab import' (default: the study's)")
}

// choose looks up the study that arg means and checks the flags.
func (c *comparison) choose(arg string) error {
	if c.seeds < 1 || c.seeds > maxSeeds {
		return fmt.Errorf("--seeds %d: allowed are 1 to %d", c.seeds, maxSeeds)
	}
	if c.jobs < 1 || c.jobs > maxJobs {
		return fmt.Errorf("--jobs %d: allowed are 1 to %d", c.jobs, maxJobs)
	}
	c.lib = presets.Shipped().Clone()
	name, err := named(c.lib, presets.Studies, arg)
	if err != nil {
		return err
	}
	st, err := c.lib.Study(name)
	if err != nil {
		return err
	}
	chosen := *st
	if c.kernels != nil {
		if chosen.Kernels, err = c.pick(st); err != nil {
			return err
		}
	}
	if c.machine != "" {
		if chosen.Machine, err = named(c.lib, presets.Machines, c.machine); err != nil {
			return err
		}
	}
	c.name, c.study = name, &chosen
	c.metric, _ = study.FindMetric(st.Metric) // the preset was checked
	return nil
}

// pick returns the kernels of --kernel, with the study's published figures.
func (c *comparison) pick(st *presets.Study) ([]presets.StudyKernel, error) {
	var out []presets.StudyKernel
	for _, arg := range c.kernels {
		name, err := named(c.lib, presets.Kernels, arg)
		if err != nil {
			return nil, err
		}
		if _, err := c.lib.Kernel(name); err != nil {
			return nil, err
		}
		is := func(k presets.StudyKernel) bool { return k.Kernel == name }
		if slices.ContainsFunc(out, is) {
			return nil, fmt.Errorf("--kernel %s: given twice", name)
		}
		k := presets.StudyKernel{Kernel: name}
		if i := slices.IndexFunc(st.Kernels, is); i >= 0 {
			k = st.Kernels[i]
		}
		out = append(out, k)
	}
	if len(out) == 0 || len(out) > presets.MaxKernels {
		return nil, fmt.Errorf("--kernel: %d kernels: allowed are 1 to %d", len(out), presets.MaxKernels)
	}
	return out, nil
}

// config returns the configuration of one run: kernel, the nth seed, settings.
func (c *comparison) config(kernel string, n int, set presets.Set) (engine.Config, error) {
	if _, given := set["seed"]; given {
		return engine.Config{}, fmt.Errorf("--set seed: the seeds of a comparison come from --seed and --seeds")
	}
	cfg, err := c.lib.Config(c.study, kernel, set)
	if err != nil {
		return cfg, err
	}
	if err := cfg.Set("seed", fmt.Sprint(c.first+int64(n))); err != nil {
		return cfg, fmt.Errorf("--seed: %w", err)
	}
	return cfg, nil
}
