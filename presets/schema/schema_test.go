package schema

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wakelab/engine"
	"wakelab/presets"
)

// compile reads the schema of a kind.
func compile(t *testing.T, kind presets.Kind) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Of(kind)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("preset.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("preset.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestShippedPresetsFit(t *testing.T) {
	lib := presets.Shipped()
	for _, kind := range presets.Kinds {
		s := compile(t, kind)
		for _, name := range lib.Names(kind) {
			if err := validate(t, s, lib.Text(kind, name)); err != nil {
				t.Errorf("%s: %v", filepath.Join(string(kind), name), err)
			}
		}
	}
}

// TestAgreesWithTheLoader: what the schema refuses, the loader refuses too.
func TestAgreesWithTheLoader(t *testing.T) {
	s := compile(t, presets.Machines)
	const head = `{"$schema": "../schema/machines.json", "title": "t", "summary": "s", "sources": ["x"]`
	tests := []struct {
		text string
		ok   bool
	}{
		{head + `, "set": {"sockets": "2", "c2": "off", "line_llc": "30ns"}}`, true},
		{head + `}`, true},
		{head + `, "sets": {}}`, false},
		{head + `, "set": {"sockets": 2}}`, false},
		{head + `, "set": {"sockets": "NaN"}}`, false},
		{head + `, "set": {"c2": "deep"}}`, false},
		{head + `, "set": {"line_llc": "30"}}`, false},
		{head + `, "set": {"nonsense": "1"}}`, false},
		{`{"title": "t"}`, false},
		{`{"$schema": "../schema/machines.json", "title": "", "summary": "s", "sources": ["x"]}`, false},
		{`{"$schema": "../schema/machines.json", "title": "t", "summary": "s", "sources": []}`, false},
	}
	for _, tt := range tests {
		bySchema := validate(t, s, []byte(tt.text)) == nil
		byLoader := presets.Shipped().Clone().Add(presets.Machines, "own", []byte(tt.text)) == nil
		if bySchema != tt.ok || byLoader != tt.ok {
			t.Errorf("%s: schema accepts %v, loader %v; want %v", tt.text, bySchema, byLoader, tt.ok)
		}
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	s := compile(t, presets.Kernels)
	set := s.Properties["set"]
	if set == nil || len(set.Properties) != len(engine.Params()) {
		t.Fatalf("the schema of set has %d parameters, the table %d", len(set.Properties), len(engine.Params()))
	}
}
