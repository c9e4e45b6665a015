package simtime_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"wakelab/engine/simtime"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		d    simtime.Duration
		want string
	}{
		{0, "0s"},
		{1, "1ps"},
		{999, "999ps"},
		{1500, "1.5ns"},
		{500 * simtime.Microsecond, "500us"},
		{1250 * simtime.Microsecond, "1.25ms"},
		{simtime.Second + 1, "1.000000000001s"},
		{-20 * simtime.Nanosecond, "-20ns"},
		{math.MinInt64, "-9223372.036854775808s"},
	} {
		if got := c.d.String(); got != c.want {
			t.Errorf("%d ps: %q, want %q", int64(c.d), got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want simtime.Duration
	}{
		{"0", 0},
		{" 500us ", 500 * simtime.Microsecond},
		{"500 us", 500 * simtime.Microsecond},
		{"2µs", 2 * simtime.Microsecond},
		{"1.25ms", 1250 * simtime.Microsecond},
		{".5ns", 500},
		{"-3ps", -3},
		{"4503.599627370495s", simtime.Duration(simtime.Never)},
		{"0.1ps", 0},
	} {
		if got, err := simtime.Parse(c.text); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %d, %v, want %d", c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "give a number and a unit"},
		{"500", "give a number and a unit"},
		{"500 parsecs", "give a number and a unit"},
		{"us", "cannot be read"},
		{"1.2.3us", "cannot be read"},
		{"NaNs", "give a number and a unit"},
		{"1e3s", "cannot be read"},
		{"1.5e3s", "cannot be read"},
		{".s", "cannot be read"},
		{"99999999999999999999s", "too long"},
		{"2h", "give a number and a unit"},
		{"4503.599627370497s", "too long: at most 4503.599627370495s"},
	} {
		_, err := simtime.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", c.text)) {
			t.Errorf("Parse(%q): %v, want the text and %q", c.text, err, c.want)
		}
	}
}

// TestRoundTrip checks that writing and reading a duration loses nothing.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		d := simtime.Duration(rnd.Int64N(int64(simtime.Never)+1) >> rnd.IntN(52))
		got, err := simtime.Parse(d.String())
		if err != nil || got != d {
			t.Fatalf("seed %d: %d ps is written %s and read as %d, %v", seed, int64(d), d, got, err)
		}
	}
}

func ExampleParse() {
	d, _ := simtime.Parse("1.25ms")
	fmt.Println(d, int64(d), simtime.Time(0).Add(d).Sub(250))
	// Output: 1.25ms 1250000000 1.24999975ms
}
