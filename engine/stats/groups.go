package stats

import "slices"

const (
	minForGroups = 6   // with fewer samples a gap is no surprise
	groupGap     = 0.6 // of the range
)

// TwoGroups reports whether samples form two groups, as the seeds of a bistable
// system do: a gap wider than 0.6 of their range with at least two samples on
// each side. Of normally distributed samples this is said of 3 in 100 sets of
// six, and of fewer the more samples there are.
func TwoGroups(x []float64) (low, high []float64, ok bool) {
	if len(x) < minForGroups {
		return nil, nil, false
	}
	s := slices.Sorted(slices.Values(x))
	whole := s[len(s)-1] - s[0]
	for i := 2; i <= len(s)-2; i++ {
		if s[i]-s[i-1] > groupGap*whole {
			return s[:i], s[i:], true
		}
	}
	return nil, nil, false
}
