package scene_test

import (
	"math"
	"testing"

	"wakelab/render/scene"
)

// TestZoomKeepsThePoint: the CPU under the pointer stays there.
func TestZoomKeepsThePoint(t *testing.T) {
	b, _ := fed(2, 64, 3, 60)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	b.Build(&vp)
	cell := b.CellOf(1, 30).Mid()
	for _, factor := range []float32{1.5, 2, 0.7} {
		b.ZoomAt(&vp, cell.X, cell.Y, factor)
		if side, cpu := b.CPUAt(&vp, cell.X, cell.Y); side != 1 || cpu != 30 {
			t.Errorf("at zoom %v: CPU %d of side %d, want CPU 30 of side 1", vp.Zoom, cpu, side)
		}
	}
	b.PanBy(&vp, 1e6, -1e6)
	b.Build(&vp)
	vp.Fit()
	b.Build(&vp)
	if got := b.CellOf(1, 30).Mid(); got != cell {
		t.Errorf("after Fit CPU 30 is at %v, want %v", got, cell)
	}
	b.ZoomAt(&vp, 0, 0, 1e-6)
	if vp.Zoom != 1 {
		t.Errorf("zoomed out to %v, want no further than the whole", vp.Zoom)
	}
}

// TestTimelineWindow: zooming follows the run until a pan stops it; then the
// instant under the pointer stays there.
func TestTimelineWindow(t *testing.T) {
	b, _ := fed(2, 8, 40, 60)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.View = scene.Timeline
	b.Build(&vp)
	b.ZoomAt(&vp, 300, 300, 4)
	if vp.FromPs != vp.ToPs || vp.SpanPs != 25e6 {
		t.Errorf("window %d to %d, span %d: want following with 25 us", vp.FromPs, vp.ToPs, vp.SpanPs)
	}
	b.Build(&vp)
	before := b.TimeAt(0, 300)
	b.PanBy(&vp, 60, 0)
	b.Build(&vp)
	if got := b.TimeAt(0, 360); math.Abs(float64(got-before)) > 1000 {
		t.Errorf("60 pixels to the right is %d ps, want %d", got, before)
	}
	before = b.TimeAt(0, 300)
	b.ZoomAt(&vp, 300, 300, 8)
	b.Build(&vp)
	if got := b.TimeAt(0, 300); math.Abs(float64(got-before)) > 1000 {
		t.Errorf("under the pointer is %d ps, want %d", got, before)
	}
	for range 100 {
		b.ZoomAt(&vp, 300, 300, 100)
		b.Build(&vp)
	}
	if vp.ToPs-vp.FromPs < 1000 {
		t.Errorf("zoomed in to %d ps, want no further than 1 ns", vp.ToPs-vp.FromPs)
	}
	vp.Fit()
	if vp.FromPs != vp.ToPs {
		t.Error("Fit does not follow the run")
	}
}
