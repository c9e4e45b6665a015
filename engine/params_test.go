package engine_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/param"
)

var keyPattern = regexp.MustCompile(`^[a-z][a-z0-9]*([._][a-z0-9]+)*$`)

// TestParams checks that every parameter is fully described and that its
// default is one of its values.
func TestParams(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range engine.Params() {
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s: %s", d.Key, fmt.Sprintf(format, args...))
		}
		if !keyPattern.MatchString(d.Key) || seen[d.Key] {
			fail("the key is odd or there twice")
		}
		seen[d.Key] = true
		if !slices.Contains([]string{"machine", "kernel", "cost", "workload", "run"}, d.Group) {
			fail("group %q", d.Group)
		}
		if d.Title == "" || d.Source == "" || !strings.HasSuffix(d.Help, ".") {
			fail("title %q, help %q, source %q: all are wanted, help as sentences", d.Title, d.Help, d.Source)
		}
		if d.Confidence == param.Guess && !strings.HasPrefix(d.Source, "guess") {
			fail("a guess whose source does not say so: %q", d.Source)
		}
		if d.Kind == param.Enum && (len(d.Options) < 1 || d.Max != int64(len(d.Options))-1) {
			fail("%d options, maximum %d", len(d.Options), d.Max)
		}
		if d.Kind != param.Bool && d.Kind != param.Enum && d.Min >= d.Max {
			fail("range %d to %d", d.Min, d.Max)
		}
		v, err := d.Parse(d.Format(d.DefaultValue()))
		if err != nil || v != d.DefaultValue() {
			fail("default %q is read as %v, %v", d.Format(d.DefaultValue()), v, err)
		}
		for _, n := range []int64{d.Min, d.Max} {
			v := param.Value{N: n}
			if got, err := d.Parse(d.Format(v)); d.Kind != param.Text && d.Kind != param.Bool && (err != nil || got != v) {
				fail("limit %d is read as %v, %v", n, got, err)
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d parameters: is the table complete?", len(seen))
	}
}

func TestDefaultIsValid(t *testing.T) {
	c := engine.Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateListsEveryProblem(t *testing.T) {
	c := engine.Default()
	for _, key := range []string{"sockets", "line_llc", "seed"} {
		c.Values[engine.Find(key)].N = -1
	}
	err := c.Validate()
	for _, want := range []string{"sockets: -1: allowed are 1 to 16", "line_llc", "seed: -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestIdleStateExits(t *testing.T) {
	for _, tc := range []struct{ set, want string }{
		{"c2_exit=30us", "c2_exit: 30us: allowed is at most c2_exit_deep, 20us"},
		{"c2_exit=30us c2_exit_deep=30us", ""},
		{"c2_exit=30us c2=off", ""},
		{"c1_exit=1us c2_exit=900ns", "c1_exit: 1us: allowed is at most c2_exit, 900ns"},
		{"c1_exit=1us c2_exit=900ns c1=off", ""},
		{"c1_exit=1us c2_exit=900ns c2=off", ""},
	} {
		c := engine.Default()
		for s := range strings.FieldsSeq(tc.set) {
			key, value, _ := strings.Cut(s, "=")
			if err := c.Set(key, value); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		if err := c.Validate(); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.set, got, tc.want)
		}
	}
}

func ExampleConfig_Set() {
	c := engine.Default()
	fmt.Println(c.Set("line_llc", "1s"))
	fmt.Println(c.Set("line", "30ns"))
	fmt.Println(c.Set("line_llc", "30ns"), c.Get("line_llc"))
	// Output:
	// line_llc: 1s: allowed are 10ns to 80ns
	// line: no such parameter; `wakelab list params` shows all
	// <nil> 30ns
}
