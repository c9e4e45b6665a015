package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wakelab/engine"
)

func TestStudyCSV(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.csv")
	if code, _, stderr := wakelab(t, "study", smallStudy(t), "--seeds", "2", "--seed", "5", "--csv", file); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want a header and four runs", len(rows))
	}
	for _, d := range engine.Params() {
		if !slices.Contains(rows[0], d.Key) {
			t.Errorf("no column for %s", d.Key)
		}
	}
	for column, want := range map[string][]string{
		"machine":    {"laptop-8", "laptop-8", "laptop-8", "laptop-8"},
		"kernel":     {"v6.5", "idle-1ms", "v6.5", "idle-1ms"},
		"seed":       {"5", "5", "6", "6"},
		"idle_delay": {"0", "1ms", "0", "1ms"},
	} {
		at := slices.Index(rows[0], column)
		var got []string
		for _, row := range rows[1:] {
			got = append(got, row[at])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", column, got, want)
		}
	}
}

func TestStudyMMTests(t *testing.T) {
	study, file := smallStudy(t), filepath.Join(t.TempDir(), "percentiles.txt")
	if code, _, stderr := wakelab(t, "study", study, "--seeds", "9", "--mmtests", file); code == 0 || !strings.Contains(stderr, "from 10 seeds on") {
		t.Errorf("nine seeds: exit code %d: %s", code, stderr)
	}
	code, out, stderr := wakelab(t, "study", study, "--seeds", "10", "--mmtests", file)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "Amean") || !strings.Contains(out, string(text)) {
		t.Errorf("the file is not the report's table:\n%s\nreport:\n%s", text, out)
	}
}
