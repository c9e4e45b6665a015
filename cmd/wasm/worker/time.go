//go:build js

package main

import (
	"fmt"
	"syscall/js"
	"time"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/study"
)

// stepKinds are the tracepoints that end a step; none: any event does.
var stepKinds = map[string]trace.Mask{
	"event":  0,
	"wakeup": 1 << trace.SchedWaking,
	"IPI":    1<<trace.IPISendCPU | 1<<trace.IPISendCPUMask,
}

// stepRecords is the room for the records of one event.
const stepRecords = 256

// next(kind, ms) goes on to the next event of a kind, for at most so many
// milliseconds; the answer's found tells whether it was reached.
func (s *session) next(args []js.Value) (answer, error) {
	mask, ok := stepKinds[args[0].String()]
	if !ok {
		return nil, fmt.Errorf("no steps by %q", args[0].String())
	}
	deadline := deadline(args[1])
	ring := s.run.Engine().Trace()
	ring.Start(mask, stepRecords)
	found := false
	for n := 1; !found && !s.ended; n++ {
		s.ended = s.run.Advance(simtime.Never, 1)
		found = mask == 0 || ring.Written > 0
		if n%chunk == 0 && time.Now().After(deadline) {
			break
		}
	}
	ring.Start(0, stepRecords)
	a := s.look()
	a["found"] = found
	return a, nil
}

// deadline is so many milliseconds from now.
func deadline(ms js.Value) time.Time {
	return time.Now().Add(time.Duration(ms.Float() * float64(time.Millisecond)))
}

// seek(ps) goes back, or on, to the kept moment before an instant. The run may
// then be short of it.
func (s *session) seek(args []js.Value) (answer, error) {
	before := s.run.Engine().Now()
	if err := s.history.Seek(s.run, simtime.Time(args[0].Float())); err != nil {
		return nil, err
	}
	if s.run.Engine().Now() != before {
		s.ended = false
	}
	return s.look(), nil
}

// save() answers with the state of the instant the run stands at.
func (s *session) save([]js.Value) (answer, error) {
	return answer{"state": arrayBuffer(s.run.Engine().Snapshot(nil).Bytes())}, nil
}

// part(study, [kernel, kernel], set, machine, state, ms) runs two kernels from
// one state until they part, for at most so many milliseconds: {parted, nowPs,
// lines}, lines being each kernel's first event that the other does not have.
func part(args []js.Value) (answer, error) {
	var sides [2]*engine.Engine
	for i := range sides {
		cfg, _, err := resolve([]js.Value{args[0], args[1].Index(i), args[2], args[3]})
		if err != nil {
			return nil, err
		}
		if sides[i], err = engine.New(cfg); err != nil {
			return nil, err
		}
		if err := sides[i].Restore(snapshot(args[4])); err != nil {
			return nil, err
		}
	}
	deadline := deadline(args[5])
	pair := study.NewPair(sides[0], sides[1])
	for !pair.Advance(simtime.Never, chunk) && time.Now().Before(deadline) {
	}
	lines := []any{nil, nil}
	for i, e := range sides {
		if pair.Apart && pair.Has[i] {
			lines[i] = export.Line(pair.First[i], e.Names(), e.Topology())
		}
	}
	return answer{"parted": pair.Apart, "nowPs": float64(sides[0].Now()), "lines": lines}, nil
}
