package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHistPermille compares with sorted durations: within a sixteenth above.
func TestHistPermille(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 10, 1000} {
		var h Hist
		var all []Duration
		for range n {
			d := Duration(r.Int64N(1 << (1 + r.IntN(50))))
			all = append(all, d)
			h.Add(d)
		}
		slices.Sort(all)
		for _, p := range []int64{1, 500, 900, 990, 999, 1000} {
			want := all[(int64(n)*p+999)/1000-1]
			if got := h.Permille(p); got < want || got > want+want/16 {
				t.Errorf("%d durations, permille %d: got %d ps, want %d to 1/16 above", n, p, got, want)
			}
		}
		if low := h.Min(); low > all[0] || low < all[0]-all[0]/16 || h.UpTo(1000) != int64(n) || h.UpTo(500) < int64(n+1)/2 {
			t.Errorf("%d durations: shortest %d, want %d to 1/16 below; %d up to the last, %d to the middle", n, low, all[0], h.UpTo(1000), h.UpTo(500))
		}
		if h.Max() != all[n-1] || h.Count() != int64(n) {
			t.Errorf("%d durations: count %d, longest %d, want %d", n, h.Count(), h.Max(), all[n-1])
		}
	}
	if empty := new(Hist); empty.Permille(500) != 0 || empty.Min() != 0 || empty.UpTo(500) != 0 || empty.Mean() != 0 {
		t.Error("an empty histogram has a percentile or a mean")
	}
}
