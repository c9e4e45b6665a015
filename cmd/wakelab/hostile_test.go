package main

import (
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
)

// onLaptop is a choice on a small machine, with settings.
func onLaptop(settings ...string) *choice {
	return &choice{machine: "laptop-8", workload: "hackbench-small", set: settings}
}

// TestHostileValues: no text for any parameter panics, and an error names the
// parameter.
func TestHostileValues(t *testing.T) {
	values := []string{"", " ", "-1", "NaN", "Inf", "1e9", "1000000000", "99999999999999999999", "-99999999999999999999s", "0x10", "on", "0",
		"1s", "1.5", "1.5.5ms", "\x00", "\xff", "=", strings.Repeat("9", 100_000), strings.Repeat("1,", 50_000), "0-4294967296", "3-1", "💥"}
	for _, d := range engine.Params() {
		for _, v := range values {
			c := onLaptop(d.Key + "=" + v)
			if cfg, err := c.config(nil); err != nil && !strings.Contains(err.Error(), d.Key) && !strings.Contains(err.Error(), "limit") {
				t.Errorf("%s=%.20q: the error does not name it: %.200v", d.Key, v, err)
			} else if err == nil {
				if i := engine.Find(d.Key); d.Check(cfg.Values[i]) != nil {
					t.Errorf("%s=%.20q was accepted as %v", d.Key, v, cfg.Values[i])
				}
			}
		}
	}
}

// TestExtremes runs each parameter's least and greatest value for a moment.
func TestExtremes(t *testing.T) {
	for _, d := range engine.Params() {
		if d.Kind == param.Text {
			continue
		}
		least, greatest := d.Min, d.Max
		if d.Kind == param.Enum {
			least, greatest = 0, int64(len(d.Options)-1)
		}
		for _, n := range []int64{least, greatest} {
			setting := d.Key + "=" + d.Format(param.Value{N: n})
			cfg, err := onLaptop(setting).config(nil)
			if err != nil {
				continue // it does not fit the machine, which is no mistake of ours
			}
			t.Run(setting, func(t *testing.T) {
				e, err := engine.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				e.RunUntil(simtime.Time(2*simtime.Millisecond), 20_000)
				e.Check()
			})
		}
	}
}
