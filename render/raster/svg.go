package raster

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"

	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// SVG writes a scene as an SVG document in CSS pixels, to a tenth of one.
// Texts stay text: they name the Go fonts with fallbacks and are held to the
// width of the layout.
func SVG(w io.Writer, s *scene.Scene) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g">`+"\n", s.W, s.H, s.W, s.H)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" %s/>`+"\n", paint("fill", s.Background))
	for i, l := range s.Layers {
		c := l.Clip
		fmt.Fprintf(out, `<clipPath id="c%d"><rect x="%g" y="%g" width="%g" height="%g"/></clipPath><g clip-path="url(#c%d)">`+"\n", i, c.X0, c.Y0, c.W(), c.H(), i)
		for _, g := range groupShapes(s.Shapes[l.Shapes[0]:l.Shapes[1]]) {
			fmt.Fprintf(out, "<path %s d=\"%s\"/>\n", g.look, g.path)
		}
		writeTexts(out, s, l)
		fmt.Fprintln(out, "</g>")
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// writeTexts writes a layer's texts; neighbours of one look share its
// attributes, of which there are many.
func writeTexts(out io.Writer, s *scene.Scene, l scene.Layer) {
	open := ""
	for j := l.Texts[0]; j < l.Texts[1]; j++ {
		t := &s.Texts[j]
		look := fmt.Sprintf(`font-family="%s" font-size="%g" xml:space="preserve" %s`, typeface.Families[t.Face], t.Size, paint("fill", t.Color))
		if look != open {
			if open != "" {
				fmt.Fprintln(out, "</g>")
			}
			fmt.Fprintf(out, "<g %s>\n", look)
			open = look
		}
		fmt.Fprintf(out, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
			tenths(t.X), tenths(t.Y), tenths(t.Width), html.EscapeString(string(s.Bytes[t.Lo:t.Hi])))
	}
	if open != "" {
		fmt.Fprintln(out, "</g>")
	}
}

// group is shapes of one look that are painted as one path: a machine has
// thousands of small ones.
type group struct {
	look    string // attributes
	path    []byte
	members []*scene.Shape
}

// groupShapes puts shapes of one look together. A shape moves only before
// shapes that it does not touch, so that the picture stays the same.
func groupShapes(shapes []scene.Shape) []group {
	var groups []group
	latest := map[string]int{} // look -> its last group
	for i := range shapes {
		sh := &shapes[i]
		look := lookOf(sh)
		at, ok := latest[look]
		// Where shapes of a path overlap it is painted once, which shows if it
		// is not opaque; triangles may turn the other way round and leave a hole.
		if ok && (sh.Color.A < 255 || sh.Kind == scene.Triangle) && groups[at].touches(sh) {
			ok = false
		}
		for j := at + 1; ok && j < len(groups); j++ {
			ok = !groups[j].touches(sh)
		}
		if !ok {
			at = len(groups)
			groups = append(groups, group{look: look})
			latest[look] = at
		}
		g := &groups[at]
		g.path = appendPath(g.path, sh)
		g.members = append(g.members, sh)
	}
	return groups
}

// touches reports whether sh may overlap a member.
func (g *group) touches(sh *scene.Shape) bool {
	lo, hi := sh.Bounds()
	for _, m := range g.members {
		mlo, mhi := m.Bounds()
		if lo.X < mhi.X && mlo.X < hi.X && lo.Y < mhi.Y && mlo.Y < hi.Y {
			return true
		}
	}
	return false
}

// lookOf is what paths of a shape's look have in common.
func lookOf(s *scene.Shape) string {
	if s.Kind != scene.Stroke {
		return paint("fill", s.Color)
	}
	dash := ""
	if s.Dash > 0 {
		dash = fmt.Sprintf(` stroke-dasharray="%g"`, s.Dash)
	}
	return fmt.Sprintf(`fill="none" stroke-width="%s"%s %s`, tenths(s.Width), dash, paint("stroke", s.Color))
}

// appendPath appends a shape's path data. Filled paths close by themselves.
func appendPath(b []byte, s *scene.Shape) []byte {
	point := func(p scene.Point) string { return tenths(p.X) + " " + tenths(p.Y) }
	switch s.Kind {
	case scene.Rect:
		w, h := s.P1.X-s.P0.X, s.P1.Y-s.P0.Y
		return fmt.Appendf(b, "M%sh%sv%sh%s", point(s.P0), tenths(w), tenths(h), tenths(-w))
	case scene.Disc:
		r := s.Width / 2
		arc := fmt.Sprintf("a%s %s 0 1 1", tenths(r), tenths(r))
		return fmt.Appendf(b, "M%s%s %s 0%s %s 0", point(scene.Point{X: s.P0.X - r, Y: s.P0.Y}), arc, tenths(s.Width), arc, tenths(-s.Width))
	case scene.Triangle:
		return fmt.Appendf(b, "M%sL%sL%s", point(s.P0), point(s.P1), point(s.P2))
	}
	if s.Straight() {
		return fmt.Appendf(b, "M%sL%s", point(s.P0), point(s.P2))
	}
	return fmt.Appendf(b, "M%sQ%s %s", point(s.P0), point(s.P1), point(s.P2))
}

// tenths writes v with at most one decimal.
func tenths(v float32) string {
	return strconv.FormatFloat(math.Round(float64(v)*10)/10, 'f', -1, 64)
}

// paint is the attributes of a colour for fill or stroke.
func paint(what string, c scene.Color) string {
	hex := fmt.Sprintf(`%s="#%02x%02x%02x"`, what, c.R, c.G, c.B)
	if c.A == 255 {
		return hex
	}
	return fmt.Sprintf(`%s %s-opacity="%.3f"`, hex, what, float64(c.A)/255)
}
