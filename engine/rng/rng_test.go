package rng_test

import (
	"fmt"
	"testing"

	"wakelab/engine/rng"
)

// TestReference holds the generator against splitmix64's published outputs
// for seed 0 (prng.di.unimi.it/splitmix64.c).
func TestReference(t *testing.T) {
	var s rng.Stream
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := s.Uint64(); got != want {
			t.Errorf("output %d: %#x, want %#x", i, got, want)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(100) {
		for _, name := range []string{"", "a", "b", "cpu 1", "cpu 2"} {
			s := rng.New(seed, name)
			id := fmt.Sprintf("seed %d, %q", seed, name)
			v := s.Uint64()
			if other, ok := seen[v]; ok {
				t.Errorf("%s begins like %s", id, other)
			}
			seen[v] = id
		}
	}
}

func TestCopyHasTheSameFuture(t *testing.T) {
	a := rng.New(7, "x")
	a.Uint64()
	b := a
	for i := range 10 {
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Fatalf("draw %d: %d and %d", i, x, y)
		}
	}
}

func TestIntnIsUniform(t *testing.T) {
	s := rng.New(1, "uniform")
	const n, draws = 10, 100000
	var count [n]int
	for range draws {
		count[s.Intn(n)]++
	}
	chi2 := 0.0
	for _, c := range count {
		d := float64(c) - draws/n
		chi2 += d * d / (draws / n)
	}
	if chi2 > 27.9 { // 0.1 % point for 9 degrees of freedom
		t.Errorf("chi-square %.1f for %v", chi2, count)
	}
}

func TestIntnRefusesNonPositive(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Intn(0) did not panic")
		}
	}()
	var s rng.Stream
	s.Intn(0)
}

// Each component draws from a stream of its own.
func ExampleNew() {
	wakeups, ticks := rng.New(1, "wakeups"), rng.New(1, "ticks")
	fmt.Println(wakeups.Intn(1000), wakeups.Intn(1000), ticks.Intn(1000))
	// Output: 562 67 770
}

func BenchmarkUint64(b *testing.B) {
	var s rng.Stream
	b.ReportAllocs()
	for b.Loop() {
		s.Uint64()
	}
}
