package scene

import (
	"wakelab/engine/view"
)

// Builder accumulates frames of one or two runs and draws scenes of them.
type Builder struct {
	scene Scene
	sides [2]side
	buf   []byte // text being composed
	vp    *Viewport
	th    *Theme
	area  [2]Box  // of each side in the last Build
	idle  []int32 // frames for which each L3 group has been idle; empty: none folds

	heatTop float32 // value at the top of the heat ramp
	inLanes bool    // a timeline has a lane for each CPU, not rows of L3 groups
}

// New returns a builder without a machine; Build then draws an empty canvas.
func New() *Builder { return &Builder{} }

// SetStatic gives a side its machine and forgets what the side has seen; nil
// removes the side. Side 0 is the left or upper one.
func (b *Builder) SetStatic(side int, s *view.Static) { b.sides[side].reset(s) }

// Add takes the next frame of a side. A frame older than the last one (a
// rewind) makes the side forget what it has seen. The frame is not kept.
func (b *Builder) Add(side int, f *view.Frame) { b.sides[side].add(f) }

// SetLines gives a side its hottest lines and locks, hottest first, for the
// lines view and the focus cards; the lines' waits by L3 group count from
// instant sincePs on. The slices are copied.
func (b *Builder) SetLines(side int, sincePs int64, lines []view.Line, locks []view.Lock) {
	s := &b.sides[side]
	s.lines = append(s.lines[:0], lines...)
	s.locks = append(s.locks[:0], locks...)
	s.linesSincePs = sincePs
	s.l3Waits = s.l3Waits[:0]
	for i := range s.lines {
		s.l3Waits = append(s.l3Waits, s.lines[i].L3WaitNs...)
	}
	for i, at := 0, 0; i < len(s.lines); i++ {
		n := len(s.lines[i].L3WaitNs)
		s.lines[i].L3WaitNs = s.l3Waits[at : at+n]
		at += n
	}
}

// SetSlices gives a side the slices of its mean wakeup, in order of time, for
// the anatomy view. The slice is copied.
func (b *Builder) SetSlices(side int, slices []view.Slice) {
	b.sides[side].slices = append(b.sides[side].slices[:0], slices...)
}

// Build draws a viewport. The scene is valid until the next Build.
func (b *Builder) Build(vp *Viewport) *Scene {
	b.vp, b.th = vp, vp.Theme
	s := &b.scene
	s.reset(vp.W, vp.H, vp.Ratio, vp.Theme.Background)
	b.idleGroups()
	for i := range b.sides {
		if b.sides[i].static != nil {
			b.sides[i].choose(vp, b.idle)
		}
	}
	b.heatTop, b.inLanes = b.topOf(vp.Heat), b.roomForLanes()
	b.divide()
	for i := range b.sides {
		if b.sides[i].static == nil {
			continue
		}
		clear(b.sides[i].hit)
		b.sides[i].cards = b.sides[i].cards[:0]
		s.layer(b.area[i])
		body := b.header(i, b.area[i])
		switch vp.View {
		case Machine:
			b.machine(&b.sides[i], body)
		case Timeline:
			b.timeline(&b.sides[i], body)
		case Anatomy:
			b.anatomy(&b.sides[i], body)
		case Lines:
			b.hotLines(&b.sides[i], body)
		}
	}
	return s
}

// CPUAt returns the CPU drawn at a point of the viewport, or NoCPU, and the
// side the point is on.
func (b *Builder) CPUAt(vp *Viewport, x, y float32) (side, cpu int) {
	b.Build(vp)
	for i := range b.sides {
		if b.sides[i].static == nil || !b.area[i].Has(x, y) {
			continue
		}
		for j, card := range b.sides[i].cards {
			if card.Has(x, y) {
				return i, int(vp.Focus[j])
			}
		}
		for c, cell := range b.sides[i].hit {
			if cell.Has(x, y) {
				return i, c
			}
		}
		return i, NoCPU
	}
	return 0, NoCPU
}

// CPU is a logical CPU of a side in words.
type CPU struct {
	view.CPU
	Function, TaskName string
}

// CPU returns a CPU as of the side's latest frame; ok is false if the side has
// none of that number.
func (b *Builder) CPU(side, cpu int) (c CPU, ok bool) {
	s := &b.sides[side]
	if cpu < 0 || cpu >= len(s.cpus) {
		return CPU{}, false
	}
	v := s.cpus[cpu].CPU
	return CPU{v, s.fn(v.Fn), s.task(v.Task)}, true
}

// both reports whether two runs are compared.
func (b *Builder) both() bool { return b.sides[0].static != nil && b.sides[1].static != nil }

// divide splits the canvas between the sides and the legend.
func (b *Builder) divide() {
	all := Box{0, 0, b.vp.W, b.vp.H}
	if !b.vp.NoLegend {
		all.Y1 -= b.legend(all)
	}
	b.area = [2]Box{all, all}
	if !b.both() {
		return
	}
	if all.W() >= all.H() {
		mid := b.scene.snap(all.W() / 2)
		b.area[0].X1, b.area[1].X0 = mid, mid
	} else {
		mid := b.scene.snap(all.H() / 2)
		b.area[0].Y1, b.area[1].Y0 = mid, mid
	}
}

// titleY is the baseline of a side's title.
const titleY = space4 + sizeTitle - space1

// header draws a side's title and clock and returns what is left below.
func (b *Builder) header(i int, area Box) Box {
	s, th := &b.scene, b.th
	if i == 1 && b.both() {
		edge := Box{area.X0, area.Y0, area.X0 + 1, area.Y1}
		if area.Y0 > 0 {
			edge = Box{area.X0, area.Y0, area.X1, area.Y0 + 1}
		}
		s.box(edge, th.Rule)
	}
	y := area.Y0 + titleY
	b.buf = appendInstant(b.buf[:0], b.sides[i].nowPs)
	w := s.text(area.X1-space4, y, style{typeSans, sizeBody, th.Faint, Right, 0}, b.buf)
	b.buf = append(b.buf[:0], b.vp.Titles[i]...)
	s.text(area.X0+space4, y, style{typeSans, sizeTitle, th.Ink, Left, area.W() - w - 3*space4}, b.buf)
	return Box{area.X0 + space4, y + space3, area.X1 - space4, area.Y1 - space3}
}

// CellOf returns where the last Build drew a CPU; empty if it did not.
func (b *Builder) CellOf(side, cpu int) Box { return b.sides[side].hit[cpu] }
