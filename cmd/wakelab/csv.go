package main

import (
	"io"

	"wakelab/presets"
	"wakelab/study"
)

// writeCSV writes a file with a row for each job that has a result.
func writeCSV(file string, st *presets.Study, jobs []*job) error {
	var runs []study.Measured
	for i, j := range jobs {
		if !j.begun || j.err != nil {
			continue // the report has said so
		}
		runs = append(runs, study.Measured{
			Machine: st.Machine, Kernel: st.Kernels[i%len(st.Kernels)].Kernel, Config: j.cfg, Metric: j.metric, Result: j.result,
		})
	}
	return writeFile(file, func(w io.Writer) error { return study.CSV(w, runs) })
}
