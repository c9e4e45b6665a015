// Package study measures: it advances a run until its rate is known, turns it
// into a benchmark's result, and sums up runs of several kernels and seeds.
// It has no files, goroutines or wall clock, so that the command line and a
// Web Worker use the same code.
package study

import (
	"fmt"
	"strconv"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/stats"
	"wakelab/engine/view"
)

// numSamples is how many times a run is sampled if it lasts its whole
// duration.
const numSamples = 200

// minSamples are needed after the warm-up to say anything.
const minSamples = 10

// Metric is what a benchmark reports.
type Metric struct {
	Key, Title, Unit string
	Higher           bool // more is better
	of               quantity
	workload         string // the only one that it can be measured of; empty: any
	latency          string // of a percentile: which of the program's latencies
	permille         int64
}

// quantity is what of a run a metric is computed from.
type quantity int

const (
	wholeTime  quantity = iota // the time of the whole benchmark
	unitTime                   // the time that one unit of work takes
	unitRate                   // units of work per second
	percentile                 // of a latency that the program records
)

// Metrics lists all metrics.
var Metrics = []Metric{
	{Key: "time", Title: "Run time", Unit: "s"},
	{Key: "usecs_per_op", Title: "Time of an operation", Unit: "us", of: unitTime},
	{Key: "ops_per_s", Title: "Operations per second", Unit: "1/s", Higher: true, of: unitRate},
	{Key: "ticks_per_s", Title: "Timer ticks", Unit: "1/s", of: unitRate, workload: "idle"},
	{Key: "wakeup_p50_us", Title: "Wakeup latency, median", Unit: "us", of: percentile, latency: "wakeup", permille: 500},
	{Key: "wakeup_p99_us", Title: "Wakeup latency, 99th percentile", Unit: "us", of: percentile, latency: "wakeup", permille: 990},
	{Key: "wakeup_p999_us", Title: "Wakeup latency, 99.9th percentile", Unit: "us", of: percentile, latency: "wakeup", permille: 999},
	{Key: "request_p99_us", Title: "Request latency, 99th percentile", Unit: "us", of: percentile, latency: "request", permille: 990},
}

// ownMetric is the figure that a workload is run for; the others' is the time.
var ownMetric = map[string]string{
	"sched-pipe": "usecs_per_op", "schbench": "wakeup_p99_us", "tbench": "ops_per_s", "netperf": "ops_per_s", "idle": "ticks_per_s",
}

// runsToItsEnd are the workloads whose end no rate foretells: the idle-balance
// scene ends with its slowest thread, which speeds up when others have ended.
var runsToItsEnd = map[string]bool{"ilb": true}

// OwnMetric returns the metric that cfg's workload is run for.
func OwnMetric(cfg *engine.Config) Metric {
	m, ok := FindMetric(ownMetric[cfg.Get("workload")])
	if !ok {
		return Metrics[0]
	}
	return m
}

// Run is one kernel of a study with one seed.
type Run struct {
	metric   Metric
	engine   *engine.Engine
	period   simtime.Duration
	duration simtime.Duration
	start    simtime.Time     // 0, or the instant of the settled state it starts from
	past     int64            // events until then
	settle   simtime.Duration // of it: left out, since that state is another configuration's
	toItsEnd bool             // the metric is known at the workload's end alone
	samples  []engine.Sample
	ended    bool
}

// New prepares the run of cfg. The error lists every problem of cfg.
func New(cfg engine.Config, metric Metric) (*Run, error) {
	e, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	return newRun(e, metric, 0)
}

// NewFrom prepares the run of cfg from a settled state: its own, or, branched,
// another one of its scene.
func NewFrom(cfg engine.Config, metric Metric, warm *engine.Snapshot, branched bool) (*Run, error) {
	e, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	if err := e.StartFrom(warm); err != nil {
		return nil, err
	}
	var settle simtime.Duration
	if branched {
		settle = simtime.Duration(cfg.Number("resettles_after"))
	}
	return newRun(e, metric, settle)
}

// Fork prepares a run of cfg that goes on from another run's state, of a
// kernel on the same machine with the same workload. It measures from there.
func Fork(cfg engine.Config, metric Metric, state *engine.Snapshot) (*Run, error) {
	e, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	if err := e.Restore(state); err != nil {
		return nil, err
	}
	return newRun(e, metric, 0)
}

func newRun(e *engine.Engine, metric Metric, settle simtime.Duration) (*Run, error) {
	cfg := e.Config()
	r := &Run{metric: metric, engine: e, start: e.Now(), past: e.Events(), settle: settle,
		duration: settle + simtime.Duration(cfg.Number("duration")),
		toItsEnd: metric.of == wholeTime && runsToItsEnd[cfg.Get("workload")]}
	if _, total := e.Work(); total == 0 && metric.of == wholeTime {
		return nil, fmt.Errorf("metric %s: the workload %s has no end of its own", metric.Key, cfg.Get("workload"))
	}
	if w := cfg.Get("workload"); metric.workload != "" && metric.workload != w {
		return nil, fmt.Errorf("metric %s: the workload %s is not %s", metric.Key, w, metric.workload)
	}
	if metric.of == percentile && e.Latency(metric.latency) == nil {
		return nil, fmt.Errorf("metric %s: the workload %s does not record that latency", metric.Key, cfg.Get("workload"))
	}
	if cfg.Number("warmup") >= cfg.Number("duration") {
		return nil, fmt.Errorf("warmup: %s: must be below duration, %s", cfg.Get("warmup"), cfg.Get("duration"))
	}
	r.period = max(r.duration/numSamples, 1)
	r.samples = append(r.samples, e.Sample())
	return r, nil
}

// Metric returns what the run measures.
func (r *Run) Metric() Metric { return r.metric }

// Engine returns the run's engine, to look at; only Advance may move it.
func (r *Run) Engine() *engine.Engine { return r.engine }

// Advance goes on until an instant, by at most maxEvents events, and reports
// whether the run has ended.
func (r *Run) Advance(until simtime.Time, maxEvents int64) (ended bool) {
	stop := r.engine.Events() + maxEvents
	for !r.ended && r.engine.Events() < stop && r.engine.Now() < until {
		next := r.samples[len(r.samples)-1].At.Add(r.period)
		r.engine.RunUntil(min(next, until), stop-r.engine.Events())
		if done := r.engine.Done(); done || r.engine.Now() >= next {
			r.samples = append(r.samples, r.engine.Sample())
			r.ended = done || r.engine.Now().Sub(r.start) >= r.duration || r.precise()
		}
	}
	return r.ended
}

// precise reports whether the run may end early.
func (r *Run) precise() bool {
	cfg := r.engine.Config()
	want := float64(cfg.Number("precision")) / 1000
	if want == 0 || r.toItsEnd || len(r.samples)%(numSamples/20) != 0 {
		return false
	}
	m := r.measure()
	return m.settled && m.cut+numSamples/4 <= len(r.samples) && m.rate.Lo > 0 && m.rate.HalfWidth() <= want
}

// Ended reports whether the run is over.
func (r *Run) Ended() bool { return r.ended }

// Progress returns the share of the run that is over, 0 to 1: of its duration
// or of its work, whichever is further. It may end earlier.
func (r *Run) Progress() float64 {
	if r.ended {
		return 1
	}
	share := float64(r.engine.Now().Sub(r.start)) / float64(r.duration)
	if done, total := r.engine.Work(); total > 0 { // not a workload without an end
		share = max(share, float64(done)/float64(total))
	}
	return share
}

// measurement is the steady part of a run.
type measurement struct {
	cut     int // samples before it are warm-up
	settled bool
	known   bool           // there are enough samples for a rate
	rate    stats.Interval // units of work per second
}

func (r *Run) measure() measurement {
	rates := make([]float64, 0, len(r.samples))
	for i := 1; i < len(r.samples); i++ {
		a, b := &r.samples[i-1], &r.samples[i]
		if b.At.Sub(a.At) == r.period { // all but the last of a run that is done
			rates = append(rates, float64(b.Done-a.Done)/r.period.Seconds())
		}
	}
	var m measurement
	cfg := r.engine.Config()
	if warmup := cfg.Number("warmup"); warmup > 0 {
		for m.cut < len(rates) && int64(r.samples[m.cut].At.Sub(r.start)) < warmup {
			m.cut++
		}
		m.settled = true
	} else {
		m.cut, m.settled = stats.WarmUp(rates)
	}
	for m.cut < len(rates) && r.samples[m.cut].At.Sub(r.start) < r.settle {
		m.cut++
	}
	if int64(r.samples[min(m.cut, len(r.samples)-1)].At) < cfg.Number("settles_after") { // counted from the benchmark's start, which a settled state has long behind it
		m.settled = false
	}
	if m.known = len(rates)-m.cut >= minSamples; m.known {
		m.rate = stats.BatchMeans(rates[m.cut:])
	}
	return m
}

// Result is what one run found.
type Result struct {
	Seed       int64          `json:"seed"`
	Metric     stats.Interval `json:"metric"`    // from the batch means of this run alone
	Rate       float64        `json:"rate"`      // units of work per second, over the whole benchmark
	Full       bool           `json:"full"`      // the workload ran to its end; nothing is extrapolated
	Settled    bool           `json:"settled"`   // the rate was steady; otherwise the result is a first idea
	WarmUpS    float64        `json:"warm_up_s"` // left out at the start, in simulated s
	SimulatedS float64        `json:"simulated_s"`
	Events     int64          `json:"events"` // within that time
	Digest     Digest         `json:"digest"`
	Counters   []view.Counter `json:"counters"` // of the time after the warm-up
}

// Digest is the hash of a run's whole state at its end.
type Digest uint64

// String writes the digest as it is printed everywhere.
func (d Digest) String() string { return fmt.Sprintf("%016x", uint64(d)) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	v, err := strconv.ParseUint(string(text), 16, 64)
	*d = Digest(v)
	return err
}

// Result returns what the run has found so far, also before it has ended.
func (r *Run) Result() (Result, error) {
	e := r.engine
	cfg := e.Config()
	m := r.measure()
	last := e.Sample()
	first := r.samples[min(m.cut, len(r.samples)-1)]
	res := Result{
		Seed: cfg.Number("seed"), Full: e.Done(), Settled: m.settled && !r.toItsEnd || e.Done(), WarmUpS: first.At.Sub(r.start).Seconds(),
		SimulatedS: e.Now().Sub(r.start).Seconds(), Events: e.Events() - r.past, Digest: Digest(e.Digest()),
		Counters: e.AppendRates([]view.Counter{}, &first, &last), // a list also at the start
	}
	done, total := e.Work()
	work := float64(total)
	switch {
	case r.metric.of == percentile && e.Latency(r.metric.latency).Count() == 0:
		return res, fmt.Errorf("after %s of simulated time there is no %s latency yet; give a longer duration", e.Now(), r.metric.latency)
	case r.metric.of == percentile:
		v := float64(e.Latency(r.metric.latency).Permille(r.metric.permille)) / float64(simtime.Microsecond)
		res.Metric = stats.Interval{Value: v, Lo: v, Hi: v}
		res.Rate = m.rate.Value
		return res, nil
	case e.Done():
		t := e.DoneAt().Seconds()
		res.Metric = stats.Interval{Value: t, Lo: t, Hi: t}
	case r.toItsEnd:
		return res, fmt.Errorf("after %s of simulated time the workload %s has not ended, and its end cannot be extrapolated; give a longer duration", e.Now(), cfg.Get("workload"))
	case !m.known || m.rate.Lo <= 0 && r.metric.of != unitRate:
		return res, fmt.Errorf("after %s of simulated time the rate is not known well enough to extrapolate; give a longer duration", e.Now())
	case total > 0:
		at := e.Now().Seconds()
		if r.start > 0 { // how the settled state was reached is not the benchmark's past
			done, at = 0, 0
		}
		res.Metric = stats.TimeFor(work, float64(done), at, m.rate)
	}
	if total > 0 {
		res.Rate = work / res.Metric.Value
	} else {
		res.Rate = m.rate.Value
	}
	if e.Done() {
		m.rate = stats.Interval{Value: res.Rate, Lo: res.Rate, Hi: res.Rate}
	}
	switch r.metric.of {
	case unitTime:
		res.Metric = stats.Interval{Value: 1e6 / m.rate.Value, Lo: 1e6 / m.rate.Hi, Hi: 1e6 / m.rate.Lo}
	case unitRate:
		res.Metric = m.rate
	}
	return res, nil
}

// FindMetric returns the metric of that key.
func FindMetric(key string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Key == key {
			return m, true
		}
	}
	return Metric{}, false
}
