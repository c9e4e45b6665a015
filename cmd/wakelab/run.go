package main

import (
	"fmt"
	"strings"

	"github.com/goccy/go-json"
	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/stats"
	"wakelab/study"
)

func runCmd() *cobra.Command {
	var c choice
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [flags] [-- COMMAND...]",
		Short: "Run one workload on one kernel",
		Long: `Run one workload on one kernel and print its result. A literal command line
after -- is the workload, and its own output is printed.`,
		Example: `  wakelab run -- hackbench -g 32 -f 20 --threads --pipe -l 480000 -s 100
  wakelab run --machine laptop-8 --workload hackbench-4 --kernel idle-1ms`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := c.config(args)
			if err != nil {
				return err
			}
			run, err := runOne(cmd, cfg)
			if err != nil {
				return err
			}
			return printRun(cmd, run, len(args) > 0, asJSON)
		},
	}
	c.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// runOne runs cfg to its end, or until Ctrl-C.
func runOne(cmd *cobra.Command, cfg engine.Config) (*study.Run, error) {
	bar := newBar(cmd.ErrOrStderr(), cmd.Name())
	defer bar.clear()
	return simulate(cmd.Context(), cfg, study.OwnMetric(&cfg), bar.add)
}

func printRun(cmd *cobra.Command, run *study.Run, literal, asJSON bool) error {
	res, err := run.Result()
	if err != nil && cmd.Context().Err() != nil {
		err = fmt.Errorf("%w: %w", errInterrupted, err)
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case asJSON:
		text, err := json.MarshalIndent(res, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintln(out, string(text))
	case literal:
		fmt.Fprint(out, run.Engine().Output(res.Rate))
		fmt.Fprintln(cmd.ErrOrStderr(), how(&res, run.Metric().Unit))
	default:
		t := stats.Table{Columns: []string{"value"}}
		metric := run.Metric()
		t.Add(metric.Title+" ("+metric.Unit+")", stats.Plain(study.Figure(res.Metric.Value)))
		for _, c := range res.Counters {
			t.Add(strings.TrimSuffix(c.Title+" ("+c.Unit+")", " ()"), stats.Plain(study.Figure(c.Value)))
		}
		fmt.Fprintf(out, "%s\n%s\n", t.String(), how(&res, run.Metric().Unit))
	}
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

// how says how far the result can be trusted.
func how(res *study.Result, unit string) string {
	s := fmt.Sprintf("Simulated %.4g s, %.4g M events, seed %d, digest %v.", res.SimulatedS, float64(res.Events)/1e6, res.Seed, res.Digest)
	if res.Full {
		return s + " Ran to its end."
	}
	s += fmt.Sprintf(" Extrapolated after %.4g s of warm-up: 95 %% interval %s .. %s %s.", res.WarmUpS, study.Figure(res.Metric.Lo), study.Figure(res.Metric.Hi), unit)
	if !res.Settled {
		s += " The rate had not settled: give a longer --set duration=."
	}
	return s
}
