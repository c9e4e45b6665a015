package main

import (
	"strings"
	"testing"

	"wakelab/engine"
)

// TestReadVaried: a range is narrowed within what the parameter states, and
// not beyond.
func TestReadVaried(t *testing.T) {
	d := engine.Params()[engine.Find("work_scale")]
	for _, c := range []struct {
		arg    string
		lo, hi int64
		err    string
	}{
		{arg: "work_scale", lo: d.Min, hi: d.Max},
		{arg: "work_scale=600..700", lo: 600, hi: 700},
		{arg: "work_scale=1..700", err: "give LO..HI within " + d.Range()},
		{arg: "work_scale=700..600", err: "give LO..HI"},
		{arg: "work_scale=600", err: "give LO..HI"},
		{arg: "work_scales", err: "no such parameter"},
		{arg: "ttwu_queue", err: "no range to draw from"},
	} {
		v, err := readVaried(c.arg)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one with %q", c.arg, err, c.err)
			}
			continue
		}
		if err != nil || v.lo != c.lo || v.hi != c.hi {
			t.Errorf("%s: %d to %d, %v; want %d to %d", c.arg, v.lo, v.hi, err, c.lo, c.hi)
		}
	}
}
