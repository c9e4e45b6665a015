package presets

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-json"
)

// Limits of a preset's text. They are far above what a preset needs and keep
// hostile input from costing time or memory.
const (
	MaxBytes   = 256 << 10 // of a whole file
	MaxDepth   = 8         // of nested objects and lists
	MaxMembers = 1024      // of one object or list
	MaxText    = 4000      // bytes of one string
)

// node is one value of a checked tree: a string, json.Number, bool, nil,
// []node, or object.
type node any

// member is one field of an object.
type member struct {
	name  string
	value node
}

// object keeps its fields in order.
type object []member

func (o object) get(name string) (node, bool) {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil, false
	}
	return o[i].value, true
}

// parseTree reads one JSON text and nothing after it. What a JSON decoder
// lets pass is refused here: duplicate keys, trailing text, and anything above
// the limits.
func parseTree(data []byte) (node, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%d bytes: at most %d", len(data), MaxBytes)
	}
	if !json.Valid(data) {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		return nil, fmt.Errorf("not one JSON value: is there text after its end?")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	t := treeParser{d}
	n, err := t.value("$", 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the end of the JSON value")
	}
	return n, nil
}

type treeParser struct{ d *json.Decoder }

func (t *treeParser) value(path string, depth int) (node, error) {
	tok, err := t.d.Token()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	switch tok := tok.(type) {
	case json.Delim:
		if depth == MaxDepth {
			return nil, fmt.Errorf("%s: nested deeper than %d", path, MaxDepth)
		}
		if tok == '{' {
			return t.object(path, depth+1)
		}
		return t.list(path, depth+1)
	case string:
		if len(tok) > MaxText {
			return nil, fmt.Errorf("%s: %d bytes of text: at most %d", path, len(tok), MaxText)
		}
		if i := strings.IndexFunc(tok, unprintable); i >= 0 {
			return nil, fmt.Errorf("%s: the character %q is not allowed: a text is printed on terminals", path, []rune(tok[i:])[0])
		}
		return tok, nil
	default:
		return tok, nil
	}
}

func (t *treeParser) object(path string, depth int) (node, error) {
	o := object{}
	seen := map[string]bool{}
	for t.d.More() {
		key, err := t.d.Token()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		name, ok := key.(string)
		at := join(path, name)
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: a key that is not a string", path)
		case len(name) > MaxText:
			return nil, fmt.Errorf("%s: a key of %d bytes: at most %d", path, len(name), MaxText)
		case strings.ContainsFunc(name, unprintable):
			return nil, fmt.Errorf("%s: a key with a character that is not printable", at)
		case seen[name]:
			return nil, fmt.Errorf("%s: given twice", at)
		case len(o) == MaxMembers:
			return nil, fmt.Errorf("%s: more than %d fields", path, MaxMembers)
		}
		seen[name] = true
		v, err := t.value(at, depth)
		if err != nil {
			return nil, err
		}
		o = append(o, member{name, v})
	}
	_, err := t.d.Token()
	return o, err
}

func (t *treeParser) list(path string, depth int) (node, error) {
	l := []node{}
	for t.d.More() {
		if len(l) == MaxMembers {
			return nil, fmt.Errorf("%s: more than %d items", path, MaxMembers)
		}
		v, err := t.value(index(path, len(l)), depth)
		if err != nil {
			return nil, err
		}
		l = append(l, v)
	}
	_, err := t.d.Token()
	return l, err
}

// unprintable reports whether a terminal would obey r rather than show it.
func unprintable(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// join and index extend a JSON path.
func join(path, name string) string {
	if plain(name) {
		return path + "." + name
	}
	return path + "[" + strconv.Quote(name) + "]"
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func plain(name string) bool {
	for _, r := range name {
		if r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return name != ""
}
