package trace

import "fmt"

// MaxRecords bounds a ring's size: 4 Mi records are 224 MiB.
const MaxRecords = 1 << 22

// Ring keeps the latest records. The zero value records nothing. All state is
// in its fields, so that copying them copies it.
type Ring struct {
	Enabled Mask
	Records []Record // a power of two of them; record n is at n modulo that
	Written uint64   // records ever made
}

// Start empties the ring and records the kinds in m from now on, keeping the
// latest capacity records (rounded up to a power of two).
func (r *Ring) Start(m Mask, capacity int) {
	if capacity < 1 || capacity > MaxRecords {
		panic(fmt.Sprintf("trace: capacity %d, want 1..%d", capacity, MaxRecords))
	}
	size := 1
	for size < capacity {
		size *= 2
	}
	if len(r.Records) != size {
		r.Records = make([]Record, size)
	}
	r.Enabled, r.Written = m, 0
}

// On reports whether records of kind k are kept: the check to make before
// gathering what a record needs.
func (r *Ring) On(k Kind) bool { return r.Enabled>>k&1 != 0 }

// Emit keeps rec if its kind is enabled. It does not allocate.
func (r *Ring) Emit(rec Record) {
	if r.On(rec.Kind) {
		r.put(rec)
	}
}

func (r *Ring) put(rec Record) {
	r.Records[r.Written&uint64(len(r.Records)-1)] = rec
	r.Written++
}

// EmitMask keeps an IPISendCPUMask record with the CPUs it went to, bit c of
// word c/64 for CPU c; it sets the record's first argument. The words follow
// in records of their own.
func (r *Ring) EmitMask(rec Record, cpus []uint64) {
	if !r.On(IPISendCPUMask) {
		return
	}
	rec.Kind = IPISendCPUMask
	rec.Args[0] = int64(len(cpus))
	r.put(rec)
	more := Record{AtPs: rec.AtPs, CPU: rec.CPU, Task: rec.Task, Kind: maskWords}
	for len(cpus) > 0 {
		more.Args = [4]int64{}
		n := min(len(cpus), len(more.Args))
		for i, w := range cpus[:n] {
			more.Args[i] = int64(w)
		}
		r.put(more)
		cpus = cpus[n:]
	}
}

// First returns the number of the oldest record still kept; records before it
// are lost.
func (r *Ring) First() uint64 {
	return r.Written - min(r.Written, uint64(len(r.Records)))
}

// Each calls f for every kept record from number from on, oldest first, with
// the mask of an IPISendCPUMask (nil for other kinds; f must not keep it).
// A reader that follows a run remembers Written and passes it the next time.
func (r *Ring) Each(from uint64, f func(rec *Record, cpus []uint64)) {
	var mask []uint64
	for n := max(from, r.First()); n < r.Written; n++ {
		rec := r.at(n)
		switch rec.Kind {
		case maskWords: // belongs to a record that was overwritten or seen
		case IPISendCPUMask:
			mask = mask[:0]
			for i := range uint64(rec.Args[0]) {
				words := &r.at(n + 1 + i/4).Args
				mask = append(mask, uint64(words[i%4]))
			}
			f(rec, mask)
		default:
			f(rec, nil)
		}
	}
}

func (r *Ring) at(n uint64) *Record { return &r.Records[n&uint64(len(r.Records)-1)] }
