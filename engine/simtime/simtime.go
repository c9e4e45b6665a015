// Package simtime is simulated time: integer picoseconds, so that equal
// configurations give equal runs on every machine.
package simtime

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is an instant, in picoseconds since the start of the run. A run can
// last 2^52 ps (75 minutes), the limit of the event queue's packed keys.
type Time int64

// Duration is a span of simulated time in picoseconds.
type Duration int64

// Units.
const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// Never is later than any instant of a run.
const Never Time = 1<<52 - 1

// Add returns t moved by d.
func (t Time) Add(d Duration) Time { return t + Time(d) }

// Sub returns the span from u to t.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Seconds returns t in seconds, for display.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String formats t like a Duration since the start.
func (t Time) String() string { return Duration(t).String() }

// Ns returns d in nanoseconds, for display.
func (d Duration) Ns() float64 { return float64(d) / float64(Nanosecond) }

// Seconds returns d in seconds, for display.
func (d Duration) Seconds() float64 { return float64(d) / float64(Second) }

var units = []struct {
	name string
	d    Duration
}{{"s", Second}, {"ms", Millisecond}, {"us", Microsecond}, {"ns", Nanosecond}, {"ps", Picosecond}}

// String formats d exactly, in the largest unit that is not above it:
// "1.25ms", "500us", "0s".
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	if d < 0 {
		return "-" + (-d).String()
	}
	for _, u := range units {
		if d >= u.d {
			whole, frac := d/u.d, d%u.d
			if frac == 0 {
				return strconv.FormatInt(int64(whole), 10) + u.name
			}
			digits := len(strconv.FormatInt(int64(u.d), 10)) - 1
			f := fmt.Sprintf("%0*d", digits, int64(frac))
			return strconv.FormatInt(int64(whole), 10) + "." + strings.TrimRight(f, "0") + u.name
		}
	}
	panic("simtime: unreachable")
}

// Parse reads a duration such as "500us", "1.25ms", "0" or "3s". A number
// without a unit is refused unless it is zero.
func Parse(s string) (Duration, error) {
	text := strings.TrimSpace(s)
	if text == "0" {
		return 0, nil
	}
	text = strings.Replace(text, "µs", "us", 1)
	cut := len(text)
	for cut > 0 && (text[cut-1] < '0' || text[cut-1] > '9') && text[cut-1] != '.' {
		cut--
	}
	for _, u := range units {
		if text[cut:] != u.name {
			continue
		}
		v, err := strconv.ParseFloat(text[:cut], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("%q is not a duration: the number before %q cannot be read", s, u.name)
		}
		ps := v * float64(u.d)
		if math.Abs(ps) > float64(Never) {
			return 0, fmt.Errorf("%q is too long: at most %s", s, Duration(Never))
		}
		return Duration(math.Round(ps)), nil
	}
	return 0, fmt.Errorf("%q is not a duration: give a number and a unit (ps, ns, us, ms, s), such as 500us", s)
}
