package scene

import (
	"slices"
	"strconv"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// Timeline measures, in CSS pixels.
const (
	axisH     = 22
	gutterW   = 44
	laneMin   = 6   // lower lanes become rows of L3 groups
	laneMax   = 140 // highest lane
	column    = 2   // finest detail along time in lanes
	tickGap   = 90  // least distance of labelled ticks
	maxEvents = 400 // arrows drawn; more would be a haze
	eventGap  = 7   // least distance of arrows of one kind between the same two lanes
)

// idleHeight is the part of a lane's height a state's spans take: the deeper
// the idle state the lower, busy states full.
var idleHeight = [view.NumStates]float32{
	view.IdlePoll: 0.55, view.IdleC1: 0.35, view.IdleC2: 0.15, view.IdleLoop: 0.75,
	view.User: 1, view.Kernel: 1, view.Spin: 1, view.IRQ: 1, view.SoftIRQ: 1,
}

// track is where time runs in a timeline.
type track struct {
	box      Box // lanes, without gutter and axis
	from, to int64
}

// x returns the position of an instant, within a screen beyond either side.
func (t *track) x(ps int64) float32 {
	v := float64(ps-t.from) / float64(t.to-t.from)
	return t.box.X0 + float32(min(2, max(-1, v)))*t.box.W()
}

// lane is the state of drawing one CPU's spans: the dwell of each state in the
// column at hand and the run of equal columns before it.
type lane struct {
	box   Box // empty: not drawn
	col   int32
	dwell [view.NumStates]int64
	run   Box // X0 to X1 drawn so far in one state
	state view.State

	sentX    float32 // of the last message drawn from here
	sentTo   int32
	sentKind view.ArrowKind
}

// window returns the instants a viewport's timeline of a side runs between.
func (vp *Viewport) window(s *side) (from, to int64) {
	if vp.ToPs > vp.FromPs {
		return vp.FromPs, vp.ToPs
	}
	to = max(s.nowPs, s.firstPs+max(1, vp.SpanPs)) // at first the window fills from its left
	return to - max(1, vp.SpanPs), to
}

// TimeAt returns the instant at a point of a side's timeline in the last
// Build. It lies outside the window for points beside the lanes.
func (b *Builder) TimeAt(side int, x float32) int64 {
	t := &b.sides[side].track
	if t.box.Empty() {
		return b.sides[side].nowPs
	}
	return t.from + int64(float64(x-t.box.X0)/float64(t.box.W())*float64(t.to-t.from))
}

// timeline draws lanes of spans by CPU in topology order, or rows of
// utilisation by L3 group when lanes would be too low to read.
func (b *Builder) timeline(s *side, body Box) {
	s.track.box = Box{body.X0 + gutterW, body.Y0 + axisH, body.X1, body.Y1}
	s.track.from, s.track.to = b.vp.window(s)
	if s.shown == 0 || s.track.box.Empty() {
		return
	}
	b.axis(&s.track)
	b.scene.layer(Box{body.X0, s.track.box.Y0, body.X1, body.Y1})
	if b.inLanes {
		b.lanes(s, min(laneMax, s.track.box.H()/float32(s.shown))*b.vp.Zoom)
		b.events(s)
	} else {
		b.heatRows(s)
	}
	b.scene.layer(body)
	b.parting(s)
	b.markers(&s.track)
}

// roomForLanes reports whether lanes of all visible CPUs can be read, below a
// legend of two rows; the sides are drawn alike.
func (b *Builder) roomForLanes() bool {
	h, most := b.vp.H-2*legendRow, 0
	if b.both() && b.vp.W < b.vp.H {
		h /= 2
	}
	for i := range b.sides {
		most = max(most, b.sides[i].shown)
	}
	return (h-titleY-2*space3-axisH)*b.vp.Zoom >= laneMin*float32(most)
}

// parting draws where forked sides part: a dashed line, and a ring on the lane of
// the CPU.
func (b *Builder) parting(s *side) {
	sc, th, t, p := &b.scene, b.th, &s.track, b.vp.Parting
	if p == nil || p.AtPs < t.from || p.AtPs > t.to {
		return
	}
	x := t.x(p.AtPs)
	sc.line(Point{x, t.box.Y0}, Point{x, t.box.Y1}, 1.5, 5, th.Accent)
	if h := s.hit[p.CPU]; !h.Empty() {
		sc.frame(Box{x - 5, h.Y0, x + 5, h.Y1}, 2, th.Accent)
	}
	b.buf = append(b.buf[:0], "parts here"...)
	b.flag(t, x, t.box.Y1-space2)
}

// flag sets b.buf on a coloured ground, centred at x as far as the track allows.
func (b *Builder) flag(t *track, x, y float32) {
	sc, th := &b.scene, b.th
	half := typeface.Width(typeMono, sizeBody, b.buf)/2 + space2
	x = min(t.box.X1-half, max(t.box.X0+half, x))
	sc.box(Box{x - half, y - sizeBody, x + half, y + space2}, th.Accent)
	sc.text(x, y, style{typeMono, sizeBody, th.Background, Centre, 0}, b.buf)
}

// maxMarkers is how many instants can be marked.
const maxMarkers = 2

// Mark adds a marker at a point of the timeline of the last Build, or removes
// both when there is no more room.
func (b *Builder) Mark(vp *Viewport, x, y float32) {
	if vp.View != Timeline {
		return
	}
	if len(vp.Markers) == maxMarkers {
		vp.Markers = vp.Markers[:0]
		return
	}
	side := b.sideAt(x, y)
	t := &b.sides[side].track
	vp.Markers = append(vp.Markers, min(t.to, max(t.from, b.TimeAt(side, x))))
}

// axis draws ticks with times relative to a round instant named at the left.
func (b *Builder) axis(t *track) {
	sc, th := &b.scene, b.th
	step := int64(1)
	for perStep := float64(t.to-t.from) / float64(t.box.W()/tickGap); float64(step) < perStep; {
		step = nextRound(step)
	}
	base := max(0, t.from) / (step * 10) * (step * 10)
	y := t.box.Y0 - space3
	b.buf = appendExact(b.buf[:0], base)
	b.buf = append(b.buf, " +"...)
	w := sc.text(t.box.X0-gutterW, y, style{typeMono, sizeSmall, th.Faint, Left, 0}, b.buf)
	for at := (t.from + step - 1) / step * step; at <= t.to; at += step {
		if at < 0 {
			continue
		}
		x := t.x(at)
		sc.box(Box{x, t.box.Y0 - space2, x + 1/sc.Ratio, t.box.Y1}, th.Rule.Alpha(0.6))
		b.buf = appendExact(b.buf[:0], at-base)
		half := typeface.Width(typeMono, sizeSmall, b.buf) / 2
		if x-half > t.box.X0-gutterW+w+space3 && x+half < t.box.X1 {
			sc.text(x, y, style{typeMono, sizeSmall, th.Faint, Centre, 0}, b.buf)
		}
	}
	sc.box(Box{t.box.X0, t.box.Y0 - 1, t.box.X1, t.box.Y0}, th.Rule)
}

// lanes draws one lane per visible CPU.
func (b *Builder) lanes(s *side, h float32) {
	sc, th := &b.scene, b.th
	s.lanes = slices.Grow(s.lanes[:0], len(s.cpus))[:len(s.cpus)]
	clear(s.lanes)
	y := s.track.box.Y0 + b.vp.PanY
	var last *view.Place
	labels := h >= sizeSmall
	for _, c := range s.order {
		if !s.visible[c] {
			continue
		}
		p := &s.static.Places[c]
		box := Box{s.track.box.X0, y, s.track.box.X1, y + h}
		y += h
		if box.Y1 < s.track.box.Y0 || box.Y0 > s.track.box.Y1 {
			last = p
			continue
		}
		if last != nil && level(last, p) <= levelLLC {
			sc.box(Box{box.X0 - gutterW, box.Y0, box.X1, box.Y0 + 1/sc.Ratio}, th.Rule)
		}
		ink := th.Faint
		if c == b.vp.Selected || c == b.vp.Hovered {
			ink = th.Accent
			sc.box(Box{box.X0 - gutterW, box.Y0, box.X1, box.Y1}, th.Accent.Alpha(0.12))
		}
		if labels {
			b.buf = strconv.AppendInt(append(b.buf[:0], "CPU "...), int64(c), 10)
			sc.text(box.X0-space2, box.Mid().Y+sizeSmall*0.36, style{typeSans, sizeSmall, ink, Right, 0}, b.buf)
		} else if last == nil || level(last, p) <= levelLLC {
			b.buf = strconv.AppendInt(append(b.buf[:0], "L3 "...), int64(p.LLC), 10)
			sc.text(box.X0-space2, box.Y0+sizeSmall, style{typeSans, sizeSmall, ink, Right, 0}, b.buf)
		}
		last = p
		gap := min(2, h/6)
		s.lanes[c].box = Box{box.X0, box.Y0 + gap/2, box.X1, box.Y1 - gap/2}
		s.hit[c] = box
	}
	b.missing(s)
	for i := range s.spans {
		sp := &s.spans[(s.head+i)%len(s.spans)]
		if sp.EndPs <= s.track.from || sp.StartPs >= s.track.to {
			continue
		}
		if l := &s.lanes[sp.CPU]; !l.box.Empty() {
			b.span(s, l, sp.StartPs, sp.EndPs, sp.State, sp.Fn)
		}
	}
	for c := range s.lanes {
		l := &s.lanes[c]
		if l.box.Empty() {
			continue
		}
		if cpu := &s.cpus[c]; cpu.endPs < min(s.nowPs, s.track.to) && s.nowPs > s.track.from { // not ended yet
			b.span(s, l, cpu.endPs, s.nowPs, cpu.State, cpu.Fn)
		}
		b.flush(l)
		b.paint(l)
	}
}

// missing shades the time from which spans are no longer kept.
func (b *Builder) missing(s *side) {
	t := &s.track
	if s.lostPs <= t.from {
		return
	}
	x := min(t.x(s.lostPs), t.box.X1)
	b.scene.box(Box{t.box.X0, t.box.Y0, x, t.box.Y1}, b.th.Die)
	if text := "not kept"; x-t.box.X0 > 60 {
		b.buf = append(b.buf[:0], text...)
		b.scene.text((t.box.X0+x)/2, t.box.Mid().Y, style{typeSans, sizeSmall, b.th.Faint, Centre, 0}, b.buf)
	}
}

// span draws one span. Spans that share a column are merged into the state
// with the longest dwell there.
func (b *Builder) span(s *side, l *lane, from, to int64, state view.State, fn uint16) {
	t := &s.track
	from, to = max(from, t.from), min(to, t.to)
	x0, x1 := t.x(from), t.x(to)
	c0, c1 := int32((x0-t.box.X0)/column), int32((x1-t.box.X0)/column)
	if c0 != l.col {
		b.flush(l)
		l.col = c0
	}
	if c0 == c1 {
		l.dwell[state] += to - from
		return
	}
	perColumn := int64(float64(t.to-t.from) * column / float64(t.box.W()))
	l.dwell[state] += max(0, t.from+int64(c0+1)*perColumn-from)
	b.flush(l)
	if c1 > c0+1 {
		b.extend(l, t.box.X0+float32(c0+1)*column, t.box.X0+float32(c1)*column, state)
		b.spanLabel(s, l, x0, x1, state, fn)
	}
	l.col = c1
	l.dwell[state] += max(0, to-(t.from+int64(c1)*perColumn))
}

// flush draws the column at hand in its main state.
func (b *Builder) flush(l *lane) {
	main, most := view.IdlePoll, int64(0)
	for st, d := range l.dwell {
		if d > most {
			main, most = view.State(st), d
		}
		l.dwell[st] = 0
	}
	if most > 0 {
		x := l.box.X0 + float32(l.col)*column
		b.extend(l, x, x+column, main)
	}
}

// extend draws from x0 to x1 in a state, in one piece with what is before it.
func (b *Builder) extend(l *lane, x0, x1 float32, state view.State) {
	if l.run.X1 != x0 || l.state != state {
		b.paint(l)
		l.run.X0, l.state = x0, state
	}
	l.run.X1 = x1
}

// paint draws the run of a lane.
func (b *Builder) paint(l *lane) {
	if l.run.X1 > l.run.X0 {
		y := l.box.Y1 - l.box.H()*idleHeight[l.state]
		b.scene.box(Box{l.run.X0, y, min(l.run.X1, l.box.X1), l.box.Y1}, b.th.States[l.state])
	}
	l.run = Box{}
}

// spanLabel names a span's function or, with less room, marks its state.
func (b *Builder) spanLabel(s *side, l *lane, x0, x1 float32, state view.State, fn uint16) {
	if l.run.X1-l.run.X0 > 4*column {
		l.run.X1 -= 1 / b.scene.Ratio // a gap to the next span
	}
	b.paint(l)
	if l.box.H() < sizeSmall {
		return
	}
	full, w := idleHeight[state] == 1, x1-x0-2*space2
	mid := l.box.Mid()
	if full && w > 56 && l.box.H() >= sizeBody {
		b.buf = append(b.buf[:0], s.fn(fn)...)
		b.scene.text(x0+space2+1, mid.Y+sizeSmall*0.36, style{typeMono, sizeSmall, b.th.on(b.th.States[state]), Left, w}, b.buf)
	} else if full && w > 6 {
		d := min(w, l.box.H()*0.5, 10) / 2
		x := (x0 + x1) / 2
		b.mark(Box{x - d, mid.Y - d, x + d, mid.Y + d}, state, b.th.on(b.th.States[state]))
	}
}

// events draws the messages of the window between lanes; of like ones that are
// too close to be told apart, the newest.
func (b *Builder) events(s *side) {
	n := 0
	for i := len(s.events) - 1; i >= 0 && n < maxEvents; i-- {
		a := &s.events[(s.eventHead+i)%len(s.events)]
		if a.EndPs < s.track.from || a.AtPs > s.track.to || b.vp.Hide[a.Kind] {
			continue
		}
		from, to := s.lanes[a.From].box, s.lanes[a.To].box
		if from.Empty() || to.Empty() || a.From == a.To {
			continue
		}
		if b.vp.Selected != NoCPU && a.From != b.vp.Selected && a.To != b.vp.Selected {
			continue
		}
		l, x := &s.lanes[a.From], s.track.x(a.AtPs)
		if l.sentTo == a.To && l.sentKind == a.Kind && abs(x-l.sentX) < eventGap {
			continue
		}
		l.sentX, l.sentTo, l.sentKind = x, a.To, a.Kind
		n++
		b.arrow(Point{x, from.Mid().Y}, Point{s.track.x(a.EndPs), to.Mid().Y}, a.Kind, 0.3, 0.6)
	}
}

// markers draws the reader's instants and the time between the first two.
func (b *Builder) markers(t *track) {
	sc, th := &b.scene, b.th
	for _, at := range b.vp.Markers {
		if at < t.from || at > t.to {
			continue
		}
		x := t.x(at)
		sc.box(Box{x, t.box.Y0, x + 1, t.box.Y1}, th.Accent)
		sc.triangle(Point{x - 5, t.box.Y0}, Point{x + 6, t.box.Y0}, Point{x + 0.5, t.box.Y0 + 6}, th.Accent)
	}
	if len(b.vp.Markers) < 2 {
		return
	}
	x0, x1 := t.x(b.vp.Markers[0]), t.x(b.vp.Markers[1])
	x0, x1 = max(t.box.X0, min(x0, x1)), min(t.box.X1, max(x0, x1))
	if x1 <= x0 {
		return
	}
	y := t.box.Y0 + sizeBody + space2
	sc.box(Box{x0, t.box.Y0, x1, t.box.Y1}, th.Accent.Alpha(0.07))
	b.buf = appendDuration(b.buf[:0], abs(b.vp.Markers[1]-b.vp.Markers[0]), 4)
	b.flag(t, (x0+x1)/2, y)
}
