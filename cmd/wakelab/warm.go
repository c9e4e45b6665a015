package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/presets"
	"wakelab/presets/warm"
)

func warmCmd() *cobra.Command {
	var dir, length string
	c := comparison{seeds: 1, first: 1}
	cmd := &cobra.Command{
		Use:   "warm STUDY",
		Short: "Age every kernel of a study and keep the settled states",
		Long: `Run every kernel of a study for a while and write the state it has reached, so
that later runs of the same configuration start from there. The first kernel's
state also serves other kernels and costs: their runs go on from it and settle
again. Build again to use the files.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			age, err := simtime.Parse(length)
			if err != nil {
				return fmt.Errorf("--age: %w", err)
			}
			if err := c.choose(args[0]); err != nil {
				return err
			}
			st, err := c.lib.Study(c.name)
			if err != nil {
				return err
			}
			forScene := st.Kernels[0].Kernel
			var wg sync.WaitGroup
			slots := make(chan struct{}, c.jobs)
			errs := make([]error, len(c.study.Kernels))
			for i, k := range c.study.Kernels {
				cfg, err := c.config(k.Kernel, 0, nil)
				if err != nil {
					return err
				}
				wg.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					errs[i] = ageOne(cmd, dir, k.Kernel, cfg, age, k.Kernel == forScene)
				})
			}
			wg.Wait()
			for _, err := range errs {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&c.kernels, "kernel", nil, "of its kernels only these")
	cmd.Flags().StringVar(&dir, "dir", "presets/warm", "where to write the states")
	cmd.Flags().StringVar(&length, "age", "1s", "simulated time to age")
	cmd.Flags().IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), fmt.Sprintf("runs at a time, 1 to %d", maxJobs))
	return cmd
}

func ageOne(cmd *cobra.Command, dir, kernel string, cfg engine.Config, age simtime.Duration, forScene bool) error {
	e, err := engine.New(cfg)
	if err != nil {
		return err
	}
	for e.Now() < simtime.Time(age) && !e.Done() {
		e.RunUntil(simtime.Time(age), 1_000_000)
		if cmd.Context().Err() != nil {
			return errInterrupted
		}
	}
	data, err := warm.Encode(e)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, warm.FileName(&cfg, forScene))
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%-20s %s  %d kB, aged %v, %d events\n", kernel, path, len(data)/1000, age, e.Events())
	return err
}
