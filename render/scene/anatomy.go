package scene

import (
	"math"
	"strconv"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// Anatomy measures, in CSS pixels.
const (
	stackMin, stackMax = 24, 44 // height of the stacked bar
	sliceMin, sliceMax = 15, 68 // height of a slice's row
	sliceTwo           = 28     // from this height on a row has two lines
	wideRow            = 420    // from this width on a row has its distribution beside it
	decadesMax         = 5      // of the distributions' scale
	besides            = 0.62   // part of a wide row that is beside the distribution
	spreadTall         = 22     // height of a distribution's mark of the mean
)

// anatomy draws the slices of the mean wakeup as one bar, on a scale common
// to both sides, and below it a row for each: number, name, function, time,
// spread, and the patch that changes it.
func (b *Builder) anatomy(s *side, body Box) {
	sc, th := &b.scene, b.th
	if len(s.slices) == 0 {
		b.note(body, "No wakeup or call has been completed yet")
		return
	}
	var longest float64
	for i := range b.sides {
		longest = max(longest, total(b.sides[i].slices))
	}
	y := body.Y0 + space3 + sizeTitle
	b.buf = appendNs(b.buf[:0], total(s.slices))
	w := sc.text(body.X0, y, style{typeMono, sizeTitle, th.Ink, Left, 0}, b.buf)
	sc.text(body.X0+w+space3, y, style{typeSans, sizeBody, th.Faint, Left, body.W() - w - space3}, append(b.buf[:0], pathNames[s.slices[0].Path == "call"]...))
	y += space3
	stack := min(stackMax, max(stackMin, body.H()/8))
	b.stack(s, Box{body.X0, y, body.X0 + float32(total(s.slices)/longest)*body.W(), y + stack})
	rows := Box{body.X0, y + stack + space4, body.X1, body.Y1}
	wide := body.W() >= wideRow
	if wide {
		rows.Y1 -= 2 * sizeBody
	}
	rowH := min(sliceMax, max(sliceMin, rows.H()/float32(len(s.slices))))
	rows.Y1 = rows.Y0 + rowH*float32(len(s.slices))
	if wide {
		beside := rows
		beside.X0 = rows.X0 + rows.W()*besides + space4
		scale := b.logScale(beside)
		b.logAxis(&scale, rows.X0)
		for i := range s.slices {
			y := rows.Y0 + (float32(i)+0.5)*rowH
			b.spread(&s.slices[i], &scale, y, min(spreadTall, rowH-space3), th.Slices[i%len(th.Slices)])
		}
		rows.X1 = beside.X0 - space4
	}
	for i := range s.slices {
		y := rows.Y0 + float32(i)*rowH
		sc.box(Box{rows.X0, y, body.X1, y + 1/sc.Ratio}, th.Rule)
		b.sliceRow(&s.slices[i], i, Box{rows.X0, y, rows.X1, y + rowH})
	}
}

// pathNames say what the slices are of: a call, or else a wakeup.
var pathNames = map[bool]string{false: "from waking to running, mean", true: "from call to answer, mean"}

// stack draws a side's slices, one after the other.
func (b *Builder) stack(s *side, bar Box) {
	sc, th := &b.scene, b.th
	whole, x := total(s.slices), bar.X0
	for i := range s.slices {
		x1 := x + float32(s.slices[i].Ns/whole)*bar.W()
		c := th.Slices[i%len(th.Slices)]
		sc.box(Box{x, bar.Y0, max(x, x1-1/sc.Ratio), bar.Y1}, c)
		if x1-x > sizeBody {
			b.buf = strconv.AppendInt(b.buf[:0], int64(i+1), 10)
			sc.text((x+x1)/2, bar.Mid().Y+sizeBody*0.36, style{typeSans, sizeBody, th.on(c), Centre, 0}, b.buf)
		}
		x = x1
	}
}

// sliceRow draws what is to be said of one slice: on two lines, or on one if
// the row is low.
func (b *Builder) sliceRow(sl *view.Slice, i int, row Box) {
	sc, th := &b.scene, b.th
	c := th.Slices[i%len(th.Slices)]
	d := min(20, row.H()-2*space1)
	mid := row.Mid().Y
	chip := Box{row.X0, mid - d/2, row.X0 + d, mid + d/2}
	sc.box(chip, c)
	b.buf = strconv.AppendInt(b.buf[:0], int64(i+1), 10)
	sc.text(chip.Mid().X, mid+sizeBody*0.36, style{typeSans, min(sizeBody, d-space1), th.on(c), Centre, 0}, b.buf)
	x, first, second := chip.X1+space3, mid-space1-1, mid+sizeSmall
	if row.H() < sliceTwo {
		first, second = mid+sizeBody*0.36, mid+sizeBody*0.36
	}
	b.buf = appendNs(b.buf[:0], sl.Ns)
	room := row.X1 - x - sc.text(row.X1, first, style{typeMono, sizeBody, th.Ink, Right, 0}, b.buf) - space3
	w := sc.text(x, first, style{typeSans, sizeBody, th.Ink, Left, room}, append(b.buf[:0], sl.Name...))
	if row.H() < sliceTwo {
		x, room = x+w+space3, room-w-space3
	} else {
		room = row.X1 - x
	}
	if room < space5 {
		return
	}
	w = sc.text(x, second, style{typeMono, sizeSmall, th.Faint, Left, room}, append(b.buf[:0], sl.Fn...))
	if sl.Patch != "" && room-w > 2*space5 {
		sc.text(x+w+space3, second, style{typeSans, sizeSmall, th.Accent, Left, room - w - space3}, append(b.buf[:0], sl.Patch...))
	}
}

// logScale is a logarithmic scale of times, by powers of ten.
type logScale struct {
	box    Box
	lo, hi int // powers of ten of ns
}

// logScale returns a scale that holds the distributions of both sides' slices,
// or the longer times of them.
func (b *Builder) logScale(box Box) logScale {
	least, most := math.Inf(1), 1.0
	for i := range b.sides {
		for j := range b.sides[i].slices {
			sl := &b.sides[i].slices[j]
			most = max(most, sl.P99Ns, sl.Ns)
			for _, ns := range [...]float64{sl.P10Ns, sl.P50Ns, sl.Ns} {
				if ns >= 1 {
					least = min(least, ns)
				}
			}
		}
	}
	hi := int(math.Ceil(math.Log10(most)))
	lo := int(math.Floor(math.Log10(min(least, most))))
	return logScale{box, max(min(lo, hi-1), hi-decadesMax), hi}
}

// x returns the position of a time; shorter ones than the scale's are at its
// left end.
func (l *logScale) x(ns float64) float32 {
	v := (math.Log10(max(ns, 1e-3)) - float64(l.lo)) / float64(l.hi-l.lo)
	return l.box.X0 + float32(min(1, max(0, v)))*l.box.W()
}

// logAxis draws a scale's powers of ten and, from x on, how to read what is
// drawn on it.
func (b *Builder) logAxis(l *logScale, x float32) {
	sc, st := &b.scene, style{typeSans, sizeSmall, b.th.Faint, Centre, 0}
	y := l.box.Y1 + sizeBody
	for p := l.lo; p <= l.hi; p++ {
		at := l.x(math.Pow10(p))
		sc.box(Box{at, l.box.Y0, at + 1/sc.Ratio, l.box.Y1}, b.th.Rule.Alpha(0.6))
		b.buf = appendDuration(b.buf[:0], int64(math.Pow10(p+3)), 1)
		half := typeface.Width(st.face, st.size, b.buf) / 2
		sc.text(min(at, l.box.X1-half), y, st, b.buf)
	}
	st.align, st.max = Left, l.box.X0-x-space5
	b.buf = append(b.buf[:0], "middle half with median, 10th to 90th and 99th percentile, mean"...)
	sc.text(x, y, st, b.buf)
}

// spread draws a slice's distribution around y: a line to the 99th percentile, a
// bar from the tenth to the ninetieth, a box for the middle half with the median
// in it, and the mean as a tick.
func (b *Builder) spread(sl *view.Slice, l *logScale, y, tall float32, c Color) {
	sc := &b.scene
	bar := func(x0, x1, h float32, c Color) { sc.box(Box{x0, y - h/2, x1, y + h/2}, c) }
	bar(l.x(sl.P90Ns), l.x(sl.P99Ns), 2, c)
	bar(l.x(sl.P10Ns), l.x(sl.P90Ns), tall/4, c)
	bar(l.x(sl.P25Ns), l.x(sl.P75Ns), tall*0.6, c)
	bar(l.x(sl.P50Ns)-0.5, l.x(sl.P50Ns)+0.5, tall*0.6, b.th.Background)
	bar(l.x(sl.Ns)-1, l.x(sl.Ns)+1, tall, b.th.Ink)
}

// note writes a sentence in the middle of an area.
func (b *Builder) note(body Box, text string) {
	b.buf = append(b.buf[:0], text...)
	b.scene.text(body.Mid().X, body.Mid().Y, style{typeSans, sizeBody, b.th.Faint, Centre, body.W()}, b.buf)
}

func total(slices []view.Slice) (ns float64) {
	for i := range slices {
		ns += slices[i].Ns
	}
	return ns
}
