//go:build js

package main

import (
	"fmt"
	"strings"
	"syscall/js"

	"wakelab/engine/topo"
	"wakelab/presets"
	"wakelab/presets/machinefile"
)

// ownMachine is the name under which a reader's machine joins the presets.
const ownMachine = "own-machine"

// library returns the shipped presets; with the text of a machine preset, a
// study's machine is replaced by that one.
func library(study, machine string) (*presets.Library, *presets.Study, error) {
	lib := presets.Shipped()
	st, err := lib.Study(study)
	if err != nil || machine == "" {
		return lib, st, err
	}
	lib = lib.Clone()
	if err := lib.Add(presets.Machines, ownMachine, []byte(machine)); err != nil {
		return nil, nil, fmt.Errorf("machine: %w", err)
	}
	own := *st
	own.Machine = ownMachine
	return lib, &own, nil
}

// importMachine(text, latencies, name) makes a machine preset of lscpu output
// or hwloc XML and, unless "", of a latency table: {preset, title, cpus,
// notes, hwloc}. name says where the text is from.
func importMachine(args []js.Value) (answer, error) {
	m, err := machinefile.Read([]byte(args[0].String()))
	if err != nil {
		return nil, err
	}
	t, err := topo.Build(m.Places)
	if err != nil {
		panic("machinefile.Read returned places that do not build: " + err.Error())
	}
	var medians []machinefile.Latency
	if table := args[1].String(); table != "" {
		if medians, err = machinefile.ReadLatencies([]byte(table), t); err != nil {
			return nil, err
		}
	}
	preset := presets.Import(m, medians, "imported from "+args[2].String())
	if err := preset.Set.Check("latency table"); err != nil {
		return nil, err
	}
	text, err := preset.Text()
	if err != nil {
		return nil, err
	}
	var hwloc strings.Builder
	if err := machinefile.WriteHwloc(&hwloc, m.Title, t); err != nil {
		return nil, err
	}
	notes := []any{presets.Borrowed(medians)}
	for _, n := range m.Notes {
		notes = append(notes, n)
	}
	return answer{"preset": string(text), "title": preset.Title, "cpus": len(m.Places), "notes": notes, "hwloc": hwloc.String()}, nil
}
