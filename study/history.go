package study

import (
	"slices"

	"wakelab/engine"
	"wakelab/engine/simtime"
)

// Bounds of a History.
const (
	MaxMoments      = 24       // kept at a time
	MaxHistoryBytes = 96 << 20 // that they may take together
)

// firstSpacing is how far apart the first moments lie at least.
const firstSpacing = 20 * simtime.Microsecond

// History lets a run go back: it keeps snapshots, in bounded memory, from which
// any earlier instant is reached again by replay. When it is full it drops
// every second snapshot and keeps further ones half as often.
type History struct {
	moments []moment // in order of time
	spacing simtime.Duration
	bytes   int
}

// moment is a run's whole state, of the engine and of the measurement.
type moment struct {
	state   *engine.Snapshot
	samples []engine.Sample
}

// Keep takes a snapshot if the last one is long enough ago. Call it between
// advances, at first before the run has moved.
func (h *History) Keep(r *Run) {
	now := r.engine.Now()
	n := len(h.moments)
	if h.spacing == 0 {
		h.spacing = firstSpacing
	}
	if r.ended || n > 0 && now.Sub(h.moments[n-1].state.At) < h.spacing {
		return
	}
	m := moment{r.engine.Snapshot(nil), slices.Clone(r.samples)}
	h.moments = append(h.moments, m)
	h.bytes += m.state.Size()
	for len(h.moments) > MaxMoments || h.bytes > MaxHistoryBytes && len(h.moments) > 1 {
		h.thin()
	}
}

func (h *History) thin() {
	kept := h.moments[:0]
	for i, m := range h.moments {
		if i%2 == 0 {
			kept = append(kept, m)
		} else {
			h.bytes -= m.state.Size()
		}
	}
	clear(h.moments[len(kept):])
	h.moments = kept
	h.spacing *= 2
}

// Seek takes the run that the history is of to the last moment not after an
// instant, or to the first there is; a run that stands between the two stays
// where it is. Advance then replays the rest.
func (h *History) Seek(r *Run, to simtime.Time) error {
	best := 0
	for i := range h.moments {
		if h.moments[i].state.At <= to {
			best = i
		}
	}
	m := &h.moments[best]
	if now := r.engine.Now(); m.state.At <= now && now <= to {
		return nil
	}
	if err := r.engine.Restore(m.state); err != nil {
		return err
	}
	r.samples, r.ended = append(r.samples[:0], m.samples...), false
	return nil
}

// Bytes returns the size of the snapshots kept.
func (h *History) Bytes() int { return h.bytes }
