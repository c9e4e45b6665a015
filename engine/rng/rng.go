// Package rng is the run's randomness: one seed a run, one named stream a
// component, so that a further draw in one does not shift another.
package rng

import "math/bits"

// Stream is a splitmix64 generator. It is plain state: copying it copies its
// future. The zero value is a valid stream of seed 0.
type Stream struct {
	state uint64
}

// New returns the stream called name of the run with this seed.
func New(seed uint64, name string) Stream {
	h := uint64(14695981039346656037) // FNV-1a
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	s := Stream{state: seed ^ h}
	s.state = s.Uint64() ^ seed<<1
	return s
}

// Uint64 returns the next 64 random bits.
func (s *Stream) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Intn returns a number in [0, n); n must be positive.
func (s *Stream) Intn(n int64) int64 {
	if n <= 0 {
		panic("rng: Intn needs a positive bound")
	}
	hi, _ := bits.Mul64(s.Uint64(), uint64(n))
	return int64(hi)
}
