package machinefile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"wakelab/engine/topo"
)

// object is an open <object> of the XML.
type object struct {
	kind string
	id   int32 // in order of the file: the file's own indices repeat
}

// numaNode is a NUMA node and the CPUs next to it.
type numaNode struct {
	id   int32
	cpus mask
}

// hwloc reads a topology element by element.
type hwloc struct {
	file
	open     []object
	objects  int32
	nodes    []numaNode
	memory   bool // some node says how much memory it has
	offline  []int32
	topology bool // the root element was seen
}

// readHwloc reads hwloc XML of version 2 or 3.
func readHwloc(data []byte) (*Machine, error) {
	h := &hwloc{}
	d := xml.NewDecoder(bytes.NewReader(data))
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err == nil {
			switch token := token.(type) {
			case xml.Directive:
				if bytes.ContainsRune(token, '[') {
					err = errors.New("entity declarations are not read")
				}
			case xml.StartElement:
				if depth++; depth > maxDepth {
					err = fmt.Errorf("elements nested deeper than %d", maxDepth)
				} else {
					err = h.start(token)
				}
			case xml.EndElement:
				depth--
				if token.Name.Local == "object" {
					h.open = h.open[:len(h.open)-1]
				}
			}
		}
		if err != nil {
			line, _ := d.InputPos()
			return nil, fmt.Errorf("hwloc XML, line %d: %w", line, err)
		}
	}
	return h.finish()
}

func (h *hwloc) start(e xml.StartElement) error {
	attrs := map[string]string{}
	for _, a := range e.Attr {
		attrs[a.Name.Local] = a.Value
	}
	switch {
	case !h.topology:
		if e.Name.Local != "topology" {
			return fmt.Errorf("<%s> is not hwloc's: its files begin with <topology>", e.Name.Local)
		}
		h.topology = true
		if v := attrs["version"]; !strings.HasPrefix(v, "2.") && !strings.HasPrefix(v, "3.") {
			return fmt.Errorf("version %q: 2.x and 3.x are read; `lstopo new.xml` of a newer hwloc converts older files", v)
		}
	case e.Name.Local == "info" && attrs["name"] == "CPUModel" && h.title == "":
		h.title = strings.TrimSpace(attrs["value"])
	case e.Name.Local == "object":
		h.open = append(h.open, object{attrs["type"], h.objects})
		h.objects++
		return h.object(attrs)
	}
	return nil
}

func (h *hwloc) object(attrs map[string]string) error {
	switch attrs["type"] {
	case "Machine":
		present, err := parseMask(attrs["cpuset"])
		if err != nil {
			return fmt.Errorf("cpuset: %w", err)
		}
		complete, err := parseMask(attrs["complete_cpuset"])
		if err != nil {
			return fmt.Errorf("complete_cpuset: %w", err)
		}
		for _, id := range complete.ids() {
			if !present.has(id) {
				h.offline = append(h.offline, id)
			}
		}
	case "NUMANode":
		cpus, err := parseMask(attrs["cpuset"])
		if err != nil {
			return fmt.Errorf("cpuset: %w", err)
		}
		id, err := index(attrs)
		if err != nil {
			return err
		}
		h.nodes = append(h.nodes, numaNode{id, cpus})
		h.memory = h.memory || attrs["local_memory"] != ""
	case "PU":
		id, err := index(attrs)
		if err != nil {
			return err
		}
		h.pu(id)
	}
	if len(h.cpus) > topo.MaxCPUs {
		return fmt.Errorf("more than %d CPUs: this model takes at most that many", topo.MaxCPUs)
	}
	return nil
}

func index(attrs map[string]string) (int32, error) {
	n, err := strconv.Atoi(attrs["os_index"])
	if err != nil || n < 0 || n > maxNumber {
		return 0, fmt.Errorf("%s: os_index %q: allowed are 0 to %d", attrs["type"], attrs["os_index"], maxNumber)
	}
	return int32(n), nil
}

// pu adds a CPU: what it is part of are the objects that are open.
func (h *hwloc) pu(id int32) {
	c := newCPU(id)
	for _, o := range h.open {
		switch o.kind {
		case "Package":
			c.socket = o.id
		case "Die":
			c.die = o.id
		case "Core":
			c.core = o.id
		default:
			level := cacheLevel(strings.ToLower(strings.TrimSuffix(o.kind, "Cache")))
			if strings.HasSuffix(o.kind, "Cache") && level > c.cacheLevel {
				c.cacheLevel, c.cache = level, o.id
			}
		}
	}
	h.cpus = append(h.cpus, c)
}

// finish gives each CPU its node and makes the machine.
func (h *hwloc) finish() (*Machine, error) {
	if !h.topology {
		return nil, errors.New("hwloc XML: there is no element in the file")
	}
	used := make([]bool, len(h.nodes))
	for i := range h.cpus {
		for n := range h.nodes {
			if h.nodes[n].cpus.has(h.cpus[i].id) {
				h.cpus[i].node = h.nodes[n].id
				used[n] = true
				break
			}
		}
	}
	var memoryOnly []int32
	for n, node := range h.nodes {
		if !used[n] {
			memoryOnly = append(memoryOnly, node.id)
		}
	}
	if len(memoryOnly) > 0 {
		h.note("NUMA nodes without CPUs of their own are left out: %s.", list(memoryOnly))
	}
	if len(h.offline) > 0 {
		h.note("Offline CPUs are left out: %s.", list(h.offline))
	}
	h.fewNodes = !h.memory
	return h.machine()
}
