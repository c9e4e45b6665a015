package presets

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-json"
)

// problems collects everything that is wrong with one file.
type problems []string

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, path+": "+fmt.Sprintf(format, args...))
}

// err joins the problems, one a line; nil if there are none.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return errors.New(strings.Join(p, "\n"))
}

// checkShape compares a tree with the Go type it is to be decoded into, so
// that decoding it cannot fail: known fields only, required ones present,
// values of the right type. A field without omitempty is required, and a
// required string or list may not be empty.
func checkShape(n node, t reflect.Type, path string, p *problems) {
	switch t.Kind() {
	case reflect.Pointer:
		checkShape(n, t.Elem(), path, p)
	case reflect.Struct:
		if o, ok := n.(object); ok {
			checkFields(o, t, path, p)
			return
		}
		p.add(path, "want an object, have %s", describe(n))
	case reflect.Map:
		o, ok := n.(object)
		if !ok {
			p.add(path, "want an object, have %s", describe(n))
		}
		for _, m := range o {
			checkShape(m.value, t.Elem(), join(path, m.name), p)
		}
	case reflect.Slice:
		l, ok := n.([]node)
		if !ok {
			p.add(path, "want a list, have %s", describe(n))
		}
		for i, v := range l {
			checkShape(v, t.Elem(), index(path, i), p)
		}
	case reflect.String:
		if _, ok := n.(string); !ok {
			p.add(path, "want a text in quotes, have %s", describe(n))
		}
	case reflect.Bool:
		if _, ok := n.(bool); !ok {
			p.add(path, "want true or false, have %s", describe(n))
		}
	case reflect.Float64:
		number, ok := n.(json.Number)
		if !ok {
			p.add(path, "want a number, have %s", describe(n))
		} else if _, err := number.Float64(); err != nil {
			p.add(path, "%s is beyond the range of a number", number)
		}
	default:
		panic("presets: no check for type " + t.String())
	}
}

func checkFields(o object, t reflect.Type, path string, p *problems) {
	var known []string
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, name)
		v, ok := o.get(name)
		switch {
		case ok:
			checkShape(v, f.Type, join(path, name), p)
			if options != "omitempty" && empty(v) {
				p.add(join(path, name), "is empty")
			}
		case options != "omitempty":
			p.add(join(path, name), "is missing")
		}
	}
	for _, m := range o {
		if !slices.Contains(known, m.name) {
			p.add(join(path, m.name), "no such field; allowed are %s", strings.Join(known, ", "))
		}
	}
}

func empty(n node) bool {
	switch n := n.(type) {
	case string:
		return strings.TrimSpace(n) == ""
	case []node:
		return len(n) == 0
	}
	return false
}

func describe(n node) string {
	switch n := n.(type) {
	case object:
		return "an object"
	case []node:
		return "a list"
	case string:
		return fmt.Sprintf("the text %.40q", n)
	case json.Number:
		return "the number " + n.String()
	case bool:
		return fmt.Sprint(n)
	}
	return "null"
}
