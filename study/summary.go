package study

import "wakelab/engine/stats"

// Summary is what a report says of one kernel, for a page to show.
type Summary struct {
	Kernel  string      `json:"kernel"`
	Value   float64     `json:"value"` // mean over seeds, in the metric's unit
	Lo      float64     `json:"lo"`    // 95 % interval, as in Row
	Hi      float64     `json:"hi"`
	Median  float64     `json:"median"`  // over seeds
	Seeds   int         `json:"seeds"`   // with a result
	Settled int         `json:"settled"` // of them, those whose rate was steady
	Groups  [][]float64 `json:"groups"`  // the two groups that the seeds form, or null
	Pairs   int         `json:"pairs"`   // seeds that the baseline has too
	// Ratio to the baseline over pairs; null for the baseline itself and where
	// there are no pairs. Of one pair, Lo and Hi say nothing.
	Ratio   *stats.Interval `json:"ratio"`
	Differs bool            `json:"differs"` // from the baseline, at the 95 % level
}

// Summaries sums up the report's kernels, the baseline first.
func (r *Report) Summaries() []Summary {
	all := make([]Summary, len(r.Rows))
	for i, row := range r.Rows {
		s := Summary{Kernel: row.Kernel, Value: row.Value, Lo: row.Lo, Hi: row.Hi, Median: stats.Median(row.PerSeed), Seeds: len(row.PerSeed)}
		for _, res := range r.Kernels[i].Results {
			if res.Settled {
				s.Settled++
			}
		}
		if low, high, ok := stats.TwoGroups(row.PerSeed); ok {
			s.Groups = [][]float64{low, high}
		}
		if c := r.Compare(i); i > 0 && c.N > 0 {
			s.Pairs, s.Ratio, s.Differs = c.N, &c.Ratio, c.Differs()
		}
		all[i] = s
	}
	return all
}
