//go:build js

package main

import (
	"bytes"
	"fmt"
	"io"
	"syscall/js"

	"wakelab/engine/export"
	"wakelab/engine/trace"
)

// exportRecords is how many trace records an export keeps, the latest ones.
const exportRecords = 1 << 18

// traceFormats writes a trace by format name.
var traceFormats = map[string]func(*export.Trace, io.Writer) error{
	"ftrace":   func(t *export.Trace, w io.Writer) error { return t.Text(w, export.Nanoseconds) },
	"perfetto": (*export.Trace).Chrome,
	"dat":      (*export.Trace).Dat,
}

// record() records all tracepoints from here on.
func (s *session) record([]js.Value) (answer, error) {
	mask, err := trace.ParseMask("all")
	if err != nil {
		return nil, err
	}
	s.run.Engine().Trace().Start(mask, exportRecords)
	return answer{}, nil
}

// trace(format) answers with the recorded tracepoints as a file of a format,
// and how many records did not fit.
func (s *session) trace(args []js.Value) (answer, error) {
	write, ok := traceFormats[args[0].String()]
	if !ok {
		return nil, fmt.Errorf("no trace format %q", args[0].String())
	}
	e := s.run.Engine()
	var b bytes.Buffer
	if err := write(&export.Trace{Ring: e.Trace(), Names: e.Names(), Topo: e.Topology()}, &b); err != nil {
		return nil, err
	}
	return answer{"file": arrayBuffer(b.Bytes()), "lost": float64(e.Trace().First())}, nil
}
