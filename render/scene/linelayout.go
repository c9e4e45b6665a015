package scene

import "wakelab/engine/view"

// Measures of drawn cache lines, in CSS pixels.
const (
	layoutRow   = 24
	layoutNameW = 116
	layoutTick  = 8 // bytes between marks
)

// layoutHeight returns the height of the lower part of the lines view, in which
// cache lines are drawn byte by byte: 0 unless one of the kernels has a flag
// whose place matters, and at most most.
func (b *Builder) layoutHeight(most float32) float32 {
	rows, flag := 0, false
	for i := range b.sides {
		if st := b.sides[i].static; st != nil {
			rows = max(rows, len(st.CPULines))
			flag = flag || hasFlag(st.CPULines)
		}
	}
	h := float32(rows)*layoutRow + legendRow + space3
	if !flag || h > most {
		return 0
	}
	return h
}

func hasFlag(lines []view.Layout) bool {
	for i := range lines {
		for j := range lines[i].Variables {
			if lines[i].Variables[j].Flag {
				return true
			}
		}
	}
	return false
}

// layouts draws the lines of a CPU with the variables on them.
func (b *Builder) layouts(s *side, body Box) {
	if body.Empty() {
		return
	}
	y := b.heading(body, body.Y0, "The lines of each CPU, 64 bytes: what shares them; hatched where the sources give no offset")
	for i := range s.static.CPULines {
		l := &s.static.CPULines[i]
		b.lineLayout(l, Box{body.X0, y, body.X1, y + layoutRow})
		y += layoutRow
	}
}

// lineLayout draws one line: variables whose place is known as boxes there, the
// others over what is left, in the order the model has them.
func (b *Builder) lineLayout(l *view.Layout, row Box) {
	sc, th := &b.scene, b.th
	nameW := min(layoutNameW, row.W()*0.3)
	sc.text(row.X0, row.Y0+sizeBody+space1, style{typeMono, sizeSmall, th.Ink, Left, nameW - space2}, append(b.buf[:0], l.Name...))
	bar := Box{row.X0 + nameW, row.Y0 + 1, row.X1, row.Y1 - space2}
	sc.box(bar, th.Die)
	byteW := bar.W() / view.LineBytes
	unplaced, from := 0, bar.X0
	for i := range l.Variables {
		v := &l.Variables[i]
		if v.Offset < 0 {
			unplaced++
			continue
		}
		box := Box{bar.X0 + float32(v.Offset)*byteW, bar.Y0, bar.X0 + float32(v.Offset+v.Size)*byteW, bar.Y1}
		b.variable(v, box, row.X1-space2)
		from = max(from, box.X1+float32(len(v.Name))*sizeSmall*0.6+2*space3)
	}
	if unplaced == 0 {
		b.byteTicks(bar)
		sc.frame(bar, 1, th.Rule)
		return
	}
	from = min(from, bar.X1-bar.W()/3)
	w := (bar.X1 - from) / float32(unplaced)
	for i := range l.Variables {
		if v := &l.Variables[i]; v.Offset < 0 {
			b.hatched(v, Box{from, bar.Y0, from + w - 1, bar.Y1})
			from += w
		}
	}
	sc.frame(bar, 1, th.Rule)
}

// byteTicks marks every eighth byte of a line.
func (b *Builder) byteTicks(bar Box) {
	for at := layoutTick; at < view.LineBytes; at += layoutTick {
		x := bar.X0 + float32(at)*bar.W()/view.LineBytes
		b.scene.box(Box{x, bar.Y0, x + 1/b.scene.Ratio, bar.Y1}, b.th.Rule)
	}
}

// variable draws one at its place, its name within or to the right.
func (b *Builder) variable(v *view.Variable, box Box, right float32) {
	sc, th := &b.scene, b.th
	fill := th.Ramp[1]
	if v.Flag {
		fill = th.Accent
	}
	sc.box(box, fill)
	sc.text(box.X1+space2, box.Mid().Y+sizeSmall*0.36, style{typeSans, sizeSmall, th.Ink, Left, right - box.X1 - space2}, append(b.buf[:0], v.Name...))
}

// hatched draws one somewhere on its line.
func (b *Builder) hatched(v *view.Variable, box Box) {
	sc, th := &b.scene, b.th
	ink := th.Ramp[1]
	if v.Flag {
		ink = th.Accent
	}
	for x := box.X0; x+box.H() <= box.X1; x += space3 {
		sc.line(Point{x, box.Y1}, Point{x + box.H(), box.Y0}, 1, 0, ink.Alpha(0.45))
	}
	sc.frame(box, 1, ink)
	sc.text(box.Mid().X, box.Mid().Y+sizeSmall*0.36, style{typeSans, sizeSmall, th.Ink, Centre, box.W() - space2}, append(b.buf[:0], v.Name...))
}
