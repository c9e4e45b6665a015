package scene

import (
	"fmt"
	"strconv"
	"strings"

	"wakelab/engine/view"
)

// View is one of the pictures a builder draws.
type View uint8

// Views.
const (
	Machine View = iota
	Timeline
	Anatomy
	Lines
	NumViews
)

// There is a name for each view.
var _ = [1]struct{}{}[len(view.Pictures)-int(NumViews)]

// String returns the view's name.
func (v View) String() string { return view.Pictures[v] }

// Heat is what the machine view's cells show.
type Heat uint8

// Heat modes. HeatState shows states by colour and shape, the others one
// quantity on a ramp from the surface's colour to the strongest ink.
const (
	HeatState       Heat = iota
	HeatUtilisation      // share of time not idle
	HeatQueue            // tasks on the run queue
	HeatLockWait         // share of time spinning on locks
	HeatLineTraffic      // share of time waiting for cache lines
	HeatInterrupts       // share of time in interrupts and softirqs
	HeatWakeups          // wakeups per second that chose the CPU
	NumHeats
)

var heatNames = [NumHeats]string{"state", "utilisation", "queue length", "lock wait", "line wait", "interrupts", "wakeups"}

// String returns the mode's name.
func (h Heat) String() string { return heatNames[h] }

// NoCPU is the selection of no CPU.
const NoCPU = -1

// Viewport is what to draw and where.
type Viewport struct {
	W, H   float32 // CSS pixels
	Ratio  float32 // device pixels per CSS pixel
	Theme  *Theme
	View   View
	Zoom   float32 // 1 fits the whole into the canvas
	PanX   float32 // CSS pixels the picture is moved to the right
	PanY   float32 // and down
	Titles [2]string

	Selected, Hovered int32 // CPU or NoCPU, on both sides
	Heat              Heat
	Show              []bool  // CPU filter; nil shows all
	Fold              bool    // hide L3 groups that have been idle for a while on both sides, if most are
	Focus             []int32 // machine view: CPUs drawn large, with what passes between them
	Hide              [view.NumArrowKinds]bool
	NoLegend          bool
	ReducedMotion     bool // no moving markers, no fades

	// Timeline view. FromPs = ToPs follows the run with a window of SpanPs.
	FromPs, ToPs int64
	SpanPs       int64
	Markers      []int64 // instants; with two, their difference is shown

	Parting *Parting // of a forked run; nil not known, or never
}

// Parting is the first event in which two sides differ.
type Parting struct {
	AtPs int64
	CPU  int32
}

// NewViewport returns a viewport of the machine view with nothing selected.
func NewViewport(w, h, ratio float32, theme *Theme) Viewport {
	return Viewport{W: w, H: h, Ratio: ratio, Theme: theme, Zoom: 1, Selected: NoCPU, Hovered: NoCPU, SpanPs: defaultSpanPs}
}

// ParseCPUs reads a CPU list as the kernel prints it, "0-7,64", for a machine
// of n CPUs and returns the filter for Viewport.Show. Empty text shows all.
func ParseCPUs(list string, n int) ([]bool, error) {
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	show := make([]bool, n)
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		first, err1 := strconv.Atoi(lo)
		last, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || first < 0 || first > last || last >= n {
			return nil, fmt.Errorf("CPU list: %q: give CPUs or ranges within 0-%d, such as 0-7,64", part, n-1)
		}
		for c := first; c <= last; c++ {
			show[c] = true
		}
	}
	return show, nil
}
