package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/render/raster"
	"wakelab/render/scene"
)

// Bounds and defaults of posters.
const (
	posterWidth  = 1390 // CSS pixels
	posterHeight = 540
	minPoster    = 200 // of width and height
	maxPoster    = 4000
	posterAt     = 500 * simtime.Microsecond
	maxPosterAt  = simtime.Second
	posterSpan   = 2 * simtime.Microsecond // of the traffic it shows
	posterEvents = 2_000_000_000           // a bound, above what the longest poster takes
	posterLines  = 24                      // hottest ones, as the page shows
)

var themes = []*scene.Theme{&scene.Light, &scene.Dark}

type posterFlags struct {
	comparison
	set              []string
	at, view, output string
	theme            string
	width, height    int
}

func posterCmd() *cobra.Command {
	var p posterFlags
	cmd := &cobra.Command{
		Use:   "poster STUDY|FILE.json",
		Short: "Draw a run of a study's first two kernels as SVG or PNG",
		Long: `Run two kernels of a study to an instant and draw what the page would show
there. The picture says below which study, kernels, seed and model version it
is of.`,
		Example: `  wakelab poster hackbench-epyc9654 -o docs/picture.svg
  wakelab poster hackbench-epyc9654 --view timeline --at 2ms --theme dark -o timeline.png`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Studies),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.run(cmd, args[0]) },
	}
	p.registerMachine(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&p.kernels, "kernel", nil, "one or two kernels (default: the study's first two)")
	f.StringArrayVar(&p.set, "set", nil, "KEY=VALUE for any parameter that 'wakelab list params' shows; may be repeated")
	f.Int64Var(&p.first, "seed", 1, "seed of both runs")
	f.StringVar(&p.at, "at", posterAt.String(), fmt.Sprintf("simulated time at which to draw, up to %v", maxPosterAt))
	f.StringVar(&p.view, "view", view.Pictures[scene.Machine], strings.Join(view.Pictures[:], ", "))
	f.StringVar(&p.theme, "theme", scene.Light.Name, "light or dark")
	f.IntVar(&p.width, "width", posterWidth, fmt.Sprintf("CSS pixels, %d to %d", minPoster, maxPoster))
	f.IntVar(&p.height, "height", posterHeight, fmt.Sprintf("CSS pixels, %d to %d", minPoster, maxPoster))
	f.StringVarP(&p.output, "output", "o", "", "file to write, .svg or .png (default: SVG on standard output)")
	return cmd
}

func (p *posterFlags) run(cmd *cobra.Command, arg string) error {
	picture := slices.Index(view.Pictures[:], p.view)
	if picture < 0 {
		return fmt.Errorf("--view %q: allowed are %s", p.view, strings.Join(view.Pictures[:], ", "))
	}
	theme := slices.IndexFunc(themes, func(t *scene.Theme) bool { return t.Name == p.theme })
	if theme < 0 {
		return fmt.Errorf("--theme %q: allowed are light, dark", p.theme)
	}
	if min(p.width, p.height) < minPoster || max(p.width, p.height) > maxPoster {
		return fmt.Errorf("--width %d --height %d: allowed are %d to %d", p.width, p.height, minPoster, maxPoster)
	}
	if e := filepath.Ext(p.output); p.output != "" && e != ".svg" && e != ".png" {
		return fmt.Errorf("--output %s: the name ends in .svg or .png", p.output)
	}
	at, err := span("--at", p.at)
	if err != nil {
		return err
	}
	if at > maxPosterAt {
		return fmt.Errorf("--at %s: allowed are 0 to %v", p.at, maxPosterAt)
	}
	if n := len(p.kernels); n > 2 {
		return fmt.Errorf("--kernel: %d kernels: a poster shows one or two", n)
	}
	set, err := settings(p.set)
	if err != nil {
		return err
	}
	p.seeds, p.jobs = 1, 1
	if err := p.choose(arg); err != nil {
		return err
	}
	poster, err := p.simulate(at, set)
	if err != nil {
		return err
	}
	vp := scene.NewViewport(float32(p.width), float32(p.height), 1, themes[theme])
	vp.View = scene.View(picture)
	if filepath.Ext(p.output) == ".png" {
		vp.Ratio = 2 // for sharp letters
	}
	return poster.write(cmd, &vp, p.output)
}

// poster is a pair of runs that stand where they are drawn.
type poster struct {
	builder *scene.Builder
	titles  [2]string
	sign    string
}

// simulate runs the first two of the chosen kernels up to an instant.
func (c *comparison) simulate(at simtime.Duration, set presets.Set) (*poster, error) {
	p := &poster{builder: scene.New()}
	kernels := c.study.Kernels[:min(2, len(c.study.Kernels))]
	link := "?study=" + c.name
	if c.machine != "" {
		link = c.study.Machine + " " + link // a link has no word for it
	}
	for side, k := range kernels {
		cfg, err := c.config(k.Kernel, 0, set)
		if err != nil {
			return nil, err
		}
		e, err := engine.New(cfg)
		if err != nil {
			return nil, err
		}
		e.Observe(true)
		static := e.Static()
		p.builder.SetStatic(side, &static)
		var frame view.Frame
		for _, until := range []simtime.Duration{max(0, at-posterSpan), at} {
			e.RunUntil(simtime.Time(0).Add(until), posterEvents)
			e.View(&frame)
			p.builder.Add(side, &frame)
		}
		p.builder.SetLines(side, int64(e.ObservedSince()), e.Lines(posterLines), e.Locks(posterLines))
		p.builder.SetSlices(side, e.Anatomy())
		p.titles[side] = c.lib.About(presets.Kernels, k.Kernel).Title
		link += "&" + string("ab"[side]) + "=" + k.Kernel
	}
	for _, key := range set.Keys() {
		link += "&" + key + "=" + set[key]
	}
	p.sign = fmt.Sprintf("%s&seed=%d&t=%v&v=%d", link, c.first, at, engine.ModelVersion)
	return p, nil
}

// write writes the picture to a file or, with no name, standard output.
func (p *poster) write(cmd *cobra.Command, vp *scene.Viewport, name string) error {
	draw := func(w io.Writer) error {
		if filepath.Ext(name) == ".png" {
			return raster.PNG(w, p.draw(vp))
		}
		return raster.SVG(w, p.draw(vp))
	}
	if name == "" {
		return draw(cmd.OutOrStdout())
	}
	return writeFile(name, draw)
}

func (p *poster) draw(vp *scene.Viewport) *scene.Scene {
	vp.Titles = p.titles
	s := p.builder.Build(vp)
	s.Sign(vp.Theme, p.sign)
	return s
}

// writePosters writes the page's poster of a study in each theme.
func writePosters(dir, id string) error {
	c := comparison{seeds: 1, jobs: 1, first: 1}
	if err := c.choose(id); err != nil {
		return err
	}
	p, err := c.simulate(posterAt, nil)
	if err != nil {
		return err
	}
	for _, theme := range themes {
		vp := scene.NewViewport(posterWidth, posterHeight, 1, theme)
		name := filepath.Join(dir, id+"-"+theme.Name+".svg")
		if err := writeFile(name, func(w io.Writer) error { return raster.SVG(w, p.draw(&vp)) }); err != nil {
			return err
		}
	}
	return nil
}
