package stats

import (
	"gonum.org/v1/gonum/stat"
)

// WarmUp returns how many of the first samples of a series to leave out: the
// cut that minimises the marginal standard error of the rest (the MSER rule,
// White 1997), applied to means of five samples (MSER-5). settled is false
// when the best cut lies beyond the middle of the series: the rate was still
// changing, and a longer run is needed.
func WarmUp(x []float64) (cut int, settled bool) {
	means := batches(x, len(x)/mserBatch)
	if len(means) < minBatches {
		return len(x) / 2, false
	}
	best, at := -1.0, 0
	// Of a rest of a few samples the error is small by luck.
	for d := 0; d <= len(means)-minBatches; d++ {
		rest := means[d:]
		n := float64(len(rest))
		e := stat.PopVariance(rest, nil) / n
		if best < 0 || e < best {
			best, at = e, d
		}
	}
	if at > len(means)/2 {
		return len(x) / 2, false
	}
	return at * mserBatch, true
}

const (
	mserBatch  = 5
	minBatches = 5
	// numBatches of batch means: few enough that neighbours hardly correlate,
	// many enough that the t quantile is near its limit.
	numBatches = 10
)

// BatchMeans returns the mean of a steady series of correlated samples, with
// an interval from the means of ten batches.
func BatchMeans(x []float64) Interval {
	return Mean(batches(x, min(numBatches, len(x))))
}

// batches returns the means of n stretches of equal length; samples that do
// not fill a stretch are left out at the start.
func batches(x []float64, n int) []float64 {
	if n <= 0 {
		return nil
	}
	size := len(x) / n
	x = x[len(x)-n*size:]
	out := make([]float64, n)
	for i := range out {
		out[i] = stat.Mean(x[i*size:(i+1)*size], nil)
	}
	return out
}

// TimeFor extrapolates a run: it had done `done` of `total` units of work by
// instant at (in s) and goes on at rate units per second.
func TimeFor(total, done, at float64, rate Interval) Interval {
	left := total - done
	return Interval{at + left/rate.Value, at + left/rate.Hi, at + left/rate.Lo}
}
