// Package scene turns frames of a run into a picture: flat lists of shapes
// and text runs that a painter can draw in a few batches.
//
// A Builder is fed frames (Add) and asked for pictures (Build). It smooths
// what would flicker, accumulates spans for the timeline, lays the machine
// out by topology and draws one of four views: machine, timeline, anatomy,
// lines. It knows neither Ebiten nor the clock: equal input gives equal
// scenes, and in steady state building one allocates nothing.
//
// Lengths and positions are CSS pixels from the canvas' top left corner;
// painters multiply by Scene.Ratio. Edges are snapped to device pixels here,
// so that painters need not.
package scene

import (
	"math"
	"unicode/utf8"

	"wakelab/render/typeface"
)

// Color is a colour in sRGB with straight (not premultiplied) alpha.
type Color struct{ R, G, B, A uint8 }

// Alpha returns c with its opacity multiplied by a, 0 to 1.
func (c Color) Alpha(a float32) Color {
	c.A = uint8(float32(c.A)*a + 0.5)
	return c
}

// mix returns the colour a part t of the way from c to d.
func mix(c, d Color, t float32) Color {
	m := func(a, b uint8) uint8 { return uint8(float32(a) + (float32(b)-float32(a))*t + 0.5) }
	return Color{m(c.R, d.R), m(c.G, d.G), m(c.B, d.B), m(c.A, d.A)}
}

// Kind is the form of a shape.
type Kind uint8

// Kinds of shape and what their fields mean.
const (
	Rect     Kind = iota // corners P0, P1
	Disc                 // centre P0, diameter Width
	Triangle             // corners P0, P1, P2
	Stroke               // from P0 to P2 bending towards P1 (quadratic Bézier), Width wide, butt ends
)

// Point is a position.
type Point struct{ X, Y float32 }

// Shape is one filled shape.
type Shape struct {
	Kind       Kind
	Color      Color
	P0, P1, P2 Point
	Width      float32
	Dash       float32 // of a stroke: length of dashes and gaps; 0 solid
}

// Straight reports whether a stroke does not bend.
func (s *Shape) Straight() bool {
	return s.P1.X*2 == s.P0.X+s.P2.X && s.P1.Y*2 == s.P0.Y+s.P2.Y
}

// Text is one run of glyphs on a line.
type Text struct {
	X, Y   float32 // left end of the baseline
	Width  float32
	Size   float32 // per em
	Face   typeface.Face
	Color  Color
	Lo, Hi int32 // the run's bytes in Scene.Bytes, UTF-8
}

// Layer is a part of the scene painted within a clip: its shapes, then its
// texts, above the layers before it.
type Layer struct {
	Clip   Box
	Shapes [2]int32 // range of Scene.Shapes
	Texts  [2]int32 // range of Scene.Texts
}

// Scene is a picture. A Builder reuses it: it is valid until the next Build.
type Scene struct {
	W, H       float32
	Ratio      float32 // device pixels per CSS pixel
	Background Color
	Layers     []Layer
	Shapes     []Shape
	Texts      []Text
	Bytes      []byte
}

// reset empties s for a new picture.
func (s *Scene) reset(w, h, ratio float32, background Color) {
	s.W, s.H, s.Ratio, s.Background = w, h, ratio, background
	s.Layers, s.Shapes, s.Texts, s.Bytes = s.Layers[:0], s.Shapes[:0], s.Texts[:0], s.Bytes[:0]
}

// layer begins a new layer.
func (s *Scene) layer(clip Box) {
	ns, nt := int32(len(s.Shapes)), int32(len(s.Texts))
	s.Layers = append(s.Layers, Layer{Clip: clip, Shapes: [2]int32{ns, ns}, Texts: [2]int32{nt, nt}})
}

func (s *Scene) add(sh Shape) {
	if sh.Color.A == 0 {
		return
	}
	s.Shapes = append(s.Shapes, sh)
	s.Layers[len(s.Layers)-1].Shapes[1]++
}

// snap rounds a coordinate to a device pixel.
func (s *Scene) snap(v float32) float32 {
	return float32(math.Floor(float64(v*s.Ratio+0.5))) / s.Ratio
}

// box fills b, snapped to device pixels and never thinner than one.
func (s *Scene) box(b Box, c Color) {
	x0, y0, x1, y1 := s.snap(b.X0), s.snap(b.Y0), s.snap(b.X1), s.snap(b.Y1)
	s.add(Shape{Kind: Rect, Color: c, P0: Point{x0, y0}, P1: Point{max(x1, x0+1/s.Ratio), max(y1, y0+1/s.Ratio)}})
}

// around fills what the inner boxes, which do not overlap, leave of an outer one,
// in rows between their edges. The picture is the same as with the inner boxes
// painted on top, but no pixel is painted twice: most of the time that a frame
// takes without a graphics card goes by pixels.
func (s *Scene) around(outer Box, inner []Box, c Color) {
	for y := outer.Y0; y < outer.Y1; {
		next := outer.Y1
		for _, in := range inner {
			for _, edge := range [2]float32{in.Y0, in.Y1} {
				if edge > y && edge < next && !in.Cut(outer).Empty() {
					next = edge
				}
			}
		}
		for x := outer.X0; x < outer.X1; {
			end, after := outer.X1, outer.X1
			for _, in := range inner {
				if in.Y0 <= y && in.Y1 > y && in.X1 > x && in.X0 < end {
					end, after = in.X0, in.X1
				}
			}
			if row := (Box{s.snap(x), s.snap(y), s.snap(end), s.snap(next)}); !row.Empty() {
				s.box(row, c)
			}
			x = after
		}
		y = next
	}
}

// frame draws the border of b inside it.
func (s *Scene) frame(b Box, width float32, c Color) {
	s.box(Box{b.X0, b.Y0, b.X1, b.Y0 + width}, c)
	s.box(Box{b.X0, b.Y1 - width, b.X1, b.Y1}, c)
	s.box(Box{b.X0, b.Y0 + width, b.X0 + width, b.Y1 - width}, c)
	s.box(Box{b.X1 - width, b.Y0 + width, b.X1, b.Y1 - width}, c)
}

// line draws a straight stroke; dash 0 is solid.
func (s *Scene) line(a, b Point, width, dash float32, c Color) {
	s.add(Shape{Kind: Stroke, Color: c, P0: a, P1: Point{(a.X + b.X) / 2, (a.Y + b.Y) / 2}, P2: b, Width: width, Dash: dash})
}

// curve draws a stroke bending towards m.
func (s *Scene) curve(a, m, b Point, width, dash float32, c Color) {
	s.add(Shape{Kind: Stroke, Color: c, P0: a, P1: m, P2: b, Width: width, Dash: dash})
}

func (s *Scene) disc(at Point, diameter float32, c Color) {
	s.add(Shape{Kind: Disc, Color: c, P0: at, Width: diameter})
}

func (s *Scene) triangle(a, b, c Point, col Color) {
	s.add(Shape{Kind: Triangle, Color: col, P0: a, P1: b, P2: c})
}

// Align is where a text's anchor is.
type Align uint8

// Alignments.
const (
	Left Align = iota
	Centre
	Right
)

// style is how a text is set.
type style struct {
	face  typeface.Face
	size  float32
	color Color
	align Align
	max   float32 // widest allowed, cut with an ellipsis; 0 any
}

const ellipsis = "…"

// text sets UTF-8 text with its baseline at y. It returns its width.
func (s *Scene) text(x, y float32, st style, text []byte) float32 {
	w := typeface.Width(st.face, st.size, text)
	cut := false
	if st.max > 0 && w > st.max {
		room := st.max - typeface.Advance(st.face, '…')*st.size
		for len(text) > 0 && w > room {
			r, n := utf8.DecodeLastRune(text)
			w -= typeface.Advance(st.face, r) * st.size
			text = text[:len(text)-n]
		}
		if len(text) == 0 {
			return 0
		}
		w, cut = w+st.max-room, true
	}
	switch st.align {
	case Centre:
		x -= w / 2
	case Right:
		x -= w
	}
	lo := int32(len(s.Bytes))
	s.Bytes = append(s.Bytes, text...)
	if cut {
		s.Bytes = append(s.Bytes, ellipsis...)
	}
	s.Texts = append(s.Texts, Text{X: x, Y: s.snap(y), Width: w, Size: st.size, Face: st.face, Color: st.color, Lo: lo, Hi: int32(len(s.Bytes))})
	s.Layers[len(s.Layers)-1].Texts[1]++
	return w
}

// Box is a rectangle with X0 <= X1 and Y0 <= Y1.
type Box struct{ X0, Y0, X1, Y1 float32 }

// W returns the width.
func (b Box) W() float32 { return b.X1 - b.X0 }

// H returns the height.
func (b Box) H() float32 { return b.Y1 - b.Y0 }

// Mid returns the centre.
func (b Box) Mid() Point { return Point{(b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2} }

// Inset returns b smaller by d on each side.
func (b Box) Inset(d float32) Box { return Box{b.X0 + d, b.Y0 + d, b.X1 - d, b.Y1 - d} }

// Has reports whether the point lies in b.
func (b Box) Has(x, y float32) bool { return x >= b.X0 && x < b.X1 && y >= b.Y0 && y < b.Y1 }

// Cut returns the part of b within c; it may be empty.
func (b Box) Cut(c Box) Box {
	return Box{max(b.X0, c.X0), max(b.Y0, c.Y0), min(b.X1, c.X1), min(b.Y1, c.Y1)}
}

// Empty reports whether b has no area.
func (b Box) Empty() bool { return b.X1 <= b.X0 || b.Y1 <= b.Y0 }
