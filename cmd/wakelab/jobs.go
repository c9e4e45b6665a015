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
	"wakelab/study"
)

// chunk is how many events a run handles between two looks at Ctrl-C and the
// progress bar: some 20 ms.
const chunk = 200_000

// job is one run; when it has ended or was stopped, run holds what it found.
type job struct {
	cfg    engine.Config
	metric study.Metric
	run    *study.Run
}

// runJobs does all jobs, at most workers at a time, in order. It returns when
// all have ended or ctx is cancelled; jobs not begun by then have no run.
func runJobs(ctx context.Context, jobs []*job, workers int, bar *bar) error {
	for _, j := range jobs { // before any work: bad input should not cost time
		if err := j.cfg.Validate(); err != nil {
			return err
		}
	}
	queue := make(chan *job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var wg sync.WaitGroup
	errs := make(chan error, len(jobs))
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				if err := j.do(ctx, func(share float64) { bar.add(share / float64(len(jobs))) }); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// do advances the job's run to its end or until ctx is cancelled, and tells
// add how far it came. A broken invariant panics with the command that
// repeats it.
func (j *job) do(ctx context.Context, add func(share float64)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("%v\nThis is a mistake of Wakelab's. To repeat it: wakelab run --set %s", p, strings.Join(j.cfg.Changed(), " --set ")))
		}
	}()
	if j.run, err = study.New(j.cfg, j.metric); err != nil {
		return err
	}
	before := 0.0
	for ended := false; !ended && ctx.Err() == nil; {
		ended = j.run.Advance(simtime.Never, chunk)
		now := j.run.Progress()
		add(now - before)
		before = now
	}
	return nil
}

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct {
	mu   sync.Mutex
	p    *progressbar.ProgressBar
	done float64
}

const barSteps = 1000

func newBar(w io.Writer, title string) *bar {
	b := &bar{}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.p = progressbar.NewOptions(barSteps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(title),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
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
