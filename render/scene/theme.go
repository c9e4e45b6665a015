package scene

import (
	"wakelab/engine/view"
	"wakelab/render/typeface"
)

// The type scale, in CSS pixels per em.
const (
	sizeSmall = 10
	sizeBody  = 12
	sizeTitle = 15
	sizeLarge = 22
)

// The spacing scale, in CSS pixels.
const (
	space1 = 2
	space2 = 4
	space3 = 8
	space4 = 12
	space5 = 24
)

const (
	typeSans = typeface.Sans
	typeMono = typeface.Mono
)

// Theme is the colours of a picture.
type Theme struct {
	Name       string
	Background Color
	Socket     Color // fill of sockets
	Die        Color // of dies within
	Group      Color // of L3 groups within
	Rule       Color // lines and borders
	Ink        Color // text
	Faint      Color // secondary text
	Accent     Color // selection and markers
	States     [view.NumStates]Color
	Arrows     [view.NumArrowKinds]Color
	Ramp       [3]Color // heat: least, middle, most
	Slices     [7]Color // anatomy, in order of time, repeated when there are more
}

func rgb(hex uint32) Color { return Color{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255} }

// The state colours were searched for the greatest least distance (OKLab)
// between any two states under normal sight and simulated deuteranopia,
// protanopia and tritanopia, within a hue and lightness range per state:
// idle states are pale, busy ones strong. The palette test holds the distance.

// Light is the theme for light surroundings.
var Light = Theme{
	Name:       "light",
	Background: rgb(0xfbfbf9),
	Socket:     rgb(0xf3f3f0),
	Die:        rgb(0xececE8),
	Group:      rgb(0xfdfdfc),
	Rule:       rgb(0xd5d6d3),
	Ink:        rgb(0x1d2126),
	Faint:      rgb(0x626a73),
	Accent:     rgb(0xc2185b),
	States: [view.NumStates]Color{
		view.IdlePoll: rgb(0xf2ce70),
		view.IdleC1:   rgb(0xb5ccdf),
		view.IdleC2:   rgb(0xeaf1f5),
		view.IdleLoop: rgb(0x96a4c0),
		view.User:     rgb(0x3ba06d),
		view.Kernel:   rgb(0x1a487f),
		view.Spin:     rgb(0xf75700),
		view.IRQ:      rgb(0x390653),
		view.SoftIRQ:  rgb(0xb94eac),
	},
	Arrows: [view.NumArrowKinds]Color{
		view.IPI:        rgb(0x390653),
		view.PolledWake: rgb(0x9a6b00),
		view.Migration:  rgb(0xc2185b),
		view.Wakeup:     rgb(0x44505c),
		view.Pipe:       rgb(0x1f7a8c),
	},
	Ramp:   [3]Color{rgb(0xf0f2ee), rgb(0x6fb1b8), rgb(0x0b3c5d)},
	Slices: [7]Color{rgb(0x1a487f), rgb(0x96a4c0), rgb(0xb94eac), rgb(0xf2ce70), rgb(0x3ba06d), rgb(0xf75700), rgb(0x390653)},
}

// Dark is the theme for dark surroundings.
var Dark = Theme{
	Name:       "dark",
	Background: rgb(0x0f1215),
	Socket:     rgb(0x161a1e),
	Die:        rgb(0x1b2025),
	Group:      rgb(0x11151a),
	Rule:       rgb(0x343b42),
	Ink:        rgb(0xe9ecef),
	Faint:      rgb(0x98a2ac),
	Accent:     rgb(0xff6f9c),
	States: [view.NumStates]Color{
		view.IdlePoll: rgb(0x856515),
		view.IdleC1:   rgb(0x2e414f),
		view.IdleC2:   rgb(0x1d2125),
		view.IdleLoop: rgb(0x4d6272),
		view.User:     rgb(0x83d494),
		view.Kernel:   rgb(0x357ec0),
		view.Spin:     rgb(0xea7921),
		view.IRQ:      rgb(0xf2ccf8),
		view.SoftIRQ:  rgb(0xe091d9),
	},
	Arrows: [view.NumArrowKinds]Color{
		view.IPI:        rgb(0xf2ccf8),
		view.PolledWake: rgb(0xf0c04a),
		view.Migration:  rgb(0xff6f9c),
		view.Wakeup:     rgb(0xb8c2cc),
		view.Pipe:       rgb(0x5cc5d8),
	},
	Ramp:   [3]Color{rgb(0x1d2328), rgb(0x1f7f8f), rgb(0xd9f5e6)},
	Slices: [7]Color{rgb(0x357ec0), rgb(0x4d6272), rgb(0xe091d9), rgb(0x856515), rgb(0x83d494), rgb(0xea7921), rgb(0xf2ccf8)},
}

// ramp returns the heat colour of v, 0 to 1.
func (t *Theme) ramp(v float32) Color {
	v = min(1, max(0, v)) * 2
	if v < 1 {
		return mix(t.Ramp[0], t.Ramp[1], v)
	}
	return mix(t.Ramp[1], t.Ramp[2], v-1)
}

// on returns the ink or the background, whichever reads better on c.
func (t *Theme) on(c Color) Color {
	luma := func(c Color) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }
	l := luma(c)
	if abs(l-luma(t.Ink)) >= abs(l-luma(t.Background)) {
		return t.Ink
	}
	return t.Background
}

func abs[T int | int64 | float32](v T) T {
	if v < 0 {
		return -v
	}
	return v
}
