package study

import (
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
)

func newEngine(t *testing.T, settings ...string) *engine.Engine {
	t.Helper()
	e, err := engine.New(config(t, append(settings, "hackbench.loops=50")...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPair(t *testing.T) {
	same := NewPair(newEngine(t), newEngine(t))
	for !same.Advance(simtime.Never-1, 1000) {
	}
	if same.Apart {
		t.Errorf("equal runs part at %+v", same.First)
	}
	end := simtime.Time(simtime.Second)
	other := NewPair(newEngine(t), newEngine(t, "idle_delay=1ms"))
	for !other.Advance(end, 1000) {
	}
	if !other.Apart {
		t.Fatal("other kernels never part")
	}
	if other.Has != [2]bool{true, true} {
		t.Errorf("a side has no event: %v", other.Has)
	}
	first := min(other.First[0].AtPs, other.First[1].AtPs)
	// Up to that instant the runs are the same.
	a, b := newEngine(t), newEngine(t, "idle_delay=1ms")
	again := NewPair(a, b)
	if again.Advance(simtime.Time(first-1), 1<<40); again.Apart {
		t.Errorf("parted at %+v before %d ps", again.First, first)
	}
}
