package scene

import (
	"strconv"

	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// legendRow is the height of a line of the legend.
const legendRow = 20

// legend draws the legend along the lower edge and returns its height.
func (b *Builder) legend(all Box) float32 {
	if b.vp.View != Machine && b.vp.View != Timeline {
		return 0
	}
	rows := b.legendRows(all, 0, false)
	h := float32(rows)*legendRow + 2*space2
	b.scene.layer(all)
	b.scene.box(Box{all.X0, all.Y1 - h, all.X1, all.Y1 - h + 1/b.scene.Ratio}, b.th.Rule)
	b.legendRows(all, all.Y1-h+space2, true)
	return h
}

// legendRows flows the entries into rows from y on and returns their number.
// It is run twice: to count, and to draw.
func (b *Builder) legendRows(all Box, y float32, paint bool) int {
	x, row := all.X0+space4, 0
	st := style{typeSans, sizeSmall, b.th.Faint, Left, 0}
	entry := func(icon float32) (at Point) { // named b.buf
		w := icon + space2 + typeface.Width(st.face, st.size, b.buf)
		if x+w > all.X1-space4 && x > all.X0+space4 {
			x = all.X0 + space4
			row++
		}
		at = Point{x, y + float32(row)*legendRow + legendRow/2}
		if paint {
			b.scene.text(x+icon+space2, at.Y+sizeSmall*0.36, st, b.buf)
		}
		x += w + space4
		return at
	}
	scale := func() { // named b.buf
		at := entry(100)
		for i := range 50 {
			if paint {
				l := at.X + float32(i)*2
				b.scene.box(Box{l, at.Y - 6, l + 2, at.Y + 6}, b.th.ramp(float32(i)/49))
			}
		}
	}
	if b.vp.View == Timeline && !b.inLanes {
		b.buf = append(b.buf[:0], "L3 group busy, 0 to 100 %"...)
		scale()
		return row + 1
	}
	if b.vp.View == Machine && b.vp.Heat != HeatState {
		b.heatScale()
		scale()
	} else {
		for st := range view.NumStates {
			b.buf = append(b.buf[:0], st.String()...)
			at := entry(14)
			if paint {
				b.swatch(Box{at.X, at.Y - 7, at.X + 14, at.Y + 7}, st)
			}
		}
	}
	if b.vp.View == Machine {
		b.buf = append(b.buf[:0], "1 to 4 waiting, more"...)
		at := entry(44)
		for i, running := range [...]int{1 + maxPips, 2 + maxPips} {
			if x := at.X + 24*float32(i); paint {
				b.scene.box(Box{x, at.Y - 7, x + 20, at.Y + 7}, b.th.Die)
				b.queue(Box{x, at.Y - 10, x + 20, at.Y + 4}, running, b.th.Ink)
			}
		}
	}
	for k := range view.NumArrowKinds {
		if b.vp.Hide[k] || b.vp.View == Timeline && k == view.Pipe {
			continue
		}
		b.buf = append(b.buf[:0], k.String()...)
		at := entry(28)
		if paint {
			b.arrow(Point{at.X, at.Y}, Point{at.X + 26, at.Y}, k, 0.3, 1)
		}
	}
	return row + 1
}

// heatScale composes the name of a heat ramp and of its ends.
func (b *Builder) heatScale() {
	h := b.vp.Heat
	b.buf = append(append(b.buf[:0], h.String()...), ", 0 to "...)
	switch h {
	case HeatQueue:
		b.buf = append(strconv.AppendInt(b.buf, queueTop, 10), " tasks"...)
	case HeatWakeups:
		b.buf = append(appendCount(b.buf, int64(b.heatTop)), "/s"...)
	default:
		b.buf = append(b.buf, "100 % of the time"...)
	}
}
