package machinefile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wakelab/engine/topo"
	"wakelab/presets/machinefile"
)

// shared reads a data file that is supplied beside the project.
func shared(t testing.TB, parts ...string) []byte {
	t.Helper()
	dir := os.Getenv("WAKELAB_SHARED")
	if dir == "" {
		dir = "../../../shared"
	}
	path := filepath.Join(append([]string{dir}, parts...)...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no %s: set WAKELAB_SHARED to the folder that holds machines/ and latency/", path)
	}
	return data
}

// groups counts a machine's sockets, nodes, dies, last-level caches, cores and
// CPUs.
func groups(t testing.TB, places []topo.Place) [6]int {
	t.Helper()
	m, err := topo.Build(places)
	if err != nil {
		t.Fatal(err)
	}
	return [6]int{len(m.Sockets), len(m.Nodes), len(m.Dies), len(m.LLCs), len(m.Cores), m.N()}
}

func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file, title string
		want        [6]int
		note        string
	}{
		{"96em64t-4n4d3ca2co-pci.xml", "", [6]int{16, 4, 16, 16, 96, 96}, "names no dies"},
		{"AMD-19h-Zen4-2xEpyc-9654.xml", "AMD EPYC 9654 96-Core Processor", [6]int{2, 2, 24, 24, 192, 384}, "without NUMA information"},
		{"Intel-RaptorLake-Corei7-1370P.xml", "13th Gen Intel(R) Core(TM) i7-1370P", [6]int{1, 1, 1, 1, 14, 20}, "names no dies"},
		{"Intel-SapphireRapids-2xXeonMax9460.xml", "Intel (R) Xeon (R) CPU Max 9460", [6]int{2, 2, 2, 2, 80, 160}, "without NUMA information"},
		{"lscpu-J-x86_64-epyc_7451.json", "AMD EPYC 7451 24-Core Processor", [6]int{2, 8, 8, 16, 48, 96}, "does not list CPUs"},
		{"lscpu-e-x86_64-epyc_7451.txt", "", [6]int{2, 8, 8, 16, 48, 96}, "each NUMA node is taken as one"},
		{"lscpu-x86_64-64cpu.txt", "Intel(R) Xeon(R) CPU X7550 @ 2.00GHz", [6]int{4, 3, 4, 4, 32, 64}, "names no dies"},
		{"lscpu-x86_64-epyc_7451.txt", "AMD EPYC 7451 24-Core Processor", [6]int{2, 8, 8, 16, 48, 96}, "each NUMA node is taken as one"},
	} {
		t.Run(c.file, func(t *testing.T) {
			m, err := machinefile.Read(shared(t, "machines", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := groups(t, m.Places); got != c.want {
				t.Errorf("sockets, nodes, dies, LLCs, cores, CPUs: %v, want %v", got, c.want)
			}
			if m.Title != c.title {
				t.Errorf("title %q, want %q", m.Title, c.title)
			}
			if notes := strings.Join(m.Notes, " "); !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q in them", notes, c.note)
			}
		})
	}
}

// TestFormatsAgree reads one machine in three formats.
func TestFormatsAgree(t *testing.T) {
	var first []topo.Place
	for _, file := range []string{"lscpu-x86_64-epyc_7451.txt", "lscpu-e-x86_64-epyc_7451.txt", "lscpu-J-x86_64-epyc_7451.json"} {
		m, err := machinefile.Read(shared(t, "machines", file))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if first == nil {
			first = m.Places
		}
		if !slices.Equal(m.Places, first) {
			t.Errorf("%s gives another machine than `lscpu -p`", file)
		}
	}
}

// samples are small files of every format and oddity.
var samples = []struct {
	name, text string
	want       [6]int // sockets, nodes, dies, LLCs, cores, CPUs
	cpus       string // Linux's numbers
	note       string
}{
	{"lscpu -p", "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,0,0,0,,0,0,0,0\n3,1,0,0,,1,1,1,0\n",
		[6]int{1, 1, 1, 1, 2, 4}, "[0 1 2 3]", "names no dies"},
	{"sockets take turns", "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,1,1,1,,1\n2,2,0,0,,0\n3,3,1,1,,1\n",
		[6]int{2, 2, 2, 2, 4, 4}, "[0 1 2 3]", "names no dies"},
	{"physical ids repeat in each socket", "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,4,0,0,,0\n2,0,1,1,,0\n3,4,1,1,,0\n",
		[6]int{2, 2, 2, 2, 4, 4}, "[0 1 2 3]", ""},
	{"NUMA nodes within a socket", "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,1,0,0,,1\n2,2,0,1,,2\n3,3,0,1,,3\n",
		[6]int{1, 2, 2, 4, 4, 4}, "[0 1 2 3]", "each NUMA node is taken as one"},
	{"NUMA nodes within an L3", "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,1,0,1,,0\n",
		[6]int{1, 2, 1, 1, 2, 2}, "[0 1]", "each socket is taken as one"},
	{"missing columns", "# CPU\n0\n1\n", [6]int{1, 1, 1, 1, 2, 2}, "[0 1]", "names no sockets"},
	{"nodes but no sockets", "# CPU,NODE\r\n0,0\r\n1,1\r\n", [6]int{2, 2, 2, 2, 2, 2}, "[0 1]", "each NUMA node is taken as one"},
	{"sparse numbers, offline CPUs", "# CPU,Core,Socket,Node,Online\n0,0,0,0,Y\n4,1,0,0,Y\n5,,,,N\n6,,,,\n", [6]int{1, 1, 1, 1, 2, 2}, "[0 4]", "Offline CPUs are left out: 5-6."},
	{"lscpu -e, SMT4", "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n  0 0 0 0 0:0:0:0 yes\n1 0 0 0 0:0:0:0 yes\n2 0 0 0 0:0:0:0 yes\n3 0 0 0 0:0:0:0 yes\n4 - - - -:-:-:- no\n",
		[6]int{1, 1, 1, 1, 1, 4}, "[0 1 2 3]", "Offline CPUs are left out: 4."},
	{"no L3", "CPU SOCKET CORE L1d:L1i:L2\n0 0 0 0:0:0\n1 0 1 1:1:0\n2 0 2 2:2:1\n3 0 3 3:3:1\n",
		[6]int{1, 1, 1, 2, 4, 4}, "[0 1 2 3]", "no L3: the L2 is taken"},
	{"some cores without L3", "CPU SOCKET CORE L2:L3\n0 0 0 0:0\n1 0 1 1:0\n2 0 2 2:-\n3 0 3 2:-\n",
		[6]int{1, 1, 1, 2, 4, 4}, "[0 1 2 3]", "Not all CPUs have an L3"},
	{"lscpu -J -e", `{"cpus":[{"cpu":0,"node":0,"socket":0,"core":0,"l1d:l1i:l2:l3":"0:0:0:0","online":true},{"cpu":"1","node":"0","socket":"0","core":"0","l1d:l1i:l2:l3":"0:0:0:0","online":"yes"},{"cpu":2,"node":null,"socket":null,"core":null,"l1d:l1i:l2:l3":null,"online":false}]}`,
		[6]int{1, 1, 1, 1, 1, 2}, "[0 1]", "Offline CPUs are left out: 2."},
	{"lscpu -J, nested", `{"lscpu":[{"field":"CPU(s):","data":"8","children":[{"field":"On-line CPU(s) list:","data":"0-7"}]},{"field":"Vendor ID:","data":"IBM","children":[{"field":"Model name:","data":"POWER9","children":[{"field":"Thread(s) per core:","data":"4"},{"field":"Core(s) per socket:","data":"1"},{"field":"Socket(s):","data":"2"}]}]},{"field":"NUMA node0 CPU(s):","data":"0-3"},{"field":"NUMA node8 CPU(s):","data":"4-7"},{"field":"NUMA node255 CPU(s):","data":null}]}`,
		[6]int{2, 2, 2, 2, 2, 8}, "[0 1 2 3 4 5 6 7]", "names no caches"},
	{"summary of a hybrid processor", "CPU(s): 6\nThread(s) per core: 2\nCore(s) per socket: 4\nSocket(s): 1\nL3 cache: 12 MiB (1 instance)\n",
		[6]int{1, 1, 1, 1, 4, 6}, "[0 1 2 3 4 5]", "usual numbering"},
	{"summary, second threads last", "CPU(s): 8\nOn-line CPU(s) list: 0-7\nThread(s) per core: 2\nCore(s) per socket: 2\nSocket(s): 2\nL3 cache: 8 MiB (2 instances)\nNUMA node0 CPU(s): 0,2,4,6\nNUMA node1 CPU(s): 1,3,5,7\n",
		[6]int{2, 2, 2, 2, 4, 8}, "[0 1 2 3 4 5 6 7]", "usual numbering"},
	{"hwloc 2 with memory-only and HBM nodes, an offline CPU", `<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0"><object type="Machine" cpuset="0x00000003" complete_cpuset="0x00000007">
<object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="1"/><object type="NUMANode" os_index="1" cpuset="0x00000003" local_memory="1"/><object type="NUMANode" os_index="2" cpuset="0x0" local_memory="1"/>
<object type="Package"><object type="L2Cache"><object type="Core" os_index="7"><object type="PU" os_index="0"/></object></object><object type="L2Cache"><object type="Core" os_index="7"><object type="PU" os_index="1"/></object></object></object></object></topology>`,
		[6]int{1, 1, 1, 2, 2, 2}, "[0 1]", "NUMA nodes without CPUs of their own are left out: 1-2."},
	{"hwloc 3 without packages, SMT8", `<topology version="3.0"><object type="Machine"><object type="Core">` + pus(8) + `</object></object></topology>`,
		[6]int{1, 1, 1, 1, 1, 8}, "[0 1 2 3 4 5 6 7]", "names no caches"},
}

func TestLongTitle(t *testing.T) {
	m, err := machinefile.Read([]byte("CPU(s): 2\nModel name: " + strings.Repeat("long  ", 100_000) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("long ", 19) + "long"; m.Title != want {
		t.Errorf("title %q, want %q", m.Title, want)
	}
}

func pus(n int) string {
	s := ""
	for i := range n {
		s += fmt.Sprintf(`<object type="PU" os_index="%d"/>`, i)
	}
	return s
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		m, err := machinefile.Read([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := groups(t, m.Places); got != c.want {
			t.Errorf("%s: sockets, nodes, dies, LLCs, cores, CPUs: %v, want %v", c.name, got, c.want)
		}
		if got := fmt.Sprint(m.CPUs); got != c.cpus {
			t.Errorf("%s: CPUs %s, want %s", c.name, got, c.cpus)
		}
		if notes := strings.Join(m.Notes, " "); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q in them", c.name, notes, c.note)
		}
	}
}

func TestErrors(t *testing.T) {
	hwloc := func(body string) string { return `<topology version="2.0"><object type="Machine">` + body }
	lol := `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]><topology version="2.0">&lol2;</topology>`
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", " \n", []string{"the file is empty", "`lscpu -p`"}},
		{"prose", "Dear reader,\nhow are you?", []string{"no machine description", "hwloc XML"}},
		{"10 MB", "<topology>" + strings.Repeat(" ", 10<<20), []string{"10485770 bytes", "at most 4194304"}},
		{"entities", lol, []string{"line 1", "entity declarations"}},
		{"undeclared entity", `<topology version="2.0">&lol;</topology>`, []string{"entity &lol;"}},
		{"other XML", "<svg/>", []string{"<svg>", "<topology>"}},
		{"hwloc 1", "<topology><object/></topology>", []string{`version ""`, "2.x and 3.x"}},
		{"cut XML", hwloc(""), []string{"unexpected EOF"}},
		{"no CPU", hwloc("</object></topology>"), []string{"0 online CPUs", "1 to 1024"}},
		{"PU without number", hwloc("\n<object type='PU'/>"), []string{"line 2", `PU: os_index ""`, "0 to 1048576"}},
		{"bad cpuset", hwloc(`<object type="NUMANode" os_index="0" cpuset="0xzz"/>`), []string{"cpuset", `"0xzz"`}},
		{"deep XML", strings.Repeat(`<topology version="2.0">`, 100), []string{"deeper than 32"}},
		{"many PUs", hwloc(pus(1025)), []string{"more than 1024 CPUs"}},
		{"10^6 CPUs in a summary", "CPU(s): 1000000\n", []string{"1000000 CPUs", "1 to 1024"}},
		{"10^6 CPUs in a list", "On-line CPU(s) list: 0-999999\n", []string{"1000000 CPUs", "1 to 1024"}},
		{"10^18 CPUs in a list", "On-line CPU(s) list: 0-999999999999999999\n", []string{"On-line CPU(s) list", "not a CPU list"}},
		{"10^6 CPUs in JSON", `{"cpus":[` + strings.Repeat("{},", 999_999) + `{}]}`, []string{"1000000 CPUs", "1 to 1024"}},
		{"10^6 CPUs in a table", "# CPU\n" + strings.Repeat("0\n", 1_000_000), []string{"1000000 CPUs", "1 to 1024"}},
		{"twice the same CPU", "# CPU,Core\n0,0\n0,1\n1,2\n1,3\n", []string{"CPU 0 is there twice", "CPU 1 is there twice"}},
		{"all problems at once", "# CPU,Core,Socket\n0,x,0\n1,0\n2,0,-5\n", []string{`line 2: core: "x"`, "line 3: 2 columns, want 3", `line 4: socket: "-5"`}},
		{"too many threads", "# CPU,Core\n" + sameCore(9), []string{"core 0 has 9 threads: at most 8"}},
		{"bad JSON", `{"cpus":[`, []string{"not the output of lscpu -J"}},
		{"other JSON", `{"caches":[]}`, []string{`neither "cpus" nor "lscpu"`}},
		{"empty JSON table", `{"cpus":[]}`, []string{"0 online CPUs"}},
		{"deep JSON", `{"lscpu":` + strings.Repeat(`[{"children":`, 200) + "[]" + strings.Repeat("}]", 200) + "}", []string{"deeper than 32"}},
		{"cores do not add up", "CPU(s): 7\nThread(s) per core: 2\nCore(s) per socket: 2\nSocket(s): 1\n", []string{"7 online CPUs do not make 2 cores of 2 threads", "`lscpu -p`"}},
		{"wrong count", "CPU(s): 4\nSocket(s): many\n", []string{`Socket(s): "many"`, "1 to"}},
	} {
		_, err := machinefile.Read([]byte(c.text))
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q in it", c.name, err, want)
			}
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: the error has %d characters", c.name, len(err.Error()))
		}
	}
}

func sameCore(n int) string {
	s := ""
	for i := range n {
		s += fmt.Sprintf("%d,0\n", i)
	}
	return s
}

// check reads data, which may be anything, and checks what must hold: no
// panic, a machine that can be built, and the same machine after it was
// written as hwloc XML.
func check(t *testing.T, data []byte) {
	m, err := machinefile.Read(data)
	if err != nil {
		return
	}
	if len(m.CPUs) != len(m.Places) {
		t.Fatalf("%d CPUs at %d places", len(m.CPUs), len(m.Places))
	}
	machine, err := topo.Build(m.Places)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := machinefile.WriteHwloc(&b, m.Title, machine); err != nil {
		if !strings.Contains(err.Error(), "NUMA nodes cut through") {
			t.Fatal(err)
		}
		return
	}
	again, err := machinefile.Read(b.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, &b)
	}
	if !slices.Equal(again.Places, m.Places) {
		t.Fatalf("places %v are read back as %v from\n%s", m.Places, again.Places, &b)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s.text))
	}
	f.Fuzz(check)
}

// TestMutations reads damaged files: the samples often, real ones if they are
// there.
func TestMutations(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range 10_000 {
		check(t, mutate(rnd, []byte(samples[i%len(samples)].text), 1+rnd.IntN(8)))
	}
	for _, file := range []string{"Intel-RaptorLake-Corei7-1370P.xml", "lscpu-e-x86_64-epyc_7451.txt", "lscpu-J-x86_64-epyc_7451.json", "lscpu-x86_64-64cpu.txt"} {
		data := shared(t, "machines", file)
		for range 50 {
			check(t, mutate(rnd, data, 1+rnd.IntN(8)))
		}
	}
}

// mutate changes, removes, doubles or cuts pieces of data.
func mutate(rnd *rand.Rand, data []byte, times int) []byte {
	data = slices.Clone(data)
	for range times {
		if len(data) == 0 {
			break
		}
		at := rnd.IntN(len(data))
		end := min(len(data), at+rnd.IntN(40))
		switch rnd.IntN(5) {
		case 0:
			data[at] = byte(rnd.IntN(256))
		case 1:
			data[at] = "0123456789,-:<>/\"\n{}"[rnd.IntN(20)]
		case 2:
			data = slices.Delete(data, at, end)
		case 3:
			data = slices.Insert(data, at, data[at:end]...)
		case 4:
			if rnd.IntN(10) == 0 {
				data = data[:at]
			}
		}
	}
	return data
}
