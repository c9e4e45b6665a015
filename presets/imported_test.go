package presets

import (
	"slices"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

const hybrid = "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,0,0,0,,0\n2,1,0,0,,0\n"
const regular = "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,1,1,1,,1\n2,0,0,0,,0\n3,1,1,1,,1\n"

// TestImport takes machines from a file through a preset's JSON to a
// configuration of the same places.
func TestImport(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		places     bool
	}{{"regular", regular, false}, {"hybrid", hybrid, true}} {
		m, err := machinefile.Read([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		preset := Import(m, []machinefile.Latency{{Distance: topo.LLC, Median: 33300, Pairs: 1}}, "a test")
		if (preset.Places != nil) != tt.places {
			t.Errorf("%s: places %v", tt.name, preset.Places)
		}
		text, err := preset.Text()
		if err != nil {
			t.Fatal(err)
		}
		lib := Shipped().Clone()
		if err := lib.Add(Machines, "mine", text); err != nil {
			t.Fatalf("%s: %v in\n%s", tt.name, err, text)
		}
		cfg, err := lib.Combine("mine", "", "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Get("line_llc"); got != "33.3ns" {
			t.Errorf("%s: line_llc = %s, want 33.3ns", tt.name, got)
		}
		if _, err := lib.Combine("mine", "", "", nil, Set{"sockets": "1"}); tt.places && (err == nil || err.Error() != "sockets: has no effect beside the places of machine mine") {
			t.Errorf("a shape for a machine of places: %v", err)
		}
		e, err := engine.New(cfg)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := e.Topology().CPUs; !slices.Equal(got, m.Places) {
			t.Errorf("%s: places %v, want %v", tt.name, got, m.Places)
		}
	}
}

func TestBadPlaces(t *testing.T) {
	head := `{"$schema": "../schema/machines.json", "title": "T", "summary": "S", "sources": ["none"], `
	for _, tt := range []struct{ text, want string }{
		{`"places": ["0 0 0 0 0", "0 0 0 0"]}`, `$.places[1]: "0 0 0 0": want five numbers`},
		{`"places": ["0 0 0 0 0 0"]}`, "$.places[0]"},
		{`"places": ["0 0 0 0 0x"]}`, "$.places[0]"},
		{`"places": ["0 0 0 0 99999999999"]}`, "$.places[0]"},
		{`"places": ["0 0 0 0 5"]}`, "$.places: CPU 0: core id 5 is not dense"},
		{`"places": []}`, "$.places: 0 CPUs"},
		{`"places": [7]}`, "$.places[0]: want a text"},
		{`"places": ["0 0 0 0 0"], "set": {"sockets": "2"}}`, "$.set.sockets: has no effect beside $.places"},
	} {
		err := Shipped().Clone().Add(Machines, "mine", []byte(head+tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.text, err, tt.want)
		}
	}
}
