//go:build js

// Command wasm is the page's program: it draws the frames that the page hands
// it and does nothing else. Its functions are on the global object wakelab;
// web/js/painter-frame.mjs calls them.
package main

import (
	"fmt"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"wakelab/engine/view"
	"wakelab/render/scene"
	"wakelab/render/screen"
)

func main() {
	g := &game{builder: scene.New(), viewport: scene.NewViewport(0, 0, 1, &scene.Light)}
	js.Global().Set("wakelab", map[string]any{
		"static":  export(g.static),
		"frame":   export(g.frame),
		"details": export(g.details),
		"options": export(g.options),
		"cpuAt":   export(g.cpuAt),
	})
	ebiten.SetScreenClearedEveryFrame(false) // an unchanged picture is not drawn again
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
	changed  bool // since the last Draw
}

// Update does nothing: the game changes when the page says so.
func (g *game) Update() error { return nil }

// Draw paints the viewport, if it has changed.
func (g *game) Draw(dst *ebiten.Image) {
	if !g.changed {
		return
	}
	g.changed = false
	if g.painter == nil {
		g.painter = screen.NewPainter(float64(g.viewport.Ratio))
	}
	g.painter.Draw(dst, g.builder.Build(&g.viewport))
}

// Layout is not called, as LayoutF is there; the interface asks for it.
func (g *game) Layout(w, h int) (int, int) { return w, h }

// LayoutF makes the screen as large as the canvas, in device pixels.
func (g *game) LayoutF(w, h float64) (float64, float64) {
	ratio := ebiten.Monitor().DeviceScaleFactor()
	vp := &g.viewport
	if size := [3]float32{float32(w), float32(h), float32(ratio)}; size != [3]float32{vp.W, vp.H, vp.Ratio} {
		vp.W, vp.H, vp.Ratio = size[0], size[1], size[2]
		g.changed = true
	}
	return w * ratio, h * ratio
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
	g.changed = true
	return nil, nil
}

// frame(side, Uint8Array) shows a side's next frame.
func (g *game) frame(args []js.Value) (any, error) {
	if err := view.DecodeFrame(g.bytes(args[1]), &g.latest); err != nil {
		return nil, err
	}
	g.builder.Add(args[0].Int(), &g.latest)
	g.changed = true
	return nil, nil
}

// details(side, Uint8Array) gives a side its hot lines, locks and slices.
func (g *game) details(args []js.Value) (any, error) {
	side, d := args[0].Int(), &g.found
	if err := view.DecodeDetails(g.bytes(args[1]), d); err != nil {
		return nil, err
	}
	g.builder.SetLines(side, d.Lines, d.Locks)
	g.builder.SetSlices(side, d.Slices)
	g.changed = true
	return nil, nil
}

// options({dark, reducedMotion, titles, view, heat}) says how to draw; view
// and heat are numbers in the order of scene's lists.
func (g *game) options(args []js.Value) (any, error) {
	o, vp := args[0], &g.viewport
	vp.Theme = &scene.Light
	if o.Get("dark").Bool() {
		vp.Theme = &scene.Dark
	}
	vp.View = scene.View(o.Get("view").Int())
	vp.Heat = scene.Heat(o.Get("heat").Int())
	vp.ReducedMotion = o.Get("reducedMotion").Bool()
	for i := range vp.Titles {
		vp.Titles[i] = o.Get("titles").Index(i).String()
	}
	g.changed = true
	return nil, nil
}

// cpuAt(x, y) tells which side's CPU is drawn at a point in CSS pixels:
// [side, cpu], cpu -1 for none. It is hovered from now on.
func (g *game) cpuAt(args []js.Value) (any, error) {
	side, cpu := g.builder.CPUAt(&g.viewport, float32(args[0].Float()), float32(args[1].Float()))
	if g.viewport.Hovered != int32(cpu) {
		g.viewport.Hovered = int32(cpu)
		g.changed = true
	}
	return []any{side, cpu}, nil
}
