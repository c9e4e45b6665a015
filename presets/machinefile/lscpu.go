package machinefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wakelab/engine/topo"
)

// readText reads `lscpu -p`, `lscpu -e` or `lscpu`, or several of them one
// after another; a table of CPUs says more than the summary and wins.
func readText(text string) (*Machine, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	s := summary{}
	for i, line := range lines {
		if names, ok := parsedHeader(line); ok {
			return readTable(s.get("Model name"), "line %d", names, parsedRows(lines, i+1))
		}
		if names, ok := extendedHeader(line); ok {
			return readTable(s.get("Model name"), "line %d", names, extendedRows(lines, i+1))
		}
		if name, value, ok := strings.Cut(line, ":"); ok {
			s.add(name, value)
		}
	}
	return s.machine()
}

// row is one line of a table of CPUs.
type row struct {
	number int // of the line or array element, for messages
	cells  []string
}

// parsedHeader recognises the line above a table of `lscpu -p`.
func parsedHeader(line string) ([]string, bool) {
	rest, comment := strings.CutPrefix(line, "#")
	rest = strings.ToLower(strings.TrimSpace(rest))
	if !comment || rest != "cpu" && !strings.HasPrefix(rest, "cpu,") && !strings.Contains(rest, ",cpu") {
		return nil, false
	}
	return strings.Split(rest, ","), !strings.Contains(rest, " ")
}

func parsedRows(lines []string, from int) []row {
	var rows []row
	for i := from; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "" || line[0] == '#' {
			break // another table follows
		}
		rows = append(rows, row{i + 1, strings.Split(line, ",")})
	}
	return rows
}

var columnName = regexp.MustCompile(`^([A-Z%]+|(L[1-5][di]?)(:L[1-5][di]?)*)$`)

// extendedHeader recognises the first line of `lscpu -e`.
func extendedHeader(line string) ([]string, bool) {
	names := strings.Fields(line)
	cpu := false
	for i, n := range names {
		if !columnName.MatchString(n) {
			return nil, false
		}
		names[i] = strings.ToLower(n)
		cpu = cpu || names[i] == "cpu"
	}
	return names, cpu
}

func extendedRows(lines []string, from int) []row {
	var rows []row
	for i := from; i < len(lines); i++ {
		cells := strings.Fields(lines[i])
		if len(cells) == 0 {
			break
		}
		rows = append(rows, row{i + 1, cells})
	}
	return rows
}

// readTable makes a machine from a table of CPUs. Names are lower case;
// several caches may share a column (l1d:l1i:l2:l3); place names a row in
// messages.
func readTable(title, place string, names []string, rows []row) (*Machine, error) {
	if len(rows) > maxRows {
		return nil, tooMany(len(rows))
	}
	f := &file{title: title}
	var p problems
	for _, r := range rows {
		where := fmt.Sprintf(place, r.number)
		r.cells = padCaches(names, r.cells)
		if len(r.cells) != len(names) {
			p.add("%s: %d columns, want %d (%s)", where, len(r.cells), len(names), strings.Join(names, ", "))
			continue
		}
		c := newCPU(unknown)
		blank := true
		for i, name := range names {
			if err := c.column(name, r.cells[i]); err != nil {
				p.add("%s: %w", where, err)
			}
			blank = blank && (name == "cpu" || noValue(r.cells[i]))
		}
		if c.id == unknown {
			p.add("%s: no CPU number", where)
		}
		c.offline = c.offline || blank && len(names) > 1
		f.cpus = append(f.cpus, c)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return f.machine()
}

// padCaches gives an offline CPU a cell for each cache: util-linux 2.38 writes
// one for all of them.
func padCaches(names, cells []string) []string {
	isCache := func(name string) bool { return cacheLevel(strings.TrimSuffix(name, "i")) > 0 }
	first := slices.IndexFunc(names, isCache)
	missing := len(names) - len(cells)
	if first < 0 || missing <= 0 || first >= len(cells) || cells[first] != "" || first+missing >= len(names) || !isCache(names[first+missing]) {
		return cells
	}
	return slices.Insert(slices.Clone(cells), first, make([]string, missing)...)
}

func tooMany(n int) error {
	return fmt.Errorf("the file lists %d CPUs: allowed are 1 to %d", n, topo.MaxCPUs)
}

func noValue(cell string) bool { return strings.Trim(cell, "-: ") == "" }

// column sets what a cell of the named column says.
func (c *cpu) column(name, cell string) error {
	if names := strings.Split(name, ":"); len(names) > 1 {
		cells := strings.Split(cell, ":")
		if noValue(cell) {
			return nil
		}
		if len(cells) != len(names) {
			return fmt.Errorf("%s: %q has %d parts, want %d", name, cell, len(cells), len(names))
		}
		for i := range names {
			if err := c.column(names[i], cells[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if name == "online" {
		switch strings.ToLower(cell) {
		case "no", "n", "false", "0":
			c.offline = true
		case "yes", "y", "true", "1", "", "-":
		default:
			return fmt.Errorf("online: %q: allowed are yes and no", cell)
		}
		return nil
	}
	var id int32 = unknown
	into := map[string]*int32{"cpu": &c.id, "core": &c.core, "socket": &c.socket, "node": &c.node}[name]
	level := cacheLevel(name)
	if into == nil && level == 0 || noValue(cell) {
		return nil // a column that this model has no use for, or no value
	}
	n, err := strconv.Atoi(strings.TrimSpace(cell))
	if err != nil || n < 0 || n > maxNumber {
		return fmt.Errorf("%s: %q: allowed are 0 to %d", name, cell, maxNumber)
	}
	id = int32(n)
	if into != nil {
		*into = id
	} else if level > c.cacheLevel {
		c.cacheLevel, c.cache = level, id
	}
	return nil
}

// cacheLevel is 3 for "l3"; 0 for other names and instruction caches.
func cacheLevel(name string) int32 {
	if len(name) < 2 || len(name) > 3 || name[0] != 'l' || name[1] < '1' || name[1] > '5' || len(name) == 3 && name[2] != 'd' {
		return 0
	}
	return int32(name[1] - '0')
}

// bareDash is how util-linux 2.38 writes a value that an offline CPU lacks.
var bareDash = regexp.MustCompile(`(":\s*)-(\s*[,}])`)

// readJSON reads `lscpu -J` and `lscpu -J -e`.
func readJSON(data []byte) (*Machine, error) {
	var doc struct {
		CPUs  []json.RawMessage
		Lscpu []jsonField
	}
	if err := json.Unmarshal(bareDash.ReplaceAll(data, []byte("${1}null$2")), &doc); err != nil {
		return nil, fmt.Errorf("this is not the output of lscpu -J: %w", err)
	}
	switch {
	case len(doc.CPUs) > maxRows:
		return nil, tooMany(len(doc.CPUs))
	case doc.CPUs != nil:
		return readJSONTable(doc.CPUs)
	case doc.Lscpu != nil:
		s := summary{}
		if err := s.addJSON(doc.Lscpu, 0); err != nil {
			return nil, err
		}
		return s.machine()
	}
	return nil, errors.New(`this is not the output of lscpu -J: neither "cpus" nor "lscpu" is there`)
}

// readJSONTable reads objects that are CPUs, as in `lscpu -J -e`.
func readJSONTable(raw []json.RawMessage) (*Machine, error) {
	cpus := make([]map[string]any, len(raw))
	var names []string
	for i := range raw {
		if err := json.Unmarshal(raw[i], &cpus[i]); err != nil {
			return nil, fmt.Errorf("cpus[%d]: %w", i, err)
		}
		for name := range cpus[i] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > maxColumns {
			return nil, fmt.Errorf("cpus: more than %d columns", maxColumns)
		}
	}
	slices.Sort(names)
	rows := make([]row, len(cpus))
	for i, c := range cpus {
		rows[i].number = i
		for _, name := range names {
			cell := ""
			if v := c[name]; v != nil {
				cell = fmt.Sprint(v)
			}
			rows[i].cells = append(rows[i].cells, cell)
		}
	}
	return readTable("", "cpus[%d]", names, rows)
}

// jsonField is a line of the summary; newer releases nest them.
type jsonField struct {
	Field    string
	Data     any
	Children []jsonField
}

func (s summary) addJSON(fields []jsonField, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("lscpu: children nested deeper than %d", maxDepth)
	}
	for _, f := range fields {
		if f.Data != nil {
			s.add(strings.TrimSuffix(f.Field, ":"), fmt.Sprint(f.Data))
		}
		if err := s.addJSON(f.Children, depth+1); err != nil {
			return err
		}
	}
	return nil
}
