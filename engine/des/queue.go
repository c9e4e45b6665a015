// Package des is the event queue: slots, each holding at most one event,
// ordered by (time, slot). It knows no hardware.
//
// A CPU has at most one next step and an interrupt controller at most one
// next arrival, so a slot an entity fits, and a winner tree of packed keys
// needs one comparison a level and no allocation.
package des

import (
	"fmt"

	"wakelab/engine/simtime"
)

// SlotBits is the width of the slot number in a packed key.
const SlotBits = 12

// MaxSlots is the largest number of slots of a queue.
const MaxSlots = 1 << SlotBits

const empty = ^uint64(0)

// Queue holds at most one event per slot. Events at one instant are ordered
// by slot number. Its only state is Keys, so that copying them copies it.
type Queue struct {
	// Keys is a winner tree: Keys[1] is the earliest event, the leaves start
	// at len(Keys)/2. A key is time<<SlotBits | slot.
	Keys []uint64
}

// NewQueue returns an empty queue of n slots.
func NewQueue(n int) Queue {
	if n < 1 || n > MaxSlots {
		panic(fmt.Sprintf("des: %d slots, want 1..%d", n, MaxSlots))
	}
	size := 2
	for size < n {
		size *= 2
	}
	q := Queue{Keys: make([]uint64, 2*size)}
	for i := range q.Keys {
		q.Keys[i] = empty
	}
	return q
}

// Set puts slot's event at t, replacing the one it had; simtime.Never removes
// it. t is not negative.
func (q *Queue) Set(slot int32, t simtime.Time) {
	key := uint64(t)<<SlotBits | uint64(slot)
	if uint64(t) >= uint64(simtime.Never) {
		if t != simtime.Never {
			panic(fmt.Sprintf("des: slot %d: event at %d ps, want 0..%d", slot, int64(t), int64(simtime.Never)))
		}
		key = empty
	}
	keys := q.Keys
	i := uint(len(keys)/2 + int(slot))
	keys[len(keys)/2:][slot] = key
	for i > 7 { // three levels a turn, since a turn costs more than a level in WebAssembly
		key = min(key, keys[i^1])
		keys[i>>1] = key
		key = min(key, keys[i>>1^1])
		keys[i>>2] = key
		key = min(key, keys[i>>2^1])
		i >>= 3
		keys[i] = key
	}
	for i > 1 {
		key = min(key, keys[i^1])
		i >>= 1
		keys[i] = key
	}
}

// At returns the instant of slot's event, or simtime.Never.
func (q *Queue) At(slot int32) simtime.Time {
	return timeOf(q.Keys[len(q.Keys)/2+int(slot)])
}

// Min returns the earliest event's instant and slot; with no event the
// instant is simtime.Never.
func (q *Queue) Min() (simtime.Time, int32) {
	key := q.Keys[1]
	return timeOf(key), int32(key & (MaxSlots - 1))
}

func timeOf(key uint64) simtime.Time { return simtime.Time(key >> SlotBits) }
