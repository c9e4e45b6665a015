package main

import (
	"fmt"

	"github.com/goccy/go-json"
	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/stats"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/study"
)

func runCmd() *cobra.Command {
	var c choice
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [STUDY] [flags] [-- COMMAND...]",
		Short: "Run one workload on one kernel",
		Long: `Run one workload on one kernel and print its result. A literal command line
after -- is the workload, and its own output is printed.`,
		Example: `  wakelab run -- hackbench -g 32 -f 20 --threads --pipe -l 480000 -s 100
  wakelab run --machine laptop-8 --workload hackbench-4 --kernel idle-1ms
  wakelab run --machine epyc-7763-2s --kernel sm-idle --set c2=off -- insmod ipistorm.ko numipi=100000 single=1 offset=8 cpulist=8 wait=1`,
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := c.studyAndCommand(cmd, args)
			if err != nil {
				return err
			}
			cfg, err := c.config(command)
			if err != nil {
				return err
			}
			run, err := runOne(cmd, cfg, c.metric)
			if err != nil {
				return err
			}
			return printRun(cmd, &c, run, len(command) > 0, asJSON)
		},
	}
	c.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// runOne runs cfg to its end, or until Ctrl-C.
func runOne(cmd *cobra.Command, cfg engine.Config, metric study.Metric) (*study.Run, error) {
	bar := newBar(cmd.ErrOrStderr(), cmd.Name())
	defer bar.clear()
	return simulate(cmd.Context(), cfg, metric, bar.add)
}

func printRun(cmd *cobra.Command, c *choice, run *study.Run, literal, asJSON bool) error {
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
		fmt.Fprintln(cmd.ErrOrStderr(), how(c, run, &res))
	default:
		t := stats.Table{Columns: []string{"value"}}
		metric := run.Metric()
		t.Add(study.Label(metric.Title, metric.Unit), stats.Plain(study.Figure(res.Metric.Value, metric.Unit)))
		for _, counter := range res.Counters {
			t.Add(study.Label(counter.Title, counter.Unit), counterCell(counter))
		}
		fmt.Fprintf(out, "%s\n%s\n", t.String(), how(c, run, &res))
	}
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

// counterCell writes a counter's value.
func counterCell(c view.Counter) stats.Cell {
	if c.None {
		return stats.Plain("none")
	}
	return stats.Plain(study.Figure(c.Value, c.Unit))
}

// how says how far the result can be trusted.
func how(c *choice, run *study.Run, res *study.Result) string {
	s := fmt.Sprintf("Kernel %s on %s. Simulated %.4g s, %.4g M events, seed %d, digest %v.", c.kernel, c.machine, res.SimulatedS, float64(res.Events)/1e6, res.Seed, res.Digest)
	cfg := run.Engine().Config()
	if cfg.Get("workload") == "ipistorm" && cfg.Get("c2") == "ioport" {
		s = "C2 is on, which only an interrupt ends; the machine of the SM_IDLE mails had it disabled: --set c2=off.\n" + s
	}
	if res.Full {
		return s + " Ran to its end."
	}
	s += fmt.Sprintf(" Extrapolated after %.4g s of warm-up: 95 %% interval (%s): %s.", res.WarmUpS, run.Metric().Unit, study.Span(res.Metric, run.Metric().Unit))
	drifts := cfg.Get("settles_after")
	switch {
	case res.Settled:
		return s
	case drifts != "0":
		return s + fmt.Sprintf(" NOT SETTLED: until %s or so %s drifts, and this is a figure of the way there. Give a --set duration= above that.", drifts, cfg.Get("workload"))
	}
	return s + " The rate had not settled: give a longer --set duration=."
}
