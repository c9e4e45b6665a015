package kernel

import "math/bits"

// Programs keep what their tasks share in the kernel's state, so that a
// snapshot holds it.

// NewWords adds n words of user memory, all 0, and returns the first's index.
func (k *Kernel) NewWords(n int) int32 {
	k.words = append(k.words, make([]int64, n)...)
	return int32(len(k.words) - n)
}

// Word is a word of user memory. Its cache line is not modelled: a program
// that shares words guards them with a futex, whose line is.
func (k *Kernel) Word(i int32) *int64 { return &k.words[i] }

// Hist counts durations in buckets a sixteenth of a power of two wide, so
// that a percentile is known to about 6 %.
type Hist struct {
	n       [histBuckets]int64
	count   int64
	sum     Duration
	longest Duration
}

const (
	histBits    = 4
	histBuckets = (64 - histBits) << histBits
)

// NewHist adds an empty histogram.
func (k *Kernel) NewHist() int32 {
	k.hists = append(k.hists, Hist{})
	return int32(len(k.hists) - 1)
}

// Hist returns a histogram of NewHist.
func (k *Kernel) Hist(i int32) *Hist { return &k.hists[i] }

// Add counts d, which must not be negative.
func (h *Hist) Add(d Duration) {
	h.n[histBucket(d)]++
	h.count++
	h.sum += d
	h.longest = max(h.longest, d)
}

// histBucket keeps the leading one and the histBits bits after it.
func histBucket(d Duration) int {
	shift := max(bits.Len64(uint64(d))-histBits-1, 0)
	return shift<<histBits + int(d>>shift)
}

// Count returns how many durations were counted.
func (h *Hist) Count() int64 { return h.count }

// Max returns the longest.
func (h *Hist) Max() Duration { return h.longest }

// Mean returns their mean, 0 if there are none.
func (h *Hist) Mean() Duration { return h.sum / Duration(max(h.count, 1)) }

// Min returns the lower bound of the shortest one's bucket; 0 if there are none.
func (h *Hist) Min() Duration {
	i, _ := h.bucketAt(1)
	shift := max(i>>histBits-1, 0)
	return Duration(i-shift<<histBits) << shift
}

// Permille returns the upper bound of the bucket that holds the p-thousandth
// part of the durations, shortest first; 0 if there are none.
func (h *Hist) Permille(p int64) Duration {
	i, _ := h.bucketAt((h.count*p + 999) / 1000)
	shift := max(i>>histBits-1, 0)
	mantissa := Duration(i - shift<<histBits)
	return min((mantissa+1)<<shift-1, h.longest)
}

// UpTo returns how many durations are in the buckets up to that of Permille(p).
func (h *Hist) UpTo(p int64) int64 {
	_, n := h.bucketAt((h.count*p + 999) / 1000)
	return n
}

// bucketAt returns the bucket of the nth duration, shortest first, and how many
// there are up to it.
func (h *Hist) bucketAt(n int64) (bucket int, upTo int64) {
	for i := range h.n {
		upTo += h.n[i]
		if upTo >= n && h.count > 0 {
			return i, upTo
		}
	}
	return 0, 0
}
