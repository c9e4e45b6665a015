package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/study"
	"wakelab/study/record"
)

func recordCmd() *cobra.Command {
	var jobs int
	cmd := &cobra.Command{
		Use:   "record PLAN.json",
		Short: "Run a plan of many configurations and keep what came out",
		Long: `Run every configuration of the plan over its seeds and write, beside the plan,
PLAN.csv, a row a run, and PLAN.md, the tables made of it.

A record can be stopped and started again: rows in the file are not run again.`,
		Example: `  wakelab record docs/story-a.json`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return makeRecord(cmd, args[0], jobs) },
	}
	cmd.Flags().IntVar(&jobs, "jobs", runtime.GOMAXPROCS(0), "runs at a time")
	return cmd
}

func makeRecord(cmd *cobra.Command, file string, jobs int) error {
	base, ok := strings.CutSuffix(file, ".json")
	if !ok {
		return fmt.Errorf("%s: a plan's name ends in .json", file)
	}
	if jobs < 1 || jobs > maxJobs {
		return fmt.Errorf("--jobs %d: allowed are 1 to %d", jobs, maxJobs)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lib := presets.Shipped()
	plan, err := record.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	rows, err := plan.Rows(lib)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	metric, err := plan.Metric(lib)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	table := &runTable{path: base + ".csv", header: record.Header(metric)}
	var ids [][]string
	for i := range rows {
		ids = append(ids, rows[i].IDs...)
	}
	if err := table.open(ids); err != nil {
		return err
	}
	for i := range rows {
		if err = recordRow(cmd, &rows[i], i*plan.Seeds, metric, jobs, table); err != nil {
			break
		}
	}
	if err := errors.Join(err, table.close(io.Discard)); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	lines := make([][]string, len(ids))
	for i := range lines {
		lines[i] = table.rows[i]
	}
	return writeFile(base+".md", func(w io.Writer) error { return plan.Text(w, lib, table.header, lines) })
}

// recordRow runs those seeds of a configuration that the table does not have;
// first is the index of its first seed.
func recordRow(cmd *cobra.Command, row *record.Row, first int, metric study.Metric, jobs int, table *runTable) error {
	var missing []*job
	indices := map[*job]int{}
	for n, cfg := range row.Seeds {
		if table.rows[first+n] == nil {
			j := &job{cfg: cfg, metric: metric}
			missing = append(missing, j)
			indices[j] = n
		}
	}
	if len(missing) == 0 || cmd.Context().Err() != nil {
		return nil
	}
	title := strings.Join(row.IDs[0], " ")
	bar := newBar(cmd.ErrOrStderr(), title)
	defer bar.clear()
	if row.Settle > 0 {
		state, err := settle(cmd.Context(), row, metric)
		if err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
		for _, j := range missing {
			j.from = state
		}
	}
	return runJobs(cmd.Context(), missing, jobs, bar, func(j *job) error {
		n := indices[j]
		if j.err != nil {
			return fmt.Errorf("%s: %w", strings.Join(row.IDs[n], " "), j.err)
		}
		line, err := record.Line(row.IDs[n], &j.result)
		if err != nil {
			return err
		}
		return table.add(first+n, line)
	})
}

// settle returns the state that a row's first seed has reached after a while.
func settle(ctx context.Context, row *record.Row, metric study.Metric) (*engine.Snapshot, error) {
	cfg := row.Seeds[0].Clone()
	for key, text := range map[string]string{"duration": row.Settle.String(), "resettles_after": "0"} {
		if err := cfg.Set(key, text); err != nil {
			return nil, err
		}
	}
	start := newRun
	if row.Fair {
		start = study.New
	}
	run, err := start(cfg, metric)
	if err != nil {
		return nil, err
	}
	if err := runToEnd(ctx, run, 0, func(float64) {}); err != nil {
		return nil, err
	}
	return run.Engine().Snapshot(nil), nil
}
