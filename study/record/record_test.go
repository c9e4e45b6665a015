package record

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"wakelab/presets"
)

// TestKept holds the kept records to the present model and plan: their rows are
// those that the command makes, and their text is made of these rows.
func TestKept(t *testing.T) {
	const base = "../../docs/story-a"
	text := func(ext string) string {
		data, err := os.ReadFile(base + ext)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	p, err := Parse([]byte(text(".json")))
	if err != nil {
		t.Fatal(err)
	}
	lib := presets.Shipped()
	rows, err := p.Rows(lib)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Metric(lib)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(text(".csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := Header(m); !slices.Equal(lines[0], want) {
		t.Fatalf("columns %v, want %v", lines[0], want)
	}
	var ids [][]string
	for _, row := range rows {
		ids = append(ids, row.IDs...)
	}
	if len(lines)-1 != len(ids) {
		t.Fatalf("%d runs, want %d: `make record` continues", len(lines)-1, len(ids))
	}
	for i, id := range ids {
		if got := lines[i+1][:len(id)]; !slices.Equal(got, id) {
			t.Fatalf("run %v, want %v: `make record` runs it again", got, id)
		}
	}
	var b strings.Builder
	if err := p.Text(&b, lib, lines[0], lines[1:]); err != nil {
		t.Fatal(err)
	}
	if b.String() != text(".md") {
		t.Error("the tables are not those of the rows: `make record` writes them")
	}
}
