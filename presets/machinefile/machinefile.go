// Package machinefile reads descriptions of real machines, the output of
// lscpu and the XML of hwloc, and core-to-core latency tables. What a file
// does not say is inferred and noted.
package machinefile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"wakelab/engine/topo"
)

// Limits of what is read.
const (
	MaxBytes   = 4 << 20 // of a machine file; 1024 CPUs take about 1 MB of XML
	maxRows    = 8192    // of a table, offline CPUs included: Linux's own limit on x86
	maxNumber  = 1 << 20 // of CPU numbers and ids
	maxColumns = 64      // lscpu has about twenty
	maxDepth   = 32      // of nesting: hwloc has about twelve levels, lscpu three
	maxErrors  = 10      // reported at once
	maxTitle   = 100     // characters; CPUID has room for 48
)

// Machine is what a file says about a machine.
type Machine struct {
	Title  string       // processor model; "" if the file does not name it
	Places []topo.Place // by CPU number here
	CPUs   []int32      // Linux's number of each CPU
	Notes  []string     // sentences about what was left out, assumed or inferred
}

// Read reads the output of `lscpu -p`, `lscpu -e`, `lscpu -J`, `lscpu -J -e`
// or `lscpu`, or hwloc XML of version 2 or 3; it tells them apart by itself.
// The error says what was expected and, for each problem, where it is.
func Read(data []byte) (*Machine, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the file has %d bytes: at most %d are read", len(data), MaxBytes)
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	switch {
	case len(text) == 0:
		return nil, errors.New("the file is empty: give the output of `lscpu -p` or an hwloc XML file")
	case text[0] == '<':
		return readHwloc(text)
	case text[0] == '{':
		return readJSON(text)
	}
	return readText(string(text))
}

// problems collects errors so that a reader can report them at once.
type problems struct {
	errs []error
	more int
}

func (p *problems) add(format string, args ...any) {
	if len(p.errs) == maxErrors {
		p.more++
		return
	}
	p.errs = append(p.errs, fmt.Errorf(format, args...))
}

// err joins the problems; nil if there are none.
func (p *problems) err() error {
	if p.more > 0 {
		return errors.Join(append(p.errs, fmt.Errorf("and %d more", p.more))...)
	}
	return errors.Join(p.errs...)
}

// list writes CPU numbers as Linux does, 0-3,8, and cuts long lists.
func list(ids []int32) string {
	var parts []string
	for i := 0; i < len(ids); {
		if len(parts) == maxErrors {
			parts = append(parts, fmt.Sprintf("and %d more", len(ids)-i))
			break
		}
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(ids[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ids[i], ids[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
