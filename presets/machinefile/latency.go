package machinefile

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// Limits of a latency table.
const (
	MaxLatencyBytes = 16 << 20 // 1024 CPUs take about 10 MB
	maxLatencyNs    = 1e6
)

// Latency is what a core-to-core table says about CPUs of one distance.
type Latency struct {
	Distance topo.Distance
	Median   simtime.Duration // one way, to a tenth of a nanosecond
	Pairs    int
}

// ReadLatencies reads a core-to-core latency table: a square matrix as CSV
// without header, in which row i, column j is the one-way latency in ns
// between Linux CPUs i and j; one half may be empty. It returns the median of
// each distance that occurs, nearest first. The table may be smaller than
// the machine if second threads were not measured.
func ReadLatencies(data []byte, t *topo.Topology) ([]Latency, error) {
	if len(data) > MaxLatencyBytes {
		return nil, fmt.Errorf("the latency table has %d bytes: at most %d are read", len(data), MaxLatencyBytes)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("the latency table is not CSV: %w", err)
	}
	if len(rows) < 2 || len(rows) > t.N() {
		return nil, fmt.Errorf("the latency table has %d rows: the machine has %d CPUs, allowed are 2 to that many", len(rows), t.N())
	}
	var p problems
	var byDistance [topo.NumDistances][]float64
	for i, row := range rows {
		if len(row) != len(rows) {
			p.add("row %d: %d columns, want %d as there are rows", i+1, len(row), len(rows))
			continue
		}
		for j, cell := range row {
			cell = strings.TrimSpace(cell)
			if cell == "" || i == j {
				continue
			}
			ns, err := strconv.ParseFloat(cell, 64)
			if err != nil || !(ns > 0 && ns <= maxLatencyNs) {
				p.add("row %d, column %d: %q: allowed are ns up to %g", i+1, j+1, cell, maxLatencyNs)
				continue
			}
			d := t.Distance(topo.CPUID(i), topo.CPUID(j))
			byDistance[d] = append(byDistance[d], ns)
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	var found []Latency
	for d, ns := range byDistance {
		if len(ns) > 0 {
			slices.Sort(ns)
			tenths := math.Round(10 * (ns[(len(ns)-1)/2] + ns[len(ns)/2]) / 2)
			found = append(found, Latency{topo.Distance(d), simtime.Duration(tenths) * simtime.Nanosecond / 10, len(ns)})
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the latency table is empty")
	}
	return found, nil
}
