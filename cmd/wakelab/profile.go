package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/presets"
)

func profileCmd() *cobra.Command {
	var c choice
	var top int
	var from string
	cmd := &cobra.Command{
		Use:   "profile [STUDY] [flags] [-- COMMAND...]",
		Short: "Show where a run's time goes: kernel functions, cache lines, locks",
		Long: `Run one workload on one kernel and print the time of all CPUs outside of idle
states by kernel function, and the cache lines and locks they waited for
longest.`,
		Example: `  wakelab profile hackbench-epyc9654 --kernel v6.5 --set duration=50ms
  wakelab profile ipistorm-epyc-milan --kernel sm-idle --from 1ms`,
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top < 1 || top > maxTop {
				return fmt.Errorf("--top %d: allowed are 1 to %d", top, maxTop)
			}
			command, err := c.studyAndCommand(cmd, args)
			if err != nil {
				return err
			}
			cfg, err := c.config(command)
			if err != nil {
				return err
			}
			skip := simtime.Duration(cfg.Number("warmup"))
			if from != "" {
				if skip, err = span("--from", from); err != nil {
					return err
				}
			}
			bar := newBar(cmd.ErrOrStderr(), cmd.Name())
			run, err := simulateFrom(cmd.Context(), cfg, c.metric, skip, bar.add)
			bar.clear()
			if err != nil {
				return err
			}
			printProfile(cmd.OutOrStdout(), run.Engine(), top)
			if cmd.Context().Err() != nil {
				return errInterrupted
			}
			return nil
		},
	}
	c.register(cmd)
	cmd.Flags().StringVar(&from, "from", "", "simulated time to leave out at the start (default: the run's warmup)")
	cmd.Flags().IntVar(&top, "top", 20, fmt.Sprintf("rows of each list, 1 to %d", maxTop))
	return cmd
}

const maxTop = 10_000

func printProfile(w io.Writer, e *engine.Engine, top int) {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	profile := e.Profile()
	var total uint64
	for _, f := range profile {
		total += f.Ns
	}
	fmt.Fprintf(out, "share\tms\t  kernel function\n")
	for _, f := range profile[:min(top, len(profile))] {
		fmt.Fprintf(out, "%.2f%%\t%.3f\t  %s\n", 100*float64(f.Ns)/float64(total), float64(f.Ns)/1e6, f.Name)
	}
	fmt.Fprintf(out, "\nwait ms\tqueued ms\tbusy\ttransfers\t  cache line\n")
	for _, l := range e.Lines(top) {
		fmt.Fprintf(out, "%.3f\t%.3f\t%.1f%%\t%d\t  %s\n", float64(l.WaitNs)/1e6, float64(l.QueueNs)/1e6, float64(l.BusyPm)/10, l.Transfers, l.Name)
	}
	fmt.Fprintf(out, "\nwait ms\thold ms\tacquired\tcontended\t  lock\n")
	for _, l := range e.Locks(top) {
		fmt.Fprintf(out, "%.3f\t%.3f\t%d\t%d\t  %s\n", float64(l.WaitNs)/1e6, float64(l.HoldNs)/1e6, l.Acquired, l.Contended, l.Name)
	}
}
