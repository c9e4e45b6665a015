package scene

// Limits of navigation.
const (
	zoomMax   = 24
	spanMinPs = 1e3  // 1 ns
	spanMaxPs = 1e12 // 1 s
	shownMin  = 48   // CSS pixels of the picture that a pan leaves in sight
)

// defaultSpanPs is a timeline's window at first: 100 us.
const defaultSpanPs = 100e6

// ZoomAt makes the picture factor times larger around a point, which stays
// where it is. In a timeline it changes the window; one that follows the run
// goes on following.
func (b *Builder) ZoomAt(vp *Viewport, x, y, factor float32) {
	side := b.sideAt(x, y)
	if vp.View == Timeline {
		b.zoomTime(vp, side, x, factor)
		return
	}
	mid := b.sides[side].layout.key.area.Mid()
	factor = min(zoomMax, max(1, vp.Zoom*factor)) / vp.Zoom
	vp.Zoom *= factor
	vp.PanX = x - mid.X - (x-mid.X-vp.PanX)*factor
	vp.PanY = y - mid.Y - (y-mid.Y-vp.PanY)*factor
	b.limitPan(vp, side)
}

func (b *Builder) zoomTime(vp *Viewport, side int, x, factor float32) {
	from, to := vp.window(&b.sides[side])
	span := int64(min(spanMaxPs, max(spanMinPs, float64(to-from)/float64(factor))))
	if vp.ToPs <= vp.FromPs {
		vp.SpanPs = span
		return
	}
	at := min(to, max(from, b.TimeAt(side, x)))
	before := float64(at-from) / float64(to-from)
	vp.FromPs = at - int64(before*float64(span))
	vp.ToPs = vp.FromPs + span
}

// PanBy moves the picture by CSS pixels. A timeline stops following the run
// when it is moved in time.
func (b *Builder) PanBy(vp *Viewport, dx, dy float32) {
	if vp.View != Timeline {
		vp.PanX, vp.PanY = vp.PanX+dx, vp.PanY+dy
		b.limitPan(vp, 0)
		return
	}
	vp.PanY = min(0, max(-(vp.Zoom-1)*vp.H, vp.PanY+dy))
	w := b.sides[0].track.box.W()
	if dx == 0 || w <= 0 {
		return
	}
	from, to := vp.window(&b.sides[0])
	by := int64(float64(dx) / float64(w) * float64(to-from))
	vp.FromPs, vp.ToPs = from-by, to-by
}

// limitPan keeps a part of the picture in sight.
func (b *Builder) limitPan(vp *Viewport, side int) {
	area := b.sides[side].layout.key.area
	x := max(0, area.W()*(vp.Zoom+1)/2-shownMin)
	y := max(0, area.H()*(vp.Zoom+1)/2-shownMin)
	vp.PanX, vp.PanY = min(x, max(-x, vp.PanX)), min(y, max(-y, vp.PanY))
}

// Fit shows the whole picture again; a timeline follows the run.
func (vp *Viewport) Fit() {
	vp.Zoom, vp.PanX, vp.PanY = 1, 0, 0
	vp.FromPs, vp.ToPs, vp.SpanPs = 0, 0, defaultSpanPs
}

// sideAt returns the side at a point of the last Build; side 0 if there is
// none.
func (b *Builder) sideAt(x, y float32) int {
	for i := range b.sides {
		if b.sides[i].static != nil && b.area[i].Has(x, y) {
			return i
		}
	}
	return 0
}
