// Package raster paints scenes in software: pixels for golden images, posters
// and PNG export, and SVG. Equal scenes give equal bytes.
package raster

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"

	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// PNG writes a scene as a PNG file at its own pixel ratio.
func PNG(w io.Writer, s *scene.Scene) error { return png.Encode(w, Draw(s)) }

// Draw paints a scene at its own pixel ratio.
func Draw(s *scene.Scene) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, pixel(s.W*s.Ratio), pixel(s.H*s.Ratio)))
	draw.Draw(img, img.Rect, image.NewUniform(nrgba(s.Background)), image.Point{}, draw.Src)
	p := painter{ratio: s.Ratio, glyphs: typeface.NewCache()}
	for _, l := range s.Layers {
		c := l.Clip
		p.dst = img.SubImage(image.Rect(pixel(c.X0*s.Ratio), pixel(c.Y0*s.Ratio), pixel(c.X1*s.Ratio), pixel(c.Y1*s.Ratio))).(*image.RGBA)
		for i := l.Shapes[0]; i < l.Shapes[1]; i++ {
			p.shape(&s.Shapes[i])
		}
		for i := l.Texts[0]; i < l.Texts[1]; i++ {
			p.text(&s.Texts[i], s.Bytes)
		}
	}
	return img
}

// pixel rounds to a device pixel.
func pixel(v float32) int { return int(math.Floor(float64(v) + 0.5)) }

func nrgba(c scene.Color) color.NRGBA { return color.NRGBA(c) }

type painter struct {
	dst    *image.RGBA
	ratio  float32
	glyphs *typeface.Cache
	path   vector.Rasterizer
	points scene.Points
}

func (p *painter) shape(s *scene.Shape) {
	ink := image.NewUniform(nrgba(s.Color))
	if s.Kind == scene.Rect {
		r := image.Rect(pixel(s.P0.X*p.ratio), pixel(s.P0.Y*p.ratio), pixel(s.P1.X*p.ratio), pixel(s.P1.Y*p.ratio))
		draw.Draw(p.dst, r.Intersect(p.dst.Rect), ink, image.Point{}, draw.Over)
		return
	}
	lo, hi := s.Bounds()
	r := image.Rect(int(lo.X*p.ratio)-2, int(lo.Y*p.ratio)-2, int(hi.X*p.ratio)+3, int(hi.Y*p.ratio)+3)
	if !r.Overlaps(p.dst.Rect) {
		return
	}
	p.path.Reset(r.Dx(), r.Dy())
	s.Outline(&p.points, func(pts []scene.Point) {
		for i, q := range pts {
			x, y := q.X*p.ratio-float32(r.Min.X), q.Y*p.ratio-float32(r.Min.Y)
			if i == 0 {
				p.path.MoveTo(x, y)
			} else {
				p.path.LineTo(x, y)
			}
		}
		p.path.ClosePath()
	})
	mask := image.NewAlpha(image.Rect(0, 0, r.Dx(), r.Dy()))
	p.path.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	draw.DrawMask(p.dst, r, ink, image.Point{}, mask, image.Point{}, draw.Over)
}

func (p *painter) text(t *scene.Text, bytes []byte) {
	ink := image.NewUniform(nrgba(t.Color))
	y := pixel(t.Y * p.ratio)
	typeface.Layout(t.Face, t.Size*p.ratio, t.X*p.ratio, bytes[t.Lo:t.Hi], func(k typeface.Key, px int) {
		g := p.glyphs.Glyph(k)
		at := g.Mask.Rect.Add(image.Pt(px+g.X, y+g.Y))
		draw.DrawMask(p.dst, at, ink, image.Point{}, g.Mask, image.Point{}, draw.Over)
	})
}
