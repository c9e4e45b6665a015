package main

import (
	"io"
	"path/filepath"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/render/raster"
	"wakelab/render/scene"
)

// A poster shows the first two kernels of a study after a short run.
const (
	posterWidth  = 1390 // CSS pixels
	posterHeight = 540
	posterUntil  = simtime.Time(500 * simtime.Microsecond)
	posterSince  = posterUntil - simtime.Time(2*simtime.Microsecond) // start of the traffic it shows
	posterEvents = 50_000_000                                        // a bound, far above what it takes
)

// writePosters writes one poster per theme.
func writePosters(dir string, lib *presets.Library, id string) error {
	builder := scene.New()
	var titles [2]string
	for side, k := range lib.Studies[id].Kernels[:min(2, len(lib.Studies[id].Kernels))] {
		cfg, err := lib.Config(lib.Studies[id], k.Kernel, nil)
		if err != nil {
			return err
		}
		e, err := engine.New(cfg)
		if err != nil {
			return err
		}
		e.Observe(true)
		static := e.Static()
		builder.SetStatic(side, &static)
		var frame view.Frame
		for _, until := range []simtime.Time{posterSince, posterUntil} {
			e.RunUntil(until, posterEvents)
			e.View(&frame)
			builder.Add(side, &frame)
		}
		titles[side] = lib.About(presets.Kernels, k.Kernel).Title
	}
	for _, theme := range []*scene.Theme{&scene.Light, &scene.Dark} {
		vp := scene.NewViewport(posterWidth, posterHeight, 1, theme)
		vp.Titles = titles
		s := builder.Build(&vp)
		name := filepath.Join(dir, id+"-"+theme.Name+".svg")
		if err := writeFile(name, func(w io.Writer) error { return raster.SVG(w, s) }); err != nil {
			return err
		}
	}
	return nil
}
