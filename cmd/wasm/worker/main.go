//go:build js

// Command worker is the engine in a Web Worker. It puts its functions on the
// global object wakelab; web/js/worker.mjs calls them and web/js/engine.mjs
// describes the protocol.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"syscall/js"
	"time"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// chunk is how many events run between two looks at the clock: about a
// millisecond's work.
const chunk = 5000

func main() {
	var s session
	js.Global().Set("wakelab", map[string]any{
		"start": export(s.start),
		"run":   export(s.run),
		"view":  export(s.view),
	})
	select {}
}

// answer is an object for JavaScript.
type answer = map[string]any

// export makes f callable from JavaScript. An error and a panic (a broken
// invariant, with its simulated time and CPU) are both answered as {error}.
func export(f func(args []js.Value) (answer, error)) js.Func {
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
	engine *engine.Engine
	frame  view.Frame
	buf    []byte
}

// start begins a new run of a configuration, an object of texts by key.
func (s *session) start(args []js.Value) (answer, error) {
	cfg, err := config(args[0])
	if err != nil {
		return nil, err
	}
	if s.engine, err = engine.New(cfg); err != nil {
		return nil, err
	}
	a := s.look()
	static := s.engine.Static()
	s.buf = view.AppendStatic(s.buf[:0], &static)
	a["static"] = arrayBuffer(s.buf)
	return a, nil
}

// config sets every key of an object and reports all problems at once.
func config(object js.Value) (engine.Config, error) {
	cfg := engine.Default()
	keys := js.Global().Get("Object").Call("keys", object)
	var problems []string
	for i := range keys.Length() {
		key := keys.Index(i).String()
		if err := cfg.Set(key, object.Get(key).String()); err != nil {
			problems = append(problems, err.Error())
		}
	}
	if len(problems) > 0 {
		sort.Strings(problems)
		return cfg, errors.New(strings.Join(problems, "\n"))
	}
	return cfg, cfg.Validate()
}

// run goes on to an instant in ps, for at most so many events and
// milliseconds.
func (s *session) run(args []js.Value) (answer, error) {
	until := simtime.Time(args[0].Float())
	events := int64(args[1].Float())
	deadline := time.Now().Add(time.Duration(args[2].Float() * float64(time.Millisecond)))
	for s.engine.Now() < until && !s.engine.Done() && events > 0 {
		n := min(events, chunk)
		s.engine.RunUntil(until, n)
		if events -= n; time.Now().After(deadline) {
			break
		}
	}
	return s.look(), nil
}

// view answers with the instant the run stands at.
func (s *session) view([]js.Value) (answer, error) { return s.look(), nil }

func (s *session) look() answer {
	s.engine.View(&s.frame)
	s.buf = view.AppendFrame(s.buf[:0], &s.frame)
	counters := make([]any, len(s.frame.Counters))
	for i, c := range s.frame.Counters {
		counters[i] = answer{"key": c.Key, "title": c.Title, "unit": c.Unit, "value": c.Value}
	}
	return answer{
		"frame": arrayBuffer(s.buf),
		"status": answer{
			"nowPs": float64(s.frame.NowPs), "events": float64(s.frame.Events), "done": s.frame.Done,
			"counters": counters,
		},
	}
}

// arrayBuffer copies b into a new ArrayBuffer, which can be transferred.
func arrayBuffer(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a.Get("buffer")
}
