// Package typeface is the picture's type: two Go fonts, their metrics and
// their glyphs as pixels. The scene measures with it and every painter draws
// with it, so that text is equally wide on screen, in images and in layout.
package typeface

import (
	"image"
	"image/draw"
	"math"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Face is one of the fonts.
type Face uint8

// Faces.
const (
	Sans Face = iota // labels
	Mono             // kernel names and numbers
	NumFaces
)

// Families are the CSS font families, for exports that name fonts.
var Families = [NumFaces]string{"Go, system-ui, sans-serif", "'Go Mono', ui-monospace, monospace"}

// unitsPerEm is the resolution of the Go fonts and of the advance table.
const unitsPerEm = 2048

// maxRune bounds the advance table; it covers Latin, punctuation and arrows.
const maxRune = 0x2200

var (
	fonts    [NumFaces]*sfnt.Font
	advances [NumFaces][maxRune]uint16 // unitsPerEm; 0: the font has no such glyph
)

func init() {
	for f, ttf := range [NumFaces][]byte{goregular.TTF, gomono.TTF} {
		parsed, err := opentype.Parse(ttf)
		if err != nil {
			panic("typeface: " + err.Error())
		}
		fonts[f] = parsed
		var buf sfnt.Buffer
		for _, r := range [][2]rune{{0x20, 0x17f}, {0x391, 0x3c9}, {0x2010, 0x2030}, {0x2190, 0x2195}} {
			for c := r[0]; c <= r[1]; c++ {
				g, err := parsed.GlyphIndex(&buf, c)
				if err != nil || g == 0 {
					continue
				}
				a, err := parsed.GlyphAdvance(&buf, g, fixed.I(unitsPerEm), font.HintingNone)
				if err != nil {
					panic("typeface: " + err.Error())
				}
				advances[f][c] = uint16(a.Round())
			}
		}
	}
}

// Known returns r, or '?' if the faces have no glyph for it.
func Known(f Face, r rune) rune {
	if r < 0 || r >= maxRune || advances[f][r] == 0 {
		return '?'
	}
	return r
}

// Advance returns how far r moves the pen, in em.
func Advance(f Face, r rune) float32 {
	return float32(advances[f][Known(f, r)]) / unitsPerEm
}

// Width returns the width of UTF-8 text set at a size, in the size's unit.
func Width(f Face, size float32, text []byte) float32 {
	var em float32
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		em += Advance(f, r)
		text = text[n:]
	}
	return em * size
}

// Subpixels is how many horizontal positions within a pixel a glyph has:
// enough that letters keep their spacing at small sizes. A power of two.
const Subpixels = 4

// Key names one glyph picture.
type Key struct {
	Face Face
	Sub  uint8   // position within the pixel, 0 to Subpixels-1
	Size float32 // pixels per em
	Rune rune
}

// Glyph is a coverage mask and its top left corner relative to the pixel
// that holds the pen.
type Glyph struct {
	Mask *image.Alpha
	X, Y int
}

// Cache draws glyphs once and keeps them.
type Cache struct {
	faces  map[Key]font.Face // by face and size
	glyphs map[Key]*Glyph
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{faces: map[Key]font.Face{}, glyphs: map[Key]*Glyph{}}
}

// Glyph returns the picture of a glyph.
func (c *Cache) Glyph(k Key) *Glyph {
	if g, ok := c.glyphs[k]; ok {
		return g
	}
	faceKey := Key{Face: k.Face, Size: k.Size}
	face, ok := c.faces[faceKey]
	if !ok {
		var err error
		face, err = opentype.NewFace(fonts[k.Face], &opentype.FaceOptions{Size: float64(k.Size), DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic("typeface: " + err.Error())
		}
		c.faces[faceKey] = face
	}
	dot := fixed.Point26_6{X: fixed.Int26_6(int(k.Sub) * 64 / Subpixels)}
	at, mask, from, _, _ := face.Glyph(dot, k.Rune)
	g := &Glyph{Mask: image.NewAlpha(image.Rect(0, 0, at.Dx(), at.Dy())), X: at.Min.X, Y: at.Min.Y}
	if mask != nil {
		draw.Draw(g.Mask, g.Mask.Rect, mask, from, draw.Src)
	}
	c.glyphs[k] = g
	return g
}

// Layout calls put for each visible glyph of UTF-8 text whose pen starts at
// pixel x: the glyph's key and the pixel that holds its pen.
func Layout(f Face, size, x float32, text []byte, put func(k Key, px int)) {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		r = Known(f, r)
		text = text[n:]
		if r != ' ' {
			pos := int(math.Floor(float64(x)*Subpixels + 0.5))
			sub := pos & (Subpixels - 1) // right of the pixel's left edge also where x is negative
			put(Key{Face: f, Sub: uint8(sub), Size: size, Rune: r}, (pos-sub)/Subpixels)
		}
		x += Advance(f, r) * size
	}
}
