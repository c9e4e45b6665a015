package scene

import (
	"wakelab/engine/view"
)

// Smoothing. A fade of 0.35 per frame settles within about a sixth of a
// second at 60 frames/s: fast enough to follow, slow enough not to flicker.
const (
	fadeIn     = 0.35
	shareMin   = 0.04    // of a CPU's recent time; a state with less is not shown
	heatMin    = 1e-6    // less heat away than this is there; a decay without end would be slow denormal numbers
	glowDecay  = 0.86    // of an arrow that is not repeated, per frame
	glowMin    = 0.04    // below it an arrow is gone
	foldFrames = 30      // frames an L3 group must be idle, without a message, to fold
	maxSpans   = 1 << 17 // spans kept for the timeline of one side (5 MB)
	maxFlights = 256
	maxHistory = 1 << 13 // messages kept for the timeline of one side (320 kB)
	maxFrames  = 1 << 10 // frames whose utilisation is kept by L3 group
)

// side is what is known of one run.
type side struct {
	static  *view.Static
	firstPs int64 // instant of the first frame
	nowPs   int64 // of the last frame
	seen    bool  // there has been a frame
	cpus    []cpuState
	order   []int32 // CPUs in topology order
	llcs    int
	llcIdle []int32 // frames since a CPU of the L3 group was busy or had a message
	traffic traffic
	flights []view.Arrow // interrupts on their way
	spans   []view.Span  // ring, oldest at head
	head    int
	ended   int64 // spans seen so far
	lostPs  int64 // spans that ended before are not all there
	frames  []past
	frame   int       // oldest of frames
	busyPm  []float32 // by frame in frames and L3 group: mean utilisation, 0 to 1
	llcSize []int32   // CPUs by L3 group
	lines   []view.Line
	l3Waits []uint64 // of lines, one after the other

	linesSincePs int64 // from when on they count
	locks        []view.Lock
	slices       []view.Slice

	layout  layout
	hit     []Box // where the last Build drew each CPU
	visible []bool
	shown   int // CPUs that are visible
	folded  int // L3 groups that are not, as they are idle

	track     track
	lanes     []lane
	events    []view.Arrow // ring of what the timeline draws, oldest at eventHead
	eventHead int
	rowOf     []int32 // heat row by L3 group; -1 not drawn
	busy      busyColumns
	strips    []strip

	cards []Box    // of Viewport.Focus
	sums  []bundle // by L3 pair
	heavy []bundle // heaviest first
}

// past is a frame's stretch of time.
type past struct{ fromPs, toPs int64 }

// cpuState is a CPU as shown: the latest frame's and the smoothed values.
type cpuState struct {
	view.CPU
	share [view.NumStates]float32 // of the cell's area; adds up to 1
	heat  [NumHeats]float32
	endPs int64 // of its last span; since then it has been in State
}

// reset starts with a machine; nil is none.
func (s *side) reset(static *view.Static) {
	*s = side{static: static}
	if static == nil {
		return
	}
	n := len(static.Places)
	s.cpus = make([]cpuState, n)
	s.hit = make([]Box, n)
	s.visible = make([]bool, n)
	s.order = topologyOrder(static.Places)
	for i := range static.Places {
		s.llcs = max(s.llcs, int(static.Places[i].LLC)+1)
	}
	s.llcIdle, s.llcSize = make([]int32, s.llcs), make([]int32, s.llcs)
	for i := range static.Places {
		s.llcSize[static.Places[i].LLC]++
	}
	s.frames, s.busyPm = make([]past, 0, maxFrames), make([]float32, maxFrames*s.llcs)
	s.traffic.reset(n)
	s.spans = make([]view.Span, 0, maxSpans)
	s.flights = make([]view.Arrow, 0, maxFlights)
	s.events = make([]view.Arrow, 0, maxHistory)
	s.forget()
}

// forget drops what frames have brought, keeping the memory: a reader who
// steps back does so many times.
func (s *side) forget() {
	s.seen = false
	s.firstPs, s.nowPs, s.lostPs, s.ended, s.head, s.eventHead, s.frame = 0, 0, 0, 0, 0, 0, 0
	for i := range s.cpus {
		s.cpus[i] = cpuState{CPU: view.CPU{State: view.IdleC1, Task: -1}}
		s.cpus[i].share[view.IdleC1] = 1
	}
	for i := range s.llcIdle {
		s.llcIdle[i] = foldFrames // until a frame says otherwise
	}
	s.traffic.forget()
	s.spans, s.flights, s.events, s.frames = s.spans[:0], s.flights[:0], s.events[:0], s.frames[:0]
	s.busy.n = 0 // counts afresh
}

func (s *side) add(f *view.Frame) {
	if s.static == nil {
		panic("scene: Add before SetStatic")
	}
	if len(f.CPUs) != len(s.cpus) {
		panic("scene: frame and machine differ in their number of CPUs")
	}
	if f.NowPs < s.nowPs {
		s.forget()
	}
	first := !s.seen
	s.seen = true
	s.nowPs = f.NowPs
	for i := range s.llcIdle {
		s.llcIdle[i]++
	}
	for i := range f.CPUs {
		s.cpus[i].follow(&f.CPUs[i], f.NowPs-f.SincePs, first)
		if first {
			s.cpus[i].endPs = f.NowPs
		}
		if f.CPUs[i].State > view.IdleLoop {
			s.llcIdle[s.static.Places[i].LLC] = 0
		}
	}
	s.traffic.add(f.Arrows)
	s.fly(f)
	for i := range f.Arrows {
		if a := &f.Arrows[i]; a.Kind != view.Pipe && a.From >= 0 && a.To >= 0 {
			s.llcIdle[s.static.Places[a.From].LLC], s.llcIdle[s.static.Places[a.To].LLC] = 0, 0
			s.events, s.eventHead = push(s.events, s.eventHead, maxHistory, a)
		}
	}
	if first {
		s.firstPs = f.NowPs
	}
	if first || f.Lost > 0 {
		s.lostPs = f.NowPs
	}
	for i := range f.Spans {
		sp := &f.Spans[i]
		if len(s.spans) == maxSpans {
			s.lostPs = max(s.lostPs, s.spans[s.head].EndPs)
		}
		s.spans, s.head = push(s.spans, s.head, maxSpans, sp)
		s.ended++
		s.cpus[sp.CPU].endPs = sp.EndPs
	}
	s.remember(f)
}

// remember keeps the utilisation of each L3 group in a frame's stretch.
func (s *side) remember(f *view.Frame) {
	at := len(s.frames)
	if at == maxFrames {
		at = s.frame
	}
	s.frames, s.frame = push(s.frames, s.frame, maxFrames, &past{f.SincePs, f.NowPs})
	row := s.busyPm[at*s.llcs : (at+1)*s.llcs]
	clear(row)
	for c := range f.CPUs {
		llc := s.static.Places[c].LLC
		row[llc] += float32(f.CPUs[c].Busy) / 1000 / float32(s.llcSize[llc])
	}
}

// follow moves the shown values towards a frame's.
func (c *cpuState) follow(to *view.CPU, elapsedPs int64, jump bool) {
	k := float32(fadeIn)
	if jump {
		k = 1
	}
	c.CPU = *to
	for st := range c.share {
		c.share[st] -= k * c.share[st]
		if c.share[st] < shareMin {
			c.share[st] = 0
		}
	}
	var rest float32 = 1
	for st := range c.share {
		rest -= c.share[st]
	}
	c.share[to.State] += rest
	var perSecond float32
	if elapsedPs > 0 {
		perSecond = float32(float64(to.Wakeups) * 1e12 / float64(elapsedPs))
	}
	for h, v := range [NumHeats]float32{
		HeatUtilisation: float32(to.Busy) / 1000,
		HeatQueue:       float32(to.NrRunning),
		HeatLockWait:    float32(to.LockWait) / 1000,
		HeatLineTraffic: float32(to.LineWait) / 1000,
		HeatInterrupts:  float32(to.IRQShare) / 1000,
		HeatWakeups:     perSecond,
	} {
		if d := v - c.heat[h]; -heatMin < d && d < heatMin {
			c.heat[h] = v
		} else {
			c.heat[h] += k * d
		}
	}
}

// fly keeps the arrows that have not arrived yet.
func (s *side) fly(f *view.Frame) {
	kept := s.flights[:0]
	for _, a := range s.flights {
		if a.EndPs > f.NowPs {
			kept = append(kept, a)
		}
	}
	s.flights = kept
	for _, a := range f.Arrows {
		if a.From >= 0 && a.To >= 0 && a.EndPs > max(f.NowPs, a.AtPs) && len(s.flights) < maxFlights && !s.flying(&a) {
			s.flights = append(s.flights, a)
		}
	}
}

// flying reports whether an earlier frame named the same message.
func (s *side) flying(a *view.Arrow) bool {
	for i := range s.flights {
		if f := &s.flights[i]; f.Kind == a.Kind && f.From == a.From && f.To == a.To && f.AtPs == a.AtPs {
			return true
		}
	}
	return false
}

// push appends v to a ring of at most limit elements, over the oldest one, at
// head, when it is full. It returns the ring and its new head.
func push[T any](ring []T, head, limit int, v *T) ([]T, int) {
	if len(ring) < limit {
		return append(ring, *v), head
	}
	ring[head] = *v
	return ring, (head + 1) % limit
}

// fn returns a function's name.
func (s *side) fn(i uint16) string {
	if int(i) < len(s.static.Functions) {
		return s.static.Functions[i]
	}
	return ""
}

// task returns a task's name.
func (s *side) task(i int32) string {
	if i >= 0 && int(i) < len(s.static.Tasks) {
		return s.static.Tasks[i]
	}
	return "idle"
}
