package machinefile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"

	"wakelab/engine/topo"
)

// xmlObject is an <object> as hwloc 2 writes it.
type xmlObject struct {
	XMLName         xml.Name `xml:"object"`
	Type            string   `xml:"type,attr"`
	OSIndex         string   `xml:"os_index,attr,omitempty"`
	Cpuset          string   `xml:"cpuset,attr"`
	CompleteCpuset  string   `xml:"complete_cpuset,attr"`
	AllowedCpuset   string   `xml:"allowed_cpuset,attr,omitempty"`
	Nodeset         string   `xml:"nodeset,attr"`
	CompleteNodeset string   `xml:"complete_nodeset,attr"`
	AllowedNodeset  string   `xml:"allowed_nodeset,attr,omitempty"`
	GPIndex         int      `xml:"gp_index,attr"`
	LocalMemory     string   `xml:"local_memory,attr,omitempty"`
	CacheSize       string   `xml:"cache_size,attr,omitempty"`
	Depth           string   `xml:"depth,attr,omitempty"`
	CacheLinesize   string   `xml:"cache_linesize,attr,omitempty"`
	CacheType       string   `xml:"cache_type,attr,omitempty"`
	Kind            string   `xml:"kind,attr,omitempty"`
	Infos           []xmlInfo
	Objects         []*xmlObject
}

type xmlInfo struct {
	XMLName xml.Name `xml:"info"`
	Name    string   `xml:"name,attr"`
	Value   string   `xml:"value,attr"`
}

// level is a partition of the CPUs into objects of one type.
type level struct {
	kind string
	sets [][]topo.CPUID
	id   func(topo.Place) int32
}

// WriteHwloc writes t as hwloc XML 2.0, which lstopo of hwloc 2 reads. Sizes
// of memory and caches are not part of a topology and stand as 1 GiB and
// 0. It fails if NUMA nodes cut through sockets, dies or caches.
func WriteHwloc(w io.Writer, title string, t *topo.Topology) error {
	levels := []level{
		{"Package", t.Sockets, func(p topo.Place) int32 { return p.Socket }},
		{"Die", t.Dies, func(p topo.Place) int32 { return p.Die }},
		{"L3Cache", t.LLCs, func(p topo.Place) int32 { return p.LLC }},
		{"Core", t.Cores, func(p topo.Place) int32 { return p.Core }},
	}
	nodes := level{"Group", t.Nodes, func(p topo.Place) int32 { return p.Node }}
	at := slices.IndexFunc(levels, func(l level) bool { return !nests(t, nodes, l) })
	if at < 0 {
		at = len(levels)
	}
	if at < len(levels) && !nests(t, levels[at], nodes) {
		return fmt.Errorf("NUMA nodes cut through objects of type %s: hwloc cannot describe this machine", levels[at].kind)
	}
	x := &hwlocWriter{t: t, levels: slices.Insert(levels, at, nodes), nodeLevel: at}
	all := make([]topo.CPUID, t.N())
	for i := range all {
		all[i] = topo.CPUID(i)
	}
	machine := x.object("Machine", 0, all)
	machine.AllowedCpuset, machine.AllowedNodeset = machine.Cpuset, machine.Nodeset
	if title != "" {
		machine.Infos = []xmlInfo{{Name: "CPUModel", Value: title}}
	}
	x.children(machine, all, 0)
	if _, err := io.WriteString(w, xml.Header+"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	err := e.Encode(struct {
		XMLName xml.Name `xml:"topology"`
		Version string   `xml:"version,attr"`
		Machine *xmlObject
	}{Version: "2.0", Machine: machine})
	_, err2 := io.WriteString(w, "\n")
	return errors.Join(err, err2)
}

// nests reports whether each set of inner lies in one set of outer.
func nests(t *topo.Topology, inner, outer level) bool {
	for _, set := range inner.sets {
		for _, c := range set {
			if outer.id(t.CPUs[c]) != outer.id(t.CPUs[set[0]]) {
				return false
			}
		}
	}
	return true
}

type hwlocWriter struct {
	t         *topo.Topology
	levels    []level
	nodeLevel int
	objects   int
}

func (x *hwlocWriter) object(kind string, index int32, cpus []topo.CPUID) *xmlObject {
	var nodes []int32
	for _, c := range cpus {
		nodes = append(nodes, x.t.CPUs[c].Node)
	}
	x.objects++
	o := &xmlObject{Type: kind, OSIndex: fmt.Sprint(index), GPIndex: x.objects,
		Cpuset: formatMask(cpus), Nodeset: formatMask(nodes)}
	o.CompleteCpuset, o.CompleteNodeset = o.Cpuset, o.Nodeset
	switch kind {
	case "L3Cache":
		o.OSIndex, o.CacheSize, o.Depth, o.CacheLinesize, o.CacheType = "", "0", "3", "64", "0"
	case "Group":
		o.OSIndex, o.Kind = "", "1001" // around a NUMA node
	case "NUMANode":
		o.LocalMemory = "1073741824"
	}
	return o
}

// children adds what parent, which holds cpus, is made of from level n down.
func (x *hwlocWriter) children(parent *xmlObject, cpus []topo.CPUID, n int) {
	if n == len(x.levels) {
		for _, c := range cpus {
			parent.Objects = append(parent.Objects, x.object("PU", c, []topo.CPUID{c}))
		}
		return
	}
	l := x.levels[n]
	for len(cpus) > 0 {
		id := l.id(x.t.CPUs[cpus[0]])
		var rest []topo.CPUID
		for _, c := range cpus {
			if l.id(x.t.CPUs[c]) != id {
				rest = append(rest, c)
			}
		}
		set := l.sets[id]
		cpus = rest
		child := parent
		if n != x.nodeLevel || len(rest) > 0 || formatMask(set) != parent.Cpuset {
			child = x.object(l.kind, id, set)
			parent.Objects = append(parent.Objects, child)
		}
		if n == x.nodeLevel { // memory hangs on the object with the same CPUs
			child.Objects = append(child.Objects, x.object("NUMANode", id, set))
		}
		x.children(child, set, n+1)
	}
}
