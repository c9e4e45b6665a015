package raster_test

import (
	"encoding/xml"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wakelab/render/raster"
	"wakelab/render/scene"
)

// sample is a white canvas of 20 by 10 at pixel ratio 2 with a half
// transparent red square, clipped to its left half, and a text.
func sample() *scene.Scene {
	red := scene.Color{R: 255, A: 128}
	return &scene.Scene{
		W: 20, H: 10, Ratio: 2, Background: scene.Color{R: 255, G: 255, B: 255, A: 255},
		Shapes: []scene.Shape{
			{Kind: scene.Rect, Color: red, P0: scene.Point{X: 2, Y: 2}, P1: scene.Point{X: 6, Y: 6}},
			{Kind: scene.Disc, Color: red, P0: scene.Point{X: 15, Y: 5}, Width: 6},
			{Kind: scene.Stroke, Color: red, P0: scene.Point{X: 10, Y: 9}, P1: scene.Point{X: 15, Y: 9}, P2: scene.Point{X: 20, Y: 9}, Width: 1, Dash: 2},
		},
		Texts: []scene.Text{{X: 1, Y: 9, Size: 4, Width: 7, Color: scene.Color{A: 255}, Hi: 3}},
		Bytes: []byte("a<b"),
		Layers: []scene.Layer{
			{Clip: scene.Box{X1: 4, Y1: 10}, Shapes: [2]int32{0, 1}},
			{Clip: scene.Box{X1: 20, Y1: 10}, Shapes: [2]int32{1, 3}, Texts: [2]int32{0, 1}},
		},
	}
}

func TestDraw(t *testing.T) {
	img := raster.Draw(sample())
	if got := img.Rect.Size(); got.X != 40 || got.Y != 20 {
		t.Fatalf("size %v, want 40 by 20 device pixels", got)
	}
	white, pink := color.RGBA{255, 255, 255, 255}, color.RGBA{255, 127, 127, 255}
	for _, c := range []struct {
		what string
		x, y int
		want color.RGBA
	}{
		{"inside the square", 4, 4, pink},
		{"before the square", 3, 4, white},
		{"last pixel within the clip", 7, 9, pink},
		{"beyond the clip", 8, 4, white},
		{"middle of the disc", 30, 10, pink},
		{"first dash", 21, 18, pink},
		{"first gap", 25, 18, white},
	} {
		if got := img.RGBAAt(c.x, c.y); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
	dark := 0
	for y := range 20 {
		for x := range 20 {
			if img.RGBAAt(x, y).R < 120 {
				dark++
			}
		}
	}
	if dark < 4 {
		t.Errorf("%d dark pixels where the text is, want letters", dark)
	}
}

func TestSVG(t *testing.T) {
	var out strings.Builder
	if err := raster.SVG(&out, sample()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	text := ""
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			seen[tok.Name.Local]++
		case xml.CharData:
			text += strings.TrimSpace(string(tok))
		}
	}
	want := map[string]int{"svg": 1, "g": 3, "clipPath": 2, "rect": 3, "path": 3, "text": 1}
	for name, n := range want {
		if seen[name] != n {
			t.Errorf("%d elements %s, want %d", seen[name], name, n)
		}
	}
	if text != "a<b" {
		t.Errorf("text %q, want %q", text, "a<b")
	}
}

// TestSVGGroups checks which shapes are one path: those of one look, unless
// another shape between them in order touches the later one.
func TestSVGGroups(t *testing.T) {
	red, blue := scene.Color{R: 255, A: 255}, scene.Color{B: 255, A: 255}
	square := func(x float32, c scene.Color) scene.Shape {
		return scene.Shape{Kind: scene.Rect, Color: c, P0: scene.Point{X: x}, P1: scene.Point{X: x + 2, Y: 2}}
	}
	pale := scene.Color{R: 255, A: 128}
	for _, c := range []struct {
		what   string
		shapes []scene.Shape
		want   []string // path data
	}{
		{"apart", []scene.Shape{square(0, red), square(10, blue), square(20, red)}, []string{"M0 0h2v2h-2M20 0h2v2h-2", "M10 0h2v2h-2"}},
		{"red, blue on it, red on that", []scene.Shape{square(0, red), square(1, blue), square(2, red)}, []string{"M0 0h2v2h-2", "M1 0h2v2h-2", "M2 0h2v2h-2"}},
		{"opaque ones overlap", []scene.Shape{square(0, red), square(1, red)}, []string{"M0 0h2v2h-2M1 0h2v2h-2"}},
		{"pale ones overlap", []scene.Shape{square(0, pale), square(1, pale)}, []string{"M0 0h2v2h-2", "M1 0h2v2h-2"}},
	} {
		s := &scene.Scene{W: 30, H: 10, Ratio: 1, Shapes: c.shapes, Layers: []scene.Layer{{Clip: scene.Box{X1: 30, Y1: 10}, Shapes: [2]int32{0, int32(len(c.shapes))}}}}
		var out strings.Builder
		if err := raster.SVG(&out, s); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range regexp.MustCompile(` d="([^"]*)"`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: paths %q, want %q", c.what, got, c.want)
		}
	}
}
