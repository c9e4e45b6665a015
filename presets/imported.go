package presets

import (
	"fmt"
	"strings"

	"github.com/goccy/go-json"

	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

// Import makes a preset of a machine that was read from a file: shape
// parameters if it is regular, otherwise the place of each CPU. source names
// the file or where it is from; latencies may be nil. All other costs are the
// table's defaults, which its summary says.
func Import(m *machinefile.Machine, latencies []machinefile.Latency, source string) *Machine {
	title := m.Title
	if title == "" {
		title = "Imported machine"
	}
	p := &Machine{Set: Set{}, About: About{Schema: Machines.Schema(),
		Title:   fmt.Sprintf("%s (%d CPUs)", title, len(m.Places)),
		Summary: strings.Join(append([]string{"Imported.", Borrowed(latencies)}, m.Notes...), " "),
		Sources: []string{source},
	}}
	if shape, ok := machinefile.Shape(m.Places); ok {
		for _, s := range machinefile.ShapeSettings(shape) {
			p.Set[s.Key] = s.Value
		}
	} else {
		for _, at := range m.Places {
			p.Places = append(p.Places, fmt.Sprintf("%d %d %d %d %d", at.Socket, at.Node, at.Die, at.LLC, at.Core))
		}
	}
	for _, l := range latencies {
		for _, s := range l.Settings() {
			p.Set[s.Key] = s.Value
		}
	}
	return p
}

// Borrowed says which costs an imported machine takes from where: a file
// describes a machine's shape, not its speed.
func Borrowed(latencies []machinefile.Latency) string {
	what := "Cache-line latencies, idle states"
	if latencies != nil {
		what = "Idle states"
	}
	return what + ", interrupts and the kernel's costs are the table's defaults, those of 2 x AMD EPYC 9654 (machine epyc-9654-2s), whatever this machine is: of another maker's, set them from a preset that is closer."
}

// Text returns the preset's JSON.
func (m *Machine) Text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// places reads Places; nil if there are none.
func (m *Machine) places(p *problems) []topo.Place {
	var places []topo.Place
	threads := map[int32]int32{}
	for i, text := range m.Places {
		var at topo.Place
		var rest string
		if n, _ := fmt.Sscanf(text+" .", "%d %d %d %d %d %s", &at.Socket, &at.Node, &at.Die, &at.LLC, &at.Core, &rest); n != 6 || rest != "." {
			p.add(index("$.places", i), "%.40q: want five numbers, such as \"0 0 0 0 0\": socket, NUMA node, die, last-level cache, core", text)
			continue
		}
		at.Thread = threads[at.Core]
		threads[at.Core]++
		places = append(places, at)
	}
	return places
}

// checkPlaces reports places that do not make a machine, or that compete with
// shape parameters.
func (m *Machine) checkPlaces(p *problems) {
	if m.Places == nil {
		return
	}
	before := len(*p)
	places := m.places(p)
	if len(*p) > before {
		return
	}
	if _, err := topo.Build(places); err != nil {
		p.add("$.places", "%v", err)
	}
	checkShapeless(m.Set, "$.places", "$.set", p)
}

// checkShapeless reports shape parameters in a set for a machine that has
// places instead; at is the set's path, "" for none.
func checkShapeless(set Set, places, at string, p *problems) {
	for _, s := range machinefile.ShapeSettings(topo.Shape{}) {
		if _, ok := set[s.Key]; ok {
			p.add(strings.TrimPrefix(at+"."+s.Key, "."), "has no effect beside %s", places)
		}
	}
}
