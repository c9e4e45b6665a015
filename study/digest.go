package study

import "math"

// Digest returns the digest of the whole state at the instant the run stands
// at, after everything that happens at this instant: it does not depend on
// the steps in which the run came here.
func (r *Run) Digest() uint64 {
	r.engine.RunUntil(r.engine.Now(), math.MaxInt64)
	return r.engine.Digest()
}
