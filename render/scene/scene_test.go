package scene_test

import (
	"slices"
	"strings"
	"testing"

	"wakelab/engine/view"
	"wakelab/render/mesh"
	"wakelab/render/scene"
)

// fed returns a builder that has seen some frames of a demo on each side.
func fed(sides int, cpus, frames int, busy uint64) (*scene.Builder, []*demo) {
	b := scene.New()
	var demos []*demo
	for side := range sides {
		d := newDemo(cpus, busy)
		d.seed += uint64(side)
		b.SetStatic(side, &d.static)
		for range frames {
			b.Add(side, d.step(2e6))
		}
		demos = append(demos, d)
	}
	return b, demos
}

// texts returns the scene's texts, one a line.
func texts(s *scene.Scene) string {
	var out strings.Builder
	for _, t := range s.Texts {
		out.Write(s.Bytes[t.Lo:t.Hi])
		out.WriteByte('\n')
	}
	return out.String()
}

// TestSteadyStateAllocatesNothing adds frames and builds scenes of a large
// comparison.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	for v := range scene.NumViews {
		b, demos := fed(2, 384, 60, 60)
		heat(b, 0)
		heat(b, 1)
		vp := scene.NewViewport(1280, 800, 1, &scene.Light)
		vp.View, vp.Heat = v, scene.HeatWakeups
		for range 5 {
			b.Build(&vp)
		}
		frames := [2]*view.Frame{&demos[0].frame, &demos[1].frame}
		got := testing.AllocsPerRun(20, func() {
			for side, f := range frames {
				f.NowPs += 1000
				b.Add(side, f)
			}
			b.Build(&vp)
		})
		if got != 0 {
			t.Errorf("view %d: %v allocations per frame, want none", v, got)
		}
	}
}

// TestEveryCPUIsFoundWhereItIsDrawn clicks on a grid of points and expects to
// meet every CPU of every machine.
func TestEveryCPUIsFoundWhereItIsDrawn(t *testing.T) {
	for cpus := range shapes {
		for _, size := range [][2]float32{{1280, 800}, {390, 844}, {640, 360}} {
			b, _ := fed(2, cpus, 2, 60)
			vp := scene.NewViewport(size[0], size[1], 1, &scene.Dark)
			var seen [2]map[int]bool
			seen[0], seen[1] = map[int]bool{}, map[int]bool{}
			b.Build(&vp)
			for side := range 2 {
				for c := range cpus {
					box := b.CellOf(side, c)
					if box.W() < 1 || box.H() < 1 {
						t.Fatalf("%d CPUs at %v: CPU %d of side %d is drawn in %v", cpus, size, c, side, box)
					}
					if c%17 != 0 {
						continue // the rest by symmetry
					}
					gotSide, got := b.CPUAt(&vp, box.Mid().X, box.Mid().Y)
					if gotSide != side || got != c {
						t.Errorf("%d CPUs at %v: the middle of CPU %d of side %d finds CPU %d of side %d", cpus, size, c, side, got, gotSide)
					}
				}
			}
			if _, got := b.CPUAt(&vp, 1, 1); got != scene.NoCPU {
				t.Errorf("%d CPUs at %v: the corner finds CPU %d", cpus, size, got)
			}
		}
	}
}

// TestFold: idle L3 groups leave the picture after a while and come back.
func TestFold(t *testing.T) {
	d := newDemo(256, 0)
	b := scene.New()
	b.SetStatic(0, &d.static)
	idle := func() *view.Frame {
		f := d.step(2e6)
		for c := range f.CPUs {
			f.CPUs[c] = view.CPU{State: view.IdleC2, Task: -1}
		}
		f.CPUs[8].State = view.User
		return f
	}
	for range 60 {
		b.Add(0, idle())
	}
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.Fold = true
	if got := texts(b.Build(&vp)); !strings.Contains(got, "15 idle L3 groups folded") {
		t.Errorf("texts do not name the folded groups:\n%s", got)
	}
	if !b.CellOf(0, 200).Empty() || b.CellOf(0, 9).Empty() {
		t.Error("CPU 200 should be folded, CPU 9 beside a busy one should not")
	}
	f := idle()
	f.CPUs[200].State = view.User
	b.Add(0, f)
	b.Build(&vp)
	if b.CellOf(0, 200).Empty() {
		t.Error("CPU 200 is busy and should be drawn")
	}
}

// TestRewindForgets: an older frame starts the accumulation over.
func TestRewindForgets(t *testing.T) {
	d := newDemo(8, 60)
	b := scene.New()
	b.SetStatic(0, &d.static)
	for range 30 {
		b.Add(0, d.step(2e6))
	}
	vp := scene.NewViewport(640, 360, 1, &scene.Light)
	busy := len(b.Build(&vp).Shapes)
	b.Add(0, &view.Frame{NowPs: 1e6, CPUs: make([]view.CPU, 8)})
	if quiet := len(b.Build(&vp).Shapes); quiet >= busy {
		t.Errorf("%d shapes after the rewind, %d before: arrows should be gone", quiet, busy)
	}
}

// TestRewindIsAFreshStart: after a rewind the same frames give the picture a
// new builder gives, in every view.
func TestRewindIsAFreshStart(t *testing.T) {
	rewound := scene.New()
	d := newDemo(64, 60)
	rewound.SetStatic(0, &d.static)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	for v := range scene.NumViews {
		vp.View = v
		for range 10 {
			rewound.Add(0, d.step(2e6))
		}
		rewound.Build(&vp)
		again := newDemo(64, 60)
		fresh := scene.New()
		fresh.SetStatic(0, &again.static)
		for range 5 {
			f := again.step(2e6)
			rewound.Add(0, f)
			fresh.Add(0, f)
		}
		if got, want := rewound.Build(&vp), fresh.Build(&vp); !slices.Equal(got.Shapes, want.Shapes) || texts(got) != texts(want) {
			t.Errorf("%v: %d shapes, want %d, or other texts", v, len(got.Shapes), len(want.Shapes))
		}
		d = again
	}
}

// TestArrowsDifferWithoutColour compares the forms of the kinds in the legend.
func TestArrowsDifferWithoutColour(t *testing.T) {
	forms := map[string]view.ArrowKind{}
	for k := range view.NumArrowKinds {
		d := newDemo(8, 0)
		b := scene.New()
		b.SetStatic(0, &d.static)
		vp := scene.NewViewport(640, 360, 1, &scene.Light)
		vp.NoLegend = true
		f := view.Frame{NowPs: 1e6, CPUs: make([]view.CPU, 8)}
		b.Add(0, &f)
		before := len(b.Build(&vp).Shapes)
		f.NowPs++
		f.Arrows = []view.Arrow{{Kind: k, From: 0, To: 7, Count: 1, AtPs: f.NowPs, EndPs: f.NowPs}}
		b.Add(0, &f)
		var form strings.Builder
		for _, sh := range b.Build(&vp).Shapes[before:] {
			form.WriteByte('0' + byte(sh.Kind))
			if sh.Kind == scene.Stroke && !sh.Straight() {
				form.WriteByte('~')
			}
			if sh.Kind == scene.Stroke && sh.Width > 7 {
				form.WriteByte('#') // a square
			}
			if sh.Dash > 0 {
				form.WriteByte('-')
			}
		}
		if form.Len() == 0 {
			t.Errorf("%v: nothing is drawn", k)
		}
		if other, taken := forms[form.String()]; taken {
			t.Errorf("%v and %v are drawn alike: %s", k, other, form.String())
		}
		forms[form.String()] = k
	}
}

func TestParseCPUs(t *testing.T) {
	show, err := scene.ParseCPUs(" 0-2, 5", 8)
	if err != nil {
		t.Fatal(err)
	}
	want := [8]bool{true, true, true, false, false, true}
	for c := range want {
		if show[c] != want[c] {
			t.Errorf("CPU %d: got %v, want %v", c, show[c], want[c])
		}
	}
	if show, err := scene.ParseCPUs(" ", 8); show != nil || err != nil {
		t.Errorf("empty list: got %v, %v, want no filter", show, err)
	}
	for _, bad := range []string{"8", "3-1", "-1", "a", "1,,2", "0-999999999999999999999"} {
		if _, err := scene.ParseCPUs(bad, 8); err == nil || !strings.Contains(err.Error(), "0-7") {
			t.Errorf("%q: got error %v, want one that names what is allowed", bad, err)
		}
	}
}

// BenchmarkFrame is a frame of the largest study, two machines of 384 CPUs, as
// far as the triangles that a painter hands over.
func BenchmarkFrame(b *testing.B) {
	for v := range scene.NumViews {
		b.Run(v.String(), func(b *testing.B) {
			builder, demos := fed(2, 384, 60, 60)
			vp := scene.NewViewport(1280, 800, 1, &scene.Light)
			vp.View = v
			heat(builder, 0)
			heat(builder, 1)
			mesher := mesh.New(texture{})
			mesher.Batches(builder.Build(&vp))
			frames := [2]*view.Frame{&demos[0].frame, &demos[1].frame}
			b.ReportAllocs()
			for b.Loop() {
				for side, f := range frames {
					f.NowPs += 1000
					builder.Add(side, f)
				}
				mesher.Batches(builder.Build(&vp))
			}
		})
	}
}

// TestAnySize draws every view into canvases down to nothing: a page is laid
// out before it has a size.
func TestAnySize(t *testing.T) {
	b, _ := fed(2, 64, 3, 60)
	heat(b, 0)
	for _, size := range [][2]float32{{0, 0}, {1, 1}, {40, 400}, {400, 40}, {4000, 3000}} {
		for v := range scene.NumViews {
			for _, zoom := range []float32{1, 8} {
				vp := scene.NewViewport(size[0], size[1], 2, &scene.Light)
				vp.View, vp.Zoom, vp.Focus = v, zoom, []int32{1, 40}
				for _, sh := range b.Build(&vp).Shapes {
					if lo, hi := sh.Bounds(); !(hi.X >= lo.X && hi.Y >= lo.Y && hi.X < 1e6 && lo.X > -1e6) {
						t.Fatalf("%v at %v: shape %+v", v, size, sh)
					}
				}
			}
		}
	}
}

// TestTextStaysInside: no text of a readable size leaves its canvas sideways.
func TestTextStaysInside(t *testing.T) {
	for _, e := range gallery {
		for _, size := range [][2]float32{{1280, 800}, {390, 844}, {640, 360}} {
			b, vp := scene.New(), scene.NewViewport(size[0], size[1], 1, &scene.Light)
			e.show(b, &vp)
			s := b.Build(&vp)
			for _, tx := range s.Texts {
				if tx.X < 0 || tx.X+tx.Width > size[0] {
					t.Errorf("%s at %v: %q runs from %.0f to %.0f", e.name, size, s.Bytes[tx.Lo:tx.Hi], tx.X, tx.X+tx.Width)
				}
			}
		}
	}
}

// TestTimelineMergesWhatSharesPixels: a lane's shapes are bounded by its
// width, however many spans there are.
func TestTimelineMergesWhatSharesPixels(t *testing.T) {
	d := newDemo(2, 60)
	b := scene.New()
	b.SetStatic(0, &d.static)
	for range 2000 {
		b.Add(0, d.step(50e3))
	}
	vp := scene.NewViewport(640, 360, 1, &scene.Light)
	vp.View, vp.NoLegend = scene.Timeline, true
	if got := len(b.Build(&vp).Shapes); got > 2*640 {
		t.Errorf("%d shapes for two lanes of about 600 pixels", got)
	}
	if got, want := b.TimeAt(0, 640), d.frame.NowPs; got < want || got > want+want/10 {
		t.Errorf("the right edge is at %d ps, want a little after %d", got, want)
	}
}

// TestHeatRowsFollow: rows kept up to date frame by frame are those drawn
// afresh, while following, after a pan and after a zoom.
func TestHeatRowsFollow(t *testing.T) {
	d := newDemo(384, 60)
	followed, fresh := scene.New(), scene.New()
	followed.SetStatic(0, &d.static)
	fresh.SetStatic(0, &d.static)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.View, vp.SpanPs = scene.Timeline, 40e6
	for i := range 60 {
		f := d.step(2e6)
		followed.Add(0, f)
		fresh.Add(0, f)
		looking := vp
		switch {
		case i == 30:
			looking.FromPs, looking.ToPs = 10e6, 50e6
		case i == 40:
			looking.SpanPs = 20e6
		}
		followed.Build(&looking)
	}
	got, want := followed.Build(&vp).Shapes, fresh.Build(&vp).Shapes
	if len(got) != len(want) {
		t.Fatalf("%d shapes, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("shape %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestZoomedCPUsStayOnTheirSide: what a zoom moves out of a side is neither
// drawn nor found on the other.
func TestZoomedCPUsStayOnTheirSide(t *testing.T) {
	b, _ := fed(2, 64, 3, 60)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	whole := len(b.Build(&vp).Shapes)
	vp.Zoom, vp.PanX = 6, 900
	if got := len(b.Build(&vp).Shapes); got >= whole {
		t.Errorf("%d shapes zoomed in, %d for the whole", got, whole)
	}
	for x := float32(5); x < 1280; x += 31 {
		side, cpu := b.CPUAt(&vp, x, 400)
		if want := int(x / 640); cpu != scene.NoCPU && side != want {
			t.Errorf("at %v: CPU %d of side %d, want side %d", x, cpu, side, want)
		}
	}
}

// TestFocusCardsAreFound: a click on a card is a click on its CPU.
func TestFocusCardsAreFound(t *testing.T) {
	b := scene.New()
	storms(b)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.Focus = []int32{8, 16}
	for _, c := range []struct {
		x         float32
		side, cpu int
	}{{100, 0, 8}, {500, 0, 16}, {740, 1, 8}, {1140, 1, 16}} {
		if side, cpu := b.CPUAt(&vp, c.x, 100); side != c.side || cpu != c.cpu {
			t.Errorf("at %v: CPU %d of side %d, want CPU %d of side %d", c.x, cpu, side, c.cpu, c.side)
		}
	}
}

// TestAnatomyShowsEverySlice: as many as a call or wakeup has, also where there
// is little room.
func TestAnatomyShowsEverySlice(t *testing.T) {
	b := scene.New()
	storms(b)
	for _, size := range [][2]float32{{1280, 800}, {366, 508}, {640, 315}} {
		vp := scene.NewViewport(size[0], size[1], 1, &scene.Light)
		vp.View = scene.Anatomy
		all := texts(b.Build(&vp))
		for _, name := range []string{"select", "queue", "notify", "C-state exit", "idle exit", "schedule", "switch-in"} {
			if got := strings.Count(all, "\n"+name+"\n"); got != 2 {
				t.Errorf("%v: %q is there %d times, want on both sides", size, name, got)
			}
		}
	}
}

// TestHeatScaleIsCommon: a CPU with the same wakeups has the same colour on both
// sides, whatever the others do.
func TestHeatScaleIsCommon(t *testing.T) {
	b := scene.New()
	d := newDemo(8, 0)
	for side := range 2 {
		b.SetStatic(side, &d.static)
		d.frame.SincePs, d.frame.NowPs = 0, 1e9
		d.frame.CPUs[0].Wakeups, d.frame.CPUs[1].Wakeups = 10, uint32(10+90*side)
		b.Add(side, &d.frame)
	}
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.Heat = scene.HeatWakeups
	s := b.Build(&vp)
	fill := func(side, cpu int) (c scene.Color) {
		at := b.CellOf(side, cpu)
		for _, sh := range s.Shapes {
			if box := (scene.Box{X0: sh.P0.X, Y0: sh.P0.Y, X1: sh.P1.X, Y1: sh.P1.Y}); sh.Kind == scene.Rect && at.Inset(-1).Cut(box) == box && box.Inset(-1).Cut(at) == at {
				c = sh.Color
			}
		}
		return c
	}
	if fill(0, 0) != fill(1, 0) || fill(1, 0) == fill(1, 1) {
		t.Errorf("CPU 0 is %v and %v, CPU 1 of side 1 %v: want the first two alike", fill(0, 0), fill(1, 0), fill(1, 1))
	}
	if !strings.Contains(texts(s), "0 to 100 k/s") {
		t.Errorf("the legend does not name the scale's end:\n%s", texts(s))
	}
}

// TestFocusLines: below the cards stand lines of their CPUs, none of an L3, a
// pipe or an mm with the same number.
func TestFocusLines(t *testing.T) {
	b := scene.New()
	storms(b)
	b.SetLines(0, 0, []view.Line{{Name: "llc[8].shared"}, {Name: "mm[16].lru_gen"}, {Name: "nohz"}, {Name: "idle[16].flags"}, {Name: "csd.stack[8]"}, {Name: "rq[16].curr"}}, nil)
	vp := scene.NewViewport(1280, 800, 1, &scene.Light)
	vp.Focus = []int32{8, 16}
	got := texts(b.Build(&vp))
	for _, name := range []string{"idle[16].flags", "csd.stack[8]"} {
		if !strings.Contains(got, "line "+name+": ") {
			t.Errorf("the line %s is not named", name)
		}
	}
	for _, name := range []string{"llc[8]", "mm[16]", "nohz", "rq[16].curr"} { // the last is a third
		if strings.Contains(got, "line "+name) {
			t.Errorf("the line %s is named", name)
		}
	}
}
