package typeface_test

import (
	"math"
	"testing"

	"wakelab/render/typeface"
)

func TestWidth(t *testing.T) {
	for f := range typeface.NumFaces {
		a, b := typeface.Width(f, 10, []byte("Wi")), typeface.Width(f, 20, []byte("Wi"))
		if a <= 0 || math.Abs(float64(b-2*a)) > 1e-4 {
			t.Errorf("face %d: widths %v and %v at sizes 10 and 20", f, a, b)
		}
	}
	if i, w := typeface.Advance(typeface.Mono, 'i'), typeface.Advance(typeface.Mono, 'W'); i != w {
		t.Errorf("the monospaced face is not: i %v, W %v", i, w)
	}
	if got := typeface.Width(typeface.Sans, 10, []byte("µ…→")); got < 20 {
		t.Errorf("symbols of our labels are %v wide: glyphs are missing", got)
	}
	if got := typeface.Known(typeface.Sans, '\U0001F600'); got != '?' {
		t.Errorf("a rune without a glyph becomes %q, want ?", got)
	}
}

// TestLayoutKeepsSpacing: quarter-pixel positions round each pen by at most
// an eighth of a pixel.
func TestLayoutKeepsSpacing(t *testing.T) {
	for _, x := range []float32{5.1, -7.3} {
		checkPens(t, x)
	}
}

func checkPens(t *testing.T, x float32) {
	const size = 10.3
	text := []byte("illi mm")
	var pens []float64
	typeface.Layout(typeface.Sans, size, x, text, func(k typeface.Key, px int) {
		pens = append(pens, float64(px)+float64(k.Sub)/typeface.Subpixels)
	})
	if len(pens) != 6 {
		t.Fatalf("%d glyphs, want 6 without the space", len(pens))
	}
	i := 0
	for at := range text {
		if text[at] == ' ' {
			continue
		}
		want := float64(x + typeface.Width(typeface.Sans, size, text[:at]))
		if math.Abs(pens[i]-want) > 0.126 {
			t.Errorf("glyph %d is at %v, want about %v", i, pens[i], want)
		}
		i++
	}
}

func TestGlyphIsKept(t *testing.T) {
	c := typeface.NewCache()
	k := typeface.Key{Face: typeface.Mono, Size: 20, Rune: 'g'}
	g := c.Glyph(k)
	if g.Mask.Rect.Dx() < 5 || g.Y >= 0 {
		t.Errorf("glyph %+v: want a mask that starts above the baseline", g)
	}
	if c.Glyph(k) != g {
		t.Error("the glyph was drawn twice")
	}
}
