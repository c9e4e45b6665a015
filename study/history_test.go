package study

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
)

// TestHistory goes to random instants, back and forth, and finds the same
// state there each time and the same result at the end.
func TestHistory(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	r, err := New(config(t, "hackbench.loops=400"), Metrics[0])
	if err != nil {
		t.Fatal(err)
	}
	var h History
	at := map[simtime.Time]uint64{}
	var visited []simtime.Time
	for h.Keep(r); !r.Advance(simtime.Never, 500); h.Keep(r) {
		if len(h.moments) > MaxMoments || h.bytes > MaxHistoryBytes || h.bytes != len(h.moments)*h.moments[0].state.Size() {
			t.Fatalf("%d moments, %d bytes", len(h.moments), h.bytes)
		}
		now := r.Engine().Now()
		r.Advance(now+1, 1<<40) // to an instant with all its events
		at[r.Engine().Now()] = r.Digest()
		visited = append(visited, r.Engine().Now())
	}
	if h.spacing == firstSpacing {
		t.Fatal("the run is too short to fill the history")
	}
	want, err := r.Result()
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		to := visited[random.IntN(len(visited))]
		if err := h.Seek(r, to); err != nil {
			t.Fatal(err)
		}
		for r.Engine().Now() < to {
			r.Advance(to, 700)
			h.Keep(r)
		}
		if got := r.Digest(); got != at[to] {
			t.Fatalf("seed %d: digest %x at %v, was %x", seed, got, to, at[to])
		}
	}
	for !r.Advance(simtime.Never, 900) {
	}
	if got, err := r.Result(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("seed %d: %+v, %v\nwant %+v", seed, got, err, want)
	}
}

// TestFork: both kernels go on from one state and part later.
func TestFork(t *testing.T) {
	a, err := engine.New(config(t, "hackbench.loops=2000"))
	if err != nil {
		t.Fatal(err)
	}
	a.RunUntil(simtime.Time(20*simtime.Microsecond), 1<<40)
	state := a.Snapshot(nil)
	b, err := Fork(config(t, "hackbench.loops=2000", "idle_delay=1ms"), Metrics[0], state)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Engine().Digest(); got != a.Digest() {
		t.Errorf("digest %x after the fork, want %x", got, a.Digest())
	}
	p := NewPair(a, b.Engine())
	for !p.Advance(simtime.Time(simtime.Second), 1000) {
	}
	if !p.Apart || min(p.First[0].AtPs, p.First[1].AtPs) < int64(state.At) {
		t.Errorf("apart %v, at %+v", p.Apart, p.First)
	}
	if _, err := Fork(config(t, "hackbench.groups=2"), Metrics[0], state); err == nil {
		t.Error("forked with another workload")
	}
}
