package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRecordStart: a row goes on from the kept state of its scene unless its
// table says fair; the two are told apart. Ending and going on changes nothing.
func TestRecordStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.json")
	plan := `{"title": "T", "intro": "I", "study": "hackbench-epyc9654", "seeds": 1, "tables": [
		{"title": "kept", "kernels": ["v6.5"], "settle": "1ms", "measure": "1ms", "rows": [{}]},
		{"title": "fair", "kernels": ["v6.5"], "settle": "1ms", "fair": true, "measure": "1ms", "rows": [{}]}]}`
	if err := os.WriteFile(file, []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	table := strings.TrimSuffix(file, ".json") + ".csv"
	read := func() [][]string {
		if code, _, stderr := wakelab(t, "record", file); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		f, err := os.Open(table)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := read()
	if len(rows) != 3 {
		t.Fatalf("%d lines, want a header and two rows", len(rows))
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	kept, fair := rows[1], rows[2]
	if column(kept, "settle") != "1ms" || column(fair, "settle") != "1ms from a fair start" {
		t.Errorf("settled for %q and %q", column(kept, "settle"), column(fair, "settle"))
	}
	// The gathered credit of sleepers is what tells an aged state from a fair start.
	credit := func(row []string) float64 {
		v, err := strconv.ParseFloat(column(row, "lag_writer_ms"), 64)
		if err != nil {
			return 0 // no sender has slept yet
		}
		return v
	}
	if credit(kept) < credit(fair)+1 {
		t.Errorf("senders' credit is %g ms from the kept state and %g ms from a fair start, want at least 1 ms more", credit(kept), credit(fair))
	}
	if again := read(); !slices.EqualFunc(rows, again, slices.Equal[[]string]) {
		t.Errorf("a second call changed the rows:\n%v\n%v", rows, again)
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".md")
	if err != nil || !strings.Contains(string(text), "Each row: 1ms from a fair start to settle, then 1ms of each seed.") {
		t.Errorf("the text does not say where the rows start: %v\n%s", err, text)
	}
}
