package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-json"
	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/view"
	"wakelab/presets"
	"wakelab/render/scene"
	"wakelab/study"
)

// site is what the page reads before it loads any program: data/site.json.
type site struct {
	ModelVersion int                    `json:"model_version"`
	Programs     map[string]programSize `json:"programs"` // by file name
	Warm         []string               `json:"warm"`     // keys of the settled states in DIR/warm
	Studies      []siteStudy            `json:"studies"`
	Params       []siteParam            `json:"params"`
	Views        []string               `json:"views"` // names of the picture's views, in order
	Heats        []string               `json:"heats"` // and of what the machine view's cells can show
	Gaps         []siteGap              `json:"gaps"`  // all known deviations of the model
	Anatomy      []siteSlice            `json:"anatomy"`
}

// programSize is what the progress bar counts to, in bytes.
type programSize struct {
	Raw int64 `json:"raw"`
	Gz  int64 `json:"gz"`
}

type siteStudy struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Summary  string       `json:"summary"`
	Sources  []string     `json:"sources"`
	Machine  string       `json:"machine"`  // title
	Workload string       `json:"workload"` // command line or title
	Metric   siteMetric   `json:"metric"`
	Kernels  []siteKernel `json:"kernels"` // the first is the baseline
	// Values are the parameters that differ from the table's defaults in all
	// kernels; a kernel's own come on top of them.
	Values presets.Set    `json:"values"`
	LookAt []string       `json:"look_at"`
	Focus  string         `json:"focus,omitempty"`
	Story  []presets.Step `json:"story"` // each with its kernels
	Gaps   []string       `json:"gaps"`
}

type siteMetric struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	Unit   string `json:"unit"`
	Higher bool   `json:"higher,omitempty"` // more is better
}

type siteKernel struct {
	ID         string              `json:"id"`
	Title      string              `json:"title"`
	Summary    string              `json:"summary"`
	Published  *float64            `json:"published"` // null: no figure was published
	Relative   bool                `json:"relative"`  // Published is a ratio to the first kernel
	Calibrated bool                `json:"calibrated"`
	Values     presets.Set         `json:"values"` // the kernel's own
	Side       map[string]siteSide `json:"side"`   // published figures by counter
}

// siteSide is a published figure beside a study's metric.
type siteSide struct {
	Value      float64 `json:"value"`
	Calibrated bool    `json:"calibrated"`
}

type siteParam struct {
	Key        string   `json:"key"`
	Group      string   `json:"group"`
	Title      string   `json:"title"`
	Kind       string   `json:"kind"`
	Unit       string   `json:"unit"`
	Options    []string `json:"options,omitempty"`
	Default    string   `json:"default"`
	Range      string   `json:"range"`
	Min        int64    `json:"min"` // as numbers, as in param.Def
	Max        int64    `json:"max"`
	Help       string   `json:"help"`
	Source     string   `json:"source"`
	Confidence string   `json:"confidence"`
	Public     bool     `json:"public"`
}

// programs are the WebAssembly files whose sizes the page has to know.
var programs = []string{"page.wasm", "worker.wasm"}

func siteCmd() *cobra.Command {
	var deviations string
	cmd := &cobra.Command{
		Use:   "site DIR",
		Short: "Write what the page shows before it loads a program",
		Long: `Write DIR/data/site.json (studies, published figures, the parameter table,
the sizes of the programs, the names of the settled states in DIR and the model's deviations) and a poster of each study, DIR/posters/STUDY-THEME.svg.
DIR/costs.html is the table of all parameters to read.
The hashes of all files, for the service worker, go to DIR/sw-files.js.

"make build" calls it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return writeSite(args[0], deviations) },
	}
	cmd.Flags().StringVar(&deviations, "deviations", "DEVIATIONS.md", "the list of the model's deviations")
	return cmd
}

func writeSite(dir, deviations string) error {
	sizes := map[string]programSize{}
	for _, name := range programs {
		raw, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		gz, err := os.Stat(filepath.Join(dir, name+".gz"))
		if err != nil {
			return err
		}
		sizes[name] = programSize{raw.Size(), gz.Size()}
	}
	lib := presets.Shipped()
	states, err := filepath.Glob(filepath.Join(dir, "warm", "*.gz"))
	if err != nil {
		return err
	}
	keys := []string{}
	for _, name := range states {
		keys = append(keys, strings.TrimSuffix(filepath.Base(name), ".gz"))
	}
	gaps, err := readDeviations(deviations)
	if err == nil {
		err = checkGaps(lib, gaps)
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(site{engine.ModelVersion, sizes, keys, siteStudies(lib), siteParams(), view.Pictures[:], names(scene.NumHeats), gaps, siteSlices()})
	if err != nil {
		return err
	}
	for _, folder := range []string{"data", "posters"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(dir, "data", "site.json"), func(w io.Writer) error { _, err := w.Write(data); return err }); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "costs.html"), writeCostsPage); err != nil {
		return err
	}
	for _, id := range lib.Names(presets.Studies) {
		if err := writePosters(filepath.Join(dir, "posters"), id); err != nil {
			return fmt.Errorf("poster of %s: %w", id, err)
		}
	}
	return writeFileList(dir)
}

// writeFile creates a file in a folder that is there.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func siteStudies(lib *presets.Library) []siteStudy {
	var all []siteStudy
	for _, id := range lib.Names(presets.Studies) {
		s := lib.Studies[id]
		metric, _ := study.FindMetric(s.Metric) // Add has checked it
		w := lib.Workloads[s.Workload]
		out := siteStudy{
			ID: id, Title: s.Title, Summary: s.Summary, Sources: s.Sources, LookAt: s.LookAt, Focus: s.Focus,
			Story: append([]presets.Step{}, s.Story...), Gaps: s.Gaps,
			Machine: lib.Machines[s.Machine].Title, Workload: w.Command,
			Metric: siteMetric{metric.Key, metric.Title, metric.Unit, metric.Higher},
		}
		for i, kernels := range s.StoryKernels() {
			out.Story[i].Kernels = kernels[:]
		}
		if out.Workload == "" {
			out.Workload = w.Title
		}
		cfg, err := lib.Combine(s.Machine, s.Workload, "", s.Set, nil)
		if err != nil {
			panic("study " + id + ": " + err.Error()) // Add has combined it before
		}
		out.Values = differences(cfg)
		for _, k := range s.Kernels {
			about := lib.About(presets.Kernels, k.Kernel)
			sk := siteKernel{ID: k.Kernel, Title: about.Title, Summary: about.Summary, Values: lib.Kernels[k.Kernel].Set, Side: map[string]siteSide{}}
			for key, p := range k.Side {
				sk.Side[key] = siteSide{p.Value, p.Calibrated}
			}
			if p := k.Published; p != nil {
				sk.Published, sk.Relative, sk.Calibrated = &p.Value, p.Relative, p.Calibrated
			}
			out.Kernels = append(out.Kernels, sk)
		}
		all = append(all, out)
	}
	return all
}

// differences returns the parameters that are not the table's defaults.
func differences(cfg engine.Config) presets.Set {
	set := presets.Set{}
	for i, d := range engine.Params() {
		if cfg.Values[i] != d.DefaultValue() {
			set[d.Key] = d.Format(cfg.Values[i])
		}
	}
	return set
}

// names lists the names of an enumeration's values below n.
func names[T interface {
	~uint8
	String() string
}](n T) []string {
	var all []string
	for v := range n {
		all = append(all, v.String())
	}
	return all
}

// siteSlice is a kernel.Slice with the keys of its costs and switches.
type siteSlice struct {
	Path     string   `json:"path"`
	Name     string   `json:"name"`
	Fn       string   `json:"fn"`
	Patch    string   `json:"patch"`
	Costs    []string `json:"costs"`
	Features []string `json:"features"`
}

func siteSlices() []siteSlice {
	var all []siteSlice
	for _, s := range kernel.Slices {
		out := siteSlice{s.Path, s.Name, s.Fn, s.Patch, []string{}, []string{}}
		for _, c := range s.Costs {
			out.Costs = append(out.Costs, kernel.CostDefs[c].Key)
		}
		for _, f := range s.Features {
			out.Features = append(out.Features, kernel.FeatureDefs[f].Key)
		}
		all = append(all, out)
	}
	return all
}

func siteParams() []siteParam {
	var all []siteParam
	for i := range engine.Params() {
		d := &engine.Params()[i]
		p := siteParam{
			Key: d.Key, Group: d.Group, Title: d.Title, Kind: d.Kind.String(), Unit: d.Unit,
			Default: d.Format(d.DefaultValue()), Range: d.Range(), Min: d.Min, Max: d.Max, Help: d.Help, Source: d.Source,
			Confidence: d.Confidence.String(), Public: d.Public,
		}
		if d.Kind == param.Enum {
			p.Options = d.Options
		}
		all = append(all, p)
	}
	return all
}
