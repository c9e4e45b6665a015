package scene

import "strconv"

// units of time, largest first, in picoseconds.
var units = [...]struct {
	name string
	ps   int64
}{{" s", 1e12}, {" ms", 1e9}, {" µs", 1e6}, {" ns", 1e3}, {" ps", 1}}

// appendDuration appends ps in its largest fitting unit with at most digits
// significant digits: "1.25 ms".
func appendDuration(buf []byte, ps int64, digits int) []byte {
	if ps < 0 {
		return appendDuration(append(buf, '-'), -ps, digits)
	}
	if ps == 0 {
		return append(buf, "0 s"...)
	}
	for _, u := range units {
		if ps < u.ps {
			continue
		}
		v := float64(ps) / float64(u.ps)
		whole := 1
		for p := 10.0; v >= p; p *= 10 {
			whole++
		}
		buf = strconv.AppendFloat(buf, v, 'f', max(0, digits-whole), 64)
		return append(buf, u.name...)
	}
	panic("scene: unreachable")
}

// appendInstant appends ps in its largest fitting unit down to the nanosecond.
func appendInstant(buf []byte, ps int64) []byte {
	decimals := 9
	for _, u := range units[:4] {
		if ps >= u.ps {
			buf = strconv.AppendFloat(buf, float64(ps)/float64(u.ps), 'f', decimals, 64)
			return append(buf, u.name...)
		}
		decimals -= 3
	}
	return append(buf, "0 s"...)
}

// appendCount appends a round number: "500", "200 k", "5 M".
func appendCount(buf []byte, n int64) []byte {
	switch {
	case n >= 1e6:
		return append(strconv.AppendInt(buf, n/1e6, 10), " M"...)
	case n >= 1e3:
		return append(strconv.AppendInt(buf, n/1e3, 10), " k"...)
	}
	return strconv.AppendInt(buf, n, 10)
}

// nextRound returns the number after n in 1, 2, 5, 10, 20, 50, ...
func nextRound(n int64) int64 {
	lead := n
	for lead >= 10 {
		lead /= 10
	}
	if lead == 2 {
		return n / 2 * 5
	}
	return n * 2
}

// appendExact appends ps in its largest fitting unit with all its digits.
func appendExact(buf []byte, ps int64) []byte {
	for _, u := range units {
		if ps >= u.ps {
			buf = strconv.AppendFloat(buf, float64(ps)/float64(u.ps), 'f', -1, 64)
			return append(buf, u.name...)
		}
	}
	return append(buf, "0 s"...)
}

// appendNs appends a time in nanoseconds with three significant digits.
func appendNs(buf []byte, ns float64) []byte {
	return appendDuration(buf, int64(ns*1000+0.5), 3)
}
