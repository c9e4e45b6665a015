package presets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	goccy "github.com/goccy/go-json"
)

// FuzzDecoder holds the decoder we use against the standard library's on the
// texts that the checked tree lets through: the same value, or both refuse.
// Listed differences: none so far.
func FuzzDecoder(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := parseTree(data); err != nil {
			return
		}
		var ours, std any
		errOurs, errStd := goccy.Unmarshal(data, &ours), json.Unmarshal(data, &std)
		if (errOurs == nil) != (errStd == nil) {
			t.Fatalf("%q: goccy says %v, encoding/json %v", data, errOurs, errStd)
		}
		if errOurs == nil && !reflect.DeepEqual(ours, std) {
			t.Fatalf("%q: goccy has %#v, encoding/json %#v", data, ours, std)
		}
	})
}

// FuzzTree: the checked tree accepts nothing that encoding/json refuses, and
// refuses, of what that accepts, only what the limits, duplicates and
// unprintable characters explain.
func FuzzTree(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := parseTree(data)
		if valid := json.Valid(data); err == nil && !valid {
			t.Fatalf("%q: accepted, not JSON", data)
		} else if err != nil && valid && !explained(err.Error()) {
			t.Fatalf("%q: refused: %v", data, err)
		}
	})
}

func explained(err string) bool {
	for _, part := range []string{"given twice", "nested deeper", "at most", "more than", "is not allowed: a text", "is not printable"} {
		if strings.Contains(err, part) {
			return true
		}
	}
	return false
}

// FuzzAdd: whatever the text, adding it as any kind gives a preset that can be
// configured or an error, never a panic.
func FuzzAdd(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range Kinds {
			lib := Shipped().Clone()
			if err := lib.Add(kind, "own", data); err != nil {
				if !utf8.ValidString(err.Error()) && utf8.Valid(data) {
					t.Fatalf("%q: unreadable error %q", data, err)
				}
				continue
			}
			if kind == Studies {
				s := lib.Studies["own"]
				if _, err := lib.Config(s, s.Kernels[0].Kernel, nil); err != nil {
					t.Fatalf("%q: accepted, but %v", data, err)
				}
			}
		}
	})
}

func seed(f *testing.F) {
	files, err := filepath.Glob("*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no presets", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{machine, `{}`, `[1, -0, 1e5, 0.1, 1E400, "\u0000\ud800\udc00\ud800"]`, `{"a":{"a":null}} `, "\ufeff{}", `"\x"`,
		`{"a":1,"A":2}`, `[1,]`, `{"a":}`, "\"\xff\"", `01`, `--1`, `1.`, `tru`, `nulll`, `{"":""}`, `18446744073709551616`} {
		f.Add([]byte(text))
	}
}
