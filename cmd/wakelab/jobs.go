package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/presets/warm"
	"wakelab/study"
)

// chunk is how many events a run handles between two looks at Ctrl-C and the
// progress bar: some 20 ms.
const chunk = 200_000

// job is one run of many. Only its result is kept: a machine takes 100 MB.
type job struct {
	cfg    engine.Config
	metric study.Metric
	from   *engine.Snapshot // the settled state to measure from; nil: the kept one, if there is one
	begun  bool
	ended  bool         // false after begun: it was stopped
	result study.Result // so far, if the run was stopped
	err    error        // no result: the run was too short
}

// runJobs does all jobs, at most workers at a time, in order, and calls ended,
// if it is not nil, after each one that ended, one call at a time. It returns
// when all have ended, ctx is cancelled or ended has failed.
func runJobs(ctx context.Context, jobs []*job, workers int, bar *bar, ended func(*job) error) error {
	for _, j := range jobs { // before any work: bad input should not cost time
		if err := j.cfg.Validate(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var wg sync.WaitGroup
	var mu sync.Mutex
	fail := make(chan error, len(jobs))
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				err := j.do(ctx, func(share float64) { bar.add(share / float64(len(jobs))) })
				if err == nil && j.ended && ended != nil {
					mu.Lock()
					err = ended(j)
					mu.Unlock()
				}
				if err != nil {
					fail <- err
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	close(fail)
	return <-fail
}

func (j *job) do(ctx context.Context, add func(share float64)) error {
	run, err := j.prepare()
	if err != nil {
		return err
	}
	if err := runToEnd(ctx, run, 0, add); err != nil {
		return err
	}
	j.begun, j.ended = true, run.Progress() == 1
	j.result, j.err = run.Result()
	return nil
}

func (j *job) prepare() (*study.Run, error) {
	if j.from != nil {
		return study.NewFrom(j.cfg, j.metric, j.from, false)
	}
	return newRun(j.cfg, j.metric)
}

// simulate runs cfg to its end or until ctx is cancelled, and tells add how far
// it came.
func simulate(ctx context.Context, cfg engine.Config, metric study.Metric, add func(share float64)) (*study.Run, error) {
	return simulateFrom(ctx, cfg, metric, 0, add)
}

// simulateFrom does so too; the statistics of functions, lines and locks leave
// out what comes before `from`.
func simulateFrom(ctx context.Context, cfg engine.Config, metric study.Metric, from simtime.Duration, add func(share float64)) (*study.Run, error) {
	run, err := newRun(cfg, metric)
	if err != nil {
		return nil, err
	}
	return run, runToEnd(ctx, run, from, add)
}

// runToEnd goes on with run as simulateFrom does. A broken invariant panics with
// the command that repeats it.
func runToEnd(ctx context.Context, run *study.Run, from simtime.Duration, add func(share float64)) error {
	defer func() {
		if p := recover(); p != nil {
			cfg := run.Engine().Config()
			panic(fmt.Sprintf("%v\nThis is a mistake of Wakelab's. To repeat it: wakelab run --set %s", p, strings.Join(cfg.Changed(), " --set ")))
		}
	}()
	before := 0.0
	advance := func(until simtime.Time) {
		for !run.Ended() && run.Engine().Now() < until && ctx.Err() == nil {
			run.Advance(until, chunk)
			now := run.Progress()
			add(now - before)
			before = now
		}
	}
	if from > 0 {
		advance(run.Engine().Now().Add(from))
		if run.Ended() {
			return fmt.Errorf("the run ended at %v: nothing of it comes after its first %v", run.Engine().Now(), from)
		}
		run.Engine().ForgetStatistics()
	}
	advance(simtime.Never)
	return nil
}

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct {
	mu   sync.Mutex
	p    *progressbar.ProgressBar
	done float64
}

const barSteps = 100_000

func newBar(w io.Writer, title string) *bar {
	b := &bar{}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.p = progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetRenderBlankState(true), progressbar.OptionFullWidth())
	}
	return b
}

// add moves the bar by a share of the whole.
func (b *bar) add(share float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += share
	if b.p != nil {
		b.p.Set(int(b.done * barSteps)) // its error is the terminal's
	}
}

// clear takes the bar off the terminal.
func (b *bar) clear() {
	if b.p != nil {
		b.p.Clear()
	}
}

// newRun starts from a settled state where one is kept for cfg or its scene.
func newRun(cfg engine.Config, metric study.Metric) (*study.Run, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	state, branched, err := warm.Find(&cfg)
	if err != nil {
		return nil, err
	}
	if state != nil {
		run, err := study.NewFrom(cfg, metric, state, branched)
		if err == nil || !branched {
			return run, err
		} // a setting has changed the layout of the scene's state
	}
	return study.New(cfg, metric)
}
