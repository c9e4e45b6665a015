package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wakelab/engine"
	"wakelab/engine/param"
	"wakelab/presets"
	"wakelab/presets/schema"
)

// listParams is what `list` calls the parameter table.
const listParams = "params"

func listCmd() *cobra.Command {
	var kinds []string
	for _, k := range presets.Kinds {
		kinds = append(kinds, string(k))
	}
	kinds = append(kinds, listParams)
	return &cobra.Command{
		Use:       "list [" + strings.Join(kinds, "|") + "] [WORD]",
		Short:     "List presets, or all parameters",
		Args:      cobra.MaximumNArgs(2),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			word := ""
			if len(args) == 2 {
				word = args[1]
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			defer out.Flush()
			found := 0
			switch {
			case len(args) == 0:
				for _, k := range presets.Kinds {
					found += listPresets(out, k, "")
				}
			case args[0] == listParams:
				found = listParameters(out, word)
			case slices.Contains(presets.Kinds, presets.Kind(args[0])):
				found = listPresets(out, presets.Kind(args[0]), word)
			default:
				return fmt.Errorf("list %q: allowed are %s", args[0], strings.Join(kinds, ", "))
			}
			if found == 0 {
				return fmt.Errorf("list %s %q: none; `wakelab list %s` shows all", args[0], word, args[0])
			}
			return nil
		},
	}
}

// listPresets prints the presets whose name holds word and returns how many.
func listPresets(out io.Writer, kind presets.Kind, word string) (found int) {
	lib := presets.Shipped()
	for _, name := range lib.Names(kind) {
		if strings.Contains(name, word) {
			fmt.Fprintf(out, "%s/%s\t%s\n", kind, name, lib.About(kind, name).Title)
			found++
		}
	}
	return found
}

// listParameters prints the parameters that word fits and returns how many.
func listParameters(out io.Writer, word string) (found int) {
	for _, d := range engine.Params() {
		if !strings.Contains(d.Key+" "+d.Title+" "+d.Group, word) {
			continue
		}
		if found == 0 {
			fmt.Fprintln(out, "KEY\tDEFAULT\tALLOWED\tCONFIDENCE\tMEANING")
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", d.Key, d.Format(d.DefaultValue()), d.Range(), d.Confidence, d.Title)
		found++
	}
	return found
}

func showCmd() *cobra.Command {
	var asJSON, asSchema bool
	cmd := &cobra.Command{
		Use:   "show [KIND/]PRESET|FILE.json|PARAMETER|KIND --schema",
		Short: "Show a preset or a parameter with units, sources and confidence",
		Long: `Show a preset, or check one's own: every value with its range, source and
confidence. A name that two kinds share is written KIND/NAME.

With --schema: the JSON Schema of a kind of preset, for one's editor.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePreset(presets.Kinds...),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if asSchema {
				kind := presets.Kind(args[0])
				if !slices.Contains(presets.Kinds, kind) {
					return fmt.Errorf("--schema %s: allowed are %v", kind, presets.Kinds)
				}
				_, err := out.Write(schema.Of(kind))
				return err
			}
			if i := engine.Find(args[0]); i >= 0 {
				d := engine.Params()[i]
				showParameter(out, &d, d.Format(d.DefaultValue()))
				return nil
			}
			lib := presets.Shipped().Clone()
			kind, name, err := lookUp(lib, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				_, err := out.Write(lib.Text(kind, name))
				return err
			}
			return showPreset(out, lib, kind, name)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the preset's JSON")
	cmd.Flags().BoolVar(&asSchema, "schema", false, "print the JSON Schema of a kind of preset")
	return cmd
}

// lookUp finds the preset that arg means.
func lookUp(lib *presets.Library, arg string) (presets.Kind, string, error) {
	if strings.HasSuffix(arg, ".json") {
		data, err := os.ReadFile(arg)
		if err != nil {
			return "", "", err
		}
		kind, err := presets.KindOf(data)
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", arg, err)
		}
		name, err := named(lib, kind, arg)
		return kind, name, err
	}
	var found []string
	kind, name, qualified := strings.Cut(arg, "/")
	for _, k := range presets.Kinds {
		if qualified && k == presets.Kind(kind) && lib.Text(k, name) != nil {
			return k, name, nil
		}
		if !qualified && lib.Text(k, arg) != nil {
			found = append(found, string(k)+"/"+arg)
		}
	}
	switch len(found) {
	case 0:
		return "", "", fmt.Errorf("%q: no preset or parameter of that name; `wakelab list` and `wakelab list params` show all", arg)
	case 1:
		kind, name, _ = strings.Cut(found[0], "/")
		return presets.Kind(kind), name, nil
	}
	return "", "", fmt.Errorf("%q: there are %s; name one", arg, strings.Join(found, " and "))
}

func showPreset(out io.Writer, lib *presets.Library, kind presets.Kind, name string) error {
	about := lib.About(kind, name)
	fmt.Fprintf(out, "%s\n%s\n\n", about.Title, about.Summary)
	set := presets.Set{}
	switch kind {
	case presets.Machines:
		set = lib.Machines[name].Set
	case presets.Kernels:
		set = lib.Kernels[name].Set
	case presets.Workloads:
		w := lib.Workloads[name]
		if w.Command != "" {
			fmt.Fprintf(out, "Command: %s\n\n", w.Command)
		}
		set = w.All()
	case presets.Studies:
		s := lib.Studies[name]
		set = s.Set
		fmt.Fprintf(out, "Machine: %s\nWorkload: %s\nMetric: %s\n", s.Machine, s.Workload, s.Metric)
		for _, k := range s.Kernels {
			fmt.Fprintf(out, "Kernel: %s%s\n", k.Kernel, publishedText(k.Published))
		}
		fmt.Fprintln(out)
	}
	for _, key := range set.Keys() {
		showParameter(out, &engine.Params()[engine.Find(key)], set[key])
	}
	for _, s := range about.Sources {
		fmt.Fprintf(out, "Source: %s\n", s)
	}
	return nil
}

func publishedText(p *presets.Published) string {
	if p == nil {
		return ", no figure published"
	}
	use := "predicted"
	if p.Calibrated {
		use = "used for calibration"
	}
	return fmt.Sprintf(", published %v (%s), %s", p.Value, p.Source, use)
}

func showParameter(out io.Writer, d *param.Def, value string) {
	fmt.Fprintf(out, "%s = %s\n    %s: %s\n    allowed %s, default %s\n    %s: %s\n\n",
		d.Key, value, d.Title, d.Help, d.Range(), d.Format(d.DefaultValue()), d.Confidence, d.Source)
}

// completePreset completes the names of presets of some kinds.
func completePreset(kinds ...presets.Kind) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, k := range kinds {
			names = append(names, presets.Shipped().Names(k)...)
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}
