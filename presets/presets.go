// Package presets holds the machines, kernels, workloads and studies that
// Wakelab ships, as JSON files, and reads such files, whoever wrote them: a
// bad one gets an error that lists every problem with its place.
package presets

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-json"

	"wakelab/engine"
	"wakelab/engine/workload"
	"wakelab/study"
)

// Kind is a kind of preset; its name is its folder.
type Kind string

// Kinds of preset.
const (
	Machines  Kind = "machines"
	Kernels   Kind = "kernels"
	Workloads Kind = "workloads"
	Studies   Kind = "studies"
)

// Kinds lists all kinds.
var Kinds = []Kind{Machines, Kernels, Workloads, Studies}

// Schema is the value of $schema in presets of this kind.
func (k Kind) Schema() string { return "../schema/" + string(k) + ".json" }

// KindOf returns the kind that a preset's text says it is, by its $schema.
func KindOf(data []byte) (Kind, error) {
	tree, err := parseTree(data)
	if err != nil {
		return "", err
	}
	o, _ := tree.(object)
	schema, _ := o.get("$schema")
	var known []string
	for _, k := range Kinds {
		if schema == k.Schema() {
			return k, nil
		}
		known = append(known, k.Schema())
	}
	return "", fmt.Errorf("$.$schema: %s: allowed are %s", describe(schema), strings.Join(known, ", "))
}

// About is what every preset says of itself.
type About struct {
	Schema  string   `json:"$schema"`
	Title   string   `json:"title"`
	Summary string   `json:"summary"` // one or two sentences
	Sources []string `json:"sources"` // where its figures come from
}

// Set gives parameters values, as text that the parameter table parses.
type Set map[string]string

// Machine is a machine: values of parameters that differ from the table's
// defaults.
type Machine struct {
	About
	Set Set `json:"set,omitempty"`
	// Places stands for the shape parameters of a machine that has no regular
	// shape: "socket node die LLC core" of each CPU, by number.
	Places []string `json:"places,omitempty"`
}

// Kernel is a kernel version or patch: a set of feature switches.
type Kernel struct {
	About
	Set Set `json:"set,omitempty"`
}

// Workload is a program that runs, as its command line, parameters, or both.
type Workload struct {
	About
	Command string `json:"command,omitempty"` // as one types it, without quoting
	Set     Set    `json:"set,omitempty"`
}

// Study compares kernels on one machine and workload.
type Study struct {
	About
	Machine  string        `json:"machine"`
	Workload string        `json:"workload"`
	Set      Set           `json:"set,omitempty"`   // for all its kernels
	Metric   string        `json:"metric"`          // a key of study.Metrics
	Kernels  []StudyKernel `json:"kernels"`         // the first is the baseline
	LookAt   []string      `json:"look_at"`         // what to watch, a sentence each
	Focus    string        `json:"focus,omitempty"` // CPUs that the picture draws large at first, as a CPU list: "8,16"
	Story    []Step        `json:"story,omitempty"` // a guided tour
	Gaps     []string      `json:"gaps,omitempty"`  // what the model gets wrong or leaves out here: numbers in DEVIATIONS.md
}

// StudyKernel is one kernel of a study.
type StudyKernel struct {
	Kernel    string               `json:"kernel"`
	Published *Published           `json:"published,omitempty"` // absent: no figure was published
	Side      map[string]Published `json:"side,omitempty"`      // published side figures, by counter
}

// Published is a measured figure of a study's metric or of a counter.
type Published struct {
	Value      float64 `json:"value"`              // in the metric's or the counter's unit
	Relative   bool    `json:"relative,omitempty"` // a ratio to the baseline instead
	Source     string  `json:"source"`
	Calibrated bool    `json:"calibrated,omitempty"` // the model's costs were fitted to it
}

// Limits of a study.
const (
	MaxKernels = 16
	MinKernels = 1
)

// parse decodes data into a new T and checks what the type cannot say.
func parse[T any](kind Kind, data []byte, check func(*T, *problems)) (*T, error) {
	tree, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	v := new(T)
	var p problems
	checkShape(tree, reflect.TypeOf(*v), "$", &p)
	if o, ok := tree.(object); ok {
		if schema, ok := o.get("$schema"); ok && schema != kind.Schema() {
			p.add("$.$schema", "want %q, have %s", kind.Schema(), describe(schema))
		}
	}
	if len(p) == 0 {
		if err := json.Unmarshal(data, v); err != nil {
			return nil, err
		}
		check(v, &p)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return v, nil
}

// checkSet parses every value of a set.
func checkSet(s Set, path string, p *problems) {
	cfg := engine.Default()
	for _, key := range s.Keys() {
		if err := cfg.Set(key, s[key]); err != nil {
			p.add(path, "%v", err)
		}
	}
}

// checkTogether reports values that do not fit together. Of a machine or
// workload it is the whole story; a study may still change them.
func checkTogether(s Set, path string, p *problems) {
	cfg := engine.Default()
	if s.apply(&cfg) != nil {
		return // reported by checkSet
	}
	if err := cfg.Validate(); err != nil {
		p.add(path, "%v", err)
	}
}

// Keys returns the set's keys in order.
func (s Set) Keys() []string {
	keys := make([]string, 0, len(s))
	for k := range s {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// With returns the union of s and other; other wins.
func (s Set) With(other Set) Set {
	all := Set{}
	maps.Copy(all, s)
	maps.Copy(all, other)
	return all
}

// Without returns s without the known parameters of a group.
func (s Set) Without(group string) Set {
	rest := maps.Clone(s)
	maps.DeleteFunc(rest, func(key, _ string) bool { return engine.Params()[engine.Find(key)].Group == group })
	return rest
}

// Check reports every value that the parameter table refuses; place says
// where the set was given.
func (s Set) Check(place string) error {
	var p problems
	checkSet(s, place, &p)
	return p.err()
}

func (s Set) apply(cfg *engine.Config) error {
	var errs []error
	for _, key := range s.Keys() {
		errs = append(errs, cfg.Set(key, s[key]))
	}
	return errors.Join(errs...)
}

func checkMachine(m *Machine, p *problems) {
	checkSet(m.Set, "$.set", p)
	checkTogether(m.Set, "$.set", p)
	m.checkPlaces(p)
}

// sceneOfKernel is the one workload parameter of kernels: the CPUs whose
// writes flush_flag=beside_contended is about.
const sceneOfKernel = "ipistorm.writers"

// checkKernel refuses what is not a kernel's: it would change what a study
// compares on.
func checkKernel(k *Kernel, p *problems) {
	checkSet(k.Set, "$.set", p)
	for _, key := range k.Set.Keys() {
		i := engine.Find(key)
		if i < 0 || key == sceneOfKernel {
			continue // reported, or allowed
		}
		if group := engine.Params()[i].Group; group != "kernel" && group != "cost" {
			p.add(join("$.set", key), "a %s parameter: a kernel sets kernel and cost parameters only", group)
		}
	}
}

func checkWorkload(w *Workload, p *problems) {
	all, err := w.parse()
	if err != nil {
		p.add("$.command", "%v", err)
		return
	}
	if w.Command == "" && len(w.Set) == 0 {
		p.add("$", "want command, set or both")
	}
	checkSet(all, "$", p)
	checkTogether(all, "$", p)
}

// All returns the parameters of the command and of the set; the set's win.
func (w *Workload) All() Set {
	all, err := w.parse()
	if err != nil {
		panic("presets: " + err.Error()) // Add has parsed it before
	}
	return all
}

func (w *Workload) parse() (Set, error) {
	all := Set{}
	if w.Command != "" {
		settings, err := workload.ParseCommand(strings.Fields(w.Command))
		if err != nil {
			return nil, err
		}
		for _, s := range settings {
			all[s.Key] = s.Value
		}
	}
	return all.With(w.Set), nil
}

func checkStudy(s *Study, p *problems) {
	if _, ok := study.FindMetric(s.Metric); !ok {
		p.add("$.metric", "%q: allowed are %s", s.Metric, metricKeys())
	}
	checkSet(s.Set, "$.set", p)
	if n := len(s.Kernels); n < MinKernels || n > MaxKernels {
		p.add("$.kernels", "%d kernels: allowed are %d to %d", n, MinKernels, MaxKernels)
	}
	seen := map[string]bool{}
	for i, k := range s.Kernels {
		if at := index("$.kernels", i); seen[k.Kernel] {
			p.add(at+".kernel", "%q is listed twice", k.Kernel)
		}
		seen[k.Kernel] = true
		if k.Published != nil && k.Published.Value <= 0 {
			p.add(index("$.kernels", i)+".published.value", "%v: must be above 0", k.Published.Value)
		}
		for _, key := range slices.Sorted(maps.Keys(k.Side)) {
			if v := k.Side[key].Value; v < 0 {
				p.add(join(index("$.kernels", i)+".side", key)+".value", "%v: must not be negative", v)
			}
		}
	}
}

func metricKeys() string {
	var keys []string
	for _, m := range study.Metrics {
		keys = append(keys, m.Key)
	}
	return strings.Join(keys, ", ")
}

func checkName(name string) error {
	ok := name != "" && len(name) <= maxName
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
	}
	if !ok {
		return fmt.Errorf("%.70q: a preset's name is 1 to %d of a-z 0-9 - . _", name, maxName)
	}
	return nil
}

// maxName bounds a preset's name, which goes into links and tables.
const maxName = 64
