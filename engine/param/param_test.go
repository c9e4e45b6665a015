package param_test

import (
	"fmt"
	"strings"
	"testing"

	"wakelab/engine/param"
	"wakelab/engine/simtime"
)

var (
	count  = param.Def{Key: "groups", Kind: param.Int, Unit: "groups", Default: 32, Min: 1, Max: 400}
	delay  = param.Def{Key: "idle_delay", Kind: param.Duration, Default: int64(simtime.Millisecond), Max: int64(simtime.Second)}
	onOff  = param.Def{Key: "sm_idle", Kind: param.Bool}
	choice = param.Def{Key: "c2", Kind: param.Enum, Options: []string{"off", "mwait", "ioport"}, Max: 2}
	share  = param.Def{Key: "upgrade", Kind: param.Permille, Default: 600, Min: 300, Max: 1000}
	text   = param.Def{Key: "cpulist", Kind: param.Text, DefaultStr: "0-7", Max: 8}
)

func TestParseAndFormat(t *testing.T) {
	for _, c := range []struct {
		d    param.Def
		text string
		want param.Value
		back string
	}{
		{count, " 32 ", param.Value{N: 32}, "32"},
		{delay, "0.5ms", param.Value{N: int64(500 * simtime.Microsecond)}, "500us"},
		{delay, "0", param.Value{}, "0"},
		{onOff, "Yes", param.Value{N: 1}, "on"},
		{onOff, "off", param.Value{}, "off"},
		{choice, "MWAIT", param.Value{N: 1}, "mwait"},
		{share, "1000", param.Value{N: 1000}, "1000"},
		{text, " 0-3,8 ", param.Value{S: "0-3,8"}, "0-3,8"},
	} {
		v, err := c.d.Parse(c.text)
		if err != nil || v != c.want {
			t.Errorf("%s: Parse(%q) = %v, %v, want %v", c.d.Key, c.text, v, err, c.want)
		}
		if got := c.d.Format(v); got != c.back {
			t.Errorf("%s: Format(%v) = %q, want %q", c.d.Key, v, got, c.back)
		}
	}
}

func TestErrorsNameKeyValueAndRange(t *testing.T) {
	for _, c := range []struct {
		d    param.Def
		text string
		want []string
	}{
		{count, "0", []string{"groups: 0", "1 to 400 groups"}},
		{count, "many", []string{`groups: "many"`, "1 to 400 groups"}},
		{count, "99999999999999999999", []string{"groups", "1 to 400 groups"}},
		{delay, "2s", []string{"idle_delay: 2s", "0 to 1s"}},
		{delay, "-1us", []string{"idle_delay: -1us", "0 to 1s"}},
		{delay, "5", []string{`idle_delay: "5"`, "0 to 1s"}},
		{onOff, "maybe", []string{`sm_idle: "maybe"`, "on and off"}},
		{choice, "hlt", []string{`c2: "hlt"`, "off, mwait, ioport"}},
		{share, "200", []string{"upgrade: 200", "300 to 1000"}},
		{text, "0,1,2,3,4", []string{"cpulist", "at most 8"}},
	} {
		_, err := c.d.Parse(c.text)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: Parse(%q): %v, want %q in it", c.d.Key, c.text, err, want)
			}
		}
	}
}

func TestCheckRefusesWhatParseCannotGive(t *testing.T) {
	for _, c := range []struct {
		d param.Def
		n int64
	}{{choice, 3}, {choice, -1}, {onOff, 2}, {share, -1 << 63}} {
		if err := c.d.Check(param.Value{N: c.n}); err == nil {
			t.Errorf("%s: %d is accepted", c.d.Key, c.n)
		}
	}
}

func ExampleDef_Parse() {
	_, err := delay.Parse("3s")
	fmt.Println(err)
	// Output: idle_delay: 3s: allowed are 0 to 1s
}
