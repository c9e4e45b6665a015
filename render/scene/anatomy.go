package scene

import (
	"strconv"

	"wakelab/engine/view"
)

// Anatomy measures, in CSS pixels.
const (
	stackH    = 36 // height of the stacked bar
	sliceRowH = 34
	wideRow   = 420 // from this width on a row has its distribution beside it
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
	var longest, spread float64
	for i := range b.sides {
		longest = max(longest, total(b.sides[i].slices))
		for j := range b.sides[i].slices {
			spread = max(spread, b.sides[i].slices[j].P99Ns, b.sides[i].slices[j].Ns)
		}
	}
	y := body.Y0 + space3 + sizeTitle
	b.buf = appendNs(b.buf[:0], total(s.slices))
	w := sc.text(body.X0, y, style{typeMono, sizeTitle, th.Ink, Left, 0}, b.buf)
	sc.text(body.X0+w+space3, y, style{typeSans, sizeBody, th.Faint, Left, body.W() - w - space3}, append(b.buf[:0], pathNames[s.slices[0].Path == "call"]...))
	y += space3
	x := body.X0
	for i := range s.slices {
		sl := &s.slices[i]
		x1 := x + float32(sl.Ns/longest)*body.W()
		c := th.Slices[i%len(th.Slices)]
		sc.box(Box{x, y, max(x, x1-1/sc.Ratio), y + stackH}, c)
		if x1-x > sizeBody {
			b.buf = strconv.AppendInt(b.buf[:0], int64(i+1), 10)
			sc.text((x+x1)/2, y+stackH/2+sizeBody*0.36, style{typeSans, sizeBody, th.on(c), Centre, 0}, b.buf)
		}
		x = x1
	}
	y += stackH + space4
	for i := range s.slices {
		b.sliceRow(&s.slices[i], i, Box{body.X0, y, body.X1, y + sliceRowH}, spread)
		y += sliceRowH
	}
}

// pathNames say what the slices are of: a call, or else a wakeup.
var pathNames = map[bool]string{false: "from waking to running, mean", true: "from call to answer, mean"}

// sliceRow draws what is to be said of one slice.
func (b *Builder) sliceRow(sl *view.Slice, i int, row Box, spread float64) {
	sc, th := &b.scene, b.th
	c := th.Slices[i%len(th.Slices)]
	sc.box(Box{row.X0, row.Y0, row.X1, row.Y0 + 1/sc.Ratio}, th.Rule)
	chip := Box{row.X0, row.Y0 + space3, row.X0 + 18, row.Y0 + space3 + 18}
	sc.box(chip, c)
	b.buf = strconv.AppendInt(b.buf[:0], int64(i+1), 10)
	sc.text(chip.Mid().X, chip.Mid().Y+sizeBody*0.36, style{typeSans, sizeBody, th.on(c), Centre, 0}, b.buf)
	x, right := chip.X1+space3, row.X1
	if row.W() >= wideRow {
		right = row.X0 + row.W()*0.62
		b.spread(sl, Box{right + space4, row.Y0 + space3, row.X1, row.Y1 - space2}, spread, c)
	}
	b.buf = appendNs(b.buf[:0], sl.Ns)
	w := sc.text(right, row.Y0+space3+sizeSmall, style{typeMono, sizeBody, th.Ink, Right, 0}, b.buf)
	sc.text(x, row.Y0+space3+sizeSmall, style{typeSans, sizeBody, th.Ink, Left, right - x - w - space3}, append(b.buf[:0], sl.Name...))
	y := row.Y1 - space2 - 1
	w = sc.text(x, y, style{typeMono, sizeSmall, th.Faint, Left, right - x}, append(b.buf[:0], sl.Fn...))
	if sl.Patch != "" && right-x-w > space5 {
		sc.text(x+w+space3, y, style{typeSans, sizeSmall, th.Accent, Left, right - x - w - space3}, append(b.buf[:0], sl.Patch...))
	}
}

// spread draws a slice's distribution: a line to the 99th percentile, a bar
// from the tenth to the ninetieth, a box for the middle half with the median
// in it, and the mean as a tick.
func (b *Builder) spread(sl *view.Slice, box Box, top float64, c Color) {
	at := func(ns float64) float32 { return box.X0 + float32(ns/top)*box.W() }
	mid := box.Y0 + space3
	b.scene.box(Box{box.X0, mid, box.X1, mid + 1/b.scene.Ratio}, b.th.Rule)
	b.scene.box(Box{at(sl.P90Ns), mid - 0.5, at(sl.P99Ns), mid + 1.5}, c)
	b.scene.box(Box{at(sl.P10Ns), mid - 2, at(sl.P90Ns), mid + 3}, c)
	b.scene.box(Box{at(sl.P25Ns), mid - 6, at(sl.P75Ns), mid + 7}, c)
	b.scene.box(Box{at(sl.P50Ns) - 0.5, mid - 6, at(sl.P50Ns) + 0.5, mid + 7}, b.th.Background)
	b.scene.box(Box{at(sl.Ns) - 1, mid - 9, at(sl.Ns) + 1, mid + 10}, b.th.Ink)
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
