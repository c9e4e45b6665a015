package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/workload"
	"wakelab/presets"
	"wakelab/study"
)

// isPresetFile tells a file from a preset's name: names have no slash and
// do not end in .json.
func isPresetFile(arg string) bool {
	return strings.HasSuffix(arg, ".json") || strings.ContainsRune(arg, '/')
}

// named returns the name of the preset that arg means: a shipped one, or a
// file, which is added to lib under its base name in small letters.
func named(lib *presets.Library, kind presets.Kind, arg string) (string, error) {
	if !isPresetFile(arg) {
		return arg, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return "", err
	}
	if info.Size() > presets.MaxBytes {
		return "", fmt.Errorf("%s: %d bytes: a preset has at most %d", arg, info.Size(), presets.MaxBytes)
	}
	data, err := os.ReadFile(arg)
	if err != nil {
		return "", err
	}
	name := strings.ToLower(strings.TrimSuffix(filepath.Base(arg), ".json"))
	if err := lib.Add(kind, name, data); err != nil {
		return "", fmt.Errorf("%s:\n%w", arg, err)
	}
	return name, nil
}

// settings reads KEY=VALUE flags.
func settings(flags []string) (presets.Set, error) {
	set := presets.Set{}
	for _, f := range flags {
		key, value, ok := strings.Cut(f, "=")
		if !ok {
			return nil, fmt.Errorf("--set %q: want KEY=VALUE, such as idle_delay=500us", f)
		}
		if _, twice := set[key]; twice {
			return nil, fmt.Errorf("--set %s: given twice", key)
		}
		set[key] = value
	}
	return set, set.Check("--set")
}

// choice is the flags that pick one configuration.
type choice struct {
	study, machine, workload, kernel string
	set                              []string

	metric study.Metric // the study's, or what the workload is run for; known after config
}

// What is meant when neither a study nor a flag says anything: story A's
// machine as it was calibrated, so that its literal command gives its result.
const (
	defaultMachine = "epyc-9654-2s"
	defaultKernel  = "v6.5"
)

func (c *choice) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.study, "study", "", "take machine, workload and settings from this study")
	f.StringVar(&c.machine, "machine", "", "machine preset or FILE.json (default "+defaultMachine+")")
	f.StringVar(&c.workload, "workload", "", "workload preset or FILE.json (default: hackbench's own defaults)")
	f.StringVar(&c.kernel, "kernel", "", "kernel preset or FILE.json (default "+defaultKernel+")")
	f.StringArrayVar(&c.set, "set", nil, "KEY=VALUE for any parameter that 'wakelab list params' shows, such as seed=7; may be repeated")
}

// studyAndCommand takes a command's words apart: one before a literal command
// line, or alone, is a study; it is noted. The rest is the command line.
func (c *choice) studyAndCommand(cmd *cobra.Command, args []string) ([]string, error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash == len(args):
		return nil, errors.New("-- wants a command line after it, such as hackbench -g 32 --pipe")
	case dash != 1 && (dash >= 0 || len(args) != 1):
		return args, nil
	case c.study != "":
		return nil, fmt.Errorf("--study %s: %q is one too", c.study, args[0])
	}
	c.study = args[0]
	return args[1:], nil
}

// config returns the chosen configuration. A literal command stands for the
// study's workload and gives way to --set.
func (c *choice) config(command []string) (engine.Config, error) {
	if c.workload != "" && len(command) > 0 {
		return engine.Config{}, fmt.Errorf("--workload %s and the command line %q: give one of them", c.workload, strings.Join(command, " "))
	}
	extra, err := commandSettings(command)
	if err != nil {
		return engine.Config{}, err
	}
	lib := presets.Shipped().Clone()
	set, err := settings(c.set)
	if err != nil {
		return engine.Config{}, err
	}
	if other, given := set["workload"]; given && len(command) > 0 {
		return engine.Config{}, fmt.Errorf("--set workload=%s and the command line %q: give one of them", other, strings.Join(command, " "))
	}
	if c.study != "" {
		name, err := named(lib, presets.Studies, c.study)
		if err != nil {
			return engine.Config{}, err
		}
		s, err := lib.Study(name)
		if err != nil {
			return engine.Config{}, err
		}
		if c.workload == "" && len(command) == 0 { // otherwise its metric may not fit
			c.metric, _ = study.FindMetric(s.Metric) // the preset was checked
		}
		c.machine, c.kernel = orElse(c.machine, s.Machine), orElse(c.kernel, s.Kernels[0].Kernel)
		if len(command) == 0 {
			c.workload, extra = orElse(c.workload, s.Workload), s.Set
		} else { // what it does not say is the program's default
			extra = s.Set.Without("workload").With(extra)
		}
	}
	c.machine, c.kernel = orElse(c.machine, defaultMachine), orElse(c.kernel, defaultKernel)
	for _, p := range []struct {
		kind presets.Kind
		arg  *string
	}{{presets.Machines, &c.machine}, {presets.Workloads, &c.workload}, {presets.Kernels, &c.kernel}} {
		if *p.arg, err = named(lib, p.kind, *p.arg); err != nil {
			return engine.Config{}, err
		}
	}
	cfg, err := lib.Combine(c.machine, c.workload, c.kernel, extra, set)
	if err != nil {
		return cfg, err
	}
	if c.metric.Key == "" {
		c.metric = study.OwnMetric(&cfg)
	}
	return cfg, cfg.Validate()
}

// commandSettings reads a literal command line; nil if there is none.
func commandSettings(args []string) (presets.Set, error) {
	if len(args) == 0 {
		return nil, nil
	}
	list, err := workload.ParseCommand(args)
	if err != nil {
		return nil, err
	}
	set := presets.Set{}
	for _, s := range list {
		set[s.Key] = s.Value
	}
	return set, set.Check(strings.Join(args, " "))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
