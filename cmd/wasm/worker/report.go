//go:build js

package main

import (
	"fmt"
	"syscall/js"

	"github.com/goccy/go-json"

	"wakelab/presets"
	"wakelab/study"
)

// report(study, runs) sums up runs of many seeds: {summaries}, a
// study.Summary a kernel. runs is the text of [{kernel, results}], the
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
	text, err := json.Marshal(r.Summaries())
	if err != nil {
		return nil, err
	}
	return answer{"summaries": js.Global().Get("JSON").Call("parse", string(text))}, nil
}
