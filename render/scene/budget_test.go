package scene_test

import (
	"strings"
	"testing"

	"wakelab/render/mesh"
	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// texture is one in which every glyph is a texel.
type texture struct{}

func (texture) Glyph(typeface.Key) (scene.Box, float32, float32) {
	return scene.Box{X1: 1, Y1: 1}, 0, 0
}
func (texture) White() (u, v float32) { return 0, 0 }

// TestBudget: every picture is painted in few draw calls and few vertices.
// Besides the batches a frame costs Ebiten's clearing of the screen and, now and
// then, that of its unused image: ten draw calls in all. The bar is for 384 CPUs; twice as many may have more.
func TestBudget(t *testing.T) {
	const maxBatches, maxVertices, maxOf768 = 8, 50_000, 65_000
	for _, e := range gallery {
		b, vp := scene.New(), scene.NewViewport(1280, 800, 1, &scene.Light)
		e.show(b, &vp)
		batches := mesh.New(texture{}).Batches(b.Build(&vp))
		vertices := 0
		for i := range batches {
			vertices += len(batches[i].Vertices)
		}
		t.Logf("%-13s %d batches, %d vertices", e.name, len(batches), vertices)
		limit := maxVertices
		if strings.HasSuffix(e.name, "-768") {
			limit = maxOf768
		}
		if len(batches) > maxBatches || vertices > limit {
			t.Errorf("%s: %d batches and %d vertices, at most %d and %d", e.name, len(batches), vertices, maxBatches, limit)
		}
	}
}
