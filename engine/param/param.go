// Package param describes parameters: what a number means, its unit, its
// range, where its default comes from and how sure we are of it. The tables
// of hw, kernel and workload use it; forms, links, flags, CSV headers and the
// help page are made from those tables.
package param

import (
	"fmt"
	"strconv"
	"strings"

	"wakelab/engine/simtime"
)

// Kind says how a value is read and written.
type Kind uint8

// Kinds of parameter. All but Text are stored as an int64.
const (
	Int      Kind = iota // a plain count
	Duration             // picoseconds, written as "500us"
	Bool                 // 0 or 1, written as "on" or "off"
	Enum                 // an index into Options
	Permille             // thousandths, written as "600"
	Text                 // a string, such as a CPU list
)

var kindNames = [...]string{"int", "duration", "bool", "enum", "permille", "text"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Confidence says how well a default is known.
type Confidence uint8

// Confidences, best first.
const (
	Published  Confidence = iota // stands in the named source
	Derived                      // computed from published figures
	Calibrated                   // chosen within its range to meet a named figure
	Guess                        // nobody measured it for us
	Choice                       // a switch or a size, not a measurement
)

var confidenceNames = [...]string{"published", "derived", "calibrated", "guess", "choice"}

// String returns the confidence's name.
func (c Confidence) String() string { return confidenceNames[c] }

// Def describes one parameter.
type Def struct {
	Key        string // unique: URL key, --set name, CSV column
	Group      string // machine, kernel, cost, workload or run
	Title      string // a few words for a form's label
	Kind       Kind
	Unit       string   // for Int: what is counted; "" otherwise
	Options    []string // for Enum
	Default    int64
	DefaultStr string // for Text
	Min, Max   int64  // inclusive; for Text Max is the length limit
	Help       string // one or two sentences
	Source     string // commit, mail, data file or "guess: why"
	Confidence Confidence
	Public     bool // offered in forms and links
}

// Value is one parameter's value: N for every kind but Text.
type Value struct {
	N int64
	S string
}

// DefaultValue returns the parameter's default value.
func (d *Def) DefaultValue() Value { return Value{d.Default, d.DefaultStr} }

// Format writes v as a reader would type it.
func (d *Def) Format(v Value) string {
	switch d.Kind {
	case Duration:
		if v.N == 0 {
			return "0"
		}
		return simtime.Duration(v.N).String()
	case Bool:
		if v.N != 0 {
			return "on"
		}
		return "off"
	case Enum:
		if v.N >= 0 && int(v.N) < len(d.Options) {
			return d.Options[v.N]
		}
	case Text:
		return v.S
	}
	return strconv.FormatInt(v.N, 10)
}

// Parse reads s as this parameter's value and checks its range. The error
// names the key, the text and what is allowed.
func (d *Def) Parse(s string) (Value, error) {
	text := strings.TrimSpace(s)
	switch d.Kind {
	case Text:
		v := Value{S: text}
		return v, d.Check(v)
	case Bool:
		switch strings.ToLower(text) {
		case "on", "1", "true", "yes":
			return Value{N: 1}, nil
		case "off", "0", "false", "no":
			return Value{}, nil
		}
		return Value{}, fmt.Errorf("%s: %q: allowed are on and off", d.Key, s)
	case Enum:
		for i, o := range d.Options {
			if strings.EqualFold(o, text) {
				return Value{N: int64(i)}, nil
			}
		}
		return Value{}, fmt.Errorf("%s: %q: allowed are %s", d.Key, s, strings.Join(d.Options, ", "))
	case Duration:
		t, err := simtime.Parse(text)
		if err != nil {
			return Value{}, fmt.Errorf("%s: %w; allowed are %s", d.Key, err, d.Range())
		}
		v := Value{N: int64(t)}
		return v, d.Check(v)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %q is not a whole number; allowed are %s", d.Key, s, d.Range())
	}
	v := Value{N: n}
	return v, d.Check(v)
}

// Check reports a value out of range.
func (d *Def) Check(v Value) error {
	switch {
	case d.Kind == Text && int64(len(v.S)) > d.Max:
		return fmt.Errorf("%s: %d characters: at most %d", d.Key, len(v.S), d.Max)
	case d.Kind == Enum && (v.N < 0 || int(v.N) >= len(d.Options)):
		return fmt.Errorf("%s: %d: allowed are %s", d.Key, v.N, strings.Join(d.Options, ", "))
	case d.Kind == Bool && v.N != 0 && v.N != 1:
		return fmt.Errorf("%s: %d: allowed are on and off", d.Key, v.N)
	case (d.Kind == Int || d.Kind == Duration || d.Kind == Permille) && (v.N < d.Min || v.N > d.Max):
		return fmt.Errorf("%s: %s: allowed are %s", d.Key, d.Format(v), d.Range())
	}
	return nil
}

// Range describes the allowed values.
func (d *Def) Range() string {
	switch d.Kind {
	case Bool:
		return "on, off"
	case Enum:
		return strings.Join(d.Options, ", ")
	case Text:
		return fmt.Sprintf("up to %d characters", d.Max)
	}
	r := d.Format(Value{N: d.Min}) + " to " + d.Format(Value{N: d.Max})
	if d.Kind == Permille {
		return r + " permille"
	}
	if d.Unit != "" {
		r += " " + d.Unit
	}
	return r
}
