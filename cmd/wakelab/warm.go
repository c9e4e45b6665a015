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
	var jobs int
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
			lib := presets.Shipped().Clone()
			name, err := named(lib, presets.Studies, args[0])
			if err != nil {
				return err
			}
			st, err := lib.Study(name)
			if err != nil {
				return err
			}
			var wg sync.WaitGroup
			slots := make(chan struct{}, jobs)
			errs := make([]error, len(st.Kernels))
			for i, k := range st.Kernels {
				cfg, err := lib.Config(st, k.Kernel, nil)
				if err != nil {
					return err
				}
				wg.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					errs[i] = ageOne(cmd, dir, k.Kernel, cfg, age, i == 0)
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
	cmd.Flags().StringVar(&dir, "dir", "presets/warm", "where to write the states")
	cmd.Flags().StringVar(&length, "age", "1s", "simulated time to age")
	cmd.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "runs at a time")
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
