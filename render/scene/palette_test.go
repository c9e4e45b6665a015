package scene_test

import (
	"math"
	"testing"

	"wakelab/engine/view"
	"wakelab/render/scene"
)

// sights are colour visions as matrices on linear sRGB: normal, and the
// dichromacies of Machado, Oliveira and Fernandes (2009), severity 1.
var sights = []struct {
	name string
	m    [3][3]float64
}{
	{"normal", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
	{"tritanopia", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}

func linear(v uint8) float64 {
	c := float64(v) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// seen returns a colour as a sight perceives it, in OKLab.
func seen(c scene.Color, m [3][3]float64) [3]float64 {
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var out [3]float64
	for i := range m {
		out[i] = min(1, max(0, m[i][0]*in[0]+m[i][1]*in[1]+m[i][2]*in[2]))
	}
	l := math.Cbrt(0.4122214708*out[0] + 0.5363325363*out[1] + 0.0514459929*out[2])
	a := math.Cbrt(0.2119034982*out[0] + 0.6806995451*out[1] + 0.1073969566*out[2])
	s := math.Cbrt(0.0883024619*out[0] + 0.2817188376*out[1] + 0.6299787005*out[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*a - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*a + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*a - 0.8086757660*s,
	}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// TestPaletteForColourBlind: any two states stay apart under every sight.
// 0.1 in OKLab is five times what is just noticeable side by side.
func TestPaletteForColourBlind(t *testing.T) {
	const least = 0.1
	for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
		for _, sight := range sights {
			for i := range view.NumStates {
				for j := range i {
					d := distance(seen(th.States[i], sight.m), seen(th.States[j], sight.m))
					if d < least {
						t.Errorf("%s, %s: %v and %v are %.3f apart, want %.3f", th.Name, sight.name, i, j, d, least)
					}
				}
			}
		}
	}
}

// TestTextContrast holds text to WCAG AA on every surface it is set on.
func TestTextContrast(t *testing.T) {
	luminance := func(c scene.Color) float64 {
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	contrast := func(a, b scene.Color) float64 {
		x, y := luminance(a)+0.05, luminance(b)+0.05
		return max(x, y) / min(x, y)
	}
	for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
		for _, ground := range []scene.Color{th.Background, th.Socket, th.Die, th.Group} {
			for _, ink := range []scene.Color{th.Ink, th.Faint} {
				if c := contrast(ink, ground); c < 4.5 {
					t.Errorf("%s: %v on %v has contrast %.2f, want 4.5", th.Name, ink, ground, c)
				}
			}
		}
	}
}

// TestRampIsMonotone: a heat ramp reads without hue, by lightness alone.
func TestRampIsMonotone(t *testing.T) {
	for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
		for _, sight := range sights {
			var l [3]float64
			for i, c := range th.Ramp {
				l[i] = seen(c, sight.m)[0]
			}
			if (l[1]-l[0])*(l[2]-l[1]) <= 0 || math.Abs(l[1]-l[0]) < 0.2 || math.Abs(l[2]-l[1]) < 0.2 {
				t.Errorf("%s, %s: lightness of the ramp is %.2f, want steps of at least 0.2 in one direction", th.Name, sight.name, l)
			}
		}
	}
}
