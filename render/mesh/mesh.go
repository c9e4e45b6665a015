// Package mesh cuts a scene into triangles for a graphics card: one batch per
// layer, shapes and texts together, all from one texture. Edges that are not
// on pixel borders get a rim one pixel wide that fades to nothing, which is
// smooth at any pixel ratio without multisampling.
package mesh

import (
	"math"

	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// Vertex is a corner: position in device pixels, position in the texture in
// texels, straight-alpha colour.
type Vertex struct {
	X, Y, U, V float32
	R, G, B, A float32
}

// MaxVertices bounds a batch, because indices have 16 bits.
const MaxVertices = 1 << 16

// Batch is triangles painted within one clip.
type Batch struct {
	Clip     scene.Box // device pixels
	Vertices []Vertex
	Indices  []uint16
}

// Texture says where things are in the one texture.
type Texture interface {
	// Glyph returns the texel box of a glyph and where its top left corner
	// goes relative to the pixel that holds the pen.
	Glyph(typeface.Key) (box scene.Box, dx, dy float32)
	// White returns a texel that is white all around.
	White() (u, v float32)
}

// Mesher turns scenes into batches, reusing its memory.
type Mesher struct {
	texture Texture
	batches []Batch
	n       int // batches in use
	ratio   float32
	u, v    float32
	color   [4]float32
	shape   *scene.Shape // being drawn
	points  scene.Points
}

// New returns a mesher for a texture.
func New(t Texture) *Mesher { return &Mesher{texture: t} }

// Batches returns the triangles of a scene, in paint order. They are valid
// until the next call.
func (m *Mesher) Batches(s *scene.Scene) []Batch {
	m.n, m.ratio = 0, s.Ratio
	m.u, m.v = m.texture.White()
	for i := range s.Layers {
		l := &s.Layers[i]
		clip := scene.Box{X0: l.Clip.X0 * m.ratio, Y0: l.Clip.Y0 * m.ratio, X1: l.Clip.X1 * m.ratio, Y1: l.Clip.Y1 * m.ratio}
		m.begin(clip)
		for j := l.Shapes[0]; j < l.Shapes[1]; j++ {
			m.fill(&s.Shapes[j])
		}
		for j := l.Texts[0]; j < l.Texts[1]; j++ {
			m.text(&s.Texts[j], s.Bytes)
		}
	}
	return m.batches[:m.n]
}

// begin starts a batch, or goes on with the last one if its clip is the same
// and it has room.
func (m *Mesher) begin(clip scene.Box) {
	if m.n > 0 && m.batches[m.n-1].Clip == clip {
		return
	}
	m.next(clip)
}

func (m *Mesher) next(clip scene.Box) {
	if m.n == len(m.batches) {
		m.batches = append(m.batches, Batch{})
	}
	b := &m.batches[m.n]
	b.Clip, b.Vertices, b.Indices = clip, b.Vertices[:0], b.Indices[:0]
	m.n++
}

// room returns the batch to add up to n vertices to.
func (m *Mesher) room(n int) *Batch {
	if b := &m.batches[m.n-1]; len(b.Vertices)+n <= MaxVertices {
		return b
	}
	m.next(m.batches[m.n-1].Clip)
	return &m.batches[m.n-1]
}

func (m *Mesher) vertex(b *Batch, x, y, alpha float32) uint16 {
	b.Vertices = append(b.Vertices, Vertex{x, y, m.u, m.v, m.color[0], m.color[1], m.color[2], m.color[3] * alpha})
	return uint16(len(b.Vertices) - 1)
}

// quad adds the two triangles between the edges p-q and r-s.
func (b *Batch) quad(p, q, r, s uint16) {
	b.Indices = append(b.Indices, p, q, r, q, s, r)
}

// rect adds a rectangle with the texels of a box of the texture.
func (m *Mesher) rect(b *Batch, at, uv scene.Box) {
	n, c := uint16(len(b.Vertices)), &m.color
	b.Vertices = append(b.Vertices,
		Vertex{at.X0, at.Y0, uv.X0, uv.Y0, c[0], c[1], c[2], c[3]},
		Vertex{at.X1, at.Y0, uv.X1, uv.Y0, c[0], c[1], c[2], c[3]},
		Vertex{at.X0, at.Y1, uv.X0, uv.Y1, c[0], c[1], c[2], c[3]},
		Vertex{at.X1, at.Y1, uv.X1, uv.Y1, c[0], c[1], c[2], c[3]})
	b.quad(n, n+1, n+2, n+3)
}

func (m *Mesher) setColor(c scene.Color) {
	m.color = [4]float32{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, float32(c.A) / 255}
}

func (m *Mesher) fill(s *scene.Shape) {
	m.setColor(s.Color)
	switch s.Kind {
	case scene.Rect:
		b := m.room(4)
		m.rect(b, scene.Box{X0: s.P0.X * m.ratio, Y0: s.P0.Y * m.ratio, X1: s.P1.X * m.ratio, Y1: s.P1.Y * m.ratio},
			scene.Box{X0: m.u, Y0: m.v, X1: m.u, Y1: m.v})
	case scene.Stroke:
		m.shape = s
		s.Pieces(m.stroke)
	default:
		s.Outline(&m.points, m.convex)
	}
}

// convex fills a convex polygon with a faded rim.
func (m *Mesher) convex(pts []scene.Point) {
	b := m.room(2*len(pts) + 1)
	var mid scene.Point
	for _, p := range pts {
		mid.X += p.X * m.ratio / float32(len(pts))
		mid.Y += p.Y * m.ratio / float32(len(pts))
	}
	centre := m.vertex(b, mid.X, mid.Y, 1)
	first := centre + 1
	n := uint16(len(pts))
	for _, p := range pts {
		x, y := p.X*m.ratio-mid.X, p.Y*m.ratio-mid.Y
		l := max(1, hypot(x, y))
		in, out := max(0, 1-0.5/l), 1+0.5/l
		m.vertex(b, mid.X+x*in, mid.Y+y*in, 1)
		m.vertex(b, mid.X+x*out, mid.Y+y*out, 0)
	}
	for i := range n {
		j := (i + 1) % n
		in, out, nextIn, nextOut := first+2*i, first+2*i+1, first+2*j, first+2*j+1
		b.Indices = append(b.Indices, centre, in, nextIn)
		b.quad(in, out, nextIn, nextOut)
	}
}

// stroke draws a piece of m.shape as a band with faded rims.
func (m *Mesher) stroke(t0, t1 float32) {
	s := m.shape
	n := s.Steps(t0, t1)
	b := m.room(4 * (n + 1))
	half := s.Width * m.ratio / 2
	in, alpha := half-0.5, float32(1)
	if in < 0 { // thinner than a pixel: fainter instead
		in, alpha = 0, min(1, half*2)
	}
	var last uint16
	for i := range n + 1 {
		at, across := s.At(t0 + (t1-t0)*float32(i)/float32(n))
		x, y := at.X*m.ratio, at.Y*m.ratio
		first := m.vertex(b, x+across.X*(half+0.5), y+across.Y*(half+0.5), 0)
		m.vertex(b, x+across.X*in, y+across.Y*in, alpha)
		m.vertex(b, x-across.X*in, y-across.Y*in, alpha)
		m.vertex(b, x-across.X*(half+0.5), y-across.Y*(half+0.5), 0)
		if i > 0 {
			for k := range uint16(3) {
				b.quad(last+k, last+k+1, first+k, first+k+1)
			}
		}
		last = first
	}
}

func (m *Mesher) text(t *scene.Text, bytes []byte) {
	m.setColor(t.Color)
	y := float32(math.Floor(float64(t.Y*m.ratio + 0.5)))
	typeface.Layout(t.Face, t.Size*m.ratio, t.X*m.ratio, bytes[t.Lo:t.Hi], func(k typeface.Key, px int) {
		box, dx, dy := m.texture.Glyph(k)
		x, y := float32(px)+dx, y+dy
		m.rect(m.room(4), scene.Box{X0: x, Y0: y, X1: x + box.W(), Y1: y + box.H()}, box)
	})
}

func hypot(x, y float32) float32 { return float32(math.Sqrt(float64(x*x + y*y))) }
