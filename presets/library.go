package presets

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"wakelab/engine"
)

//go:embed machines/*.json kernels/*.json workloads/*.json studies/*.json
var files embed.FS

// Library is a set of presets by name.
type Library struct {
	Machines  map[string]*Machine
	Kernels   map[string]*Kernel
	Workloads map[string]*Workload
	Studies   map[string]*Study
	text      map[Kind]map[string][]byte
}

// Shipped returns the presets of this program. Do not change it: Clone first.
// Whether its studies' configurations can run is left to a test: to try them
// all would take a browser a second.
var Shipped = sync.OnceValue(func() *Library {
	l := &Library{map[string]*Machine{}, map[string]*Kernel{}, map[string]*Workload{}, map[string]*Study{}, map[Kind]map[string][]byte{}}
	for _, kind := range Kinds {
		entries, err := files.ReadDir(string(kind))
		if err != nil {
			panic("presets: " + err.Error())
		}
		l.text[kind] = map[string][]byte{}
		for _, e := range entries {
			data, err := files.ReadFile(path.Join(string(kind), e.Name()))
			if err == nil {
				err = l.add(kind, strings.TrimSuffix(e.Name(), ".json"), data, checkStudy)
			}
			if err != nil {
				panic(fmt.Sprintf("presets: %s/%s: %v", kind, e.Name(), err))
			}
		}
	}
	return l
})

// Clone returns a library to which presets can be added.
func (l *Library) Clone() *Library {
	c := &Library{maps.Clone(l.Machines), maps.Clone(l.Kernels), maps.Clone(l.Workloads), maps.Clone(l.Studies), map[Kind]map[string][]byte{}}
	for kind, m := range l.text {
		c.text[kind] = maps.Clone(m)
	}
	return c
}

// Add reads a preset and files it under name, replacing one of that name. The
// error lists every problem. A study's machine, workload and kernels must be
// there already.
func (l *Library) Add(kind Kind, name string, data []byte) error {
	return l.add(kind, name, data, func(s *Study, p *problems) {
		checkStudy(s, p)
		l.checkReferences(s, p)
	})
}

func (l *Library) add(kind Kind, name string, data []byte, study func(*Study, *problems)) error {
	err := checkName(name)
	if err != nil {
		return err
	}
	switch kind {
	case Machines:
		err = add(l.Machines, kind, name, data, checkMachine)
	case Kernels:
		err = add(l.Kernels, kind, name, data, checkKernel)
	case Workloads:
		err = add(l.Workloads, kind, name, data, checkWorkload)
	case Studies:
		err = add(l.Studies, kind, name, data, study)
	default:
		panic("presets: unknown kind " + string(kind))
	}
	if err == nil {
		l.text[kind][name] = data
	}
	return err
}

func add[T any](to map[string]*T, kind Kind, name string, data []byte, check func(*T, *problems)) error {
	v, err := parse(kind, data, check)
	if err == nil {
		to[name] = v
	}
	return err
}

// checkReferences looks up what a study names and tries each configuration.
func (l *Library) checkReferences(s *Study, p *problems) {
	before := len(*p)
	find(l.Machines, s.Machine, "$.machine", p)
	find(l.Workloads, s.Workload, "$.workload", p)
	for i, k := range s.Kernels {
		find(l.Kernels, k.Kernel, index("$.kernels", i)+".kernel", p)
	}
	if len(*p) > before {
		return
	}
	for i, k := range s.Kernels {
		cfg, err := l.Config(s, k.Kernel, nil)
		if err == nil {
			err = cfg.Validate()
		}
		if err != nil {
			p.add(index("$.kernels", i), "%v", err)
		}
	}
	if len(*p) == before {
		l.checkStory(s, p)
	}
}

func find[T any](in map[string]*T, name, path string, p *problems) bool {
	if in[name] == nil {
		p.add(path, "no preset %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(in)), ", "))
	}
	return in[name] != nil
}

// Study returns the study called name; the error lists what there is.
func (l *Library) Study(name string) (*Study, error) {
	var p problems
	find(l.Studies, name, "study", &p)
	return l.Studies[name], p.err()
}

// Kernel returns the kernel called name; the error lists what there is.
func (l *Library) Kernel(name string) (*Kernel, error) {
	var p problems
	find(l.Kernels, name, "kernel", &p)
	return l.Kernels[name], p.err()
}

// Names returns the presets of one kind in order.
func (l *Library) Names(kind Kind) []string { return slices.Sorted(maps.Keys(l.text[kind])) }

// Text returns a preset's JSON, or nil if there is none of that name.
func (l *Library) Text(kind Kind, name string) []byte { return l.text[kind][name] }

// About returns what a preset says of itself; the preset must exist.
func (l *Library) About(kind Kind, name string) About {
	switch kind {
	case Machines:
		return l.Machines[name].About
	case Kernels:
		return l.Kernels[name].About
	case Workloads:
		return l.Workloads[name].About
	default:
		return l.Studies[name].About
	}
}

// Config returns the configuration of one kernel in a study. Of two settings
// of one parameter the later in this order wins: machine, workload, study,
// kernel, extra. An extra setting of a parameter that some kernel of the study
// sets itself changes those kernels alone: idle_delay=500us changes the kernel
// with the idle extension and leaves the baseline what it is.
func (l *Library) Config(s *Study, kernel string, extra Set) (engine.Config, error) {
	owned := map[string]bool{}
	for _, k := range s.Kernels {
		for key := range l.Kernels[k.Kernel].Set {
			owned[key] = true
		}
	}
	own := Set{}
	if k := l.Kernels[kernel]; k != nil {
		own = k.Set
	}
	mine := Set{}
	for key, text := range extra {
		if _, sets := own[key]; sets || !owned[key] {
			mine[key] = text
		}
	}
	return l.Combine(s.Machine, s.Workload, kernel, s.Set, mine)
}

// Combine returns the configuration of a machine, a workload and a kernel,
// each the name of a preset or "" for the table's defaults; settings in before
// give way to the kernel's, those in after win over them.
func (l *Library) Combine(machine, workload, kernel string, before, after Set) (engine.Config, error) {
	cfg := engine.Default()
	var p problems
	var sets []Set
	if machine != "" && find(l.Machines, machine, "machine", &p) {
		sets = append(sets, l.Machines[machine].Set)
		cfg.Places = l.Machines[machine].places(&p)
	}
	if workload != "" && find(l.Workloads, workload, "workload", &p) {
		sets = append(sets, l.Workloads[workload].All())
	}
	sets = append(sets, before)
	if kernel != "" && find(l.Kernels, kernel, "kernel", &p) {
		sets = append(sets, l.Kernels[kernel].Set)
	}
	if cfg.Places != nil {
		for _, s := range []Set{before, after} {
			checkShapeless(s, "the places of machine "+machine, "", &p)
		}
	}
	for _, s := range append(sets, after) {
		if err := s.apply(&cfg); err != nil {
			p = append(p, err.Error())
		}
	}
	return cfg, p.err()
}
