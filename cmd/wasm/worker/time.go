//go:build js

package main

import (
	"syscall/js"
	"time"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/presets"
	"wakelab/study"
)

// next({event, enters, cpu, to}, ms) goes on to the next event as presets.At
// describes it, for at most so many milliseconds; with event and enters "" any
// event of the simulation will do. The answer's hit is null or {cpu, to}, the
// CPU on which it was and the one it is about, -1 for none.
func (s *session) next(args []js.Value) (answer, error) {
	text := func(key string) string { return args[0].Get(key).String() }
	at := presets.At{Event: text("event"), Enters: text("enters"), CPU: text("cpu"), To: text("to")}
	if _, err := trace.ParseMask(at.Event); err != nil {
		return nil, err
	}
	_, want, _ := at.Want()
	deadline := deadline(args[1])
	var hit any
	for hit == nil && !s.ended {
		h, found := s.run.Next(want, chunk)
		s.ended = s.run.Ended()
		if found {
			hit = answer{"cpu": h.CPU, "to": h.To}
		}
		if time.Now().After(deadline) {
			break
		}
	}
	a := s.look()
	a["hit"] = hit
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
// one state, or if that is null from the benchmark's start, until they part, for
// at most so many milliseconds: {parted, nowPs, firsts}, firsts being each
// kernel's first event that the other does not have: {line, atPs, cpu}, or null.
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
		if state := args[4]; !state.IsNull() {
			if err := sides[i].Restore(snapshot(state)); err != nil {
				return nil, err
			}
		}
	}
	deadline := deadline(args[5])
	pair := study.NewPair(sides[0], sides[1])
	for !pair.Advance(simtime.Never, chunk) && time.Now().Before(deadline) {
	}
	firsts := []any{nil, nil}
	for i, e := range sides {
		if pair.Apart && pair.Has[i] {
			r := pair.First[i]
			firsts[i] = answer{"line": export.Line(r, e.Names(), e.Topology()), "atPs": float64(r.AtPs), "cpu": r.CPU}
		}
	}
	return answer{"parted": pair.Apart, "nowPs": float64(sides[0].Now()), "firsts": firsts}, nil
}
