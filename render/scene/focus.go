package scene

import (
	"slices"
	"strconv"
	"strings"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// Sizes of focus cards, in CSS pixels.
const (
	cardH   = 148
	cardMin = 104 // narrowest
	cardMax = 260
	mapMin  = 64 // least height of the machine below the cards
)

// focus draws the CPUs of Viewport.Focus as cards with what passes between
// them and returns the area left for the machine; it may be empty.
func (b *Builder) focus(s *side, body Box) Box {
	n := float32(len(b.vp.Focus))
	gap := min(150, max(44, body.W()*0.2))
	w := min(cardMax, max(cardMin, (body.W()-(n-1)*gap)/n))
	total := n*w + (n-1)*gap
	x := body.X0 + max(0, (body.W()-total)/2)
	h := min(float32(cardH), body.H())
	for _, cpu := range b.vp.Focus {
		box := Box{x, body.Y0, x + w, body.Y0 + h}
		x += w + gap
		s.cards = append(s.cards, box)
		if cpu >= 0 && int(cpu) < len(s.cpus) {
			b.card(s, cpu, box)
		}
	}
	y := body.Y0 + h
	b.between(s, body.Y0+h*0.36)
	y = b.focusLines(s, y+space3, body)
	if body.Y1-y < mapMin {
		return Box{}
	}
	return Box{body.X0, y + space3, body.X1, body.Y1}
}

// card draws one CPU large: state, function, task, flags, queue.
func (b *Builder) card(s *side, cpu int32, box Box) {
	sc, th, c := &b.scene, b.th, &s.cpus[cpu]
	p := &s.static.Places[cpu]
	sc.box(box, th.Group)
	sc.frame(box, 1, th.Rule)
	sc.box(Box{box.X0, box.Y0, box.X0 + space2, box.Y1}, th.States[c.State])
	x, room := box.X0+space4, box.W()-space4-space3
	y := box.Y0 + space3 + sizeLarge*0.8
	title := style{typeSans, sizeLarge, th.Ink, Left, room - 24}
	if room < 110 {
		title.size = sizeTitle
	}
	b.label("CPU ", int(cpu), x, y, title)
	b.swatch(Box{box.X1 - space3 - 20, box.Y0 + space3, box.X1 - space3, box.Y0 + space3 + 20}, c.State)
	y += sizeSmall + space2
	b.buf = strconv.AppendInt(append(b.buf[:0], "socket "...), int64(p.Socket), 10)
	b.buf = strconv.AppendInt(append(b.buf, ", L3 "...), int64(p.LLC), 10)
	b.buf = strconv.AppendInt(append(b.buf, ", core "...), int64(p.Core), 10)
	sc.text(x, y, style{typeSans, sizeSmall, th.Faint, Left, room}, b.buf)
	y += sizeTitle + space3
	b.buf = append(b.buf[:0], s.fn(c.Fn)...)
	name := style{typeMono, sizeBody, th.Ink, Left, room}
	if typeface.Width(name.face, name.size, b.buf) > room {
		name.size = sizeSmall
	}
	sc.text(x, y, name, b.buf)
	y += sizeBody + space2
	b.buf = append(append(append(b.buf[:0], c.State.String()...), ", "...), s.task(c.Task)...)
	sc.text(x, y, style{typeMono, sizeSmall, th.Faint, Left, room}, b.buf)
	y += space4
	y = b.bit(x, y, room, "NEED_RESCHED", c.NeedResched)
	y = b.bit(x, y, room, "POLLING", c.Polling)
	b.bit(x, y, room, "IRQs off", c.IRQsOff)
	b.buf = strconv.AppendInt(append(b.buf[:0], "nr_running "...), int64(c.NrRunning), 10)
	if room > 180 {
		sc.text(box.X1-space3, y+sizeSmall, style{typeMono, sizeSmall, th.Faint, Right, 0}, b.buf)
	}
}

// bit draws a flag: a filled box when set, an empty one when not.
func (b *Builder) bit(x, y, room float32, name string, set bool) float32 {
	sc, th := &b.scene, b.th
	box := Box{x, y + 1, x + sizeSmall - 1, y + sizeSmall}
	ink := th.Faint
	if set {
		sc.box(box, th.Accent)
		ink = th.Ink
	}
	sc.frame(box, 1, ink)
	b.buf = append(b.buf[:0], name...)
	sc.text(x+sizeBody+space1, y+sizeSmall, style{typeMono, sizeSmall, ink, Left, room - sizeBody}, b.buf)
	return y + sizeSmall + space2
}

// between draws the recent messages and those in flight between the cards,
// one lane per kind and direction.
func (b *Builder) between(s *side, y float32) {
	const lane = 14
	for i, from := range b.vp.Focus {
		for j, to := range b.vp.Focus {
			if i == j || int(from) >= s.traffic.n || int(to) >= s.traffic.n || from < 0 || to < 0 {
				continue
			}
			a, z := s.cards[i], s.cards[j]
			x0, x1 := a.X1+space1, z.X0-space1
			ly := y
			if i > j {
				x0, x1 = a.X0-space1, z.X1+space1
				ly += lane / 2
			}
			slot := s.traffic.slot[int(from)*s.traffic.n+int(to)]
			for k := range view.NumArrowKinds {
				if b.vp.Hide[k] {
					continue
				}
				ly += lane
				if slot > 0 && s.traffic.pairs[slot-1].glow[k] > glowMin {
					b.arrow(Point{x0, ly}, Point{x1, ly}, k, 0.3, s.traffic.pairs[slot-1].glow[k])
				}
				for f := range s.flights {
					if fl := &s.flights[f]; fl.From == from && fl.To == to && fl.Kind == k {
						b.flight(Point{x0, ly}, Point{x1, ly}, fl, s.nowPs, 9)
					}
				}
			}
		}
	}
}

// focusLines names the hottest lines that belong to the focused CPUs and
// their owners, two at most, if there is room. It returns the y below.
func (b *Builder) focusLines(s *side, y float32, body Box) float32 {
	shown := 0
	for i := range s.lines {
		l := &s.lines[i]
		if shown == 2 || y+sizeBody > body.Y1 || !b.concerns(l.Name) {
			continue
		}
		shown++
		b.buf = append(append(b.buf[:0], "line "...), l.Name...)
		if l.Owner < 0 {
			b.buf = append(b.buf, ": in memory"...)
		} else {
			b.buf = strconv.AppendInt(append(b.buf, ": owned by CPU "...), int64(l.Owner), 10)
		}
		b.buf = strconv.AppendInt(append(b.buf, ", sharers: "...), int64(l.Sharers), 10)
		b.scene.text(body.Mid().X, y+sizeSmall, style{typeMono, sizeSmall, b.th.Ink, Centre, body.W()}, b.buf)
		y += sizeSmall + space2
	}
	return y
}

// perCPU are the kinds of lines whose index is a CPU's.
var perCPU = []string{"rq", "idle", "call_single_queue", "csd.stack", "csd_data", "cfd_data.csd", "cpu_stopper", "flush flag"}

// concerns reports whether a line is one of a focused CPU, as "rq[16].lock"
// is.
func (b *Builder) concerns(name string) bool {
	kind, rest, _ := strings.Cut(name, "[")
	if !slices.Contains(perCPU, kind) {
		return false
	}
	index, _, _ := strings.Cut(rest, "]")
	cpu, err := strconv.Atoi(index)
	return err == nil && slices.Contains(b.vp.Focus, int32(cpu))
}
