package stats

import (
	"math"

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
// an interval from the means of ten batches. Where neighbouring batches still
// correlate it is widened as for a first-order autoregressive series (as in
// Skart: Tafazzoli, Wilson, Lada, Steiger 2011).
func BatchMeans(x []float64) Interval {
	means := batches(x, min(numBatches, len(x)))
	m := Mean(means)
	r := neighbours(means)
	half := (m.Hi - m.Value) * math.Sqrt((1+r)/(1-r))
	return Interval{m.Value, m.Value - half, m.Value + half}
}

// maxNeighbours bounds the correlation that ten batches are believed.
const maxNeighbours = 0.8

// neighbours returns the correlation of each sample with the next, from 0 to
// maxNeighbours; it corrects for what the estimate from n samples of no
// correlation has on average, -1/n.
func neighbours(x []float64) float64 {
	mean, variance := stat.PopMeanVariance(x, nil)
	if variance == 0 {
		return 0
	}
	sum := 0.0
	for i := 1; i < len(x); i++ {
		sum += (x[i] - mean) * (x[i-1] - mean)
	}
	n := float64(len(x))
	return min(max(sum/(n*variance)+1/n, 0), maxNeighbours)
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
