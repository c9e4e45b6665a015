//go:build js

// Command wasm is the page's program: it draws the frames that the page hands
// it and does nothing else. Its functions are on the global object wakelab;
// web/js/painter-frame.mjs calls them.
package main

import (
	"bytes"
	"fmt"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"wakelab/engine/view"
	"wakelab/render/raster"
	"wakelab/render/scene"
	"wakelab/render/screen"
)

func main() {
	g := &game{builder: scene.New(), viewport: scene.NewViewport(0, 0, 1, &scene.Light), askFrame: js.Global().Get("askFrame")}
	js.Global().Set("wakelab", map[string]any{
		"static":   export(g.static),
		"frame":    export(g.frame),
		"details":  export(g.details),
		"options":  export(g.options),
		"lists":    export(g.lists),
		"cpuAt":    export(g.cpuAt),
		"pin":      export(g.pin),
		"card":     export(g.card),
		"navigate": export(g.navigate),
		"window":   export(g.window),
		"mark":     export(g.mark),
		"parting":  export(g.parting),
		"picture":  export(g.picture),
	})
	err := ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{InitUnfocused: true, ScreenTransparent: true})
	panic(err) // the game never ends by itself
}

// export makes f callable from JavaScript; an error and a panic (a mistake of
// ours) are answered as their text.
func export(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if p := recover(); p != nil {
				result = fmt.Sprint(p)
			}
		}()
		answer, err := f(args)
		if err != nil {
			return err.Error()
		}
		return answer
	})
}

// game is what Ebiten draws: two machines seen through one viewport. The
// page's calls come between Ebiten's updates, as JavaScript is one thread.
type game struct {
	builder  *scene.Builder
	painter  *screen.Painter
	viewport scene.Viewport
	statics  [2]view.Static
	latest   view.Frame   // the frame being added; reused
	found    view.Details // likewise
	buf      []byte
	askFrame js.Value // Ebiten draws only when it has been called
}

// Update does nothing: the game changes when the page says so.
func (g *game) Update() error { return nil }

// changed has the viewport painted with the next animation frame.
func (g *game) changed() { g.askFrame.Invoke() }

// Draw does nothing: DrawFinalScreen paints.
func (g *game) Draw(*ebiten.Image) {}

// DrawFinalScreen paints the viewport, without the way over an image of its
// size, which takes a fifth of a frame where there is no graphics card.
func (g *game) DrawFinalScreen(dst ebiten.FinalScreen, _ *ebiten.Image, _ ebiten.GeoM) {
	if g.painter == nil {
		g.painter = screen.NewPainter(float64(g.viewport.Ratio))
	}
	g.painter.Draw(dst, g.builder.Build(&g.viewport))
}

// Layout is not called, as LayoutF is there; the interface asks for it.
func (g *game) Layout(w, h int) (int, int) { return w, h }

// LayoutF takes the size of the canvas in CSS pixels. The image that it asks
// for is not used.
func (g *game) LayoutF(w, h float64) (float64, float64) {
	vp := &g.viewport
	vp.W, vp.H, vp.Ratio = float32(w), float32(h), float32(ebiten.Monitor().DeviceScaleFactor())
	return 1, 1
}

// bytes copies a Uint8Array into g.buf.
func (g *game) bytes(array js.Value) []byte {
	n := array.Length()
	if cap(g.buf) < n {
		g.buf = make([]byte, n)
	}
	g.buf = g.buf[:n]
	js.CopyBytesToGo(g.buf, array)
	return g.buf
}

// static(side, Uint8Array) gives a side its machine.
func (g *game) static(args []js.Value) (any, error) {
	side := args[0].Int()
	if err := view.DecodeStatic(g.bytes(args[1]), &g.statics[side]); err != nil {
		return nil, err
	}
	g.builder.SetStatic(side, &g.statics[side])
	g.changed()
	return nil, nil
}

// frame(side, Uint8Array) shows a side's next frame.
func (g *game) frame(args []js.Value) (any, error) {
	if err := view.DecodeFrame(g.bytes(args[1]), &g.latest); err != nil {
		return nil, err
	}
	g.builder.Add(args[0].Int(), &g.latest)
	g.changed()
	return nil, nil
}

// details(side, Uint8Array) gives a side its hot lines, locks and slices.
func (g *game) details(args []js.Value) (any, error) {
	side, d := args[0].Int(), &g.found
	if err := view.DecodeDetails(g.bytes(args[1]), d); err != nil {
		return nil, err
	}
	g.builder.SetLines(side, d.SincePs, d.Lines, d.Locks)
	g.builder.SetSlices(side, d.Slices)
	g.changed()
	return nil, nil
}

// options({dark, reducedMotion, titles, view, heat, fold}) says how to draw; view
// and heat are numbers in the order of scene's lists.
func (g *game) options(args []js.Value) (any, error) {
	o, vp := args[0], &g.viewport
	vp.Theme = &scene.Light
	if o.Get("dark").Bool() {
		vp.Theme = &scene.Dark
	}
	vp.View = scene.View(o.Get("view").Int())
	vp.Heat = scene.Heat(o.Get("heat").Int())
	vp.Fold = o.Get("fold").Bool()
	vp.ReducedMotion = o.Get("reducedMotion").Bool()
	for i := range vp.Titles {
		vp.Titles[i] = o.Get("titles").Index(i).String()
	}
	g.changed()
	return nil, nil
}

// lists({show, large}) chooses the CPUs that are drawn and those that are drawn
// large, as the kernel writes CPU lists; show "" is all. It answers with what
// is wrong with them: {show, large}, "" for nothing.
func (g *game) lists(args []js.Value) (any, error) {
	n := len(g.statics[0].Places)
	text := func(key string) string { return args[0].Get(key).String() }
	wrong := map[string]any{"show": "", "large": ""}
	show, err := scene.ParseCPUs(text("show"), n)
	if err != nil {
		wrong["show"] = err.Error()
	}
	large, err := scene.ParseCPUs(text("large"), n)
	if err != nil {
		wrong["large"] = err.Error()
	}
	g.viewport.Show, g.viewport.Focus = show, g.viewport.Focus[:0]
	for c, chosen := range large {
		if chosen {
			g.viewport.Focus = append(g.viewport.Focus, int32(c))
		}
	}
	if len(g.viewport.Focus) > view.MaxLarge {
		wrong["large"] = fmt.Sprintf("%d CPUs: at most %d can be large", len(g.viewport.Focus), view.MaxLarge)
		g.viewport.Focus = g.viewport.Focus[:0]
	}
	g.changed()
	return wrong, nil
}

// pin(cpu) marks a CPU on both sides; -1 none.
func (g *game) pin(args []js.Value) (any, error) {
	g.viewport.Selected = int32(args[0].Int())
	g.changed()
	return nil, nil
}

// card(cpu) says what a CPU does on each side, null where there is none of
// that number.
func (g *game) card(args []js.Value) (any, error) {
	sides := []any{nil, nil}
	for i := range sides {
		if c, ok := g.builder.CPU(i, args[0].Int()); ok {
			sides[i] = map[string]any{
				"function": c.Function, "task": c.TaskName, "state": c.State.String(), "queue": c.NrRunning,
				"needResched": c.NeedResched, "polling": c.Polling, "irqsOff": c.IRQsOff,
				"busyPm": c.Busy, "lockWaitPm": c.LockWait, "lineWaitPm": c.LineWait, "irqPm": c.IRQShare,
			}
		}
	}
	return sides, nil
}

// navigate({x, y, zoom, dx, dy, fit}) zooms around a point, moves the picture by
// CSS pixels, or shows it whole again; the numbers of what is not wanted are 1 or 0.
func (g *game) navigate(args []js.Value) (any, error) {
	n, vp := args[0], &g.viewport
	number := func(key string) float32 { return float32(n.Get(key).Float()) }
	if n.Get("fit").Bool() {
		vp.Fit()
	}
	if zoom := number("zoom"); zoom != 1 {
		g.builder.ZoomAt(vp, number("x"), number("y"), zoom)
	}
	if dx, dy := number("dx"), number("dy"); dx != 0 || dy != 0 {
		g.builder.PanBy(vp, dx, dy)
	}
	g.changed()
	return nil, nil
}

// window(ps) shows the whole picture again; a timeline follows the run with a
// window of that length.
func (g *game) window(args []js.Value) (any, error) {
	g.viewport.Fit()
	g.viewport.SpanPs = int64(args[0].Float())
	g.changed()
	return nil, nil
}

// cpuAt(x, y) tells which side's CPU is drawn at a point in CSS pixels:
// [side, cpu], cpu -1 for none. It is hovered from now on.
func (g *game) cpuAt(args []js.Value) (any, error) {
	side, cpu := g.builder.CPUAt(&g.viewport, float32(args[0].Float()), float32(args[1].Float()))
	if g.viewport.Hovered != int32(cpu) {
		g.viewport.Hovered = int32(cpu)
		g.changed()
	}
	return []any{side, cpu}, nil
}

// mark(x, y) marks the instant at a point of a timeline, or with two marked
// unmarks both. It answers with the marked instants in ps.
func (g *game) mark(args []js.Value) (any, error) {
	vp := &g.viewport
	g.builder.Mark(vp, float32(args[0].Float()), float32(args[1].Float()))
	g.changed()
	marked := make([]any, len(vp.Markers))
	for i, ps := range vp.Markers {
		marked[i] = float64(ps)
	}
	return marked, nil
}

// parting({atPs, cpu}) says where the sides of a forked run part; null: nowhere.
func (g *game) parting(args []js.Value) (any, error) {
	g.viewport.Parting = nil
	if p := args[0]; !p.IsNull() {
		g.viewport.Parting = &scene.Parting{AtPs: int64(p.Get("atPs").Float()), CPU: int32(p.Get("cpu").Int())}
	}
	g.changed()
	return nil, nil
}

// pngRatio is the least pixel ratio of PNG files, for sharp letters.
const pngRatio = 2

// picture({format, sign}) answers with what is shown as the bytes of an SVG or
// PNG file, {file}, with sign below it.
func (g *game) picture(args []js.Value) (any, error) {
	vp, write := g.viewport, raster.SVG
	if args[0].Get("format").String() == "png" {
		vp.Ratio, write = max(vp.Ratio, pngRatio), raster.PNG
	}
	s := g.builder.Build(&vp)
	s.Sign(vp.Theme, args[0].Get("sign").String())
	var file bytes.Buffer
	if err := write(&file, s); err != nil {
		return nil, err
	}
	array := js.Global().Get("Uint8Array").New(file.Len())
	js.CopyBytesToJS(array, file.Bytes())
	return map[string]any{"file": array.Get("buffer")}, nil
}
