package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"wakelab/engine/topo"
	"wakelab/presets"
	"wakelab/presets/machinefile"
)

func importCmd() *cobra.Command {
	var latency string
	var hwloc bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a machine preset from lscpu output or hwloc XML",
		Long: `Read the output of lscpu -p, lscpu -e, lscpu -J, lscpu -J -e or lscpu, or hwloc
XML 2.x or 3.x, and print the machine as a preset. What the file does not say
is inferred, and noted on standard error. FILE may be - for standard input.`,
		Example: `  lscpu -p | wakelab import - > mine.json; wakelab run --machine mine.json
  wakelab import machine.xml --latency core-to-core.csv > mine.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readInput(cmd, args[0], machinefile.MaxBytes)
			if err != nil {
				return err
			}
			m, err := machinefile.Read(data)
			if err != nil {
				return fmt.Errorf("%s:\n%w", args[0], err)
			}
			for _, note := range m.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), note)
			}
			return printMachine(cmd, m, args[0], latency, hwloc)
		},
	}
	cmd.Flags().StringVar(&latency, "latency", "", "core-to-core latency matrix in ns (CSV): its medians become the line latencies")
	cmd.Flags().BoolVar(&hwloc, "hwloc", false, "print hwloc XML 2.0, which lstopo reads, instead of a preset")
	return cmd
}

// readInput reads a file or standard input, a little beyond limit so that the
// reader can refuse what is too long.
func readInput(cmd *cobra.Command, name string, limit int64) ([]byte, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, limit+1))
}

func printMachine(cmd *cobra.Command, m *machinefile.Machine, file, latency string, hwloc bool) error {
	t, err := topo.Build(m.Places)
	if err != nil {
		panic("machinefile.Read returned places that do not build: " + err.Error())
	}
	var medians []machinefile.Latency
	source := "imported from " + filepath.Base(file)
	if file == "-" {
		source = "imported from standard input"
	}
	if latency != "" {
		data, err := readInput(cmd, latency, machinefile.MaxLatencyBytes)
		if err != nil {
			return err
		}
		if medians, err = machinefile.ReadLatencies(data, t); err != nil {
			return fmt.Errorf("%s:\n%w", latency, err)
		}
		source += ", line latencies from " + filepath.Base(latency)
	}
	if hwloc {
		return machinefile.WriteHwloc(cmd.OutOrStdout(), m.Title, t)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), presets.Borrowed(medians))
	preset := presets.Import(m, medians, source)
	if err := preset.Set.Check(latency); err != nil {
		return err
	}
	text, err := preset.Text()
	if err != nil {
		return err
	}
	_, err = io.Copy(cmd.OutOrStdout(), bytes.NewReader(text))
	return err
}
