package study

import (
	"slices"

	"wakelab/engine/simtime"
	"wakelab/engine/trace"
)

// AnyCPU stands for no particular CPU in an Event.
const AnyCPU = -1

// Event is what a run can be taken to: the next tracepoint that fits.
type Event struct {
	Kinds    trace.Mask // tracepoints that fit; none: any event of the simulation does
	Function string     // with ftrace:funcgraph_entry: the kernel function that is entered; "" any
	CPU      int32      // on which it happens, or AnyCPU
	To       int32      // that it is about, as trace.Record.Target says, or AnyCPU
}

// Hit is where an Event happened.
type Hit struct {
	CPU, To int32 // To is AnyCPU if the tracepoint is about no CPU
}

// eventRecords is the room for the records of one event of the simulation.
const eventRecords = 256

// Next goes on to the first Event after the instant the run stands at, by at
// most maxEvents events of the simulation. It ends a recording of tracepoints.
func (r *Run) Next(want Event, maxEvents int64) (hit Hit, found bool) {
	ring := r.engine.Trace()
	ring.Start(want.Kinds, eventRecords)
	defer ring.Start(0, eventRecords)
	names := r.engine.Names()
	fn := int64(slices.Index(names.Functions, want.Function))
	for ; !found && !r.ended && maxEvents > 0; maxEvents-- {
		from := ring.Written
		r.Advance(simtime.Never, 1)
		if want.Kinds == 0 {
			return Hit{AnyCPU, AnyCPU}, true
		}
		ring.Each(from, func(rec *trace.Record, _ []uint64) {
			to := rec.Target()
			if found || want.CPU != AnyCPU && rec.CPU != want.CPU || want.To != AnyCPU && to != want.To ||
				want.Function != "" && rec.Args[0] != fn {
				return
			}
			hit, found = Hit{rec.CPU, to}, true
		})
	}
	return hit, found
}
