package study

import (
	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// Period is what was counted in one of a run's equal stretches of time.
type Period struct {
	Until    simtime.Time
	Counters []view.Counter // rates and shares of the period alone
}

// Periods returns the run's whole periods so far, from the nth on.
func (r *Run) Periods(from int) []Period {
	var out []Period
	for i := from + 1; i < len(r.samples); i++ {
		a, b := &r.samples[i-1], &r.samples[i]
		if b.At.Sub(a.At) == r.period {
			out = append(out, Period{b.At, r.engine.AppendRates(nil, a, b)})
		}
	}
	return out
}
