package raster

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"wakelab/render/scene"
	"wakelab/render/typeface"
)

// SVG writes a scene as an SVG document in CSS pixels. Texts stay text: they
// name the Go fonts with fallbacks and are held to the width of the layout.
func SVG(w io.Writer, s *scene.Scene) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g">`+"\n", s.W, s.H, s.W, s.H)
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" %s/>`+"\n", paint("fill", s.Background))
	for i, l := range s.Layers {
		c := l.Clip
		fmt.Fprintf(out, `<clipPath id="c%d"><rect x="%g" y="%g" width="%g" height="%g"/></clipPath><g clip-path="url(#c%d)">`+"\n", i, c.X0, c.Y0, c.W(), c.H(), i)
		for j := l.Shapes[0]; j < l.Shapes[1]; j++ {
			svgShape(out, &s.Shapes[j])
		}
		for j := l.Texts[0]; j < l.Texts[1]; j++ {
			t := &s.Texts[j]
			fmt.Fprintf(out, `<text x="%.2f" y="%.2f" font-family="%s" font-size="%g" textLength="%.2f" lengthAdjust="spacingAndGlyphs" xml:space="preserve" %s>%s</text>`+"\n",
				t.X, t.Y, typeface.Families[t.Face], t.Size, t.Width, paint("fill", t.Color), html.EscapeString(string(s.Bytes[t.Lo:t.Hi])))
		}
		fmt.Fprintln(out, "</g>")
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func svgShape(w io.Writer, s *scene.Shape) {
	switch s.Kind {
	case scene.Rect:
		fmt.Fprintf(w, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" %s/>`+"\n", s.P0.X, s.P0.Y, s.P1.X-s.P0.X, s.P1.Y-s.P0.Y, paint("fill", s.Color))
	case scene.Disc:
		fmt.Fprintf(w, `<circle cx="%.2f" cy="%.2f" r="%.2f" %s/>`+"\n", s.P0.X, s.P0.Y, s.Width/2, paint("fill", s.Color))
	case scene.Triangle:
		fmt.Fprintf(w, `<path d="M%.2f %.2fL%.2f %.2fL%.2f %.2fZ" %s/>`+"\n", s.P0.X, s.P0.Y, s.P1.X, s.P1.Y, s.P2.X, s.P2.Y, paint("fill", s.Color))
	case scene.Stroke:
		dash := ""
		if s.Dash > 0 {
			dash = fmt.Sprintf(` stroke-dasharray="%g"`, s.Dash)
		}
		fmt.Fprintf(w, `<path d="M%.2f %.2fQ%.2f %.2f %.2f %.2f" fill="none" stroke-width="%.2f"%s %s/>`+"\n",
			s.P0.X, s.P0.Y, s.P1.X, s.P1.Y, s.P2.X, s.P2.Y, s.Width, dash, paint("stroke", s.Color))
	}
}

// paint is the attributes of a colour for fill or stroke.
func paint(what string, c scene.Color) string {
	hex := fmt.Sprintf(`%s="#%02x%02x%02x"`, what, c.R, c.G, c.B)
	if c.A == 255 {
		return hex
	}
	return fmt.Sprintf(`%s %s-opacity="%.3f"`, hex, what, float64(c.A)/255)
}
