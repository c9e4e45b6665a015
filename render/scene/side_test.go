package scene

import (
	"testing"

	"wakelab/engine/view"
)

// TestHeatEnds: heat that a CPU no longer has fades, and is gone before its
// arithmetic needs denormal numbers.
func TestHeatEnds(t *testing.T) {
	var c cpuState
	c.follow(&view.CPU{Busy: 1000, NrRunning: 3, LockWait: 500}, 1, true)
	none := view.CPU{}
	c.follow(&none, 1, false)
	if c.heat[HeatUtilisation] <= 0 {
		t.Errorf("heat is gone at once: %v", c.heat)
	}
	for range 60 {
		c.follow(&none, 1, false)
	}
	if c.heat != [NumHeats]float32{} {
		t.Errorf("heat after a second: %v, want none", c.heat)
	}
}
