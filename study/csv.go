package study

import (
	"io"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/stats"
	"wakelab/engine/view"
)

// Measured is what a run of a configuration found.
type Measured struct {
	Machine, Kernel string // names of presets
	Config          engine.Config
	Metric          Metric
	Result          Result
}

// CSV writes a row a run: all parameters, the metric with its interval, which
// is empty while it cannot be told, how long the run was, and the counters.
func CSV(w io.Writer, runs []Measured) error {
	rows := make([]export.Run, len(runs))
	for i := range runs {
		r := &runs[i]
		res, key, m := &r.Result, r.Metric.Key, r.Result.Metric
		unknown := m == stats.Interval{}
		rows[i] = export.Run{
			Machine: r.Machine, Kernel: r.Kernel, ModelVersion: engine.ModelVersion, Digest: uint64(res.Digest), Values: r.Config.Values,
			Counters: append([]view.Counter{
				{Key: key, Value: m.Value, None: unknown},
				{Key: key + "_lo", Value: m.Lo, None: unknown},
				{Key: key + "_hi", Value: m.Hi, None: unknown},
				{Key: "warm_up_s", Value: res.WarmUpS},
				{Key: "simulated_s", Value: res.SimulatedS},
				{Key: "events", Value: float64(res.Events)},
			}, res.Counters...),
		}
	}
	return export.CSV(w, engine.Params(), rows)
}
