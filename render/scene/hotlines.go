package scene

import (
	"strconv"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// Lines view measures, in CSS pixels.
const (
	lineRowH = 30
	lineBarH = 5
	stripH   = 9 // of the cells that say which L3 groups wait, with what is around them

	matrixNumber = 18 // of a matrix's rows and columns
	timeW        = 56 // least width of the times

	matrixMax  = 420
	matrixCell = 5 // least size of a cell
)

// hotLines draws the hottest cache lines and locks, each with a bar of the
// time CPUs waited for it, on scales common to both sides; below the bars of
// lines, which L3 groups' CPUs waited.
func (b *Builder) hotLines(s *side, body Box) {
	if len(s.lines)+len(s.locks) == 0 {
		b.note(body, "No cache line has moved yet")
		return
	}
	var topLine, topLock uint64 = 1, 1
	for i := range b.sides {
		for j := range b.sides[i].lines {
			topLine = max(topLine, b.sides[i].lines[j].WaitNs)
		}
		for j := range b.sides[i].locks {
			topLock = max(topLock, b.sides[i].locks[j].WaitNs)
		}
	}
	low := body
	low.Y1 -= b.layoutHeight(body.H() * 0.6)
	rowH := float32(lineRowH)
	if len(s.l3Waits) > 0 {
		rowH += stripH
	}
	room := low.H() - 2*legendRow - space4
	nLocks := min(len(s.locks), max(1, int(room/3/lineRowH)))
	nLines := max(0, min(len(s.lines), int((room-float32(nLocks)*lineRowH)/rowH)))
	b.buf = append(b.buf[:0], "Lines: time waited, hatched: queued"...)
	if said := len(b.buf); len(s.l3Waits) > 0 {
		b.buf = append(b.buf, "; by L3 group since "...)
		b.buf = appendDuration(b.buf, s.linesSincePs, 4)
		if typeface.Width(typeSans, sizeBody, b.buf) > body.W() {
			b.buf = append(b.buf[:said], "; by L3 group"...)
		}
	}
	y := b.headingText(body, body.Y0)
	for i := range s.lines[:nLines] {
		b.lineRow(&s.lines[i], Box{body.X0, y, body.X1, y + rowH}, float32(topLine))
		y += rowH
	}
	if nLines > 0 && len(s.l3Waits) > 0 {
		y = b.l3Axis(len(s.lines[0].L3WaitNs), body, y)
	}
	if nLocks > 0 {
		y = b.heading(body, y, "Locks: time waited")
	}
	for i := range s.locks[:nLocks] {
		b.lockRow(&s.locks[i], Box{body.X0, y, body.X1, y + lineRowH}, float32(topLock))
		y += lineRowH
	}
	b.layouts(s, Box{body.X0, low.Y1, body.X1, body.Y1})
	b.matrix(s, Box{body.X0, y + space4, body.X1, low.Y1})
}

// l3Axis numbers the columns of the strips.
func (b *Builder) l3Axis(n int, body Box, y float32) float32 {
	st := style{typeSans, sizeSmall, b.th.Faint, Centre, 0}
	cell := body.W() / float32(n)
	step := 1
	for cell*float32(step) < 3*sizeSmall {
		step *= 2
	}
	for i := 0; i < n; i += step {
		b.buf = strconv.AppendInt(b.buf[:0], int64(i), 10)
		if i == 0 && cell > 3*sizeSmall {
			b.buf = append(b.buf[:0], "L3 0"...)
		}
		b.scene.text(body.X0+(float32(i)+0.5)*cell, y+sizeSmall-space1, st, b.buf)
	}
	return y + sizeSmall
}

// l3Strip draws a cell for each L3 group: the more of the line's waiting is its
// CPUs', the stronger.
func (b *Builder) l3Strip(waits []uint64, at Box) {
	var top uint64
	for _, ns := range waits {
		top = max(top, ns)
	}
	cell := at.W() / float32(len(waits))
	for i, ns := range waits {
		v := float32(0)
		if top > 0 {
			v = float32(ns) / float32(top)
		}
		x := at.X0 + float32(i)*cell
		b.scene.box(Box{x, at.Y0, x + cell - min(1, cell/4), at.Y1}, b.th.ramp(v))
	}
}

// matrix draws, where there is room, the recent messages between L3 groups:
// a row for each sender, a column for each receiver.
func (b *Builder) matrix(s *side, body Box) {
	area := Box{body.X0 + matrixNumber, body.Y0 + legendRow + matrixNumber, body.X1, body.Y1}
	n := s.llcs
	cell := min(area.W(), area.H(), matrixMax) / float32(n)
	if cell < matrixCell || n < 2 {
		return
	}
	b.heading(body, body.Y0, "Messages between L3 groups: from row to column")
	s.sum(view.IPI, view.PolledWake, view.Migration, view.Wakeup, view.Pipe)
	var top float32
	for i := range s.sums {
		top = max(top, s.sums[i].rate)
	}
	step := 1
	for cell*float32(step) < matrixNumber {
		step *= 2
	}
	for i := 0; i < n; i += step {
		at := (float32(i)+0.5)*cell + sizeSmall*0.36
		b.label("", i, area.X0+at-sizeSmall*0.36, area.Y0-space2, style{typeSans, sizeSmall, b.th.Faint, Centre, 0})
		b.label("", i, area.X0-space2, area.Y0+at, style{typeSans, sizeSmall, b.th.Faint, Right, 0})
	}
	for i := range s.sums {
		x, y := area.X0+float32(i%n)*cell, area.Y0+float32(i/n)*cell
		v := float32(0)
		if top > 0 {
			v = s.sums[i].rate / top
		}
		b.scene.box(Box{x, y, x + cell - 1, y + cell - 1}, b.th.ramp(v))
	}
}

func (b *Builder) heading(body Box, y float32, text string) float32 {
	b.buf = append(b.buf[:0], text...)
	return b.headingText(body, y)
}

// headingText sets b.buf as a heading.
func (b *Builder) headingText(body Box, y float32) float32 {
	b.scene.text(body.X0, y+legendRow-space2, style{typeSans, sizeBody, b.th.Faint, Left, body.W()}, b.buf)
	return y + legendRow + space1
}

// lineRow draws one cache line.
func (b *Builder) lineRow(l *view.Line, row Box, top float32) {
	b.buf = strconv.AppendUint(b.buf[:0], l.Transfers, 10)
	b.buf = append(b.buf, " transfers, "...)
	if l.Owner < 0 {
		b.buf = append(b.buf, "in memory"...)
	} else {
		b.buf = strconv.AppendInt(append(b.buf, "CPU "...), int64(l.Owner), 10)
	}
	if l.Sharers > 1 {
		b.buf = strconv.AppendInt(append(b.buf, " +"...), int64(l.Sharers-1), 10)
	}
	y := b.waitRow(l.Name, l.Variables, row, float32(l.WaitNs)/top, float32(l.QueueNs)/top, l.WaitNs)
	if len(l.L3WaitNs) > 0 {
		b.l3Strip(l.L3WaitNs, Box{row.X0, y + 1, row.X1, y + stripH - 1})
	}
}

// lockRow draws one lock.
func (b *Builder) lockRow(l *view.Lock, row Box, top float32) {
	b.buf = strconv.AppendUint(b.buf[:0], l.Acquired, 10)
	b.buf = append(b.buf, " taken, "...)
	if l.Acquired > 0 {
		b.buf = strconv.AppendFloat(b.buf, 100*float64(l.Contended)/float64(l.Acquired), 'f', 1, 64)
		b.buf = append(b.buf, " % contended"...)
	}
	b.waitRow(l.Name, "", row, float32(l.WaitNs)/top, 0, l.WaitNs)
}

// waitRow draws a name and what lies on the line, the details in b.buf, and the
// bar of a row. The part of the bar that was queueing is hatched as well as
// darker. It returns the y below the bar.
func (b *Builder) waitRow(name, variables string, row Box, wait, queue float32, ns uint64) float32 {
	sc, th := &b.scene, b.th
	y := row.Y0 + sizeBody + space1
	beside := row.W() - max(timeW, row.W()*0.16) - space3
	details := sc.text(row.X0+beside, y, style{typeSans, sizeSmall, th.Faint, Right, row.W() * 0.4}, b.buf)
	b.buf = appendNs(b.buf[:0], float64(ns))
	sc.text(row.X1, y, style{typeMono, sizeBody, th.Ink, Right, 0}, b.buf)
	room := beside - details - space3
	w := sc.text(row.X0, y, style{typeMono, sizeBody, th.Ink, Left, room}, append(b.buf[:0], name...)) + space3
	if variables != "" && variables != name && room-w > 60 {
		sc.text(row.X0+w, y, style{typeSans, sizeSmall, th.Faint, Left, room - w}, append(b.buf[:0], variables...))
	}
	bar := Box{row.X0, y + space2, row.X1, y + space2 + lineBarH}
	sc.box(bar, th.Die)
	if wait > 0 {
		sc.box(Box{bar.X0, bar.Y0, bar.X0 + wait*bar.W(), bar.Y1}, th.Ramp[1])
	}
	if queue > 0 {
		x1 := bar.X0 + queue*bar.W()
		sc.box(Box{bar.X0, bar.Y0, x1, bar.Y1}, th.Ramp[2])
		for x := bar.X0 + lineBarH; x < x1; x += lineBarH {
			sc.line(Point{x - lineBarH, bar.Y1}, Point{x, bar.Y0}, 1, 0, th.Background.Alpha(0.6))
		}
	}
	return bar.Y1
}
