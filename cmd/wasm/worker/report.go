//go:build js

package main

import (
	"fmt"
	"math"
	"syscall/js"

	"github.com/goccy/go-json"

	"wakelab/presets"
	"wakelab/study"
)

// report(study, runs) sums up runs of many seeds: {summaries, mmtests,
// precision}: a study.Summary a kernel; the stats.MMTests of their seeds, null
// with too few; Report.Precision, null if there is none yet. runs is the text of [{kernel, results}], the
// baseline first, results with the keys of study.Result.
func report(args []js.Value) (answer, error) {
	name := args[0].String()
	st, err := presets.Shipped().Study(name)
	if err != nil {
		return nil, err
	}
	var runs []struct {
		Kernel  string         `json:"kernel"`
		Results []study.Result `json:"results"`
	}
	if err := json.Unmarshal([]byte(args[1].String()), &runs); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var kernels []study.Kernel
	for _, r := range runs {
		kernels = append(kernels, study.Kernel{Name: r.Kernel, Results: r.Results})
	}
	metric, _ := study.FindMetric(st.Metric) // the library has checked it
	r := study.NewReport(name, metric, kernels)
	summaries, err := object(r.Summaries())
	if err != nil {
		return nil, err
	}
	a := answer{"summaries": summaries, "mmtests": nil, "precision": nil}
	if table, ok := r.MMTests(); ok {
		if a["mmtests"], err = object(table); err != nil {
			return nil, err
		}
	}
	if p := r.Precision(); !math.IsInf(p, 0) {
		a["precision"] = p
	}
	return a, nil
}
