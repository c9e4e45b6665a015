//go:build js

package main

import (
	"fmt"
	"strings"
	"syscall/js"

	"github.com/goccy/go-json"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/study"
	"wakelab/study/sweep"
)

// sweepRuns(study, kernels, texts, machine, first, seeds, results) plans a
// sweep over KEY=VALUE,VALUE... texts and sums up what there is of it. results
// is the text of [result or null], by run, with the keys of study.Result, or of
// null before there are any. The answer: runs, [{kernel, set}] in order; keys, the
// parameters; cells, a sweep.Cell for each kernel and combination with
// results; csv, the rows that 'wakelab sweep' writes.
func sweepRuns(args []js.Value) (answer, error) {
	name, first := args[0].String(), int64(args[4].Float())
	lib, st, err := library(name, args[3].String())
	if err != nil {
		return nil, err
	}
	var kernels []presets.StudyKernel
	for _, k := range list(args[1]) {
		kernels = append(kernels, presets.StudyKernel{Kernel: k})
	}
	grid, err := sweep.ParseGrid(list(args[2]))
	if err != nil {
		return nil, err
	}
	metric, _ := study.FindMetric(st.Metric) // the library has checked it
	plan, err := sweep.NewPlan(name, metric, kernels, grid, args[5].Int(), func(kernel string, n int, set presets.Set) (engine.Config, error) {
		return lib.Config(st, kernel, set.With(presets.Set{"seed": fmt.Sprint(first + int64(n))}))
	})
	if err != nil {
		return nil, err
	}
	for i := range plan.Points {
		if err := plan.Points[i].Config.Validate(); err != nil {
			return nil, err
		}
	}
	var results []*study.Result
	if err := json.Unmarshal([]byte(args[6].String()), &results); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if results == nil { // "null": none yet
		results = make([]*study.Result, len(plan.Points))
	}
	if len(results) != len(plan.Points) {
		return nil, fmt.Errorf("%d results of %d runs", len(results), len(plan.Points))
	}
	cells, err := object(plan.Cells(results))
	if err != nil {
		return nil, err
	}
	runs := make([]any, len(plan.Points))
	for i := range plan.Points {
		runs[i] = runOf(&plan.Points[i])
	}
	keys := make([]any, len(grid.Keys))
	for i, key := range grid.Keys {
		keys[i] = key
	}
	var text strings.Builder
	if err := plan.WriteCSV(&text, results); err != nil {
		return nil, err
	}
	return answer{"runs": runs, "keys": keys, "cells": cells, "csv": text.String()}, nil
}

// runOf says how to start a point's run: {kernel, set}.
func runOf(p *sweep.Point) answer {
	set := map[string]any{"seed": p.Config.Get("seed")}
	for key, value := range p.Set {
		set[key] = value
	}
	return answer{"kernel": p.Kernel, "set": set}
}

// list reads an array of texts.
func list(array js.Value) []string {
	out := make([]string, array.Length())
	for i := range out {
		out[i] = array.Index(i).String()
	}
	return out
}
