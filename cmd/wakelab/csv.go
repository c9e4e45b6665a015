package main

import (
	"errors"
	"os"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/view"
	"wakelab/presets"
)

// writeCSV writes a row for each job that has a result.
func writeCSV(file string, st *presets.Study, jobs []*job) error {
	var runs []export.Run
	for i, j := range jobs {
		if !j.begun || j.err != nil {
			continue // the report has said so
		}
		res := &j.result
		runs = append(runs, export.Run{
			Machine: st.Machine, Kernel: st.Kernels[i%len(st.Kernels)].Kernel,
			ModelVersion: engine.ModelVersion, Digest: uint64(res.Digest), Values: j.cfg.Values,
			Counters: append([]view.Counter{
				{Key: j.metric.Key, Value: res.Metric.Value},
				{Key: j.metric.Key + "_lo", Value: res.Metric.Lo},
				{Key: j.metric.Key + "_hi", Value: res.Metric.Hi},
				{Key: "warm_up_s", Value: res.WarmUpS},
				{Key: "simulated_s", Value: res.SimulatedS},
				{Key: "events", Value: float64(res.Events)},
			}, res.Counters...),
		})
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(export.CSV(f, engine.Params(), runs), f.Close())
}
