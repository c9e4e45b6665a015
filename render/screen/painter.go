//go:build js

// Package screen paints scenes with Ebiten: one draw call per clip, usually
// two or three a frame, for shapes and texts together. Glyphs are drawn once
// at the device's pixel ratio and kept in the texture the shapes use too.
package screen

import (
	"image"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"

	"wakelab/render/mesh"
	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// Painter holds the glyph texture of one canvas.
type Painter struct {
	atlas    *atlas
	mesher   *mesh.Mesher
	vertices []ebiten.Vertex
}

// NewPainter returns a painter for a device pixel ratio. The ratio sizes the
// texture; scenes of another ratio are painted too, sharp, and use more of it.
func NewPainter(dpr float64) *Painter {
	a := newAtlas(dpr)
	return &Painter{atlas: a, mesher: mesh.New(a)}
}

// Draw paints a scene over the screen, which is transparent and measures
// Scene.W by Scene.H times Scene.Ratio pixels. The scene's background is left to
// what is behind: filling the whole picture takes a tenth of a frame where there
// is no graphics card.
func (p *Painter) Draw(screen ebiten.FinalScreen, s *scene.Scene) {
	dst := screen.(*ebiten.Image) // FinalScreen hides that it can be clipped
	batches := p.mesher.Batches(s)
	if p.atlas.full { // drop the glyphs that are no longer used and place the rest
		p.atlas.clear()
		batches = p.mesher.Batches(s)
	}
	for i := range batches {
		p.draw(dst, &batches[i])
	}
}

func (p *Painter) draw(dst *ebiten.Image, b *mesh.Batch) {
	p.vertices = p.vertices[:0]
	for i := range b.Vertices {
		v := &b.Vertices[i]
		p.vertices = append(p.vertices, ebiten.Vertex{
			DstX: v.X, DstY: v.Y, SrcX: v.U, SrcY: v.V,
			ColorR: v.R, ColorG: v.G, ColorB: v.B, ColorA: v.A,
		})
	}
	// Ebiten hands a clip to OpenGL as it is, which counts a screen's rows from below.
	rows := dst.Bounds().Dy()
	clip := image.Rect(int(b.Clip.X0+0.5), rows-int(b.Clip.Y1+0.5), int(b.Clip.X1+0.5), rows-int(b.Clip.Y0+0.5))
	dst.SubImage(clip).(*ebiten.Image).DrawTriangles(p.vertices, b.Indices, p.atlas.image, nil)
}

// atlas is a texture of glyphs, filled from the top in rows, with a white
// patch in its corner.
type atlas struct {
	image  *ebiten.Image
	size   int
	cache  *typeface.Cache
	placed map[typeface.Key]place
	x, y   int // next free place
	row    int // height of the current row
	full   bool
	pixels []byte
}

// place is where a glyph is in the texture and goes on the screen.
type place struct {
	box    scene.Box
	dx, dy float32
}

const whiteSize = 4

func newAtlas(dpr float64) *atlas {
	size := 1024
	if dpr > 1.5 {
		size = 2048
	}
	a := &atlas{image: ebiten.NewImage(size, size), size: size, cache: typeface.NewCache()}
	a.clear()
	return a
}

// clear empties the texture but for the white patch.
func (a *atlas) clear() {
	a.image.Clear()
	a.image.SubImage(image.Rect(0, 0, whiteSize, whiteSize)).(*ebiten.Image).Fill(color.White)
	a.placed = map[typeface.Key]place{}
	a.x, a.y, a.row, a.full = whiteSize+1, 0, whiteSize, false
}

// White implements mesh.Texture.
func (a *atlas) White() (u, v float32) { return whiteSize / 2, whiteSize / 2 }

// Glyph implements mesh.Texture. A glyph without room is left out and marks
// the atlas as full.
func (a *atlas) Glyph(k typeface.Key) (scene.Box, float32, float32) {
	if p, ok := a.placed[k]; ok {
		return p.box, p.dx, p.dy
	}
	g := a.cache.Glyph(k)
	w, h := g.Mask.Rect.Dx(), g.Mask.Rect.Dy()
	if a.x+w+1 > a.size {
		a.x, a.y, a.row = 0, a.y+a.row+1, 0
	}
	if a.y+h+1 > a.size {
		a.full = true
		return scene.Box{}, 0, 0
	}
	a.pixels = a.pixels[:0]
	for _, alpha := range g.Mask.Pix {
		a.pixels = append(a.pixels, alpha, alpha, alpha, alpha)
	}
	if w > 0 && h > 0 {
		a.image.SubImage(image.Rect(a.x, a.y, a.x+w, a.y+h)).(*ebiten.Image).WritePixels(a.pixels)
	}
	p := place{scene.Box{X0: float32(a.x), Y0: float32(a.y), X1: float32(a.x + w), Y1: float32(a.y + h)}, float32(g.X), float32(g.Y)}
	a.placed[k] = p
	a.x, a.row = a.x+w+1, max(a.row, h)
	return p.box, p.dx, p.dy
}
