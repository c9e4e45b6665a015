package mesh_test

import (
	"testing"

	"wakelab/render/mesh"
	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// blank is a texture in which every glyph is one texel.
type blank struct{}

func (blank) Glyph(typeface.Key) (scene.Box, float32, float32) {
	return scene.Box{X0: 8, Y0: 8, X1: 9, Y1: 9}, 0, -1
}
func (blank) White() (u, v float32) { return 2, 2 }

// sample has every kind of shape, a text, and two clips.
func sample(rects int) *scene.Scene {
	s := &scene.Scene{W: 100, H: 100, Ratio: 2, Bytes: []byte("a b")}
	red := scene.Color{R: 255, A: 128}
	for range rects {
		s.Shapes = append(s.Shapes, scene.Shape{Kind: scene.Rect, Color: red, P1: scene.Point{X: 10, Y: 10}})
	}
	s.Shapes = append(s.Shapes,
		scene.Shape{Kind: scene.Disc, Color: red, P0: scene.Point{X: 50, Y: 50}, Width: 8},
		scene.Shape{Kind: scene.Triangle, Color: red, P0: scene.Point{X: 1, Y: 1}, P1: scene.Point{X: 9, Y: 1}, P2: scene.Point{X: 5, Y: 9}},
		scene.Shape{Kind: scene.Stroke, Color: red, P2: scene.Point{X: 60, Y: 0}, P1: scene.Point{X: 30, Y: 0}, Width: 2, Dash: 5},
		scene.Shape{Kind: scene.Stroke, Color: red, P2: scene.Point{X: 60, Y: 0}, P1: scene.Point{X: 30, Y: 40}, Width: 2})
	s.Texts = []scene.Text{{X: 5, Y: 20, Size: 10, Hi: 3, Color: red}}
	n := int32(len(s.Shapes))
	s.Layers = []scene.Layer{
		{Clip: scene.Box{X1: 100, Y1: 100}, Shapes: [2]int32{0, n - 1}},
		{Clip: scene.Box{X1: 100, Y1: 100}, Shapes: [2]int32{n - 1, n - 1}, Texts: [2]int32{0, 1}},
		{Clip: scene.Box{X1: 50, Y1: 100}, Shapes: [2]int32{n - 1, n}, Texts: [2]int32{1, 1}},
	}
	return s
}

// TestBatches: layers of one clip share a batch, indices stay within it, and
// a batch holds no more than 16-bit indices can name.
func TestBatches(t *testing.T) {
	for _, c := range []struct{ rects, batches int }{{1, 2}, {20000, 3}} {
		batches := mesh.New(blank{}).Batches(sample(c.rects))
		if len(batches) != c.batches {
			t.Errorf("%d rectangles: %d batches, want %d", c.rects, len(batches), c.batches)
		}
		for i, b := range batches {
			if len(b.Vertices) > mesh.MaxVertices || len(b.Indices)%3 != 0 || len(b.Indices) == 0 {
				t.Errorf("batch %d: %d vertices, %d indices", i, len(b.Vertices), len(b.Indices))
			}
			for _, at := range b.Indices {
				if int(at) >= len(b.Vertices) {
					t.Fatalf("batch %d: index %d of %d vertices", i, at, len(b.Vertices))
				}
			}
		}
	}
}

// TestPixels: positions are device pixels, a rectangle is exact, a rim fades.
func TestPixels(t *testing.T) {
	b := mesh.New(blank{}).Batches(sample(1))[0]
	if got := b.Vertices[3]; got.X != 20 || got.Y != 20 || got.U != 2 || got.A != 128.0/255 {
		t.Errorf("far corner of the rectangle: %+v", got)
	}
	faded := 0
	for _, v := range b.Vertices[4:] {
		if v.A == 0 {
			faded++
		}
	}
	if faded < 30 {
		t.Errorf("%d vertices fade to nothing, want the rims of disc, triangle and stroke", faded)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	m, s := mesh.New(blank{}), sample(1000)
	m.Batches(s)
	if got := testing.AllocsPerRun(20, func() { m.Batches(s) }); got != 0 {
		t.Errorf("%v allocations per scene, want none", got)
	}
}

func BenchmarkBatches(b *testing.B) {
	m, s := mesh.New(blank{}), sample(10000)
	b.ReportAllocs()
	for b.Loop() {
		m.Batches(s)
	}
}
