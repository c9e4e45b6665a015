// Package schema makes the JSON Schema of each kind of preset from the Go
// types and the parameter table, for editors that complete and check a preset
// while it is written. The loader does not use it: it says more, and at once.
package schema

import (
	"reflect"

	"github.com/goccy/go-json"
	"github.com/invopop/jsonschema"

	"wakelab/engine"
	"wakelab/engine/param"
	"wakelab/presets"
	"wakelab/study"
)

var types = map[presets.Kind]any{
	presets.Machines:  &presets.Machine{},
	presets.Kernels:   &presets.Kernel{},
	presets.Workloads: &presets.Workload{},
	presets.Studies:   &presets.Study{},
}

// Of returns the schema of one kind of preset.
func Of(kind presets.Kind) []byte {
	r := jsonschema.Reflector{DoNotReference: true, Anonymous: true, Mapper: special}
	s := r.Reflect(types[kind])
	limit(s)
	if schema, ok := s.Properties.Get("$schema"); ok {
		schema.Const = kind.Schema()
	}
	if metric, ok := s.Properties.Get("metric"); ok {
		for _, m := range study.Metrics {
			metric.Enum = append(metric.Enum, m.Key)
		}
	}
	if kernels, ok := s.Properties.Get("kernels"); ok {
		kernels.MaxItems = count(presets.MaxKernels)
	}
	if story, ok := s.Properties.Get("story"); ok {
		story.MinItems, story.MaxItems = count(presets.MinSteps), count(presets.MaxSteps)
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic("schema: " + err.Error())
	}
	return append(text, '\n')
}

func count(n uint64) *uint64 { return &n }

// special describes sets of parameters.
func special(t reflect.Type) *jsonschema.Schema {
	if t != reflect.TypeFor[presets.Set]() {
		return nil
	}
	set := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, d := range engine.Params() {
		p := &jsonschema.Schema{Type: "string", Title: d.Title, Description: d.Help + " Allowed: " + d.Range() + ".", Default: d.Format(d.DefaultValue())}
		switch d.Kind {
		case param.Enum:
			for _, o := range d.Options {
				p.Enum = append(p.Enum, o)
			}
		case param.Bool:
			p.Enum = []any{"on", "off"}
		case param.Int, param.Permille:
			p.Pattern = `^-?[0-9]+$`
		case param.Duration:
			p.Pattern = `^(0|-?[0-9.]+(s|ms|us|ns|ps))$`
		}
		set.Properties.Set(d.Key, p)
	}
	return set
}

// limit adds the loader's limits: a required text or list is not empty.
func limit(s *jsonschema.Schema) {
	switch s.Type {
	case "string":
		s.MinLength, s.MaxLength = count(1), count(presets.MaxText)
	case "array":
		s.MinItems, s.MaxItems = count(1), count(presets.MaxMembers)
		limit(s.Items)
	case "object":
		if s.AdditionalProperties != nil {
			limit(s.AdditionalProperties)
		}
		if s.Properties == nil {
			return // a map
		}
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			limit(p.Value)
		}
	}
}
