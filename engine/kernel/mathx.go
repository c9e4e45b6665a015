package kernel

import "math/bits"

// mulShift returns a*b >> s without losing the high half.
func mulShift(a, b uint64, s uint) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi<<(64-s) | lo>>s
}

// isqrtScaled returns sqrt(v / 2^62) * 2^62.
func isqrtScaled(v uint64) uint64 {
	// sqrt(v * 2^62): Newton on 128-bit division, from above.
	hi, lo := v>>2, v<<62
	x := uint64(1) << 63
	for {
		if hi >= x {
			panic("kernel: isqrtScaled needs v below 2^62")
		}
		q, _ := bits.Div64(hi, lo, x)
		y := x/2 + q/2
		if y >= x {
			return x
		}
		x = y
	}
}
