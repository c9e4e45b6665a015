package stats

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Cell is one figure of a comparison.
type Cell struct {
	Text string  // the figure
	Gain float64 // percent better than the first column; NaN: none is shown
	Sure bool    // the difference is significant
}

// Plain is a cell without a comparison.
func Plain(text string) Cell { return Cell{text, math.NaN(), false} }

// Table is a comparison in the shape of mmtests' compare-kernels: a column for
// each kernel, each figure followed by its gain over the first column, between
// stars if it is significant and in brackets otherwise.
type Table struct {
	Columns []string
	Rows    []TableRow
}

// TableRow is one line of a table.
type TableRow struct {
	Name  string
	Cells []Cell
}

// Add appends a row.
func (t *Table) Add(name string, cells ...Cell) { t.Rows = append(t.Rows, TableRow{name, cells}) }

// String formats the table, with aligned columns.
func (t *Table) String() string {
	name := 0
	for _, r := range t.Rows {
		name = max(name, utf8.RuneCountInString(r.Name))
	}
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = utf8.RuneCountInString(c)
		for _, r := range t.Rows {
			if i < len(r.Cells) {
				widths[i] = max(widths[i], utf8.RuneCountInString(r.Cells[i].String()))
			}
		}
	}
	var b strings.Builder
	line := func(name0 string, text func(i int) string) {
		l := pad(name0, -name)
		for i, w := range widths {
			l += "  " + pad(text(i), w)
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	line("", func(i int) string { return t.Columns[i] })
	for _, r := range t.Rows {
		line(r.Name, func(i int) string {
			if i >= len(r.Cells) {
				return ""
			}
			return r.Cells[i].String()
		})
	}
	return b.String()
}

// String formats the cell. The gain's place is kept, so that figures align.
func (c Cell) String() string {
	if math.Abs(c.Gain) < 0.005 {
		c.Gain = 0 // not -0.00
	}
	switch {
	case math.IsNaN(c.Gain):
		return c.Text + strings.Repeat(" ", len(" (   0.00%)"))
	case c.Sure:
		return fmt.Sprintf("%s *%7.2f%%*", c.Text, c.Gain)
	}
	return fmt.Sprintf("%s (%7.2f%%)", c.Text, c.Gain)
}

// pad fills s to w characters, on the left, or on the right if w is negative.
func pad(s string, w int) string {
	fill := strings.Repeat(" ", max(0, max(w, -w)-utf8.RuneCountInString(s)))
	if w < 0 {
		return s + fill
	}
	return fill + s
}
