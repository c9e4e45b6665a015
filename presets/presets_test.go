package presets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShipped(t *testing.T) {
	lib := Shipped()
	for _, kind := range Kinds {
		onDisk, err := filepath.Glob(filepath.Join(string(kind), "*.json"))
		if err != nil || len(onDisk) == 0 || len(onDisk) != len(lib.Names(kind)) {
			t.Errorf("%s: %d files, %d presets, %v", kind, len(onDisk), len(lib.Names(kind)), err)
		}
	}
	for name, s := range lib.Studies {
		var p problems
		if lib.checkReferences(s, &p); len(p) > 0 {
			t.Errorf("%s: %v", name, p)
		}
	}
	for name, want := range map[string]int{"epyc-9654-2s": 384, "epyc-9654p-1s": 192, "epyc-9754-2s": 512, "epyc-7763-2s": 256,
		"laptop-8": 8, "xeon-6130-2s": 64, "xeon-8375c-2s": 128, "xeon-spr-56c-2s": 224} {
		cfg, err := lib.Combine(name, "", "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		cpus := cfg.Number("sockets") * cfg.Number("dies_per_socket") * cfg.Number("llcs_per_die") * cfg.Number("cores_per_llc") * cfg.Number("threads_per_core")
		if int(cpus) != want {
			t.Errorf("%s has %d CPUs, want %d", name, cpus, want)
		}
	}
}

func TestStudyConfig(t *testing.T) {
	lib := Shipped()
	s, err := lib.Study("hackbench-epyc9654")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		kernel    string
		extra     Set
		key, want string
	}{
		{"v6.5", nil, "hackbench.groups", "32"},
		{"v6.5", nil, "hackbench.threads", "on"},
		{"v6.5", nil, "idle_delay", "0"},
		{"idle-1ms", nil, "idle_delay", "1ms"},
		{"idle-1ms", Set{"idle_delay": "500us"}, "idle_delay", "500us"},
		{"v6.5", Set{"idle_delay": "500us"}, "idle_delay", "0"}, // another kernel's own switch
		{"v6.5", Set{"line_llc": "30ns"}, "line_llc", "30ns"},   // nobody's: for all
		{"idle-1ms", Set{"line_llc": "30ns"}, "line_llc", "30ns"},
	}
	for _, tt := range tests {
		cfg, err := lib.Config(s, tt.kernel, tt.extra)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Get(tt.key); got != tt.want {
			t.Errorf("%s with %v: %s = %s, want %s", tt.kernel, tt.extra, tt.key, got, tt.want)
		}
	}
}

// machine is a good machine preset; tests break it in one place.
const machine = `{"$schema": "../schema/machines.json", "title": "t", "summary": "s", "sources": ["x"], "set": {"sockets": "1"}}`

func TestHostileText(t *testing.T) {
	deep := strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000)
	many := `{"$schema": "../schema/machines.json", "sources": [` + strings.Repeat(`"x",`, 5000) + `"x"]}`
	tests := []struct {
		name, text string
		want       []string // parts of the error
	}{
		{"empty", "", []string{"not JSON"}},
		{"cut short", machine[:40], []string{"not JSON"}},
		{"trailing text", machine + "x", []string{"after top-level value"}},
		{"two values", machine + machine, []string{"not JSON"}},
		{"duplicate key", strings.Replace(machine, `"title"`, `"title": "a", "title"`, 1), []string{"$.title: given twice"}},
		{"duplicate parameter", strings.Replace(machine, `"sockets"`, `"sockets": "2", "sockets"`, 1), []string{"$.set.sockets: given twice"}},
		{"key in another case", strings.Replace(machine, `"title"`, `"Title"`, 1), []string{"$.Title: no such field", "$.title: is missing"}},
		{"unknown field", strings.Replace(machine, `"title"`, `"cpus": 4, "title"`, 1), []string{"$.cpus: no such field; allowed are $schema, title, summary, sources, set"}},
		{"deep", deep, []string{"nested deeper than 8"}},
		{"many items", many, []string{"$.sources: more than 1024 items"}},
		{"long text", strings.Replace(machine, `"t"`, `"`+strings.Repeat("t", MaxText+1)+`"`, 1), []string{"$.title: 4001 bytes of text: at most 4000"}},
		{"long file", strings.Repeat(" ", MaxBytes) + machine, []string{"bytes: at most"}},
		{"a terminal's command", strings.Replace(machine, `"t"`, `"t\u001b[2J"`, 1), []string{`$.title: the character '\x1b' is not allowed`}},
		{"text backwards", strings.Replace(machine, `"s"`, `"\u202e"`, 1), []string{`$.summary: the character '\u202e' is not allowed`}},
		{"a terminal's command as key", strings.Replace(machine, `"sockets"`, `"\u009b2J"`, 1), []string{`$.set["\u009b2J"]: a key with a character`}},
		{"NaN", strings.Replace(machine, `"1"`, `NaN`, 1), []string{"not JSON"}},
		{"NaN as text", strings.Replace(machine, `"1"`, `"NaN"`, 1), []string{`$.set: sockets: "NaN" is not a whole number; allowed are 1 to 16 sockets`}},
		{"number for text", strings.Replace(machine, `"1"`, `1`, 1), []string{"$.set.sockets: want a text in quotes, have the number 1"}},
		{"a thousand million CPUs", strings.Replace(machine, `"1"`, `"1000000000"`, 1), []string{"$.set: sockets: 1000000000: allowed are 1 to 16"}},
		{"too many CPUs together", strings.Replace(machine, `"1"}`, `"16", "cores_per_llc": "1024"}`, 1), []string{"above the limit of 1024 CPUs"}},
		{"unknown parameter", strings.Replace(machine, `"sockets"`, `"socket"`, 1), []string{"$.set: socket: no such parameter; did you mean"}},
		{"empty list", strings.Replace(machine, `["x"]`, `[]`, 1), []string{"$.sources: is empty"}},
		{"another kind", strings.Replace(machine, "machines.json", "kernels.json", 1), []string{`$.$schema: want "../schema/machines.json"`}},
		{"a list", `[]`, []string{"$: want an object, have a list"}},
		{"null", `null`, []string{"$: want an object, have null"}},
		{"all problems at once", strings.NewReplacer(`"t"`, `3`, `"1"`, `null`, `["x"]`, `{}`).Replace(machine),
			[]string{"$.title: want a text", "$.set.sockets: want a text", "$.sources: want a list"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, Shipped().Clone().Add(Machines, "own", []byte(tt.text)), tt.want)
		})
	}
	if err := Shipped().Clone().Add(Machines, "own", []byte(machine)); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

func TestHostileKernel(t *testing.T) {
	text := `{"$schema": "../schema/kernels.json", "title": "t", "summary": "s", "sources": ["x"],
		"set": {"sockets": "1", "hackbench.groups": "2", "duration": "1s", "idle_delay": "1ms"}}`
	err := Shipped().Clone().Add(Kernels, "own", []byte(text))
	checkError(t, err, []string{"$.set.sockets: a machine parameter", `$.set["hackbench.groups"]: a workload parameter`, "$.set.duration: a run parameter"})
	if strings.Contains(err.Error(), "idle_delay") {
		t.Error(err)
	}
}

func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q\nlacks %q", err, w)
		}
	}
}

func TestHostileStudy(t *testing.T) {
	good, err := os.ReadFile("studies/hackbench-epyc9654.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, old, new string
		want           []string
	}{
		{"no such machine", `"epyc-9654-2s"`, `"epyc"`, []string{`$.machine: no preset "epyc"; there are epyc-7763-2s`}},
		{"no such kernel", `"raw-spinlock"`, `"raw"`, []string{`$.kernels[2].kernel: no preset "raw"`}},
		{"a kernel twice", `"raw-spinlock"`, `"idle-1ms"`, []string{`$.kernels[2].kernel: "idle-1ms" is listed twice`}},
		{"unknown metric", `"time"`, `"joules"`, []string{`$.metric: "joules": allowed are time, usecs_per_op`}},
		{"negative figure", `34`, `-34`, []string{"$.kernels[1].published.value: -34: must be above 0"}},
		{"huge figure", `34`, `1e999`, []string{"$.kernels[1].published.value: 1e999 is beyond the range"}},
		{"what does not fit together", `"settles_after"`, `"hackbench.fds": "200", "hackbench.groups": "400", "settles_after"`,
			[]string{"$.kernels[0]: ", "makes 160000 tasks: at most 20000"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(string(good), tt.old, tt.new, 1)
			if text == string(good) {
				t.Fatalf("%q is not in the study", tt.old)
			}
			checkError(t, Shipped().Clone().Add(Studies, "own", []byte(text)), tt.want)
		})
	}
	none := `{"$schema": "../schema/studies.json", "title": "t", "summary": "s", "sources": ["x"], "machine": "laptop-8",
		"workload": "hackbench-32", "metric": "time", "kernels": [], "look_at": ["x"]}`
	checkError(t, Shipped().Clone().Add(Studies, "own", []byte(none)), []string{"$.kernels: is empty"})
}

func TestWorkloadCommand(t *testing.T) {
	text := func(command string) []byte {
		return []byte(`{"$schema": "../schema/workloads.json", "title": "t", "summary": "s", "sources": ["x"], "command": "` + command + `"}`)
	}
	lib := Shipped().Clone()
	checkError(t, lib.Add(Workloads, "own", text("hackbench -g 2")), []string{"$.command: hackbench: without --pipe"})
	checkError(t, lib.Add(Workloads, "own", text("hackbench -p -l -3")), []string{"$: hackbench.loops: -3: allowed are"})
	checkError(t, lib.Add(Workloads, "own", text("")), []string{"$: want command, set or both"})
	if err := lib.Add(Workloads, "Own/../x", text("hackbench -p")); err == nil {
		t.Error("accepted a name with slashes")
	}
}
