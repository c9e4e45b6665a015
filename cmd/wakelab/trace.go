package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/presets"
)

// traceFormats writes a trace by format name.
var traceFormats = map[string]func(*export.Trace, io.Writer) error{
	"ftrace":    func(t *export.Trace, w io.Writer) error { return t.Text(w, export.Microseconds) },
	"ftrace-ns": func(t *export.Trace, w io.Writer) error { return t.Text(w, export.Nanoseconds) },
	"perfetto":  (*export.Trace).Chrome,
	"dat":       (*export.Trace).Dat,
}

var traceFormatNames = []string{"ftrace", "ftrace-ns", "perfetto", "dat"}

// traceFlags is what to trace and how to write it.
type traceFlags struct {
	choice
	from, length, events, format, output string
	records                              int
}

func traceCmd() *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "trace [STUDY] [flags] [-- COMMAND...]",
		Short: "Record a run's tracepoints as ftrace text, for Perfetto or for trace-cmd",
		Long: `Run one workload on one kernel and write the kernel's tracepoints in a span of
simulated time: as the kernel's trace file shows them (ftrace; ftrace-ns with
nanoseconds), as Chrome JSON for Perfetto (perfetto), or as trace.dat for
trace-cmd and KernelShark (dat).`,
		Example: `  wakelab trace --machine laptop-8 --from 2ms --for 200us
  wakelab trace ilb-xeon --kernel sm-idle-no-test --from 4ms --events bprint,sched,softirq_entry
  wakelab trace --machine laptop-8 --events all --format perfetto -o trace.json
  wakelab trace --events sched,ipi,csd --format dat -o trace.dat && trace-cmd report -i trace.dat`,
		ValidArgsFunction: completePreset(presets.Studies),
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := f.studyAndCommand(cmd, args)
			if err != nil {
				return err
			}
			cfg, err := f.config(command)
			if err != nil {
				return err
			}
			return f.run(cmd, cfg)
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "0", "simulated time at which to begin")
	flags.StringVar(&f.length, "for", "1ms", "simulated time to record")
	flags.StringVar(&f.events, "events", "sched,irq,ipi,csd,power,irq_vectors,bprint",
		"tracepoints and systems, such as sched,ipi:ipi_send_cpu; all adds kernel functions")
	flags.StringVar(&f.format, "format", "ftrace", strings.Join(traceFormatNames, ", "))
	flags.StringVarP(&f.output, "output", "o", "", "file to write (default: standard output)")
	flags.IntVar(&f.records, "records", 1<<20, fmt.Sprintf("records to keep, the latest ones, 1 to %d", trace.MaxRecords))
	return cmd
}

func (f *traceFlags) run(cmd *cobra.Command, cfg engine.Config) error {
	if !slices.Contains(traceFormatNames, f.format) {
		return fmt.Errorf("--format %q: allowed are %s", f.format, strings.Join(traceFormatNames, ", "))
	}
	if f.records < 1 || f.records > trace.MaxRecords {
		return fmt.Errorf("--records %d: allowed are 1 to %d", f.records, trace.MaxRecords)
	}
	mask, err := trace.ParseMask(f.events)
	if err == nil && mask == 0 {
		err = fmt.Errorf("%q names none: allowed are all, systems such as sched, and tracepoints such as sched_switch", f.events)
	}
	if err != nil {
		return fmt.Errorf("--events: %w", err)
	}
	from, err := span("--from", f.from)
	if err != nil {
		return err
	}
	length, err := span("--for", f.length)
	if err != nil {
		return err
	}
	if from+length >= simtime.Duration(simtime.Never) {
		return fmt.Errorf("--from %s --for %s: a run ends before %s", f.from, f.length, simtime.Never)
	}
	e, err := engine.New(cfg)
	if err != nil {
		return err
	}
	advance(cmd, e, simtime.Time(0).Add(from))
	e.Trace().Start(mask, f.records)
	advance(cmd, e, simtime.Time(0).Add(from+length))
	if err := f.write(cmd, &export.Trace{Ring: e.Trace(), Names: e.Names(), Topo: e.Topology()}); err != nil {
		return err
	}
	if e.Trace().Written == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Nothing was recorded up to %s.\n", e.Now())
	}
	if lost := e.Trace().First(); lost > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "The first %d records are lost: --records keeps the latest %d.\n", lost, f.records)
	}
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

// span reads a flag that is a time of the run.
func span(flag, text string) (simtime.Duration, error) {
	d, err := simtime.Parse(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("%q is negative", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", flag, err)
	}
	return d, nil
}

// eventsAtATime bounds how long Ctrl-C is not heard.
const eventsAtATime = 1 << 20

// advance runs e to instant t, or until it is done or the user interrupts.
func advance(cmd *cobra.Command, e *engine.Engine, t simtime.Time) {
	for e.Now() < t && !e.Done() && cmd.Context().Err() == nil {
		e.RunUntil(t, eventsAtATime)
	}
}

// write writes the trace to the output.
func (f *traceFlags) write(cmd *cobra.Command, t *export.Trace) error {
	if f.output == "" {
		return traceFormats[f.format](t, cmd.OutOrStdout())
	}
	return writeFile(f.output, func(w io.Writer) error { return traceFormats[f.format](t, w) })
}
