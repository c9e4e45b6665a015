package scene

import (
	"slices"

	"wakelab/engine/view"
)

// heatColumn is the width of a column of heat rows, in CSS pixels.
const heatColumn = 4

// busyColumns is the utilisation of each L3 group by column of time. Columns
// lie at multiples of their length, so that those of a window that follows
// the run stay valid and only new spans are added: a large machine ends
// thousands of spans a frame and keeps a hundred thousand.
type busyColumns struct {
	ps    int64     // length of a column
	first int64     // first column of the window: its start divided by ps
	n     int       // columns kept
	ended int64     // side.ended up to which spans are in
	nowPs int64     // side.nowPs then
	sum   []float32 // by column modulo n and L3 group: part of the group's time, 0 to 1
	now   []float32 // the same with the spans that have not ended
}

// cover moves the columns to a window.
func (c *busyColumns) cover(s *side, t *track) {
	n := int(t.box.W()/heatColumn) + 2
	ps := max(1, int64(float64(t.to-t.from)*heatColumn/float64(t.box.W())))
	first := floorDiv(t.from, ps)
	moved := first - c.first
	grows := moved == 0 || moved > 0 && moved < int64(n) && c.nowPs < (c.first+int64(n))*c.ps && t.to >= s.nowPs
	fresh := s.ended - c.ended
	if ps != c.ps || n != c.n || !grows || fresh > int64(len(s.spans)) {
		c.ps, c.n, moved, fresh = ps, n, int64(n), int64(len(s.spans))
		c.sum = slices.Grow(c.sum[:0], n*s.llcs)[:n*s.llcs]
	}
	for i := range moved { // the columns that come in
		at := mod(first+int64(n)-1-i, n) * s.llcs
		clear(c.sum[at : at+s.llcs])
	}
	c.first, c.ended, c.nowPs = first, s.ended, s.nowPs
	for i := len(s.spans) - int(fresh); i < len(s.spans); i++ {
		sp := &s.spans[(s.head+i)%len(s.spans)]
		if sp.State > view.IdleLoop {
			c.add(s, c.sum, sp.CPU, sp.StartPs, sp.EndPs)
		}
	}
	c.now = append(c.now[:0], c.sum...)
	for cpu := range s.cpus {
		if s.cpus[cpu].State > view.IdleLoop {
			c.add(s, c.now, int32(cpu), s.cpus[cpu].endPs, s.nowPs)
		}
	}
}

// add counts a stretch of busy time of a CPU.
func (c *busyColumns) add(s *side, sum []float32, cpu int32, from, to int64) {
	from, to = max(from, c.first*c.ps), min(to, (c.first+int64(c.n))*c.ps)
	if from >= to {
		return
	}
	llc := s.static.Places[cpu].LLC
	part := 1 / (float32(c.ps) * float32(s.llcSize[llc]))
	for col := from / c.ps; from < to; col++ {
		end := min(to, (col+1)*c.ps)
		sum[mod(col, c.n)*s.llcs+int(llc)] += float32(end-from) * part
		from = end
	}
}

// floorDiv divides rounding down, also before the start of the run.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// mod returns the place of a column in a ring of n.
func mod(col int64, n int) int {
	return int(col - floorDiv(col, int64(n))*int64(n))
}

// strip is where a frame's stretch of time is drawn.
type strip struct {
	x0, x1 float32
	frame  int // in side.frames
}

// heatRows draws one row per L3 group: the share of its CPUs' time that was
// not idle, by column of time where the spans are kept, by frame before.
func (b *Builder) heatRows(s *side) {
	t := &s.track
	s.rowOf = slices.Grow(s.rowOf[:0], s.llcs)[:s.llcs]
	for i := range s.rowOf {
		s.rowOf[i] = -1
	}
	rows := int32(0)
	for _, c := range s.order {
		if row := &s.rowOf[s.static.Places[c].LLC]; s.visible[c] && *row < 0 {
			*row = rows
			rows++
		}
	}
	s.busy.cover(s, t)
	kept := max(s.busy.first, floorDiv(s.lostPs, s.busy.ps)+1) // first column with all its spans
	edge := min(t.box.X1, max(t.box.X0, t.x(kept*s.busy.ps)))
	h := min(laneMax, t.box.H()/float32(rows))
	s.strips = s.strips[:0]
	for i := range s.frames {
		f := &s.frames[i]
		x0, x1 := b.scene.snap(max(t.box.X0, t.x(f.fromPs))), b.scene.snap(min(edge, t.x(f.toPs)))
		if x1 > x0 { // of many frames in a pixel, the one that reaches the next
			s.strips = append(s.strips, strip{x0, x1, i})
		}
	}
	for llc, row := range s.rowOf {
		if row < 0 {
			continue
		}
		y := t.box.Y0 + float32(row)*h
		end := y + h
		if h >= 2*laneMin {
			end -= min(2, h/8)
		}
		if h >= sizeSmall {
			b.label("L3 ", llc, t.box.X0-space2, y+h/2+sizeSmall*0.36, style{typeSans, sizeSmall, b.th.Faint, Right, 0})
		}
		for _, st := range s.strips {
			b.scene.box(Box{st.x0, y, st.x1, end}, b.th.ramp(s.busyPm[st.frame*s.llcs+llc]))
		}
		for col := kept; col*s.busy.ps < min(t.to, s.nowPs); col++ {
			x0, x1 := max(t.box.X0, t.x(col*s.busy.ps)), min(t.box.X1, t.x((col+1)*s.busy.ps))
			if x1 > x0 {
				b.scene.box(Box{x0, y, x1, end}, b.th.ramp(s.busy.now[mod(col, s.busy.n)*s.llcs+llc]))
			}
		}
	}
}
