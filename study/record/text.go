package record

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/study"
)

// figures is what the seeds of a row say.
type figures struct {
	times   []float64          // by seed
	mean    map[string]float64 // of the columns with numbers, by name
	settled int                // seeds
}

// Text writes the record's tables in Markdown; lines are those of all runs, in
// order, below header.
func (p *Plan) Text(w io.Writer, lib *presets.Library, header []string, lines [][]string) error {
	rows, err := p.Rows(lib)
	if err != nil {
		return err
	}
	metric, err := p.Metric(lib)
	if err != nil {
		return err
	}
	if len(lines) != len(rows)*p.Seeds {
		return fmt.Errorf("%d runs, want %d", len(lines), len(rows)*p.Seeds)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\nModel version %d, seeds 1 to %d.\n", p.Title, p.Intro, engine.ModelVersion, p.Seeds)
	scene := rows[0].Seeds[0].SceneKey()
	var base, first figures
	for i := range rows {
		row := &rows[i]
		t := &p.Tables[row.Table]
		if i == 0 || row.Table != rows[i-1].Table {
			t.head(&b, metric)
		}
		f, err := sum(metric, header, lines[i*p.Seeds:(i+1)*p.Seeds])
		if err != nil {
			return err
		}
		toBase, toFirst, published := "", "", ""
		sameScene, set := row.Seeds[0].SceneKey() == scene, t.Rows[row.Set]
		switch {
		case i == 0:
			base = f
		case sameScene && !row.Fair:
			toBase = ratio(&base, &f, metric)
		}
		switch {
		case row.Kernel == t.Kernels[0]:
			first = f
		case len(set) > 0 || !sameScene || row.Fair:
			toFirst = ratio(&first, &f, metric)
		}
		if sameScene && len(set) == 0 {
			published = publishedOf(lib.Studies[p.Study], row.Kernel)
		}
		cells := append([]string{settings(set), row.Kernel, published}, f.modelled(metric, toBase, toFirst)...)
		fmt.Fprintf(&b, "| %s |\n", strings.Join(append(cells, fmt.Sprintf("%d of %d", f.settled, p.Seeds)), " | "))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func publishedOf(s *presets.Study, kernel string) string {
	for _, k := range s.Kernels {
		if k.Kernel == kernel && k.Published != nil {
			return strconv.FormatFloat(k.Published.Value, 'g', -1, 64)
		}
	}
	return ""
}

// modelled writes the figures' cells; head names their columns.
func (f *figures) modelled(m study.Metric, toBase, toFirst string) []string {
	mega := func(key string) string { return fmt.Sprintf("%.2f", f.mean[key]/1e6) }
	return []string{
		study.Figure(f.mean[m.Key], m.Unit), study.Figure(slices.Min(f.times), m.Unit) + " to " + study.Figure(slices.Max(f.times), m.Unit), toBase, toFirst,
		fmt.Sprintf("%.0f", f.mean["cpus_used"]), fmt.Sprintf("%.0f", f.mean["cpus_used"]*f.mean[m.Key]),
		mega("switches_per_s"), mega("migrations_per_s"), mega("idle_entries_per_s"), fmt.Sprintf("%.1f", f.mean["messages_per_switch"]),
		fmt.Sprintf("%.2f", f.mean["wakeups_writer_per_s"]/f.mean["wakeups_reader_per_s"]), mega("preempted_reader_by_writer_per_s"), strings.Replace(fmt.Sprintf("%.1f", f.mean["lag_writer_ms"]), "-0.0", "0.0", 1),
	}
}

func (t *Table) head(b *strings.Builder, m study.Metric) {
	fmt.Fprintf(b, "\n## %s\n\n", t.Title)
	if t.Text != "" {
		fmt.Fprintf(b, "%s\n\n", t.Text)
	}
	if t.Settle == "0" {
		fmt.Fprintf(b, "Each seed: %s from the kernel's own settled state.\n\n", t.Measure)
	} else {
		from := ""
		if t.Fair {
			from = " from a fair start"
		}
		fmt.Fprintf(b, "Each row: %s%s to settle, then %s of each seed.\n\n", t.Settle, from, t.Measure)
	}
	head := []string{"settings", "kernel", "published " + m.Unit, "modelled " + m.Unit, "range over seeds", "to the record's first row", "to the kernel above",
		"CPUs used", "CPU " + m.Unit, "switches M/s", "migrations M/s", "idle entries M/s", "messages per switch", "senders woken per receiver woken", "receivers preempted by senders M/s", "senders' lag ms", "settled"}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
}

// sum adds up the runs of a row.
func sum(m study.Metric, header []string, lines [][]string) (figures, error) {
	f := figures{mean: map[string]float64{}}
	for _, line := range lines {
		if len(line) != len(header) {
			return f, fmt.Errorf("a run has %d columns, want %d: %v", len(line), len(header), line)
		}
		for i := len(identity); i < len(header)-2; i++ {
			if line[i] == "" {
				continue
			}
			v, err := strconv.ParseFloat(line[i], 64)
			if err != nil {
				return f, fmt.Errorf("%s: %w", header[i], err)
			}
			f.mean[header[i]] += v / float64(len(lines))
			if header[i] == m.Key {
				f.times = append(f.times, v)
			}
		}
		if line[len(header)-2] == "true" {
			f.settled++
		}
	}
	return f, nil
}

func ratio(base, other *figures, m study.Metric) string {
	return fmt.Sprintf("%.2f", other.mean[m.Key]/base.mean[m.Key])
}
