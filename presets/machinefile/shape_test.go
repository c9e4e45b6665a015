package machinefile_test

import (
	"fmt"
	"testing"

	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

func TestShapeOfShapes(t *testing.T) {
	for _, s := range shapes {
		m, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		got, ok := machinefile.Shape(m.CPUs)
		if again, err := got.Build(); !ok || err != nil || fmt.Sprint(again.CPUs) != fmt.Sprint(m.CPUs) {
			t.Errorf("%+v is seen as %+v, %t, %v", s, got, ok, err)
		}
	}
}

func TestIrregularMachinesHaveNoShape(t *testing.T) {
	for _, places := range [][]topo.Place{
		{{}, {Thread: 1}, {Core: 1}},                                   // hybrid
		{{}, {Core: 1}, {Core: 2, LLC: 1, Node: 1, Die: 1, Socket: 1}}, // a CPU offline
		{{}, {Core: 2}},
	} {
		if s, ok := machinefile.Shape(places); ok {
			t.Errorf("%v is seen as %+v", places, s)
		}
	}
}

func ExampleShapeSettings() {
	m, _ := machinefile.Read([]byte("# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,1,1,1,,1\n2,0,0,0,,0\n3,1,1,1,,1\n"))
	s, _ := machinefile.Shape(m.Places)
	fmt.Println(machinefile.ShapeSettings(s))
	// Output: [{sockets 2} {dies_per_socket 1} {llcs_per_die 1} {cores_per_llc 1} {threads_per_core 2} {nodes_per_socket 1} {numbering block}]
}
