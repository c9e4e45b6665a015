// Package simtime is simulated time: integer picoseconds, so that equal
// configurations give equal runs on every machine.
package simtime

import (
	"errors"
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
	sign, ps := "", uint64(d)
	if d < 0 {
		sign, ps = "-", -ps
	}
	for _, u := range units {
		unit := uint64(u.d)
		if ps >= unit {
			whole, frac := strconv.FormatUint(ps/unit, 10), ps%unit
			if frac == 0 {
				return sign + whole + u.name
			}
			digits := len(strconv.FormatUint(unit, 10)) - 1
			return sign + whole + "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, frac), "0") + u.name
		}
	}
	panic("simtime: unreachable")
}

// Parse reads a duration such as "500us", "1.25ms", "0" or "3s", exactly;
// digits below a picosecond are rounded. A number without a unit is refused
// unless it is zero.
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
		if strings.TrimSpace(text[cut:]) == u.name {
			return parseNumber(s, text[:cut], u.name, u.d)
		}
	}
	return 0, fmt.Errorf("%q is not a duration: give a number and a unit (ps, ns, us, ms, s), such as 500us", s)
}

// parseNumber reads the number of s. Whole and fraction are read apart
// because a float64 of the whole cannot hold every picosecond of a run.
func parseNumber(s, number, unitName string, unit Duration) (Duration, error) {
	digits, negative := strings.CutPrefix(number, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	w, errW := strconv.ParseUint("0"+whole, 10, 64)
	f, errF := strconv.ParseFloat("0."+frac+"0", 64)
	if errors.Is(errW, strconv.ErrRange) || errW == nil && w > uint64(Never)/uint64(unit) {
		return 0, fmt.Errorf("%q is too long: at most %s", s, Duration(Never))
	}
	if errW != nil || errF != nil || whole+frac == "" || strings.ContainsAny(frac, "eE_") {
		return 0, fmt.Errorf("%q is not a duration: the number before %q cannot be read", s, unitName)
	}
	d := Duration(w)*unit + Duration(math.Round(f*float64(unit)))
	if d > Duration(Never) {
		return 0, fmt.Errorf("%q is too long: at most %s", s, Duration(Never))
	}
	if negative {
		d = -d
	}
	return d, nil
}
