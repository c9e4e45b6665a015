package scene

import (
	"math"
	"slices"

	"wakelab/engine/view"
)

// Of each kind, up to maxPairs pairs of CPUs are drawn singly, from manyPairs
// on only the fresh ones; above maxPairs the messages are bundled by L3 group,
// heaviest first, down to bundleMin of the heaviest and as many as the picture
// has room for. More lines than that are a haze in which nothing is seen.
const (
	maxPairs   = 40
	manyPairs  = 12
	freshGlow  = 0.35
	bundleMin  = 0.1
	bundleArea = 16000 // square CSS pixels of a machine for each bundle
	minBundles = 6
	maxBundles = 24
)

// room returns how many bundles of a kind a side's picture has room for.
func (s *side) room() int {
	return min(maxBundles, max(minBundles, int(s.layout.key.area.W()*s.layout.key.area.H()/bundleArea)))
}

// bundle is the traffic of one kind between two L3 groups.
type bundle struct {
	from, to   int32
	rate, glow float32
}

// messages draws the recent traffic of a side, pipes lowest.
func (b *Builder) messages(s *side) {
	for _, k := range [...]view.ArrowKind{view.Pipe, view.Wakeup, view.PolledWake, view.Migration, view.IPI} {
		if b.vp.Hide[k] {
			continue
		}
		n, top := 0, float32(0)
		for i := range s.traffic.pairs {
			if p := &s.traffic.pairs[i]; p.glow[k] > glowMin && p.from != p.to {
				n++
				top = max(top, p.rate[k])
			}
		}
		least := float32(glowMin)
		if n > manyPairs {
			least = freshGlow
		}
		if n > maxPairs && b.vp.Selected == NoCPU {
			b.bundles(s, k)
			continue
		}
		for i := range s.traffic.pairs {
			p := &s.traffic.pairs[i]
			if p.glow[k] <= least || b.vp.Selected != NoCPU && n > maxPairs && p.from != b.vp.Selected && p.to != b.vp.Selected {
				continue
			}
			from, to := s.layout.cells[p.from], s.layout.cells[p.to]
			if from.Empty() || to.Empty() || p.from == p.to {
				continue
			}
			b.message(from, to, k, p.rate[k]/top, p.glow[k])
		}
	}
	b.inFlight(s)
}

// sum adds up the recent traffic of some kinds by pair of L3 groups.
func (s *side) sum(kinds ...view.ArrowKind) {
	n := s.llcs
	s.sums = slices.Grow(s.sums[:0], n*n)[:n*n]
	clear(s.sums)
	for i := range s.traffic.pairs {
		p := &s.traffic.pairs[i]
		at := &s.sums[int(s.static.Places[p.from].LLC)*n+int(s.static.Places[p.to].LLC)]
		for _, k := range kinds {
			if p.glow[k] > glowMin {
				at.rate += p.rate[k]
				at.glow = max(at.glow, p.glow[k])
			}
		}
	}
}

// bundles draws the traffic of a kind between L3 groups.
func (b *Builder) bundles(s *side, k view.ArrowKind) {
	s.sum(k)
	n := s.llcs
	s.heavy = s.heavy[:0]
	for i := range s.sums {
		if s.sums[i].rate > 0 {
			s.sums[i].from, s.sums[i].to = int32(i/n), int32(i%n)
			s.heavy = append(s.heavy, s.sums[i])
		}
	}
	slices.SortFunc(s.heavy, func(x, y bundle) int {
		switch {
		case x.rate > y.rate:
			return -1
		case x.rate < y.rate:
			return 1
		}
		return int(x.from-y.from)*n + int(x.to-y.to)
	})
	for i := range s.heavy[:min(len(s.heavy), s.room())] {
		e := &s.heavy[i]
		from, to := s.layout.llcs[e.from], s.layout.llcs[e.to]
		if from.Empty() || to.Empty() {
			continue
		}
		weight := e.rate / s.heavy[0].rate
		if e.from == e.to {
			if k == view.Pipe {
				b.scene.frame(from, 1+2*weight, b.th.Arrows[k].Alpha(0.35+0.5*weight))
			}
			continue
		}
		if weight < bundleMin {
			break
		}
		b.message(from, to, k, weight, e.glow*(0.3+0.7*weight))
	}
}

// leave returns where an arrow between two boxes touches the first: half-way
// from its centre to its border, so that neither is covered.
func leave(box, other Box) Point {
	a, b := box.Mid(), other.Mid()
	dx, dy := b.X-a.X, b.Y-a.Y
	t := float32(0.5)
	if dx != 0 {
		t = min(t, box.W()/4/abs(dx))
	}
	if dy != 0 {
		t = min(t, box.H()/4/abs(dy))
	}
	return Point{a.X + dx*t, a.Y + dy*t}
}

// lanes is how far a kind's arrows run beside the straight line, so that
// kinds between the same two places do not cover each other.
var lanes = [view.NumArrowKinds]float32{view.IPI: 0, view.PolledWake: 5, view.Migration: -6, view.Wakeup: 9, view.Pipe: 0}

// message draws an arrow from one box to another in its kind's lane.
func (b *Builder) message(from, to Box, k view.ArrowKind, weight, glow float32) {
	p, q := leave(from, to), leave(to, from)
	dx, dy := q.X-p.X, q.Y-p.Y
	length := float32(math.Hypot(float64(dx), float64(dy)))
	if length == 0 {
		return
	}
	x, y := -dy/length*lanes[k], dx/length*lanes[k]
	b.arrow(Point{p.X + x, p.Y + y}, Point{q.X + x, q.Y + y}, k, weight, glow)
}

// arrow draws one message path. The kinds differ in form, so that they can be
// told apart without colour: pipe data bends and ends in a disc; a wakeup is
// thin with a barbed head; a polled wake dashed with a hollow head; a
// migration double with a square end; an IPI heavy with a solid head.
// weight and glow, 0 to 1, are its share of the heaviest and its freshness.
func (b *Builder) arrow(from, to Point, k view.ArrowKind, weight, glow float32) {
	dx, dy := to.X-from.X, to.Y-from.Y
	length := float32(math.Hypot(float64(dx), float64(dy)))
	if length < 4 {
		return
	}
	u := Point{dx / length, dy / length}
	n := Point{-u.Y, u.X}
	if b.vp.ReducedMotion {
		glow = 1
	}
	c := b.th.Arrows[k].Alpha(0.25 + 0.7*glow)
	halo := b.th.Background.Alpha(0.7 * glow) // lifts the stroke off cells of its colour
	head := min(9, max(4, length/4))
	at := func(along, across float32) Point {
		return Point{to.X - u.X*along + n.X*across, to.Y - u.Y*along + n.Y*across}
	}
	off := func(p Point, across float32) Point { return Point{p.X + n.X*across, p.Y + n.Y*across} }
	sc := &b.scene
	switch k {
	case view.Pipe:
		bend := min(60, length*0.22)
		mid := Point{(from.X+to.X)/2 + n.X*bend, (from.Y+to.Y)/2 + n.Y*bend}
		width := 0.75 + 4*float32(math.Sqrt(float64(weight)))
		sc.curve(from, mid, to, width+2, 0, halo.Alpha(0.3+0.7*weight))
		sc.curve(from, mid, to, width, 0, c.Alpha(0.35+0.5*weight))
		sc.disc(to, width+3, c)
	case view.Wakeup:
		sc.line(from, to, 3, 0, halo)
		sc.line(from, to, 1, 0, c)
		sc.line(at(head, head*0.5), to, 1.25, 0, c)
		sc.line(at(head, -head*0.5), to, 1.25, 0, c)
	case view.PolledWake:
		sc.line(from, at(head, 0), 4, 0, halo)
		sc.line(from, at(head, 0), 1.5, 4, c)
		l, r := at(head, head*0.5), at(head, -head*0.5)
		sc.line(l, to, 1.25, 0, c)
		sc.line(r, to, 1.25, 0, c)
		sc.line(l, r, 1.25, 0, c)
	case view.Migration:
		sc.line(from, to, 6, 0, halo)
		sc.line(off(from, 1.5), at(head, 1.5), 1, 0, c)
		sc.line(off(from, -1.5), at(head, -1.5), 1, 0, c)
		sc.line(at(head, 0), to, head*0.8, 0, c)
	case view.IPI:
		sc.line(from, to, 5, 0, halo)
		sc.line(from, at(head, 0), 2, 0, c)
		sc.triangle(to, at(head*1.2, head*0.6), at(head*1.2, -head*0.6), c)
	}
}

// inFlight draws a marker for each interrupt between its sending and arrival.
func (b *Builder) inFlight(s *side) {
	if len(s.flights) > s.room() {
		return // a cloud of dots says nothing
	}
	for i := range s.flights {
		a := &s.flights[i]
		if b.vp.Hide[a.Kind] || b.vp.Selected != NoCPU && a.From != b.vp.Selected && a.To != b.vp.Selected {
			continue
		}
		if s.layout.cells[a.From].Empty() || s.layout.cells[a.To].Empty() {
			continue
		}
		from, to := s.layout.cells[a.From], s.layout.cells[a.To]
		b.flight(leave(from, to), leave(to, from), a, s.nowPs, 5)
	}
}

// flight draws an interrupt at its place between two points.
func (b *Builder) flight(from, to Point, a *view.Arrow, nowPs int64, size float32) {
	t := float32(nowPs-a.AtPs) / float32(a.EndPs-a.AtPs)
	if b.vp.ReducedMotion {
		t = 0.5
	}
	at := Point{from.X + (to.X-from.X)*t, from.Y + (to.Y-from.Y)*t}
	b.scene.disc(at, size+4, b.th.Background)
	b.scene.disc(at, size, b.th.Arrows[a.Kind])
}
