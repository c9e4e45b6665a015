package scene

import "math"

// Bounds returns the corners of a box around a shape.
func (s *Shape) Bounds() (lo, hi Point) {
	switch s.Kind {
	case Rect:
		return s.P0, s.P1
	case Disc:
		r := s.Width / 2
		return Point{s.P0.X - r, s.P0.Y - r}, Point{s.P0.X + r, s.P0.Y + r}
	}
	r := float32(0)
	if s.Kind == Stroke {
		r = s.Width / 2
	}
	return Point{min(s.P0.X, s.P1.X, s.P2.X) - r, min(s.P0.Y, s.P1.Y, s.P2.Y) - r},
		Point{max(s.P0.X, s.P1.X, s.P2.X) + r, max(s.P0.Y, s.P1.Y, s.P2.Y) + r}
}

// Segments bounds the straight pieces a curve or circle is drawn with; small
// ones have fewer.
const Segments = 24

// Points holds the corners of any outline.
type Points [2 * (Segments + 1)]Point

// Outline calls polygon for each closed polygon a shape consists of; several
// when a stroke is dashed. The polygon is in pts, until the next one.
func (s *Shape) Outline(pts *Points, polygon func([]Point)) {
	switch s.Kind {
	case Rect:
		pts[0], pts[1], pts[2], pts[3] = s.P0, Point{s.P1.X, s.P0.Y}, s.P1, Point{s.P0.X, s.P1.Y}
		polygon(pts[:4])
	case Triangle:
		pts[0], pts[1], pts[2] = s.P0, s.P1, s.P2
		polygon(pts[:3])
	case Disc:
		n := min(Segments, max(8, 6+int(s.Width)))
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			pts[i] = Point{s.P0.X + s.Width/2*float32(cos), s.P0.Y + s.Width/2*float32(sin)}
		}
		polygon(pts[:n])
	case Stroke:
		s.Pieces(func(t0, t1 float32) {
			n := s.Steps(t0, t1)
			for i := range n + 1 {
				at, across := s.At(t0 + (t1-t0)*float32(i)/float32(n))
				r := s.Width / 2
				pts[i] = Point{at.X + across.X*r, at.Y + across.Y*r}
				pts[2*n+1-i] = Point{at.X - across.X*r, at.Y - across.Y*r}
			}
			polygon(pts[:2*n+2])
		})
	}
}

// curveStep is the length of the straight pieces of a curve, in CSS pixels.
const curveStep = 14

// Steps returns how many straight pieces a part of a stroke is drawn with.
func (s *Shape) Steps(t0, t1 float32) int {
	if s.Straight() {
		return 1
	}
	return min(Segments, max(5, int(s.length()*(t1-t0)/curveStep)))
}

// length returns about how long a stroke is.
func (s *Shape) length() float32 {
	chord := math.Hypot(float64(s.P2.X-s.P0.X), float64(s.P2.Y-s.P0.Y))
	hull := math.Hypot(float64(s.P1.X-s.P0.X), float64(s.P1.Y-s.P0.Y)) + math.Hypot(float64(s.P2.X-s.P1.X), float64(s.P2.Y-s.P1.Y))
	return float32(chord+hull) / 2
}

// At returns the point of a stroke at t, 0 to 1, and the unit vector across.
func (s *Shape) At(t float32) (at, across Point) {
	u := 1 - t
	at = Point{u*u*s.P0.X + 2*u*t*s.P1.X + t*t*s.P2.X, u*u*s.P0.Y + 2*u*t*s.P1.Y + t*t*s.P2.Y}
	dx := u*(s.P1.X-s.P0.X) + t*(s.P2.X-s.P1.X)
	dy := u*(s.P1.Y-s.P0.Y) + t*(s.P2.Y-s.P1.Y)
	l := float32(math.Hypot(float64(dx), float64(dy)))
	if l == 0 {
		return at, Point{0, 1}
	}
	return at, Point{-dy / l, dx / l}
}

// Pieces calls piece for each drawn part of a stroke, from t0 to t1; the
// whole when it is solid.
func (s *Shape) Pieces(piece func(t0, t1 float32)) {
	if s.Dash <= 0 {
		piece(0, 1)
		return
	}
	length := s.length()
	for d := float32(0); d < length; d += 2 * s.Dash {
		piece(d/length, min(1, (d+s.Dash)/length))
	}
}
