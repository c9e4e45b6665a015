package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"wakelab/engine/param"
	"wakelab/engine/view"
)

// Run is one run's configuration and results.
type Run struct {
	Machine, Kernel string // names of presets
	ModelVersion    int
	Digest          uint64
	Values          []param.Value // one per parameter
	Counters        []view.Counter
}

// CSV writes one row a run: machine, kernel, model version, digest, the value of every
// parameter as a reader would type it, and the counters, which all runs have
// in the same order; one that says nothing is empty.
func CSV(w io.Writer, params []param.Def, runs []Run) error {
	out := csv.NewWriter(w)
	for i, r := range runs {
		row := []string{r.Machine, r.Kernel, strconv.Itoa(r.ModelVersion), fmt.Sprintf("%016x", r.Digest)}
		for p := range params {
			row = append(row, params[p].Format(r.Values[p]))
		}
		for j, c := range r.Counters {
			if first := runs[0].Counters; len(first) != len(r.Counters) || first[j].Key != c.Key {
				panic(fmt.Sprintf("export: run %d has other counters than run 0", i))
			}
			value := "" // none
			if !c.None {
				value = strconv.FormatFloat(c.Value, 'g', -1, 64)
			}
			row = append(row, value)
		}
		if i == 0 {
			out.Write(csvHeader(params, r.Counters))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func csvHeader(params []param.Def, counters []view.Counter) []string {
	row := []string{"machine", "kernel", "model_version", "digest"}
	for _, p := range params {
		row = append(row, p.Key)
	}
	for _, c := range counters {
		row = append(row, c.Key)
	}
	return row
}
