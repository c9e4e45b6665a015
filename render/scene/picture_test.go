package scene_test

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"wakelab/render/raster"
	"wakelab/render/scene"
)

// TestPictures writes pictures to look at into $PICTURES.
func TestPictures(t *testing.T) {
	dir := os.Getenv("PICTURES")
	if dir == "" {
		t.Skip("PICTURES names no directory")
	}
	save := func(name string, cpus [2]int, busy uint64, vp scene.Viewport) {
		b := scene.New()
		for side, n := range cpus {
			if n == 0 {
				continue
			}
			d := newDemo(n, busy+uint64(side)*20)
			b.SetStatic(side, &d.static)
			for range 60 {
				b.Add(side, d.step(2e6))
			}
		}
		vp.Titles = [2]string{"v6.5 CFS", "+ idle extension"}
		file, err := os.Create(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := png.Encode(file, raster.Draw(b.Build(&vp))); err != nil {
			t.Fatal(err)
		}
	}
	vp := func(w, h float32, th *scene.Theme) scene.Viewport { return scene.NewViewport(w, h, 1, th) }
	save("m8-desktop-light", [2]int{8, 0}, 60, vp(1280, 800, &scene.Light))
	save("m8-compare-embed-dark", [2]int{8, 8}, 60, vp(640, 360, &scene.Dark))
	save("m384-compare-desktop-light", [2]int{384, 384}, 60, vp(1280, 800, &scene.Light))
	save("m384-compare-desktop-dark", [2]int{384, 384}, 60, vp(1280, 800, &scene.Dark))
	save("m384-phone-light", [2]int{384, 0}, 60, vp(390, 844, &scene.Light))
	save("m256-embed-light", [2]int{256, 256}, 30, vp(640, 360, &scene.Light))
	v := vp(1280, 800, &scene.Dark)
	v.Selected, v.Heat = 17, scene.HeatUtilisation
	save("m384-heat-dark", [2]int{384, 0}, 60, v)
	v = vp(1280, 800, &scene.Light)
	v.Focus = []int32{0, 8}
	save("m256-focus-light", [2]int{256, 256}, 10, v)
	v = vp(390, 844, &scene.Dark)
	v.Focus = []int32{0, 8}
	save("m256-focus-phone", [2]int{256, 256}, 10, v)
}
