package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"wakelab/presets"
)

// wakelab runs one command line.
func wakelab(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return wakelabCtx(context.Background(), args...)
}

func wakelabCtx(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(ctx, args, &out, &err)
	return code, out.String(), err.String()
}

// smallStudy writes a study on the laptop, which takes milliseconds.
func smallStudy(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.json")
	text := `{"$schema": "../schema/studies.json", "title": "Small", "summary": "A test.", "sources": ["none"],
		"machine": "laptop-8", "workload": "hackbench-small", "metric": "time", "set": {"duration": "20ms"},
		"kernels": [{"kernel": "v6.5", "published": {"value": 2, "source": "invented", "calibrated": true},
		"side": {"cpus_used": {"value": 5.5, "source": "invented"}}}, {"kernel": "idle-1ms"}],
		"look_at": ["nothing"]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestStudyJSON(t *testing.T) {
	code, out, stderr := wakelab(t, "study", smallStudy(t), "--seeds", "2", "--seed", "5", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got struct {
		Study        string
		ModelVersion int `json:"model_version"`
		Seeds        []int64
		Rows         []struct {
			Kernel, Metric, Unit string
			Value, Lo, Hi        float64
			PerSeed              []float64 `json:"per_seed"`
			Published            *float64
			Calibrated           *bool
		}
		Counters   map[string]map[string]float64
		SimulatedS float64 `json:"simulated_s"`
		Events     int64
		WallS      float64 `json:"wall_s"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if got.Study != "small" || got.ModelVersion < 1 || len(got.Seeds) != 2 || got.Seeds[0] != 5 || got.Events == 0 || got.SimulatedS <= 0 || got.WallS <= 0 {
		t.Errorf("head: %+v", got)
	}
	if len(got.Rows) != 2 || got.Rows[0].Kernel != "v6.5" || got.Rows[1].Kernel != "idle-1ms" {
		t.Fatalf("rows: %+v", got.Rows)
	}
	base := got.Rows[0]
	if base.Metric != "time" || base.Unit != "s" || len(base.PerSeed) != 2 || base.Lo > base.Value || base.Hi < base.Value ||
		*base.Published != 2 || !*base.Calibrated {
		t.Errorf("baseline: %+v", base)
	}
	if got.Rows[1].Published != nil || *got.Rows[1].Calibrated {
		t.Errorf("second row: %+v", got.Rows[1])
	}
	for _, key := range []string{"cpus_used", "switches_per_s", "migrations_per_s", "idle_entries_per_s", "wakeups_reader_per_s",
		"wakeups_writer_per_s", "lag_reader_ms", "lag_writer_ms", "messages_per_s", "messages_per_switch", "ipis_per_s", "polled_wakes_per_s"} {
		for _, row := range got.Rows {
			if _, ok := got.Counters[row.Kernel][key]; !ok {
				t.Errorf("counters of %s lack %s", row.Kernel, key)
			}
		}
	}
}

// TestStudyText: published figures stand beside modelled ones.
func TestStudyText(t *testing.T) {
	_, out, _ := wakelab(t, "study", smallStudy(t), "--seeds", "2")
	for _, want := range []string{`Run time \(s\) published +2\.00 +\(   0\.00%\) +none`, `Run time \(s\) modelled +0\.00`, `this row is a +calibration +prediction`,
		`CPUs used .*\n  published +5\.50 +none`, `Published v6\.5 2\.00: invented`, `Look at: nothing`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match for %s in\n%s", want, out)
		}
	}
}

// TestOtherConfiguration: a published figure does not stand beside runs of
// another machine or workload; run parameters do not matter.
func TestOtherConfiguration(t *testing.T) {
	file := smallStudy(t)
	out := run(t, "study", file, "--set", "hackbench.loops=20")
	if !strings.Contains(out, "Other configuration (hackbench.loops)") || strings.Contains(out, "invented") || strings.Contains(out, "calibration") {
		t.Error(out)
	}
	if out := run(t, "study", file, "--set", "duration=15ms", "--set", "hackbench.loops=100"); !strings.Contains(out, "Published v6.5 2.00: invented") {
		t.Error(out)
	}
}

func TestStudyUntil(t *testing.T) {
	seeds := func(args ...string) int {
		var r struct{ Seeds []int }
		if err := json.Unmarshal([]byte(run(t, append(args, "--json")...)), &r); err != nil {
			t.Fatal(err)
		}
		return len(r.Seeds)
	}
	file := smallStudy(t)
	if n := seeds("study", file, "--until", "100%"); n != seedsAtATime {
		t.Errorf("an easy precision took %d seeds", n)
	}
	if n := seeds("study", file, "--until", "0.1%"); n != maxSeedsUntil {
		t.Errorf("an unreachable precision stopped after %d seeds", n)
	}
}

func TestDiff(t *testing.T) {
	file := smallStudy(t)
	out := run(t, "diff", file, "--top", "3")
	for _, want := range []string{`First difference, from the benchmark's start:\n  v6\.5 +\S.*\n  idle-1ms +\S`,
		`CPUs used +[0-9.]+ +[0-9.]+ +[+-]`, `largest change first:\n(  [a-z_.]+ +[0-9.]+ % -> +[0-9.]+ %\n){3}$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match for %s in\n%s", want, out)
		}
	}
	same := run(t, "diff", file, "--set", "idle_delay=0")
	if !strings.Contains(same, "The runs are the same up to") {
		t.Error(same)
	}
}

func TestUnknownSideFigure(t *testing.T) {
	file := smallStudy(t)
	if err := os.WriteFile(file, []byte(strings.Replace(read(t, file), "cpus_used", "watts", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := wakelab(t, "study", file)
	if code != exitBadInput || !strings.Contains(stderr, "side figure watts of kernel v6.5: no such counter; there are") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestStudyIsTheSameWithAnyJobs(t *testing.T) {
	file := smallStudy(t)
	_, one, _ := wakelab(t, "study", file, "--seeds", "3", "--jobs", "1")
	_, four, _ := wakelab(t, "study", file, "--seeds", "3", "--jobs", "4")
	if one == "" || one != four {
		t.Errorf("one job:\n%s\nfour jobs:\n%s", one, four)
	}
}

func TestHackbenchOutput(t *testing.T) {
	code, out, stderr := wakelab(t, "run", "--machine", "laptop-8", "--", "hackbench", "-g2", "-f", "5", "--threads", "--pipe", "-l", "20")
	lines := strings.Split(out, "\n")
	if code != 0 || len(lines) != 4 ||
		lines[0] != "Running in threaded mode with 2 groups using 10 file descriptors each (== 20 tasks)" ||
		lines[1] != "Each sender will pass 20 messages of 100 bytes" || !strings.HasPrefix(lines[2], "Time: 0.") {
		t.Errorf("code %d, output:\n%s%s", code, out, stderr)
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"$schema": "../schema/machines.json", "titel": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const study = "hackbench-epyc9654"
	tests := []struct {
		args string
		want string // part of the message
	}{
		{"nonsense", `unknown command "nonsense"`},
		{"study", "accepts 1 arg(s), received 0"},
		{"study nix", `no preset "nix"; there are hackbench-epyc9654`},
		{"study " + study + " --nonsense", "unknown flag: --nonsense"},
		{"study " + study + " --seeds 0", "--seeds 0: allowed are 1 to 1000"},
		{"study " + study + " --seeds 1000000", "--seeds 1000000: allowed are 1 to 1000"},
		{"study " + study + " --seeds 99999999999999999999", `--seeds "99999999999999999999": want a whole number: number of seeds, 1 to 1000`},
		{"study " + study + " --json=maybe", `--json "maybe": want true or false: print JSON`},
		{"study " + study + " --until 0", `--until "0": allowed are 0.1% to 100%`},
		{"study " + study + " --until NaN", `--until "NaN": allowed are`},
		{"study " + study + " --seed -1", "seed: -1: allowed are 0 to"},
		{"study " + study + " --jobs 0", "--jobs 0: allowed are 1 to"},
		{"study " + study + " --kernel=", "--kernel: 0 kernels: allowed are 1 to 16"},
		{"study " + study + " --kernel v6.5,v6.5", "--kernel v6.5: given twice"},
		{"study " + study + " --kernel v7", `no preset "v7"; there are`},
		{"study " + study + " --set cores_per_llc", `--set "cores_per_llc": want KEY=VALUE`},
		{"study " + study + " --set cores_per_llc=1000000000", "cores_per_llc: 1000000000: allowed are 1 to 1024 cores"},
		{"study " + study + " --set cores_per_llc=1024", "above the limit of 1024 CPUs"},
		{"study " + study + " --set line_llc=NaN --set nonsense=1", "nonsense: no such parameter"},
		{"study " + study + " --set line_llc=20ns --set line_llc=30ns", "--set line_llc: given twice"},
		{"study " + study + " --set seed=3", "--set seed: the seeds of a comparison come from --seed"},
		{"run --set hackbench.loops=-5", "hackbench.loops: -5: allowed are 1 to"},
		{"run --set warmup=1s", "warmup: 1s: must be below duration, 400ms"},
		{"run --machine " + bad, "$.titel: no such field; allowed are $schema, title, summary, sources, set"},
		{"run --machine " + dir + "/none.json", "no such file"},
		{"run --kernel " + bad, `$.$schema: want "../schema/kernels.json"`},
		{"run -- hackbench --pipe -g 10000000000", "hackbench.groups: 10000000000: allowed are 1 to 400 groups"},
		{"run -- hackbench --pipe -g 99999999999999999999", "is not a whole number"},
		{"run -- rm -rf", "not a known program"},
		{"run --set workload=tbench -- hackbench --pipe", `--set workload=tbench and the command line "hackbench --pipe": give one of them`},
		{"run " + study + " --study " + study, "--study " + study + `: "` + study + `" is one too`},
		{"run --machine laptop-8 -- insmod ipistorm.ko single cpulist=,", `ipistorm.cpulist: "," names no CPU`},
		{"run --machine laptop-8 --workload tbench --set duration=2ms --set warmup=1950us", "the rate is not known well enough"},
		{"trace --events=", `--events: "" names none: allowed are all, systems such as sched`},
		{"trace --events ,", `--events: "," names none`},
		{"poster " + study + " --kernel v6.5,idle-1ms,raw-spinlock", "--kernel: 3 kernels: a poster shows one or two"},
		{"poster ilb-xeon --at 0 -o " + dir + "/no/such.svg", "no such file or directory"},
		{"sweep " + study + " --study x", `sweep "` + study + `": a study is named by --study`},
		{"list kernels nosuch", "list kernels \"nosuch\": none; `wakelab list kernels` shows all"},
		{"list params nosuch", `list params "nosuch": none`},
		{"run --workload hackbench-4 -- hackbench --pipe", `--workload hackbench-4 and the command line "hackbench --pipe": give one of them`},
		{"diff " + study + " --kernel v6.5", "--kernel: 1 kernels: a difference is of 2"},
		{"diff " + study + " --top 0", "--top 0: allowed are 1 to"},
		{"profile --top 0", "--top 0: allowed are 1 to"},
		{"profile --machine laptop-8 --workload hackbench-small --from 399s", "nothing of it comes after its first 399s"},
		{"list everything", `list "everything": allowed are machines`},
		{"show nix", `"nix": no preset or parameter of that name`},
		{"show --schema v6.5", "--schema v6.5: allowed are [machines kernels workloads studies]"},
		{"show " + bad, "$.titel: no such field"},
	}
	for _, tt := range tests {
		code, out, stderr := wakelab(t, strings.Fields(tt.args)...)
		if code != exitBadInput || !strings.Contains(stderr, tt.want) || out != "" {
			t.Errorf("wakelab %s: exit code %d, want %d\nstdout %q\nstderr %q\nwant %q", tt.args, code, exitBadInput, out, stderr, tt.want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, out, stderr := wakelabCtx(ctx, "study", smallStudy(t))
	if code != exitInterrupted || out != "" || !strings.Contains(stderr, "interrupted before the baseline had a result") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

func TestInterruptedDiff(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, out, stderr := wakelabCtx(ctx, "diff", smallStudy(t))
	if code != exitInterrupted || out != "" || !strings.Contains(stderr, "interrupted before both runs had ended") {
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
}

// fullDisk fails on every write.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestWriteErrors(t *testing.T) {
	small := "--machine laptop-8 --workload hackbench-small"
	for _, args := range []string{"list", "list params", "show v6.5", "run " + small, "profile " + small} {
		var stderr bytes.Buffer
		if code := execute(context.Background(), strings.Fields(args), fullDisk{}, &stderr); code != exitBadInput || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d: %s", args, code, stderr.String())
		}
	}
}

// TestDriftIsSaid: a hackbench that drifts longer than the run is no result.
func TestDriftIsSaid(t *testing.T) {
	args := []string{"run", "--machine", "laptop-8", "--set", "duration=20ms"}
	command := []string{"--", "hackbench", "-g", "2", "-f", "5", "--threads", "--pipe", "-l", "480000"}
	_, _, stderr := wakelab(t, append(args, command...)...)
	if !strings.Contains(stderr, "NOT SETTLED: until 800ms") {
		t.Error(stderr)
	}
}

// TestCommandInAStudy: a literal command stands for the study's workload and
// what the study sets of it; what it does not say is the program's default.
func TestCommandInAStudy(t *testing.T) {
	for _, tt := range []struct {
		study   string
		command string
		want    map[string]string
	}{
		{"perfpipe-xeon", "perf bench sched pipe", map[string]string{"schedpipe.loops": "1000000", "work_scale": "2160"}},
		{"perfpipe-xeon", "", map[string]string{"schedpipe.loops": "500000"}},
		{"idle-extension-costs", "schbench -m 2", map[string]string{"schbench.messages": "2", "schbench.workers": "0", "duration": "500ms"}},
	} {
		c := choice{study: tt.study}
		cfg, err := c.config(strings.Fields(tt.command))
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range tt.want {
			if got := cfg.Get(key); got != want {
				t.Errorf("%s, %q: %s=%s, want %s", tt.study, tt.command, key, got, want)
			}
		}
	}
}

// TestRunOfAStudy measures what the study does.
func TestRunOfAStudy(t *testing.T) {
	file := smallStudy(t)
	if err := os.WriteFile(file, []byte(strings.Replace(read(t, file), `"metric": "time"`, `"metric": "ops_per_s"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--study", file}, {"run", file}} {
		if out := run(t, args...); !strings.Contains(out, "Operations per second (1/s)") {
			t.Error(out)
		}
	}
	if out := run(t, "profile", file, "--top", "1"); !strings.Contains(out, "kernel function") {
		t.Error(out)
	}
}

func TestListAndShow(t *testing.T) {
	tests := []struct{ args, want string }{
		{"list machines", "machines/epyc-9654-2s     2 x AMD EPYC 9654 (384 CPUs)"},
		{"list params idle_delay", "idle_delay       0          0 to 10ms"},
		{"show epyc-7763-2s", "line_remote = 303.6ns"},
		{"show kernels/idle-1ms", "idle_delay = 1ms"},
		{"show hackbench-32", "Command: hackbench -g 32"},
		{"show hackbench-epyc9654", "Kernel: v6.5, published 49 (lore.kernel.org"},
		{"show c2_exit", "derived: cpuidle measurement"},
		{"show v6.5 --json", `"title": "Linux v6.5"`},
		{"profile --machine laptop-8 --workload hackbench-small --top 3", "kernel function"},
		{"show machines --schema", `"const": "../schema/machines.json"`},
		{"completion bash", "bash completion"},
	}
	for _, tt := range tests {
		code, out, stderr := wakelab(t, strings.Fields(tt.args)...)
		if code != 0 || !strings.Contains(out, tt.want) {
			t.Errorf("wakelab %s: exit code %d\n%s%s\nlacks %q", tt.args, code, out, stderr, tt.want)
		}
	}
}

// TestStudyMachine runs a study on a machine of the reader's own: its published
// figures are of another one.
func TestStudyMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "MINE.json")
	if err := os.WriteFile(file, presets.Shipped().Text(presets.Machines, "laptop-8"), 0o600); err != nil {
		t.Fatal(err)
	}
	study := smallStudy(t)
	out := run(t, "study", study, "--machine", file)
	if !strings.Contains(out, "Other configuration (machine mine): published figures are left out.") {
		t.Error(out)
	}
	code, _, stderr := wakelab(t, "study", study, "--machine", "none-such")
	if code != exitBadInput || !strings.Contains(stderr, `machine: no preset "none-such"; there are epyc-7763-2s`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestC2Hint: with C2 on, the mails' command line measures interrupts.
func TestC2Hint(t *testing.T) {
	for c2, want := range map[string]bool{"ioport": true, "off": false} {
		code, out, stderr := wakelab(t, "run", "--machine", "epyc-7763-2s", "--set", "c2="+c2, "--", "insmod", "ipistorm.ko", "numipi=100", "single=1", "offset=8", "cpulist=8", "wait=1")
		if code != 0 || !strings.HasPrefix(out, "ipistorm: 8 -> 16\n") || strings.Contains(stderr, "--set c2=off") != want {
			t.Errorf("c2=%s: exit code %d\n%s%swant the hint: %v", c2, code, out, stderr, want)
		}
	}
}
