package workload

import (
	"slices"
	"strings"
	"testing"

	"wakelab/engine/topo"
)

// TestParseCPUs: the forms that the kernel's cpulist_parse reads, on 16 CPUs.
func TestParseCPUs(t *testing.T) {
	machine, err := topo.Shape{Sockets: 1, NodesPerSocket: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 16, ThreadsPerCore: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want []topo.CPUID
		err  string // a part of it
	}{
		{text: "", want: nil},
		{text: "8", want: []topo.CPUID{8}},
		{text: "0-2,15 4", want: []topo.CPUID{0, 1, 2, 15, 4}},
		{text: "N", want: []topo.CPUID{15}},
		{text: "13-N", want: []topo.CPUID{13, 14, 15}},
		{text: "0-7:2/4", want: []topo.CPUID{0, 1, 4, 5}},
		{text: "All:1/8", want: []topo.CPUID{0, 8}},
		{text: ",", err: `"," names no CPU`},
		{text: "0-3:0/2", err: "names no CPU"},
		{text: "0-3:3/2", err: `"0-3:3/2" is not a CPU, a range of CPUs such as 0-3 or 0-31:2/8, N or all`},
		{text: "0-3:2", err: "is not a CPU"},
		{text: "3-1", err: `"3-1" is not a CPU`},
		{text: "-1", err: "is not a CPU"},
		{text: "n", err: "is not a CPU"},
		{text: "0-16", err: "CPU 16: the machine has CPUs 0 to 15"},
		{text: "all,0", err: "names 17 CPUs: at most 16"},
	} {
		got, err := parseCPUs("x", tt.text, machine, 16)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, error %v, want one with %q", tt.text, got, err, tt.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
}
