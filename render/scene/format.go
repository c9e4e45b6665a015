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
