package scene_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wakelab/engine/view"
	"wakelab/render/raster"
	"wakelab/render/scene"
)

var (
	update   = flag.Bool("update", false, "rewrite the golden images")
	pictures = flag.String("pictures", "", "directory to write every picture to, in all sizes and themes, to look at")
)

// player is shown what a run brings: a builder, or what writes it down.
type player interface {
	SetStatic(side int, s *view.Static)
	Add(side int, f *view.Frame)
	SetLines(side int, sincePs int64, lines []view.Line, locks []view.Lock)
	SetSlices(side int, slices []view.Slice)
}

// exhibit is one picture of the gallery.
type exhibit struct {
	name string
	show func(b player, vp *scene.Viewport)
}

// run feeds both sides with a busy machine, the second one busier.
func run(cpus int, busy uint64) func(player, *scene.Viewport) {
	return func(b player, _ *scene.Viewport) {
		for side := range 2 {
			d := newDemo(cpus, busy+20*uint64(side))
			b.SetStatic(side, &d.static)
			for range 60 {
				b.Add(side, d.step(2e6))
			}
		}
	}
}

// storms feeds both sides with one message between two CPUs.
func storms(b player) {
	storm(b, 0)
	storm(b, 1)
}

// gallery is every view of three sizes of machine, and what shows only there.
var gallery = append(views(8, 384, 768), []exhibit{
	{"heat-384", func(b player, vp *scene.Viewport) {
		run(384, 60)(b, vp)
		vp.Heat, vp.Selected = scene.HeatUtilisation, 17
	}},
	{"focus-256", func(b player, vp *scene.Viewport) {
		storms(b)
		vp.Focus = []int32{8, 16}
	}},
	{"fold-256", func(b player, vp *scene.Viewport) {
		storms(b)
		vp.Fold = true
	}},
	{"layouts", func(b player, vp *scene.Viewport) {
		storms(b)
		vp.View = scene.Lines
	}},
	{"marked-8", func(b player, vp *scene.Viewport) {
		run(8, 60)(b, vp)
		vp.View, vp.SpanPs, vp.Markers = scene.Timeline, 20e6, []int64{105e6, 111.5e6}
	}},
	{"parted-8", func(b player, vp *scene.Viewport) {
		run(8, 60)(b, vp)
		vp.View, vp.SpanPs, vp.Parting = scene.Timeline, 20e6, &scene.Parting{AtPs: 108e6, CPU: 3}
	}},
	{"parted-384", func(b player, vp *scene.Viewport) {
		run(384, 60)(b, vp)
		vp.Parting = &scene.Parting{AtPs: 108e6, CPU: 199}
	}},
}...)

func views(sizes ...int) (all []exhibit) {
	for v := range scene.NumViews {
		for _, n := range sizes {
			all = append(all, exhibit{fmt.Sprintf("%v-%d", v, n), func(b player, vp *scene.Viewport) {
				run(n, 60)(b, vp)
				heat(b, 0)
				heat(b, 1)
				vp.View = v
			}})
		}
	}
	return all
}

var demoTitles = [2]string{"v6.5 CFS", "+ idle extension"}

// draw paints an exhibit.
func (e *exhibit) draw(w, h float32, th *scene.Theme) *image.RGBA {
	b, vp := scene.New(), scene.NewViewport(w, h, 1, th)
	vp.Titles = demoTitles
	e.show(b, &vp)
	return raster.Draw(b.Build(&vp))
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(file, img); err != nil {
		t.Fatal(err)
	}
}

// goldenPNG are the exhibits kept as images; of the others, whose images are
// large, only the hash is kept.
var goldenPNG = []string{"focus-256", "marked-8", "anatomy-8"}

// TestGolden compares pictures of embed size with the hashes of their pixels
// in testdata/golden.txt.
func TestGolden(t *testing.T) {
	const list = "testdata/golden.txt"
	var got strings.Builder
	for _, e := range gallery {
		for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
			img := e.draw(640, 360, th)
			fmt.Fprintf(&got, "%-13s %-5s %x\n", e.name, th.Name, sha256.Sum256(img.Pix))
			if *update && slices.Contains(goldenPNG, e.name) {
				writePNG(t, fmt.Sprintf("testdata/%s-%s.png", e.name, th.Name), img)
			}
		}
	}
	if *update {
		if err := os.WriteFile(list, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(was) || line != was[i] {
			t.Errorf("changed: %s; look at it (-args -pictures DIR), then -args -update", line)
		}
	}
}

// TestGoldenImages: the images kept are those of the hashes.
func TestGoldenImages(t *testing.T) {
	for _, e := range gallery {
		if !slices.Contains(goldenPNG, e.name) {
			continue
		}
		file, err := os.Open(fmt.Sprintf("testdata/%s-light.png", e.name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		got, differ := e.draw(640, 360, &scene.Light), 0
		for y := range 360 {
			for x := range 640 {
				if r, g, b, _ := want.At(x, y).RGBA(); got.RGBAAt(x, y) != (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}) {
					differ++
				}
			}
		}
		if differ > 0 {
			t.Errorf("%s: %d pixels differ from the golden image", e.name, differ)
		}
	}
}

// TestPictures writes the gallery as asked by -pictures.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no directory")
	}
	for _, e := range gallery {
		for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
			for _, size := range [][2]float32{{1280, 800}, {390, 844}, {640, 360}} {
				name := fmt.Sprintf("%s-%s-%.0f.png", e.name, th.Name, size[0])
				writePNG(t, filepath.Join(*pictures, name), e.draw(size[0], size[1], th))
			}
		}
	}
}
