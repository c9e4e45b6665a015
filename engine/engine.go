package engine

import (
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
	"wakelab/engine/view"
	"wakelab/engine/workload"
)

// Engine is one run.
type Engine struct {
	cfg    Config
	k      *kernel.Kernel
	prog   workload.Program
	static view.Static
	shown  kernel.Shown
	viewed Sample // of the last frame
}

// New builds the run that cfg describes, at instant 0. The error lists every
// problem of cfg.
func New(cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.Clone()
	t, err := cfg.topology()
	if err != nil {
		return nil, err
	}
	v := cfg.drawn()
	e := &Engine{cfg: cfg, prog: workload.New(v[workloadAt:runAt], t)}
	e.k = kernel.New(t, v[machineAt:featureAt], v[featureAt:costAt], v[costAt:workloadAt],
		e.prog, uint64(v[runAt+int(runSeed)].N))
	e.k.Static(&e.static)
	return e, nil
}

// Config returns the configuration of the run; do not change it.
func (e *Engine) Config() Config { return e.cfg }

// RunUntil advances the run to instant t, or until maxEvents events have been
// handled or the workload is done, whichever comes first.
func (e *Engine) RunUntil(t simtime.Time, maxEvents int64) { e.k.Run(t, maxEvents) }

// Now returns the current instant.
func (e *Engine) Now() simtime.Time { return e.k.Now() }

// Done reports whether the workload has ended.
func (e *Engine) Done() bool { return e.k.Done() }

// DoneAt returns when the workload ended, or simtime.Never.
func (e *Engine) DoneAt() simtime.Time { return e.k.DoneAt() }

// Work returns how many units of work the run has done, and how many end it:
// messages, for hackbench. Total is 0 if only time ends the workload.
func (e *Engine) Work() (done, total int64) { return e.prog.Done(e.k), e.prog.Total() }

// Latency returns a distribution that the workload records, such as schbench's
// "wakeup" and "request"; nil if it does not record that one.
func (e *Engine) Latency(name string) *kernel.Hist {
	if p, ok := e.prog.(interface {
		Latency(k *kernel.Kernel, name string) *kernel.Hist
	}); ok {
		return p.Latency(e.k, name)
	}
	return nil
}

// Output is what the program prints at its end if it does rate units of work
// a second.
func (e *Engine) Output(rate float64) string { return e.prog.Output(e.k, rate) }

// Events returns how many events the run has handled.
func (e *Engine) Events() int64 { return e.k.Count().Events }

// Count returns the raw counters of the run so far.
func (e *Engine) Count() kernel.Counters { return *e.k.Count() }

// Profile returns the time of all CPUs by kernel function, longest first.
func (e *Engine) Profile() []view.FnTime { return e.k.Profile() }

// Digest is a hash of the whole state: equal runs have equal digests at equal
// instants, natively and in wasm.
func (e *Engine) Digest() uint64 { return e.k.Digest() }

// Check verifies the model's invariants and panics on a broken one.
func (e *Engine) Check() { e.k.Check() }

// Static returns what does not change during the run.
func (e *Engine) Static() view.Static { return e.static }

// Trace returns the run's ring of tracepoint records, which is off until its
// Start is called.
func (e *Engine) Trace() *trace.Ring { return e.k.Trace() }

// Names returns what the indices in trace records stand for.
func (e *Engine) Names() trace.Names { return e.k.Names() }

// Topology returns the machine's shape.
func (e *Engine) Topology() *topo.Topology { return e.k.Topo }

// Snapshot is a copy of a run's state.
type Snapshot struct {
	At    simtime.Time
	state []byte
}

// Size returns the snapshot's length in bytes.
func (s *Snapshot) Size() int { return len(s.state) }

// Bytes returns the saved state; it fits only the same configuration.
func (s *Snapshot) Bytes() []byte { return s.state }

// Snapshot copies the state. It reuses the memory of into if that is not nil.
func (e *Engine) Snapshot(into *Snapshot) *Snapshot {
	if into == nil {
		into = &Snapshot{state: make([]byte, 0, e.k.StateSize())}
	}
	into.At = e.k.Now()
	into.state = e.k.Save(into.state[:0])
	return into
}

// Restore goes back to a snapshot of a run with the same machine and tasks.
// Features and costs may differ: that is how a run is forked.
func (e *Engine) Restore(s *Snapshot) error {
	if err := e.k.Load(s.state); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	e.k.ForgetObserved()
	e.shown, e.viewed = kernel.Shown{}, Sample{}
	return nil
}
