//go:build js

package main

import (
	"fmt"
	"math"
	"strings"
	"syscall/js"

	"github.com/goccy/go-json"

	"wakelab/presets"
	"wakelab/study"
)

// report(study, runs) sums up runs of many seeds: {summaries, mmtests,
// mmtestsText, precision}: a study.Summary a kernel; the stats.MMTests of their
// seeds, and its text, null with too few; Report.Precision, null if there is none yet. runs is the text of [{kernel, results}], the
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
	a := answer{"summaries": summaries, "mmtests": nil, "mmtestsText": nil, "precision": nil}
	if table, ok := r.MMTests(); ok {
		if a["mmtests"], err = object(table); err != nil {
			return nil, err
		}
		a["mmtestsText"] = table.Text()
	}
	if p := r.Precision(); !math.IsInf(p, 0) {
		a["precision"] = p
	}
	return a, nil
}

// resultsCSV(study, machine, runs) writes runs as 'wakelab study --csv' does:
// {csv}. runs is the text of [{kernel, set, result}], results with the keys of
// study.Result and seed and changed parameters in set.
func resultsCSV(args []js.Value) (answer, error) {
	lib, st, err := library(args[0].String(), args[1].String())
	if err != nil {
		return nil, err
	}
	var runs []struct {
		Kernel string       `json:"kernel"`
		Set    presets.Set  `json:"set"`
		Result study.Result `json:"result"`
	}
	if err := json.Unmarshal([]byte(args[2].String()), &runs); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	metric, _ := study.FindMetric(st.Metric) // the library has checked it
	rows := make([]study.Measured, len(runs))
	for i, r := range runs {
		cfg, err := lib.Config(st, r.Kernel, r.Set)
		if err != nil {
			return nil, err
		}
		rows[i] = study.Measured{Machine: st.Machine, Kernel: r.Kernel, Config: cfg, Metric: metric, Result: r.Result}
	}
	var text strings.Builder
	if err := study.CSV(&text, rows); err != nil {
		return nil, err
	}
	return answer{"csv": text.String()}, nil
}
