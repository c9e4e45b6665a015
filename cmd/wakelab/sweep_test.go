package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary stand in for wakelab in shell examples.
func TestMain(m *testing.M) {
	if os.Getenv("WAKELAB_TEST_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// sweepArgs is a small sweep: the baseline once, the other kernel with three
// delays, two seeds each.
func sweepArgs(study string) []string {
	return []string{"sweep", "--study", study, "--set", "idle_delay=0,100us,1ms", "--seeds", "2", "--set", "hackbench.loops=20"}
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	code, out, stderr := wakelab(t, args...)
	if code != 0 {
		t.Fatalf("wakelab %v: exit code %d: %s", args, code, stderr)
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSweep(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(run(t, sweepArgs(smallStudy(t))...)), "\n")
	if len(lines) != 1+2+3*2 {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if !strings.HasPrefix(lines[0], "row,rows,model_version,study,kernel,seed,idle_delay,hackbench.loops,time,time_lo,time_hi,settled,digest") {
		t.Error(lines[0])
	}
	for i, want := range []string{"v6.5,1,0", "v6.5,2,0", "idle-1ms,1,0", "idle-1ms,2,0", "idle-1ms,1,100us", "idle-1ms,2,100us", "idle-1ms,1,1ms", "idle-1ms,2,1ms"} {
		if !strings.Contains(lines[i+1], ","+want+",") || !strings.HasPrefix(lines[i+1], fmt.Sprintf("%d,8,", i+1)) {
			t.Errorf("row %d is %s, want %s", i+1, lines[i+1], want)
		}
	}
}

func TestShardsMerge(t *testing.T) {
	args, dir := sweepArgs(smallStudy(t)), t.TempDir()
	whole := run(t, args...)
	for _, n := range []int{1, 2, 3, 11} {
		var files []string
		for i := n; i >= 1; i-- {
			file := filepath.Join(dir, fmt.Sprintf("%d-%d.csv", n, i))
			run(t, append(args, "--shard", fmt.Sprintf("%d/%d", i, n), "--output", file)...)
			files = append(files, file)
		}
		if merged := run(t, append([]string{"merge"}, files...)...); merged != whole {
			t.Errorf("%d shards:\n%s\nwhole:\n%s", n, merged, whole)
		}
		if n == 3 {
			code, _, stderr := wakelab(t, "merge", files[0], files[2])
			if code != exitBadInput || !strings.Contains(stderr, "rows 2, 5, 8 of 8 are missing") {
				t.Errorf("a shard is missing: exit code %d: %s", code, stderr)
			}
		}
	}
}

func TestSweepResumes(t *testing.T) {
	args, file := sweepArgs(smallStudy(t)), filepath.Join(t.TempDir(), "sweep.csv")
	args = append(args, "--output", file)
	run(t, args...)
	whole := read(t, file)
	lines := strings.SplitAfter(whole, "\n")
	// A row is marked, to see that it is not run again; the last is cut short.
	marked := strings.Replace(lines[2], ",true,", ",marked,", 1)
	if err := os.WriteFile(file, []byte(lines[0]+marked+lines[5]+lines[3][:7]), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, args...)
	if got, want := read(t, file), strings.Replace(whole, lines[2], marked, 1); got != want {
		t.Errorf("resumed:\n%s\nwant:\n%s", got, want)
	}
	code, _, stderr := wakelab(t, append(args, "--set", "line_llc=20ns")...)
	if code != exitBadInput || !strings.Contains(stderr, "it holds other runs") || !strings.Contains(read(t, file), "marked") {
		t.Errorf("another sweep into the file: exit code %d: %s", code, stderr)
	}
}

// TestShardExamples runs the help's examples for batch systems.
func TestShardExamples(t *testing.T) {
	study, dir := smallStudy(t), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "wakelab")); err != nil {
		t.Fatal(err)
	}
	args := strings.Join(sweepArgs(study)[1:], " ")
	for name, variable := range map[string]string{"Slurm": "SLURM_ARRAY_TASK_ID", "Kubernetes": "JOB_COMPLETION_INDEX", "GNU parallel": ""} {
		var example string
		for _, line := range strings.Split(sweepCmd().Example, "\n") {
			if before, after, ok := strings.Cut(line, ": "); ok && strings.Contains(before, name) {
				example = strings.NewReplacer("sweep ...", "sweep "+args, "/8", "/2", " 3 4 5 6 7 8", "").Replace(strings.TrimSpace(after))
			}
		}
		if example == "" {
			t.Fatalf("no example for %s", name)
		}
		if variable == "" {
			if _, err := exec.LookPath("parallel"); err != nil {
				continue // not installed
			}
		}
		for i := range 2 {
			index := i + 1
			if name == "Kubernetes" {
				index = i
			}
			cmd := exec.Command("sh", "-c", example)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "WAKELAB_TEST_RUN=1", "PATH="+dir+":"+os.Getenv("PATH"), fmt.Sprintf("%s=%d", orElse(variable, "UNUSED"), index))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %s: %v\n%s", name, example, err, out)
			}
		}
		parts, _ := filepath.Glob(filepath.Join(dir, "part*.csv"))
		if len(parts) != 2 {
			t.Fatalf("%s: %s made %v", name, example, parts)
		}
		merged := run(t, append([]string{"merge"}, parts...)...)
		if whole := run(t, sweepArgs(study)...); merged != whole {
			t.Errorf("%s: merged\n%s\nwhole\n%s", name, merged, whole)
		}
		for _, p := range parts {
			os.Remove(p)
		}
	}
}

// TestSweepGoesOn: a point without a result keeps none of the others from theirs.
func TestSweepGoesOn(t *testing.T) {
	code, out, stderr := wakelab(t, "sweep", "--study", "ilb-xeon", "--kernel", "sm-idle", "--seeds", "1", "--set", "duration=1ms,600ms")
	if code != exitBadInput || !strings.Contains(stderr, "1ms: after 1ms of simulated time") || strings.Count(out, "\n") != 2 || !strings.Contains(out, ",600ms,0.5") {
		t.Errorf("exit code %d\nstdout %q\nstderr %q", code, out, stderr)
	}
}

func TestSweepBadInput(t *testing.T) {
	study := smallStudy(t)
	text := filepath.Join(t.TempDir(), "text.csv")
	if err := os.WriteFile(text, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := "sweep --study " + study
	tests := []struct{ args, want string }{
		{"sweep", `required flag(s) "study" not set`},
		{sweep, "no --set: a sweep wants KEY=VALUE,VALUE..."},
		{sweep + " --set idle_delay", "want KEY=VALUE,VALUE..."},
		{sweep + " --set idle_delay=1ms,,2ms", `"" is not a duration`},
		{sweep + " --set idle_delay=1ms,11ms", "idle_delay: 11ms: allowed are 0 to 10ms"},
		{sweep + " --set idle_delay=1ms --set idle_delay=2ms", "given twice"},
		{sweep + " --set seed=1,2", "come from --seed and --seeds"},
		{sweep + " --shard 0/4", `--shard "0/4": want I/N`},
		{sweep + " --shard 5/4", `--shard "5/4": want I/N`},
		{sweep + " --shard 1", `--shard "1": want I/N`},
		{sweep + " --format xml", `--format "xml": allowed is csv`},
		{sweep + " --set idle_delay=0 --output " + text, "it holds other runs: its columns are [a b]"},
		{"merge " + text, "not a file of 'wakelab sweep'"},
		{"merge /none.csv", "no such file"},
		{"merge", "requires at least 1 arg(s)"},
	}
	for _, tt := range tests {
		code, out, stderr := wakelab(t, strings.Fields(tt.args)...)
		if code != exitBadInput || !strings.Contains(stderr, tt.want) || out != "" {
			t.Errorf("wakelab %s: exit code %d, want %d\nstdout %q\nstderr %q\nwant %q", tt.args, code, exitBadInput, out, stderr, tt.want)
		}
	}
	if got := read(t, text); got != "a,b\n1,2\n" {
		t.Errorf("a foreign file was changed to %q", got)
	}
}
