//go:build js

// Command worker is the engine in a Web Worker. It puts its functions on the
// global object wakelab; web/js/worker.mjs calls them and web/js/engine.mjs
// describes the protocol.
package main

import (
	"fmt"
	"syscall/js"
	"time"

	"github.com/goccy/go-json"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/study"
)

// chunk is how many events run between two looks at the clock: about a
// millisecond's work.
const chunk = 5000

// hottest is how many lines and locks are told of.
const hottest = 24

func main() {
	var s session
	js.Global().Set("wakelab", map[string]any{
		"warmKey": expose(s.warmKey),
		"start":   expose(s.start),
		"run":     expose(s.advance),
		"next":    expose(s.next),
		"seek":    expose(s.seek),
		"save":    expose(s.save),
		"part":    expose(part),
		"view":    expose(s.view),
		"result":  expose(s.result),
		"digest":  expose(s.digest),
		"periods": expose(s.periods),
		"report":  expose(report),
		"csv":     expose(resultsCSV),
		"sweep":   expose(sweepRuns),
		"import":  expose(importMachine),
		"record":  expose(s.record),
		"trace":   expose(s.trace),
	})
	select {}
}

// answer is an object for JavaScript.
type answer = map[string]any

// expose makes f callable from JavaScript. An error and a panic (a broken
// invariant, with its simulated time and CPU) are both answered as {error}.
func expose(f func(args []js.Value) (answer, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = answer{"error": fmt.Sprint(p)}
			}
		}()
		a, err := f(args)
		if err != nil {
			return answer{"error": err.Error()}
		}
		return a
	})
}

// session is the run this worker is in, and buffers that are used again.
type session struct {
	run     *study.Run
	history study.History
	frame   view.Frame
	buf     []byte
	ended   bool

	observed bool // it is shown and can be taken back, which costs time
}

func (s *session) keep() {
	if s.observed {
		s.history.Keep(s.run)
	}
}

// resolve(study, kernel, {key: text}, machine) is the configuration of a
// study's kernel with some parameters changed, on another machine if machine is
// the text of a preset and not "", and the study's metric.
func resolve(args []js.Value) (cfg engine.Config, metric study.Metric, err error) {
	lib, st, err := library(args[0].String(), args[3].String())
	if err != nil {
		return cfg, metric, err
	}
	metric, _ = study.FindMetric(st.Metric) // the library has checked it
	cfg, err = lib.Config(st, args[1].String(), set(args[2]))
	return cfg, metric, err
}

// warmKey(study, kernel, set, machine) names the settled state that start may be
// given, and the scene whose state will do.
func (s *session) warmKey(args []js.Value) (answer, error) {
	cfg, _, err := resolve(args)
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return nil, err
	}
	return answer{"key": cfg.WarmKey(), "scene": cfg.SceneKey()}, nil
}

// start(study, kernel, set, machine, state, fork, observe, branched) begins a new run, from a
// state if that, a Uint8Array, is not null. A settled state that does not fit is
// left alone and said in the answer's notice; with fork, state is where another
// kernel's run stands, and must fit. A run that is not observed is faster and
// has only results to show.
func (s *session) start(args []js.Value) (answer, error) {
	cfg, metric, err := resolve(args)
	if err != nil {
		return nil, err
	}
	var run *study.Run
	var unfit error
	state, fork := args[4], args[5].Bool()
	switch {
	case fork:
		run, err = study.Fork(cfg, metric, snapshot(state))
	case !state.IsNull():
		run, unfit = study.NewFrom(cfg, metric, snapshot(state), args[7].Bool())
	}
	if run == nil && err == nil {
		run, err = study.New(cfg, metric)
	}
	if err != nil {
		return nil, err
	}
	s.run, s.ended, s.history = run, false, study.History{}
	s.observed = args[6].Bool()
	s.keep()
	s.run.Engine().Observe(s.observed)
	a := s.look()
	if unfit != nil {
		a["notice"] = unfit.Error()
	}
	static := s.run.Engine().Static()
	s.buf = view.AppendStatic(s.buf[:0], &static)
	a["static"] = arrayBuffer(s.buf)
	return a, nil
}

// snapshot copies a Uint8Array.
func snapshot(array js.Value) *engine.Snapshot {
	bytes := make([]byte, array.Length())
	js.CopyBytesToGo(bytes, array)
	return engine.SnapshotOf(bytes)
}

// set reads an object of texts by key.
func set(object js.Value) presets.Set {
	set := presets.Set{}
	keys := js.Global().Get("Object").Call("keys", object)
	for i := range keys.Length() {
		key := keys.Index(i).String()
		set[key] = object.Get(key).String()
	}
	return set
}

// advance(until, events, ms) goes on to an instant in ps, for at most so many
// events and milliseconds.
func (s *session) advance(args []js.Value) (answer, error) {
	until := simtime.Time(args[0].Float())
	events := int64(args[1].Float())
	deadline := deadline(args[2])
	for e := s.run.Engine(); e.Now() < until && !s.ended && events > 0; events -= chunk {
		s.ended = s.run.Advance(until, min(events, chunk))
		if time.Now().After(deadline) {
			break
		}
	}
	s.keep()
	return s.look(), nil
}

// view() answers with the instant the run stands at.
func (s *session) view([]js.Value) (answer, error) { return s.look(), nil }

func (s *session) look() answer {
	s.run.Engine().View(&s.frame)
	s.buf = view.AppendFrame(s.buf[:0], &s.frame)
	return answer{
		"frame": arrayBuffer(s.buf),
		"status": answer{
			"nowPs": float64(s.frame.NowPs), "events": float64(s.frame.Events), "done": s.ended,
			"progress": s.run.Progress(), "keptBytes": s.history.Bytes(),
		},
	}
}

// result() answers with what the run has found so far, a study.Result. A
// metric that cannot be told yet is null, and so is a mean of no events.
func (s *session) result([]js.Value) (answer, error) {
	r, err := s.run.Result()
	result, unwritable := object(&r)
	if unwritable != nil {
		return nil, unwritable
	}
	if err != nil {
		result.Set("metric", nil)
	}
	for i, c := range r.Counters {
		if c.None {
			result.Get("counters").Index(i).Set("value", nil)
		}
	}
	e := s.run.Engine()
	details := view.Details{Lines: e.Lines(hottest), Locks: e.Locks(hottest), Slices: e.Anatomy(), Functions: e.Profile(), SincePs: int64(e.ObservedSince())}
	s.buf = view.AppendDetails(s.buf[:0], &details)
	tables, err := object(&details)
	if err != nil {
		return nil, err
	}
	return answer{"result": result, "details": arrayBuffer(s.buf), "tables": tables}, nil
}

// periods(from) answers with what was counted in each period of the run from
// the nth on: {atPs, values}, by period; values are in the order of result's
// counters, null where there is none.
func (s *session) periods(args []js.Value) (answer, error) {
	atPs, values := []any{}, []any{}
	for _, p := range s.run.Periods(args[0].Int()) {
		of := make([]any, len(p.Counters))
		for i, c := range p.Counters {
			if !c.None {
				of[i] = c.Value
			}
		}
		atPs, values = append(atPs, float64(p.Until)), append(values, of)
	}
	return answer{"atPs": atPs, "values": values}, nil
}

// object makes a JavaScript object of what JSON says of v.
func object(v any) (js.Value, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return js.Null(), err
	}
	return js.Global().Get("JSON").Call("parse", string(text)), nil
}

// digest() answers with the digest of the state at the instant the run stands
// at.
func (s *session) digest([]js.Value) (answer, error) {
	return answer{"digest": fmt.Sprintf("%016x", s.run.Digest())}, nil
}

// arrayBuffer copies b into a new ArrayBuffer, which can be transferred.
func arrayBuffer(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a.Get("buffer")
}
