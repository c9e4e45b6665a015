package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wakelab/study/sweep"
)

type sweepFlags struct {
	comparison
	studyArg, format, output, shard string
	set                             []string
}

func sweepCmd() *cobra.Command {
	var s sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep --study NAME|FILE.json --set KEY=VALUE,VALUE...",
		Short: "Run a study's kernels over values of parameters",
		Long: `Run every kernel of a study for every combination of the given values and every
seed, and write a CSV row a run.

With --output a sweep can be stopped and started again: rows in the file are
not run again. With --shard I/N it does only its share; 'wakelab merge' puts
the shards' files together to the file that the whole sweep would have written.`,
		Example: `  wakelab sweep --study hackbench-epyc9654 --set idle_delay=0,100us,500us,1ms,2ms,5ms --seeds 5 --format csv
  GNU parallel:       parallel wakelab sweep ... --shard {}/8 --output part{}.csv ::: 1 2 3 4 5 6 7 8
  Slurm array 1-8:    wakelab sweep ... --shard $SLURM_ARRAY_TASK_ID/8 --output part$SLURM_ARRAY_TASK_ID.csv
  Kubernetes Indexed: wakelab sweep ... --shard $((JOB_COMPLETION_INDEX+1))/8 --output part$JOB_COMPLETION_INDEX.csv
  then:               wakelab merge part*.csv --output sweep.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("sweep %q: a study is named by --study", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	s.register(cmd)
	f := cmd.Flags()
	f.StringVar(&s.studyArg, "study", "", "study preset or FILE.json")
	f.StringArrayVar(&s.set, "set", nil, "KEY=VALUE,VALUE...: values of one parameter; may be repeated for a grid")
	f.StringVar(&s.format, "format", "csv", "csv")
	f.StringVarP(&s.output, "output", "o", "", "file to write and to continue (default: standard output, at the end)")
	f.StringVar(&s.shard, "shard", "1/1", "I/N: do the Ith of N shares")
	cmd.MarkFlagRequired("study")
	return cmd
}

func (s *sweepFlags) run(cmd *cobra.Command) error {
	if s.format != "csv" {
		return fmt.Errorf("--format %q: allowed is csv", s.format)
	}
	shard, shards, err := parseShard(s.shard)
	if err != nil {
		return err
	}
	if err := s.choose(s.studyArg); err != nil {
		return err
	}
	grid, err := sweep.ParseGrid(s.set)
	if err != nil {
		return err
	}
	plan, err := sweep.NewPlan(s.name, s.metric, s.study.Kernels, grid, s.seeds, s.config)
	if err != nil {
		return err
	}
	table := &runTable{path: s.output, header: plan.Header}
	ids := make([][]string, len(plan.Points))
	for i := range plan.Points {
		ids[i] = plan.Points[i].Row
	}
	if err := table.open(ids); err != nil {
		return err
	}
	var jobs []*job
	indices := map[*job]int{}
	for i := range plan.Points {
		if i%shards == shard-1 && table.rows[i] == nil {
			j := &job{cfg: plan.Points[i].Config, metric: s.metric}
			jobs = append(jobs, j)
			indices[j] = i
		}
	}
	bar := newBar(cmd.ErrOrStderr(), "sweep")
	var untold []error // of points that have no result; the others go on
	err = runJobs(cmd.Context(), jobs, s.jobs, bar, func(j *job) error {
		p := &plan.Points[indices[j]]
		if j.err != nil {
			untold = append(untold, fmt.Errorf("%s: %w", strings.Join(p.Row, " "), j.err))
			return nil
		}
		return table.add(indices[j], p.Done(&j.result))
	})
	bar.clear()
	if err := errors.Join(err, errors.Join(untold...), table.close(cmd.OutOrStdout())); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

func parseShard(text string) (shard, shards int, err error) {
	i, n, _ := strings.Cut(text, "/")
	shard, errI := strconv.Atoi(i)
	shards, errN := strconv.Atoi(n)
	if errI != nil || errN != nil || shards < 1 || shards > sweep.MaxPoints || shard < 1 || shard > shards {
		return 0, 0, fmt.Errorf("--shard %q: want I/N with I from 1 to N, N at most %d", text, sweep.MaxPoints)
	}
	return shard, shards, nil
}

// runTable is the rows of a sweep or a record, one a run, and the file in which
// they are kept.
type runTable struct {
	path   string
	header []string
	rows   map[int][]string // by index of the point
	file   *os.File
}

// open reads the rows that an earlier run of the same command has written; ids are
// the first columns of all rows. A last line cut short by a kill is dropped.
func (t *runTable) open(ids [][]string) error {
	t.rows = map[int][]string{}
	if t.path == "" {
		return nil
	}
	f, err := os.OpenFile(t.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	t.file = f
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	whole := text[:strings.LastIndexByte(string(text), '\n')+1]
	rows, err := csv.NewReader(strings.NewReader(string(whole))).ReadAll()
	if err != nil {
		return fmt.Errorf("--output %s: %w", t.path, err)
	}
	if len(rows) > 0 && !slices.Equal(rows[0], t.header) {
		return fmt.Errorf("--output %s: it holds other runs: its columns are %v", t.path, rows[0])
	}
	for _, r := range rows[min(1, len(rows)):] {
		i, err := strconv.Atoi(r[0])
		if err != nil || i < 1 || i > len(ids) || !slices.Equal(r[:len(ids[i-1])], ids[i-1]) {
			return fmt.Errorf("--output %s: it holds other runs: row %v is not one of these", t.path, r)
		}
		t.rows[i-1] = r
	}
	return t.rewrite()
}

// rewrite puts the rows into the file in order.
func (t *runTable) rewrite() error {
	var b strings.Builder
	if err := t.write(&b); err != nil {
		return err
	}
	if err := t.file.Truncate(0); err != nil {
		return err
	}
	_, err := t.file.WriteAt([]byte(b.String()), 0)
	return err
}

func (t *runTable) write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(t.header)
	for _, i := range slices.Sorted(maps.Keys(t.rows)) {
		out.Write(t.rows[i])
	}
	out.Flush()
	return out.Error()
}

// add notes the row of that index and appends it to the file at once.
func (t *runTable) add(index int, row []string) error {
	t.rows[index] = row
	if t.file == nil {
		return nil
	}
	if _, err := t.file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	out := csv.NewWriter(t.file)
	out.Write(row)
	out.Flush()
	return out.Error()
}

// close leaves the rows in order, in the file or on stdout.
func (t *runTable) close(stdout io.Writer) error {
	if t.file == nil {
		return t.write(stdout)
	}
	return errors.Join(t.rewrite(), t.file.Close())
}

func mergeCmd() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Put the files of a sweep's shards together",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			t, err := mergeShards(files)
			if err != nil {
				return err
			}
			if output == "" {
				return t.write(cmd.OutOrStdout())
			}
			f, err := os.Create(output)
			if err != nil {
				return err
			}
			return errors.Join(t.write(f), f.Close())
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	return cmd
}

// mergeShards reads shards and checks that they are all of one sweep.
func mergeShards(files []string) (*runTable, error) {
	t := &runTable{rows: map[int][]string{}}
	total := ""
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(f).ReadAll()
		f.Close()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", file, err)
		case len(rows) == 0 || len(rows[0]) < 2 || !slices.Equal(rows[0][:2], sweep.NumberedColumns):
			return nil, fmt.Errorf("%s: not a file of 'wakelab sweep'", file)
		case t.header == nil:
			t.header = rows[0]
		case !slices.Equal(rows[0], t.header):
			return nil, fmt.Errorf("%s: of another sweep than %s: its columns are %v", file, files[0], rows[0])
		}
		for _, r := range rows[1:] {
			i, err := strconv.Atoi(r[0])
			n, errN := strconv.Atoi(r[1])
			if err != nil || errN != nil || n > sweep.MaxPoints || i < 1 || i > n || total != "" && total != r[1] {
				return nil, fmt.Errorf("%s: row %s of %s is not one of a sweep of %s rows", file, r[0], r[1], total)
			}
			total = r[1]
			if other := t.rows[i-1]; other != nil && !slices.Equal(other, r) {
				return nil, fmt.Errorf("%s: row %d is there twice and differs", file, i)
			}
			t.rows[i-1] = r
		}
	}
	n, _ := strconv.Atoi(total)
	var missing []string
	for i := range n {
		if t.rows[i] == nil {
			missing = append(missing, strconv.Itoa(i+1))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("rows %s of %d are missing: is a shard not there or not done?", strings.Join(missing, ", "), n)
	}
	return t, nil
}
