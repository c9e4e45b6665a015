package study

import (
	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
)

// lockstep is how far a pair advances at a time; within it the records of both
// sides are kept.
const lockstep = 2 * simtime.Microsecond

// partingSpan is how long the record of the other side is waited for when one
// side has parted.
const partingSpan = 10 * simtime.Millisecond

// pairRecords is the room for the records of one step: far more than the
// largest machine makes.
const pairRecords = 1 << 14

// pairEvents are compared: all tracepoints but those that several records
// make up.
const pairEvents = trace.All &^ (1<<trace.FuncgraphEntry | 1<<trace.FuncgraphExit | 1<<trace.IPISendCPUMask)

// Pair is two runs on one clock, compared record by record.
type Pair struct {
	sides [2]*engine.Engine
	seen  [2]uint64
	// Apart tells whether the runs have parted. First is then each side's first
	// record that the other does not have; Has tells whether there is one within
	// partingSpan.
	Apart bool
	First [2]trace.Record
	Has   [2]bool
}

// NewPair compares two runs from where they stand, which must be one instant.
// It starts their trace rings anew.
func NewPair(a, b *engine.Engine) *Pair {
	if a.Now() != b.Now() {
		panic("study: a pair at two instants")
	}
	p := &Pair{sides: [2]*engine.Engine{a, b}}
	for _, e := range p.sides {
		e.Trace().Start(pairEvents, pairRecords)
	}
	return p
}

// Advance goes on by about maxEvents events a side, at most to instant until.
// It ends when the runs have parted, when both are done or at until.
func (p *Pair) Advance(until simtime.Time, maxEvents int64) (ended bool) {
	stop := p.sides[0].Events() + maxEvents
	for !p.Apart && p.sides[0].Now() < until && p.sides[0].Events() < stop {
		next := min(until, p.sides[0].Now().Add(lockstep))
		done := true
		for _, e := range p.sides {
			e.RunUntil(next, 1<<40)
			done = done && e.Done()
		}
		p.compare()
		if p.Apart {
			p.complete()
		}
		if done {
			return true
		}
	}
	return p.Apart || p.sides[0].Now() >= until
}

// complete goes on with a side that has no record of its own yet to its next one.
func (p *Pair) complete() {
	for i, e := range p.sides {
		for until := e.Now().Add(partingSpan); !p.Has[i] && !e.Done() && e.Now() < until; {
			e.RunUntil(e.Now().Add(lockstep), 1<<40)
			e.Trace().Each(p.seen[i], func(r *trace.Record, _ []uint64) {
				if !p.Has[i] {
					p.First[i], p.Has[i] = *r, true
				}
			})
		}
	}
}

// compare looks for the first difference in the records of the last step.
func (p *Pair) compare() {
	var records [2][]trace.Record
	for i, e := range p.sides {
		ring := e.Trace()
		ring.Each(p.seen[i], func(r *trace.Record, _ []uint64) { records[i] = append(records[i], *r) })
		p.seen[i] = ring.Written
	}
	for n := 0; n < len(records[0]) || n < len(records[1]); n++ {
		for i := range records {
			p.Has[i] = n < len(records[i])
			if p.Has[i] {
				p.First[i] = records[i][n]
			}
		}
		if p.Has[0] != p.Has[1] || p.First[0] != p.First[1] {
			p.Apart = true
			return
		}
	}
}
