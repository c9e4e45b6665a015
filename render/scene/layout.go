package scene

import (
	"cmp"
	"math"
	"slices"

	"wakelab/engine/view"
)

// Limits of a cell, in CSS pixels.
const (
	cellMin    = 2
	cellMax    = 230
	cellAspect = 1.7 // widest cell for its height
	cellTall   = 1.2 // highest cell for its width
)

// layout is where the parts of a machine are drawn: boxes within boxes,
// sockets, dies, L3 groups, cores, hardware threads. Parts of one kind are
// equally large, so that position means something.
type layout struct {
	cells   []Box // by CPU; empty: not drawn
	llcs    []Box
	dies    []Box
	sockets []Box
	sp      *[numLevels]spacing

	key layoutKey
	vis []bool // visible CPUs the layout was made for
}

// layoutKey is what a layout depends on beside the visible CPUs.
type layoutKey struct {
	static *view.Static
	area   Box
	zoom   float32
	panX   float32
	panY   float32
}

// Levels of nesting, outermost first.
const (
	levelSocket = iota
	levelDie
	levelLLC
	levelCore
	levelThread
	numLevels
)

// topologyOrder returns the CPUs in order of socket, die, LLC, core, thread.
func topologyOrder(places []view.Place) []int32 {
	order := make([]int32, len(places))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		p, q := &places[a], &places[b]
		return cmp.Or(cmp.Compare(p.Socket, q.Socket), cmp.Compare(p.Die, q.Die), cmp.Compare(p.LLC, q.LLC),
			cmp.Compare(p.Core, q.Core), cmp.Compare(p.Thread, q.Thread), cmp.Compare(a, b))
	})
	return order
}

// level returns the outermost level at which two CPUs differ.
func level(p, q *view.Place) int {
	switch {
	case p.Socket != q.Socket:
		return levelSocket
	case p.Die != q.Die:
		return levelDie
	case p.LLC != q.LLC:
		return levelLLC
	case p.Core != q.Core:
		return levelCore
	}
	return levelThread
}

// spacing is the pixels around the parts of one level.
type spacing struct{ gap, pad, head float32 }

// Spacings from roomy to tight; the roomiest that leaves cells of a readable
// size is taken. Index: level whose children are spaced.
var spacings = [3][numLevels]spacing{
	{{space4, 0, 0}, {space3, space3, 18}, {space3, space2, 0}, {space2, space2, 14}, {1, 0, 0}},
	{{space3, 0, 0}, {space2, space2, 16}, {space2, space1, 0}, {space1, space1, 0}, {0, 0, 0}},
	{{space2, 0, 0}, {space1, space1, 0}, {space1, 1, 0}, {1, 1, 0}, {0, 0, 0}},
}

// cellRoomy is the cell height below which the next tighter spacing is tried.
var cellRoomy = [len(spacings)]float32{26, 7, 0}

// place lays out the visible CPUs. It does nothing if nothing changed.
func (l *layout) place(s *side, key layoutKey) {
	if key == l.key && slices.Equal(l.vis, s.visible) {
		return
	}
	l.key, l.vis = key, append(l.vis[:0], s.visible...)
	places := s.static.Places
	l.clear(places)

	var count, most [numLevels]int // children per level: current, most
	var last *view.Place
	for _, c := range s.order {
		if !s.visible[c] {
			continue
		}
		p := &places[c]
		from := 0
		if last != nil {
			from = level(last, p)
		}
		count[from]++
		for lv := from + 1; lv < numLevels; lv++ {
			count[lv] = 1
		}
		for lv := range most {
			most[lv] = max(most[lv], count[lv])
		}
		last = p
	}
	if last == nil {
		return
	}
	g := fit(most, key.area.W(), key.area.H())
	g.w *= key.zoom
	g.h *= key.zoom
	g.measure(most)
	l.sp = g.sp

	// Walk the CPUs again; at[lv] is the index among the parent's children.
	origin := Point{(key.area.X0+key.area.X1-g.size[0].X)/2 + key.panX, (key.area.Y0+key.area.Y1-g.size[0].Y)/2 + key.panY}
	var at [numLevels]int
	last = nil
	for _, c := range s.order {
		if !s.visible[c] {
			continue
		}
		p := &places[c]
		if last != nil {
			from := level(last, p)
			at[from]++
			for lv := from + 1; lv < numLevels; lv++ {
				at[lv] = 0
			}
		}
		last = p
		pos := origin
		var boxes [numLevels]Box
		for lv := range boxes {
			sp := g.sp[lv]
			col, row := at[lv]%g.cols[lv], at[lv]/g.cols[lv]
			child := g.size[lv+1]
			pos.X += sp.pad + float32(col)*(child.X+sp.gap)
			pos.Y += sp.pad + sp.head + float32(row)*(child.Y+sp.gap)
			boxes[lv] = Box{pos.X, pos.Y, pos.X + child.X, pos.Y + child.Y}
		}
		l.sockets[p.Socket], l.dies[p.Die], l.llcs[p.LLC] = boxes[levelSocket], boxes[levelDie], boxes[levelLLC]
		l.cells[c] = boxes[levelThread]
	}
}

// clear sizes the box lists for a machine and empties the boxes.
func (l *layout) clear(places []view.Place) {
	var llcs, dies, sockets int32
	for i := range places {
		p := &places[i]
		llcs, dies, sockets = max(llcs, p.LLC+1), max(dies, p.Die+1), max(sockets, p.Socket+1)
	}
	grow := func(b *[]Box, n int) {
		*b = slices.Grow((*b)[:0], n)[:n]
		clear(*b)
	}
	grow(&l.cells, len(places))
	grow(&l.llcs, int(llcs))
	grow(&l.dies, int(dies))
	grow(&l.sockets, int(sockets))
}

// grid is one way to nest the parts.
type grid struct {
	cols  [numLevels]int
	sp    *[numLevels]spacing
	w, h  float32              // of a cell
	size  [numLevels + 1]Point // of a part at each level, the whole first
	score float32              // area of a cell; among equal ones a compact whole is better
}

// measure computes the sizes of the parts from the cell's.
func (g *grid) measure(n [numLevels]int) {
	g.size[numLevels] = Point{g.w, g.h}
	for lv := numLevels - 1; lv >= 0; lv-- {
		sp, child := g.sp[lv], g.size[lv+1]
		c := g.cols[lv]
		r := (n[lv] + c - 1) / c
		g.size[lv] = Point{
			2*sp.pad + float32(c)*(child.X+sp.gap) - sp.gap,
			2*sp.pad + sp.head + float32(r)*(child.Y+sp.gap) - sp.gap,
		}
	}
}

// fit finds the columns of each level that give the largest cells in an area.
func fit(n [numLevels]int, w, h float32) grid {
	for i := range spacings {
		best := grid{sp: &spacings[i], score: -math.MaxFloat32}
		try(grid{sp: &spacings[i]}, n, numLevels-1, linear{1, 0}, linear{1, 0}, w, h, &best)
		if best.h >= cellRoomy[i] && best.h > cellMin || i == len(spacings)-1 {
			return best
		}
	}
	panic("scene: unreachable")
}

// linear is a length of a*cell + b pixels.
type linear struct{ a, b float32 }

// repeat is the length of n children and what is around them.
func (l linear) repeat(n int, gap, around float32) linear {
	k := float32(n)
	return linear{k * l.a, k*(l.b+gap) - gap + around}
}

// try goes through the columns of level lv and the levels outside it, given
// the size of a child, and keeps the grid with the largest cells in best.
func try(g grid, n [numLevels]int, lv int, cw, ch linear, w, h float32, best *grid) {
	if lv < 0 {
		g.w = min(cellMax, max(cellMin, (w-cw.b)/cw.a))
		g.h = min(cellMax, max(cellMin, (h-ch.b)/ch.a))
		g.w, g.h = min(g.w, g.h*cellAspect), min(g.h, g.w*cellTall)
		g.score = g.w*g.h - 0.001*(cw.a*g.w+cw.b+ch.a*g.h+ch.b)
		if g.score > best.score {
			*best = g
		}
		return
	}
	sp := g.sp[lv]
	for c := 1; c <= n[lv]; c++ {
		r := (n[lv] + c - 1) / c
		if (n[lv]+r-1)/r != c {
			continue // the same rows with fewer columns
		}
		if lv == levelThread && c != n[lv] && n[lv] <= 2 {
			continue // two threads of a core stand side by side
		}
		g.cols[lv] = c
		try(g, n, lv-1, cw.repeat(c, sp.gap, 2*sp.pad), ch.repeat(r, sp.gap, 2*sp.pad+sp.head), w, h, best)
	}
}
