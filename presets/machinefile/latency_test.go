package machinefile_test

import (
	"fmt"
	"strings"
	"testing"

	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

// Machines of the supplied latency tables. Where the node setting is not
// published, one node a socket is taken.
var latencyTables = []struct {
	file  string
	shape topo.Shape
	want  string // medians by distance
}{
	{"dual-amd-epyc-9654.csv", topo.Shape{Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 3, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
		"line_llc=27.1ns line_die=90.2ns line_socket=100.3ns line_remote=191.6ns line_remote_home=191.6ns"},
	{"dual-amd-epyc-7763.csv", topo.Shape{Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 2, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
		"line_smt=10.2ns line_llc=24.9ns line_die=113.9ns line_socket=125ns line_remote=303.6ns line_remote_home=303.6ns"},
	{"amd-epyc-7773x.csv", topo.Shape{Sockets: 1, DiesPerSocket: 4, LLCsPerDie: 2, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1},
		"line_smt=10.1ns line_llc=26.1ns line_die=110.5ns line_socket=116.9ns"},
	{"dual-intel-xeon-8375c.csv", topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 32, ThreadsPerCore: 2, NodesPerSocket: 1},
		"line_smt=8ns line_llc=51.3ns line_remote=107.8ns line_remote_home=107.8ns"},
}

func TestRealLatencies(t *testing.T) {
	for _, c := range latencyTables {
		t.Run(c.file, func(t *testing.T) {
			m, err := c.shape.Build()
			if err != nil {
				t.Fatal(err)
			}
			found, err := machinefile.ReadLatencies(shared(t, "latency", c.file), m)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range found {
				for _, s := range l.Settings() {
					got = append(got, s.Key+"="+s.Value)
				}
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("got %s, want %s", g, c.want)
			}
		})
	}
}

func TestLatencies(t *testing.T) {
	m, err := topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 2, ThreadsPerCore: 1, NodesPerSocket: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, csv string
		want      string
	}{
		{"lower half", ",,,\n20.04,,,\n100,110,,\n120,130,30,\n", "[{llc 25ns 2} {remote 115ns 4}]"},
		{"both halves", "0,20,100,100\n22,0,100,100\n100,100,0,24\n100,100,26,0\n", "[{llc 23ns 4} {remote 100ns 8}]"},
		{"part of the machine", ",\n20.26,\n", "[{llc 20.3ns 1}]"},
	} {
		got, err := machinefile.ReadLatencies([]byte(c.csv), m)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, csv, want string }{
		{"empty", "", "0 rows"},
		{"nothing measured", ",\n,\n", "is empty"},
		{"larger than the machine", strings.Repeat(",,,,\n", 5), "5 rows: the machine has 4 CPUs"},
		{"not square", ",\n1,2,3\n", "row 2: 3 columns, want 2"},
		{"words", ",\nfast,\n", `row 2, column 1: "fast"`},
		{"NaN", ",\nNaN,\n", `row 2, column 1: "NaN"`},
		{"negative", ",\n-4,\n", `row 2, column 1: "-4"`},
		{"too large", ",\n1e9,\n", `row 2, column 1: "1e9"`},
		{"not CSV", "\"", "not CSV"},
		{"too many bytes", strings.Repeat(",", machinefile.MaxLatencyBytes+1), "at most 16777216"},
	} {
		if got, err := machinefile.ReadLatencies([]byte(c.csv), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want error with %q", c.name, got, err, c.want)
		}
	}
}

func FuzzReadLatencies(f *testing.F) {
	for _, text := range []string{",,\n20.5,,\n100,1e2,\n", "0,20\n22,0\n", "\"\n", ",\nNaN,\n"} {
		f.Add([]byte(text))
	}
	m, err := shapes[2].Build()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := machinefile.ReadLatencies(data, m)
		for i, l := range found {
			if l.Median < 0 || l.Pairs < 1 || i > 0 && l.Distance <= found[i-1].Distance {
				t.Errorf("%v, %v", found, err)
			}
		}
	})
}
