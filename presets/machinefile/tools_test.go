package machinefile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

// tool runs a program and returns what it prints; it skips the test if the
// program is missing, but fails it where CI is set in the environment.
func tool(t *testing.T, pkg, name string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("%s is not installed (Debian package %s)", name, pkg)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return out
}

// shapes are machines of every numbering, SMT width and nesting.
var shapes = []topo.Shape{
	{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 1, ThreadsPerCore: 1, NodesPerSocket: 1},
	{Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 3, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 4, Numbering: topo.Block},
	{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 6, ThreadsPerCore: 2, NodesPerSocket: 2, Numbering: topo.Alternate},
	{Sockets: 4, DiesPerSocket: 1, LLCsPerDie: 2, CoresPerLLC: 3, ThreadsPerCore: 4, NodesPerSocket: 1, Numbering: topo.Adjacent},
	{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 4, CoresPerLLC: 3, ThreadsPerCore: 8, NodesPerSocket: 1, Numbering: topo.Adjacent},
	{Sockets: 16, DiesPerSocket: 1, LLCsPerDie: 2, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 1, Numbering: topo.Block},
}

// TestLstopo has lstopo read each machine and write it again.
func TestLstopo(t *testing.T) {
	for _, s := range shapes {
		m, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := machinefile.WriteHwloc(&b, "a <processor> & more", m); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "machine.xml")
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := machinefile.Read(tool(t, "hwloc", "lstopo", "-i", file, "--of", "xml"))
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if !slices.Equal(got.Places, m.CPUs) {
			t.Errorf("%+v: lstopo gives back another machine", s)
		}
		if got.Title != "a <processor> & more" {
			t.Errorf("%+v: title %q", s, got.Title)
		}
	}
}

// TestLstopoSynthetic reads machines that lstopo makes up.
func TestLstopoSynthetic(t *testing.T) {
	for _, c := range []struct {
		description string
		want        [6]int
	}{
		{"pack:2 numa:2 l3:3 core:4 pu:2", [6]int{2, 4, 4, 12, 48, 96}},
		{"numa:2 pack:1 die:2 l2:2 core:1 pu:1", [6]int{2, 2, 4, 8, 8, 8}},
		{"core:4 pu:1", [6]int{1, 1, 1, 1, 4, 4}},
	} {
		m, err := machinefile.Read(tool(t, "hwloc", "lstopo", "-i", c.description, "--of", "xml"))
		if err != nil {
			t.Errorf("%s: %v", c.description, err)
			continue
		}
		if got := groups(t, m.Places); got != c.want {
			t.Errorf("%s: sockets, nodes, dies, LLCs, cores, CPUs: %v, want %v", c.description, got, c.want)
		}
	}
}

// TestLscpu has lscpu describe each machine, as a tree of sysfs files, in all
// its formats.
func TestLscpu(t *testing.T) {
	for _, s := range shapes {
		m, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		dir := sysfs(t, m, nil)
		for _, flags := range []string{"-p", "-e", "-J -e", "", "-J", "-p -y", "-p=ONLINE,NODE,CORE,CACHE,SOCKET,CPU -a"} {
			out := tool(t, "util-linux", "lscpu", append(strings.Fields(flags), "-s", dir)...)
			got, err := machinefile.Read(out)
			if err != nil {
				t.Errorf("lscpu %s of %+v: %v in\n%s", flags, s, err, out)
				continue
			}
			if want := withoutDies(m.CPUs); !slices.Equal(withoutDies(got.Places), want) {
				t.Errorf("lscpu %s of %+v gives another machine:\n%v, want\n%v", flags, s, groups(t, got.Places), groups(t, want))
			}
		}
	}
}

// TestLscpuOffline takes CPUs offline: in every format but the summary they
// are left out and named where the format names them.
func TestLscpuOffline(t *testing.T) {
	m, err := topo.Shape{Sockets: 2, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 2, ThreadsPerCore: 2, NodesPerSocket: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := sysfs(t, m, []topo.CPUID{5, 6})
	for flags, note := range map[string]string{
		"-p": "CPU 7 of the file is CPU 5 here", "-e": "left out: 5-6", "-J -e": "left out: 5-6", "-p -a": "left out: 5-6",
		"-p=ONLINE,NODE,CORE,CACHE,SOCKET,CPU -a": "left out: 5-6",
	} {
		got, err := machinefile.Read(tool(t, "util-linux", "lscpu", append(strings.Fields(flags), "-s", dir)...))
		if err != nil {
			t.Errorf("lscpu %s: %v", flags, err)
			continue
		}
		if want := "[0 1 2 3 4 7]"; fmt.Sprint(got.CPUs) != want {
			t.Errorf("lscpu %s: CPUs %v, want %s", flags, got.CPUs, want)
		}
		if want := [6]int{2, 2, 2, 2, 4, 6}; groups(t, got.Places) != want {
			t.Errorf("lscpu %s: sockets, nodes, dies, LLCs, cores, CPUs: %v, want %v", flags, groups(t, got.Places), want)
		}
		if notes := strings.Join(got.Notes, " "); !strings.Contains(notes, note) {
			t.Errorf("lscpu %s: notes %q, want %q in them", flags, notes, note)
		}
	}
}

// withoutDies forgets dies, which lscpu does not know.
func withoutDies(places []topo.Place) []topo.Place {
	places = slices.Clone(places)
	for i := range places {
		places[i].Die = places[i].Socket
	}
	return places
}

// sysfs writes the files that lscpu reads about m and returns their root.
func sysfs(t *testing.T, m *topo.Topology, offline []topo.CPUID) string {
	t.Helper()
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	on := func(cpus []topo.CPUID) []topo.CPUID {
		return slices.DeleteFunc(slices.Clone(cpus), func(c topo.CPUID) bool { return slices.Contains(offline, c) })
	}
	cpus, info := "sys/devices/system/cpu/", ""
	var all []string
	for c, p := range m.CPUs {
		cpu := fmt.Sprintf("%scpu%d/", cpus, c)
		if slices.Contains(offline, topo.CPUID(c)) {
			write(cpu+"online", "0")
			continue
		}
		all = append(all, fmt.Sprint(c))
		write(cpu+"online", "1")
		write(cpu+"topology/core_id", fmt.Sprint(p.Core-m.CPUs[m.Sockets[p.Socket][0]].Core))
		write(cpu+"topology/physical_package_id", fmt.Sprint(p.Socket))
		write(cpu+"topology/thread_siblings", bitmap(on(m.Cores[p.Core])))
		write(cpu+"topology/core_siblings", bitmap(on(m.Sockets[p.Socket])))
		for i, cache := range []struct {
			level, id int32
			cpus      []topo.CPUID
		}{{2, p.Core, m.Cores[p.Core]}, {3, p.LLC, m.LLCs[p.LLC]}} {
			index := fmt.Sprintf("%scache/index%d/", cpu, i)
			write(index+"level", fmt.Sprint(cache.level))
			write(index+"id", fmt.Sprint(cache.id))
			write(index+"type", "Unified")
			write(index+"size", "1024K")
			write(index+"shared_cpu_map", bitmap(on(cache.cpus)))
		}
		info += fmt.Sprintf("processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: Test\n\n", c)
	}
	write(cpus+"possible", fmt.Sprintf("0-%d", m.N()-1))
	write(cpus+"present", fmt.Sprintf("0-%d", m.N()-1))
	write(cpus+"online", strings.Join(all, ","))
	write(cpus+"kernel_max", "8191")
	write("proc/cpuinfo", info)
	nodes := slices.Clone(m.Nodes) // firmware numbers them socket by socket
	slices.SortStableFunc(nodes, func(a, b []topo.CPUID) int { return int(m.CPUs[a[0]].Socket - m.CPUs[b[0]].Socket) })
	for n, set := range nodes {
		write(fmt.Sprintf("sys/devices/system/node/node%d/cpumap", n), bitmap(on(set)))
	}
	return dir
}

// bitmap writes CPUs as sysfs does.
func bitmap(cpus []topo.CPUID) string {
	words := make([]uint32, 32)
	for _, c := range cpus {
		words[c/32] |= 1 << (c % 32)
	}
	var parts []string
	for _, w := range slices.Backward(words) {
		parts = append(parts, fmt.Sprintf("%08x", w))
	}
	return strings.Join(parts, ",")
}
