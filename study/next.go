package study

import (
	"slices"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
)

// AnyCPU stands for no particular CPU in an Event.
const AnyCPU = -1

// Event is what a run can be taken to: a tracepoint, or a CPU's way into a
// function. One with neither is any event of the simulation.
type Event struct {
	Kinds    trace.Mask // tracepoints that fit
	Function string     // instead: the kernel function in which a CPU begins to spend time
	CPU      int32      // on which it happens, or AnyCPU
	To       int32      // that a tracepoint is about, as trace.Record.Target says, or AnyCPU
}

// Hit is where an Event happened.
type Hit struct {
	CPU, To int32 // To is AnyCPU if it is about no CPU
}

// eventRecords is the room for the records of one event of the simulation.
const eventRecords = 256

// Next goes on to the first Event after the instant the run stands at, by at
// most maxEvents events of the simulation. It ends a recording of tracepoints.
func (r *Run) Next(want Event, maxEvents int64) (hit Hit, found bool) {
	ring := r.engine.Trace()
	ring.Start(want.Kinds, eventRecords)
	defer ring.Start(0, eventRecords)
	watch := newWatch(r.engine, want)
	for ; !found && !r.ended && maxEvents > 0; maxEvents-- {
		from := ring.Written
		r.Advance(simtime.Never, 1)
		switch {
		case want.Function != "":
			hit, found = watch.look()
		case want.Kinds == 0:
			hit, found = Hit{AnyCPU, AnyCPU}, true
		case ring.Written > from:
			hit, found = want.among(ring, from)
		}
	}
	return hit, found
}

// among looks for the event in the records from number from on.
func (want *Event) among(ring *trace.Ring, from uint64) (hit Hit, found bool) {
	ring.Each(from, func(rec *trace.Record, _ []uint64) {
		to := rec.Target()
		if !found && (want.CPU == AnyCPU || rec.CPU == want.CPU) && (want.To == AnyCPU || to == want.To) {
			hit, found = Hit{rec.CPU, to}, true
		}
	})
	return hit, found
}

// watch sees CPUs go into a function.
type watch struct {
	engine   *engine.Engine
	fn       uint16
	from, to int32  // CPUs
	inside   []bool // by CPU from from on: it was in it at the last look
}

func newWatch(e *engine.Engine, want Event) *watch {
	w := &watch{engine: e, from: want.CPU, to: want.CPU + 1}
	if want.CPU == AnyCPU {
		w.from, w.to = 0, int32(e.Topology().N())
	}
	w.fn = uint16(slices.Index(e.Static().Functions, want.Function))
	w.inside = make([]bool, w.to-w.from)
	w.look()
	return w
}

func (w *watch) look() (hit Hit, found bool) {
	for c := w.from; c < w.to; c++ {
		in := w.engine.Function(c) == w.fn
		if in && !w.inside[c-w.from] {
			hit, found = Hit{c, AnyCPU}, true
		}
		w.inside[c-w.from] = in
	}
	return hit, found
}
