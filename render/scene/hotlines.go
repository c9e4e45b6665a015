package scene

import (
	"strconv"

	"wakelab/engine/view"
)

// Lines view measures, in CSS pixels.
const (
	lineRowH = 30
	lineBarH = 5

	matrixMax  = 420
	matrixCell = 5 // least size of a cell
)

// hotLines draws the hottest cache lines and locks, each with a bar of the
// time CPUs waited for it, on scales common to both sides.
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
	rows := max(0, int((body.H()-2*legendRow)/lineRowH))
	nLocks := min(len(s.locks), rows/3)
	nLines := min(len(s.lines), rows-nLocks)
	y := b.heading(body, body.Y0, "Cache lines: time waited, of it queued behind other transfers")
	for i := range s.lines[:nLines] {
		b.lineRow(&s.lines[i], Box{body.X0, y, body.X1, y + lineRowH}, float32(topLine))
		y += lineRowH
	}
	if nLocks > 0 {
		y = b.heading(body, y, "Locks: time waited")
	}
	for i := range s.locks[:nLocks] {
		b.lockRow(&s.locks[i], Box{body.X0, y, body.X1, y + lineRowH}, float32(topLock))
		y += lineRowH
	}
	b.matrix(s, Box{body.X0, y + space4, body.X1, body.Y1})
}

// matrix draws, where there is room, the recent messages between L3 groups:
// a row for each sender, a column for each receiver.
func (b *Builder) matrix(s *side, body Box) {
	area := Box{body.X0, body.Y0 + legendRow + space2, body.X1, body.Y1}
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
	b.scene.text(body.X0, y+legendRow-space2, style{typeSans, sizeBody, b.th.Faint, Left, body.W()}, append(b.buf[:0], text...))
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
	b.waitRow(l.Name, row, float32(l.WaitNs)/top, float32(l.QueueNs)/top, l.WaitNs)
}

// lockRow draws one lock.
func (b *Builder) lockRow(l *view.Lock, row Box, top float32) {
	b.buf = strconv.AppendUint(b.buf[:0], l.Acquired, 10)
	b.buf = append(b.buf, " taken, "...)
	if l.Acquired > 0 {
		b.buf = strconv.AppendFloat(b.buf, 100*float64(l.Contended)/float64(l.Acquired), 'f', 1, 64)
		b.buf = append(b.buf, " % contended"...)
	}
	b.waitRow(l.Name, row, float32(l.WaitNs)/top, 0, l.WaitNs)
}

// waitRow draws a name, the details in b.buf, and the bar of a row. The part
// of the bar that was queueing is hatched as well as darker.
func (b *Builder) waitRow(name string, row Box, wait, queue float32, ns uint64) {
	sc, th := &b.scene, b.th
	y := row.Y0 + sizeBody + space1
	details := sc.text(row.X0+row.W()*0.8, y, style{typeSans, sizeSmall, th.Faint, Right, row.W() * 0.5}, b.buf)
	b.buf = appendNs(b.buf[:0], float64(ns))
	sc.text(row.X1, y, style{typeMono, sizeBody, th.Ink, Right, row.W() * 0.2}, b.buf)
	sc.text(row.X0, y, style{typeMono, sizeBody, th.Ink, Left, row.W()*0.8 - details - space3}, append(b.buf[:0], name...))
	bar := Box{row.X0, y + space2, row.X1, y + space2 + lineBarH}
	sc.box(bar, th.Die)
	if wait > 0 {
		sc.box(Box{bar.X0, bar.Y0, bar.X0 + wait*bar.W(), bar.Y1}, th.Ramp[1])
	}
	if queue == 0 {
		return
	}
	x1 := bar.X0 + queue*bar.W()
	sc.box(Box{bar.X0, bar.Y0, x1, bar.Y1}, th.Ramp[2])
	for x := bar.X0 + lineBarH; x < x1; x += lineBarH {
		sc.line(Point{x - lineBarH, bar.Y1}, Point{x, bar.Y0}, 1, 0, th.Background.Alpha(0.6))
	}
}
