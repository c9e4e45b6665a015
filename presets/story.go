package presets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine"
	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/engine/view"
	"wakelab/presets/machinefile"
	"wakelab/study"
)

// Step is one stop of a study's guided story: it takes the run to an instant
// and the picture to what is to be seen there.
type Step struct {
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	Function string   `json:"function"`          // kernel function that it is about, one that the model has
	Hunk     string   `json:"hunk"`              // commit or mail, and what of it is meant
	Kernels  []string `json:"kernels,omitempty"` // A and B; absent: the step before's, at first the study's first two. Other kernels start anew
	At       *At      `json:"at,omitempty"`      // absent: where the step before stopped, at first the run's start
	Look     Look     `json:"look"`
}

// At is the instant of a step: some time after the step before, or after the
// run's start, and then the next event that fits.
type At struct {
	Kernel string `json:"kernel,omitempty"` // whose event; absent: kernel A's
	After  string `json:"after,omitempty"`  // simulated time
	Event  string `json:"event,omitempty"`  // tracepoints, as trace.ParseMask reads them
	Enters string `json:"enters,omitempty"` // instead: a kernel function that a CPU goes into
	CPU    string `json:"cpu,omitempty"`    // on which CPU; absent: any
	To     string `json:"to,omitempty"`     // about which CPU: told, chosen or moved to; absent: any
}

// Look is what the picture shows. In CPU lists "on" and "to" stand for the CPU
// on which the step's event happened and the one that it is about.
type Look struct {
	View  string `json:"view"`
	CPUs  string `json:"cpus,omitempty"`  // that are drawn; absent: all
	Large string `json:"large,omitempty"` // drawn large in the machine view; absent: the study's focus
	Pin   string `json:"pin,omitempty"`   // one CPU, whose card is shown; absent: none
	Span  string `json:"span,omitempty"`  // length of the timeline's window; absent: 100us
	Speed string `json:"speed,omitempty"` // simulated time a second, for a reader who lets it run on; absent: 1us
}

// Limits of a story.
const (
	MinSteps = 4
	MaxSteps = 7
)

// Want returns the time to let pass and then, if ok, the event to go to. The
// library has checked a.
func (a *At) Want() (after simtime.Duration, want study.Event, ok bool) {
	want = study.Event{Function: a.Enters, CPU: cpuOr(a.CPU), To: cpuOr(a.To)}
	if a.After != "" {
		after, _ = simtime.Parse(a.After)
	}
	want.Kinds, _ = trace.ParseMask(a.Event)
	return after, want, a.Event != "" || a.Enters != ""
}

func cpuOr(text string) int32 {
	if text == "" {
		return study.AnyCPU
	}
	n, _ := strconv.Atoi(text)
	return int32(n)
}

// StoryKernels returns the kernels, A and B, that each step of the study runs.
func (s *Study) StoryKernels() [][2]string {
	pair := [2]string{s.Kernels[0].Kernel, s.Kernels[min(1, len(s.Kernels)-1)].Kernel}
	var all [][2]string
	for _, step := range s.Story {
		if len(step.Kernels) == 2 {
			pair = [2]string(step.Kernels)
		}
		all = append(all, pair)
	}
	return all
}

// checkStory checks what the types cannot say of a story. The rest of the
// study is known to be good.
func (l *Library) checkStory(s *Study, p *problems) {
	if n := len(s.Story); n != 0 && (n < MinSteps || n > MaxSteps) {
		p.add("$.story", "%d steps: allowed are %d to %d", n, MinSteps, MaxSteps)
	}
	kernels := s.StoryKernels()
	var passed simtime.Duration
	for i := range s.Story {
		c := storyCheck{p, index("$.story", i), kernels[i]}
		step := &s.Story[i]
		if len(step.Kernels) > 0 {
			c.kernels(s, step.Kernels)
		}
		if len(*p) > 0 {
			return // the rest would be said of other kernels
		}
		cfg, err := l.Config(s, c.pair[0], nil)
		if err != nil {
			panic("presets: " + err.Error()) // Add has combined it before
		}
		if i > 0 && kernels[i] != kernels[i-1] {
			passed = 0
		}
		c.function(".function", step.Function)
		if step.At != nil {
			passed += c.at(step.At, &cfg, passed)
		}
		c.look(&step.Look, &cfg, step.At != nil && (step.At.Event != "" || step.At.Enters != ""))
	}
}

// storyCheck checks one step.
type storyCheck struct {
	*problems
	path string
	pair [2]string
}

func (c *storyCheck) wrong(field, format string, args ...any) { c.add(c.path+field, format, args...) }

func (c *storyCheck) kernels(s *Study, pair []string) {
	var known []string
	for _, k := range s.Kernels {
		known = append(known, k.Kernel)
	}
	switch {
	case len(pair) != 2:
		c.wrong(".kernels", "%d kernels: want two, A and B", len(pair))
	case pair[0] == pair[1]:
		c.wrong(".kernels", "A and B are both %q: want two different ones", pair[0])
	}
	for i, k := range pair {
		if !slices.Contains(known, k) {
			c.wrong(index(".kernels", i), "%q is no kernel of the study; it has %s", k, strings.Join(known, ", "))
		}
	}
}

func (c *storyCheck) function(field, name string) {
	var known []string
	for f := range kernel.NumFn {
		known = append(known, f.String())
	}
	if !slices.Contains(known, name) {
		c.wrong(field, "%q is no function of the model; it has %s", name, strings.Join(known, ", "))
	}
}

// at returns the time that a lets pass.
func (c *storyCheck) at(a *At, cfg *engine.Config, passed simtime.Duration) simtime.Duration {
	if a.Kernel != "" && !slices.Contains(c.pair[:], a.Kernel) {
		c.wrong(".at.kernel", "%q: the step runs %s", a.Kernel, strings.Join(c.pair[:], " and "))
	}
	if _, err := trace.ParseMask(a.Event); err != nil {
		c.wrong(".at.event", "%v", err)
	}
	if a.Enters != "" {
		c.function(".at.enters", a.Enters)
	}
	if a.Event != "" && a.Enters != "" {
		c.wrong(".at", "event and enters: want one of them")
	}
	for _, f := range []struct{ field, cpu string }{{".at.cpu", a.CPU}, {".at.to", a.To}} {
		if f.cpu != "" && a.Event == "" && a.Enters == "" {
			c.wrong(f.field, "%s: of no event", f.cpu)
		}
		c.cpus(f.field, f.cpu, cfg, 1, nil)
	}
	after := c.span(".at.after", a.After)
	if run := simtime.Duration(cfg.Number("duration")); passed+after > run {
		c.wrong(".at.after", "%s: %s after the run's start, beyond its end at %s", a.After, passed+after, run)
	}
	return after
}

func (c *storyCheck) look(o *Look, cfg *engine.Config, event bool) {
	if !slices.Contains(view.Pictures[:], o.View) {
		c.wrong(".look.view", "%q: allowed are %s", o.View, strings.Join(view.Pictures[:], ", "))
	}
	var words []string
	if event {
		words = []string{"on", "to"}
	}
	c.cpus(".look.cpus", o.CPUs, cfg, MaxMembers, words)
	c.cpus(".look.large", o.Large, cfg, view.MaxLarge, words)
	c.cpus(".look.pin", o.Pin, cfg, 1, words)
	c.span(".look.span", o.Span)
	c.span(".look.speed", o.Speed)
}

// cpus checks a CPU list of at most so many CPUs, in which words may stand.
func (c *storyCheck) cpus(field, list string, cfg *engine.Config, most int, words []string) {
	n := cfg.CPUs()
	count := 0
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		if list == "" || slices.Contains(words, part) {
			count++
			continue
		}
		ids, err := machinefile.ParseList(part)
		if err != nil {
			c.wrong(field, "%v", err)
			return
		}
		count += len(ids)
		for _, id := range ids {
			if int(id) >= n {
				c.wrong(field, "CPU %d: this machine's are 0-%d", id, n-1)
				return
			}
		}
	}
	if count > most {
		c.wrong(field, "%d CPUs: at most %d", count, most)
	}
}

// span checks a time that may be absent.
func (c *storyCheck) span(field, text string) simtime.Duration {
	if text == "" {
		return 0
	}
	d, err := simtime.Parse(text)
	if err == nil && (d <= 0 || d > MaxSpan) {
		err = fmt.Errorf("%s: allowed are times above 0 up to %s", text, MaxSpan)
	}
	if err != nil {
		c.wrong(field, "%v", err)
		return 0
	}
	return d
}

// MaxSpan bounds every time in a story.
const MaxSpan = 10 * simtime.Second
