package des_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"wakelab/engine/des"
	"wakelab/engine/simtime"
)

// naive is the model: the time of each slot, searched from the front.
type naive []simtime.Time

func newNaive(n int) naive {
	m := make(naive, n)
	for i := range m {
		m[i] = simtime.Never
	}
	return m
}

func (m naive) min() (simtime.Time, int32) {
	best := 0
	for i, t := range m {
		if t < m[best] {
			best = i
		}
	}
	return m[best], int32(best)
}

func compare(t *testing.T, q *des.Queue, m naive, what string) {
	t.Helper()
	gotT, gotSlot := q.Min()
	wantT, wantSlot := m.min()
	if gotT != wantT || wantT != simtime.Never && gotSlot != wantSlot {
		t.Fatalf("%s: earliest is slot %d at %d, want slot %d at %d", what, gotSlot, gotT, wantSlot, wantT)
	}
}

// FuzzQueue runs random operations on a queue and on the model.
func FuzzQueue(f *testing.F) {
	f.Add(uint16(1), []byte{0, 0, 0, 0})
	f.Add(uint16(3), []byte("set, clear, set again and take the earliest"))
	f.Add(uint16(des.MaxSlots), []byte{0, 255, 15, 9, 1, 255, 15, 9, 2, 0, 0, 0})
	f.Fuzz(func(t *testing.T, size uint16, ops []byte) {
		n := 1 + int(size)%des.MaxSlots
		q, m := des.NewQueue(n), newNaive(n)
		for i := 0; len(ops) >= 4; i, ops = i+1, ops[4:] {
			slot := int32(binary.LittleEndian.Uint16(ops[1:])) % int32(n)
			at := simtime.Time(ops[3] % 8) // few instants, many ties
			if ops[3] >= 128 {
				at += simtime.Never - 8
			}
			switch ops[0] % 4 {
			case 0, 1:
				q.Set(slot, at)
				m[slot] = at
			case 2:
				q.Set(slot, simtime.Never)
				m[slot] = simtime.Never
			case 3:
				if at, slot := q.Min(); at != simtime.Never {
					q.Set(slot, simtime.Never)
					m[slot] = simtime.Never
				}
			}
			if got := q.At(slot); got != m[slot] {
				t.Fatalf("operation %d: slot %d is at %d, want %d", i, slot, got, m[slot])
			}
			compare(t, &q, m, fmt.Sprintf("operation %d", i))
		}
	})
}

// TestOrder pushes the same events in scrambled order and takes them out.
func TestOrder(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 2, 3, 64, 100, 1000, des.MaxSlots} {
		q, m := des.NewQueue(n), newNaive(n)
		for _, slot := range rnd.Perm(n) {
			m[slot] = simtime.Time(rnd.IntN(n/4 + 1))
			q.Set(int32(slot), m[slot])
		}
		lastAt, lastSlot := simtime.Time(-1), int32(-1)
		for range n {
			at, slot := q.Min()
			if at < lastAt || at == lastAt && slot <= lastSlot || m[slot] != at {
				t.Fatalf("seed %d, %d slots: slot %d at %d after slot %d at %d", seed, n, slot, at, lastSlot, lastAt)
			}
			q.Set(slot, simtime.Never)
			lastAt, lastSlot = at, slot
		}
		if at, _ := q.Min(); at != simtime.Never {
			t.Errorf("seed %d, %d slots: %d is left over", seed, n, at)
		}
	}
}

func TestMistakesPanic(t *testing.T) {
	q := des.NewQueue(4)
	for name, f := range map[string]func(){
		"no slots":             func() { des.NewQueue(0) },
		"too many slots":       func() { des.NewQueue(des.MaxSlots + 1) },
		"time before the run":  func() { q.Set(0, -1) },
		"time after every run": func() { q.Set(0, simtime.Never+1) },
		"negative slot":        func() { q.Set(-1, 5) },
		"slot out of range":    func() { q.Set(4, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			f()
		})
	}
}

// Ties go to the lower slot.
func ExampleQueue() {
	q := des.NewQueue(3)
	q.Set(2, 100)
	q.Set(1, 100)
	q.Set(0, 250)
	for at, slot := q.Min(); at != simtime.Never; at, slot = q.Min() {
		fmt.Println(at, "slot", slot)
		q.Set(slot, simtime.Never)
	}
	// Output:
	// 100ps slot 1
	// 100ps slot 2
	// 250ps slot 0
}

// BenchmarkHold takes the earliest event and schedules its successor, with n
// events pending.
func BenchmarkHold(b *testing.B) {
	for _, n := range []int{400, 4000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 2))
			var delay [1024]simtime.Duration
			for i := range delay {
				delay[i] = simtime.Duration(rnd.ExpFloat64() * float64(simtime.Microsecond))
			}
			q := des.NewQueue(n)
			for i := range n {
				q.Set(int32(i), simtime.Time(delay[i%len(delay)]))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at, slot := q.Min()
				q.Set(slot, at.Add(delay[i%len(delay)]))
			}
		})
	}
}
