package scene

import (
	"strconv"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// machine draws the machine view of a side: the parts by topology, each CPU's
// state, and the messages between CPUs.
func (b *Builder) machine(s *side, body Box) {
	if len(b.vp.Focus) > 0 {
		body = b.focus(s, body)
		if body.Empty() {
			return
		}
	}
	b.scene.layer(body)
	area := body
	if s.folded > 0 {
		area.Y1 -= sizeBody + space3
	}
	s.layout.place(s, layoutKey{s.static, area, b.vp.Zoom, b.vp.PanX, b.vp.PanY})
	b.parts(s)
	for _, c := range s.order {
		cell := s.layout.cells[c]
		if shown := cell.Cut(body); !shown.Empty() {
			b.cell(cell, &s.cpus[c], s, c)
			s.hit[c] = shown
		}
	}
	b.messages(s)
	b.highlight(s, b.vp.Hovered, 1, "CPU ")
	b.highlight(s, b.vp.Selected, 2, "CPU ")
	if p := b.vp.Parting; p != nil && s.nowPs >= p.AtPs {
		b.highlight(s, p.CPU, 2, "parted on CPU ")
	}
	if s.folded > 0 {
		b.buf = strconv.AppendInt(b.buf[:0], int64(s.folded), 10)
		b.buf = append(b.buf, " idle L3 groups folded"...)
		b.scene.text(body.X0, body.Y1-space1, style{typeSans, sizeBody, b.th.Faint, Left, body.W()}, b.buf)
	}
}

// idleGroups notes for how many frames each L3 group has been idle on both
// sides: machines that are compared fold alike, so that places correspond. It
// is empty if nothing is to be folded: fewer groups than half are idle, or all
// are and the whole machine is the better picture.
func (b *Builder) idleGroups() {
	b.idle = b.idle[:0]
	if !b.vp.Fold {
		return
	}
	for i := range b.sides {
		s := &b.sides[i]
		if s.static == nil {
			continue
		}
		if len(b.idle) == 0 {
			b.idle = append(b.idle, s.llcIdle...)
			continue
		}
		if len(b.idle) != s.llcs {
			b.idle = b.idle[:0]
			return
		}
		for llc, frames := range s.llcIdle {
			b.idle[llc] = min(b.idle[llc], frames)
		}
	}
	folded := 0
	for _, frames := range b.idle {
		if frames >= foldFrames {
			folded++
		}
	}
	if 2*folded < len(b.idle) || folded == len(b.idle) {
		b.idle = b.idle[:0]
	}
}

// choose marks and counts the CPUs to draw, given Builder.idle, and counts the
// L3 groups that are folded.
func (s *side) choose(vp *Viewport, idle []int32) {
	s.folded, s.shown = 0, 0
	for _, frames := range idle {
		if frames >= foldFrames {
			s.folded++
		}
	}
	for c := range s.visible {
		s.visible[c] = (vp.Show == nil || c < len(vp.Show) && vp.Show[c]) &&
			(s.folded == 0 || idle[s.static.Places[c].LLC] < foldFrames)
		if s.visible[c] {
			s.shown++
		}
	}
}

// parts draws the boxes of sockets, dies and L3 groups.
func (b *Builder) parts(s *side) {
	sc, th, l := &b.scene, b.th, &s.layout
	inSocket := l.llcs
	if len(l.dies) > len(l.sockets) {
		inSocket = l.dies
		for _, box := range l.dies {
			sc.around(box, l.llcs, th.Die)
		}
	}
	for i, box := range l.sockets {
		if box.Empty() {
			continue
		}
		sc.around(box, inSocket, th.Socket)
		if l.sp[levelDie].head > 0 {
			b.label("socket ", i, box.X0+space2+space1, box.Y0+sizeBody+space1, style{typeSans, sizeBody, th.Faint, Left, box.W() - space3})
		}
	}
	for i, box := range l.llcs {
		if box.Empty() {
			continue
		}
		sc.box(box, th.Group)
		if l.sp[levelCore].head > 0 {
			b.label("L3 ", i, box.X0+space2, box.Y0+sizeSmall+space1, style{typeSans, sizeSmall, th.Faint, Left, box.W() - space2})
		}
	}
}

// label sets a name and a number.
func (b *Builder) label(name string, n int, x, y float32, st style) float32 {
	b.buf = strconv.AppendInt(append(b.buf[:0], name...), int64(n), 10)
	return b.scene.text(x, y, st, b.buf)
}

// stack is the order of states in a cell's strip: busy ones first.
var stack = [view.NumStates]view.State{view.Kernel, view.User, view.Spin, view.IRQ, view.SoftIRQ, view.IdleLoop, view.IdlePoll, view.IdleC1, view.IdleC2}

// cell draws one CPU: the fill and the mark in it say the state it spends most
// time in lately, the strip below how that time divides into states. In a heat
// mode the fill is the quantity.
func (b *Builder) cell(box Box, c *cpuState, s *side, cpu int32) {
	sc, th := &b.scene, b.th
	if b.vp.Heat != HeatState {
		fill := th.ramp(c.heat[b.vp.Heat] / b.heatTop)
		sc.box(box, fill)
		b.queue(box, int(c.NrRunning), th.on(fill))
		if numbered(box) || box.W() >= narrowW && box.H() >= narrowH {
			b.cellText(box, c, s, cpu, th.on(fill))
		}
		return
	}
	main := c.State
	if !b.vp.ReducedMotion {
		for st := range view.NumStates {
			if c.share[st] > c.share[main] {
				main = st
			}
		}
	}
	fill, ink := th.States[main], th.on(th.States[main])
	sc.box(box, fill)
	upper := box
	if box.H() >= stripFrom && c.share[main] < 0.98 && !b.vp.ReducedMotion {
		h := min(10, max(2, sc.snap(box.H()/8)))
		upper.Y1 -= h
		x := box.X0
		for _, st := range stack {
			w := c.share[st] * box.W()
			if w > 0 && st != main { // main's part is the fill
				sc.box(Box{x, box.Y1 - h, min(box.X1, x+w), box.Y1}, th.States[st])
			}
			x += w
		}
	}
	if min(box.W(), box.H()) >= 5 {
		b.mark(markBox(box, upper), main, ink)
	}
	b.queue(upper, int(c.NrRunning), ink)
	if numbered(box) {
		b.cellText(box, c, s, cpu, ink)
	}
}

// stripFrom is the least height of a cell with a strip of state shares.
const stripFrom = 13

// queueTop is the queue length at the top of the ramp.
const queueTop = 4

// topOf is the value at the top of a heat ramp, the same on both sides. That
// of wakeups follows the busiest CPU by steps of 1, 2, 5, which the eye can
// follow.
func (b *Builder) topOf(h Heat) float32 {
	switch h {
	case HeatQueue:
		return queueTop
	case HeatWakeups:
		var most float32
		for i := range b.sides {
			for c := range b.sides[i].cpus {
				most = max(most, b.sides[i].cpus[c].heat[h])
			}
		}
		top := int64(1)
		for float32(top) < most {
			top = nextRound(top)
		}
		return float32(top)
	}
	return 1
}

// Cell sizes, in CSS pixels, from which a cell has room for its number beside
// the mark, without a mark, and for its function and task.
const (
	numberW, numberH   = 32, 22
	narrowW, narrowH   = 24, 26
	detailsW, detailsH = 76, 52
)

// numbered reports whether a cell has room for its CPU's number beside the mark.
func numbered(cell Box) bool { return cell.W() >= numberW && cell.H() >= numberH }

// markBox is where a cell's mark goes: the middle of its upper part, or what the
// number leaves.
func markBox(cell, upper Box) Box {
	d := min(upper.W(), upper.H()) * 0.5
	at := upper.Mid()
	switch {
	case cell.W() >= 2*detailsW:
		d = 16
		at = Point{cell.X1 - space3 - d/2, cell.Y0 + space3 + d/2}
	case numbered(cell):
		d = min(12, max(8, d*0.6))
		at = Point{cell.X1 - space2 - d/2, cell.Y0 + space2 + d/2}
	}
	return Box{at.X - d/2, at.Y - d/2, at.X + d/2, at.Y + d/2}
}

// mark draws the form of a state.
func (b *Builder) mark(m Box, st view.State, ink Color) {
	sc, mid := &b.scene, m.Mid()
	thin := max(1/sc.Ratio, m.W()/6)
	switch st {
	case view.IdlePoll: // a ring: looking round
		sc.disc(mid, m.W(), ink)
		sc.disc(mid, m.W()-2*thin, b.th.States[st])
	case view.IdleC1: // one bar
		sc.box(Box{m.X0, mid.Y - thin/2, m.X1, mid.Y + thin/2}, ink.Alpha(0.45))
	case view.IdleC2: // two bars: deeper
		sc.box(Box{m.X0, m.Y0 + thin, m.X1, m.Y0 + 2*thin}, ink.Alpha(0.45))
		sc.box(Box{m.X0, m.Y1 - 2*thin, m.X1, m.Y1 - thin}, ink.Alpha(0.45))
	case view.IdleLoop: // a dot: on its way in or out
		sc.disc(mid, m.W()/2, ink)
	case view.User: // plain
	case view.Kernel: // a square
		sc.box(Box{mid.X - m.W()/4, mid.Y - m.W()/4, mid.X + m.W()/4, mid.Y + m.W()/4}, ink)
	case view.Spin: // a cross
		sc.line(Point{m.X0, m.Y0}, Point{m.X1, m.Y1}, thin*1.2, 0, ink)
		sc.line(Point{m.X0, m.Y1}, Point{m.X1, m.Y0}, thin*1.2, 0, ink)
	case view.IRQ: // pointing up: from the hardware
		sc.triangle(Point{mid.X, m.Y0}, Point{m.X1, m.Y1}, Point{m.X0, m.Y1}, ink)
	case view.SoftIRQ: // pointing down: deferred
		sc.triangle(Point{mid.X, m.Y1}, Point{m.X0, m.Y0}, Point{m.X1, m.Y0}, ink)
	}
}

// maxPips is the longest queue drawn as pips.
const maxPips = 4

// queue draws one pip per task that waits on the run queue beside the running
// one, along the lower edge; more than maxPips, or than there is room for, are
// a bar.
func (b *Builder) queue(box Box, running int, ink Color) {
	if running < 2 || box.H() < 6 {
		return
	}
	sc := &b.scene
	pip := min(4, max(1, sc.snap(min(box.W(), box.H())/8)))
	n, room := running-1, min(maxPips, int(box.W()/(2*pip)))
	row := Box{box.X0 + pip, box.Y1 - 2*pip, box.X0 + 2*pip, box.Y1 - pip}
	if n > room {
		row.X1 = box.X1 - pip
		n = 1
	}
	for range n {
		sc.box(row, ink)
		row.X0, row.X1 = row.X0+2*pip, row.X1+2*pip
	}
}

// cellText writes into a cell what there is room for.
func (b *Builder) cellText(box Box, c *cpuState, s *side, cpu int32, ink Color) {
	sc := &b.scene
	size, pad := float32(sizeSmall), float32(space2)
	if box.W() < detailsW || box.H() < detailsH {
		b.buf = strconv.AppendInt(b.buf[:0], int64(cpu), 10)
		sc.text(box.X0+pad, box.Y0+size+space1, style{typeSans, size, ink, Left, 0}, b.buf)
		return
	}
	if box.W() >= 2*detailsW {
		size, pad = sizeBody, space3
	}
	x, room := box.X0+pad, box.W()-2*pad
	y := box.Y0 + size + pad
	b.label("CPU ", int(cpu), x, y, style{typeSans, size, ink, Left, room - size})
	b.buf = append(b.buf[:0], s.fn(c.Fn)...)
	sc.text(x, y+size+space2, style{typeMono, size, ink, Left, room}, b.buf)
	b.buf = append(b.buf[:0], s.task(c.Task)...)
	sc.text(x, y+2*(size+space2), style{typeMono, size, ink.Alpha(0.75), Left, room}, b.buf)
}

// swatch draws a small cell in one state, as the legend does.
func (b *Builder) swatch(box Box, st view.State) {
	c := b.th.States[st]
	b.scene.box(box, c)
	d := box.W() * 0.3
	b.mark(box.Inset(d*0.8), st, b.th.on(c))
	b.scene.frame(box, 1/b.scene.Ratio, b.th.Ink.Alpha(0.25))
}

// highlight rings a CPU and labels it.
func (b *Builder) highlight(s *side, cpu int32, width float32, label string) {
	if cpu < 0 || int(cpu) >= len(s.layout.cells) || s.layout.cells[cpu].Empty() {
		return
	}
	sc, th, cell := &b.scene, b.th, s.layout.cells[cpu]
	sc.frame(cell.Inset(-width-1), width+1, th.Background)
	sc.frame(cell.Inset(-width), width, th.Accent)
	if label == "CPU " && cell.W() >= detailsW && cell.H() >= detailsH {
		return
	}
	b.buf = strconv.AppendInt(append(b.buf[:0], label...), int64(cpu), 10)
	st := style{typeSans, sizeBody, th.Background, Centre, 0}
	y := cell.Y0 - space3
	if y < s.layout.key.area.Y0+sizeBody {
		y = cell.Y1 + space3 + sizeBody
	}
	x := cell.Mid().X
	half := typeface.Width(st.face, st.size, b.buf)/2 + space3
	x = min(s.layout.key.area.X1-half, max(s.layout.key.area.X0+half, x))
	sc.box(Box{x - half, y - sizeBody, x + half, y + space2}, th.Accent)
	sc.text(x, y, st, b.buf)
}
