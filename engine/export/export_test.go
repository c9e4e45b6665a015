package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wakelab/engine/export"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/trace"
	"wakelab/engine/view"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Indices into names.
const (
	ksoftirqd = iota
	writer
	reader
)

const (
	nohzCSDFunc = iota
	genericExecSingle
	ttwuQueueWakelist
	callFunctionInterrupt
	schedule
	doIdle
	finishTaskSwitch
)

var names = trace.Names{
	Tasks: []trace.Task{{Comm: "ksoftirqd/0", PID: 16, Prio: 120}, {Comm: "hackbench", PID: 4242, Prio: 120}, {Comm: "hackbench", PID: 4243, Prio: 120}},
	Functions: []string{"nohz_csd_func", "generic_exec_single", "__ttwu_queue_wakelist",
		"generic_smp_call_function_single_interrupt", "__schedule", "do_idle", "finish_task_switch"},
	Messages: []string{"Raise SCHED_SOFTIRQ for idle balance"},
}

const (
	idle = trace.IdleTask
	us   = int64(simtime.Microsecond)
)

// newTrace records the given hits on a machine of two L3s with two CPUs each.
func newTrace(t *testing.T, recs ...trace.Record) *export.Trace {
	t.Helper()
	machine, err := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 2, CoresPerLLC: 2, ThreadsPerCore: 1, NodesPerSocket: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	ring := &trace.Ring{}
	ring.Start(trace.All, 1024)
	for _, r := range recs {
		if r.Kind == trace.IPISendCPUMask {
			ring.EmitMask(r, []uint64{0xe})
			continue
		}
		ring.Emit(r)
	}
	return &export.Trace{Ring: ring, Names: names, Topo: machine}
}

// kick is the published trace of a nohz idle balance kick that wakes
// ksoftirqd for nothing.
func kick(t *testing.T) *export.Trace {
	const start = 106134226 * us
	return newTrace(t,
		trace.Record{AtPs: start, Kind: trace.Print, Task: idle, PreemptDepth: 1, Args: [4]int64{nohzCSDFunc, 0},
			Flags: trace.IRQsOff | trace.NeedResched | trace.PreemptNeedResched},
		trace.Record{AtPs: start + us, Kind: trace.SchedWakeup, Task: idle, PreemptDepth: 4, Args: [4]int64{ksoftirqd, 0},
			Flags: trace.IRQsOff | trace.NeedResched | trace.PreemptNeedResched},
		trace.Record{AtPs: start + 2*us, Kind: trace.SoftirqEntry, Task: idle, PreemptDepth: 1, Args: [4]int64{7},
			Flags: trace.SoftIRQ | trace.NeedResched | trace.PreemptNeedResched},
		trace.Record{AtPs: start + 3*us, Kind: trace.SoftirqExit, Task: idle, PreemptDepth: 1, Args: [4]int64{7},
			Flags: trace.SoftIRQ | trace.NeedResched | trace.PreemptNeedResched},
		trace.Record{AtPs: start + 5*us, Kind: trace.SchedSwitch, Task: idle, PreemptDepth: 2, Args: [4]int64{trace.TaskRunning, ksoftirqd},
			Flags: trace.IRQsOff},
		trace.Record{AtPs: start + 8*us + 499_000, Kind: trace.SchedSwitch, Task: ksoftirqd, PreemptDepth: 2, Args: [4]int64{trace.TaskInterruptible, idle},
			Flags: trace.IRQsOff},
	)
}

// in is the begin or end of a span in which CPU 2 is in these functions.
func in(kind trace.Kind, atPs int64, task int32, functions ...int64) trace.Record {
	words := trace.PackStack(functions)
	return trace.Record{AtPs: atPs, CPU: 2, Task: task, Kind: kind, Args: [4]int64{words[0], words[1]}}
}

// wakeups holds every tracepoint once: a pipe wakeup across L3s by wake list.
func wakeups(t *testing.T) *export.Trace {
	return newTrace(t,
		trace.Record{AtPs: 1 * us, CPU: 2, Task: idle, Kind: trace.CPUIdle, Args: [4]int64{1, 2}},
		trace.Record{AtPs: 2 * us, CPU: 0, Task: writer, Kind: trace.SchedWaking, Args: [4]int64{reader, 1}, PreemptDepth: 1, Flags: trace.IRQsOff},
		trace.Record{AtPs: 3 * us, CPU: 0, Task: writer, Kind: trace.SchedMigrateTask, Args: [4]int64{reader, 1, 2}},
		trace.Record{AtPs: 4 * us, CPU: 0, Task: writer, Kind: trace.CSDQueueCPU, Args: [4]int64{2, ttwuQueueWakelist, trace.NoFunc, 0x40}},
		trace.Record{AtPs: 5 * us, CPU: 0, Task: writer, Kind: trace.SchedWakeIdleWithoutIPI, Args: [4]int64{2}},
		trace.Record{AtPs: 5*us + 1, CPU: 0, Task: writer, Kind: trace.IPISendCPU, Args: [4]int64{3, genericExecSingle, callFunctionInterrupt}},
		trace.Record{AtPs: 5*us + 2, CPU: 0, Task: writer, Kind: trace.IPISendCPU, Args: [4]int64{1, genericExecSingle, trace.NoFunc}},
		trace.Record{AtPs: 5*us + 3, CPU: 0, Task: writer, Kind: trace.IPISendCPUMask, Args: [4]int64{0, genericExecSingle, callFunctionInterrupt}},
		trace.Record{AtPs: 6 * us, CPU: 2, Task: idle, Kind: trace.CPUIdle, Args: [4]int64{trace.IdleExit, 2}},
		trace.Record{AtPs: 6*us + 250_000, CPU: 3, Task: idle, Kind: trace.CallFunctionSingleEntry, Args: [4]int64{trace.CallFunctionSingleVector}, Flags: trace.IRQsOff | trace.HardIRQ},
		trace.Record{AtPs: 6*us + 300_000, CPU: 3, Task: idle, Kind: trace.CSDFunctionEntry, Args: [4]int64{nohzCSDFunc, 0x80}, Flags: trace.IRQsOff | trace.HardIRQ},
		trace.Record{AtPs: 6*us + 350_000, CPU: 3, Task: idle, Kind: trace.SoftirqRaise, Args: [4]int64{7}, Flags: trace.IRQsOff | trace.HardIRQ},
		trace.Record{AtPs: 6*us + 400_000, CPU: 3, Task: idle, Kind: trace.CSDFunctionExit, Args: [4]int64{nohzCSDFunc, 0x80}, Flags: trace.IRQsOff | trace.HardIRQ},
		trace.Record{AtPs: 6*us + 450_000, CPU: 3, Task: idle, Kind: trace.CallFunctionSingleExit, Args: [4]int64{trace.CallFunctionSingleVector}, Flags: trace.IRQsOff | trace.HardIRQ},
		trace.Record{AtPs: 6*us + 500_000, CPU: 1, Task: reader, Kind: trace.RescheduleEntry, Args: [4]int64{trace.RescheduleVector}},
		trace.Record{AtPs: 6*us + 600_000, CPU: 1, Task: reader, Kind: trace.RescheduleExit, Args: [4]int64{trace.RescheduleVector}},
		trace.Record{AtPs: 6*us + 700_000, CPU: 1, Task: reader, Kind: trace.CallFunctionEntry, Args: [4]int64{trace.CallFunctionVector}},
		trace.Record{AtPs: 6*us + 800_000, CPU: 1, Task: reader, Kind: trace.CallFunctionExit, Args: [4]int64{trace.CallFunctionVector}},
		trace.Record{AtPs: 7 * us, CPU: 2, Task: idle, Kind: trace.SchedWakeup, Args: [4]int64{reader, 2}},
		in(trace.FuncgraphEntry, 7*us+500_000, idle, doIdle, schedule),
		in(trace.FuncgraphExit, 8*us+123_456, idle, doIdle, schedule),
		trace.Record{AtPs: 8*us + 123_456, CPU: 2, Task: idle, Kind: trace.SchedSwitch, Args: [4]int64{trace.TaskRunning, reader}},
		in(trace.FuncgraphEntry, 8*us+123_456, reader, schedule, finishTaskSwitch),
		in(trace.FuncgraphExit, 9*us, reader, schedule, finishTaskSwitch),
		in(trace.FuncgraphEntry, 9*us, reader, schedule),
		in(trace.FuncgraphExit, 9*us+250_000, reader, schedule),
		in(trace.FuncgraphEntry, 9*us+250_000, reader), // user code
		in(trace.FuncgraphExit, 9*us+500_000, reader),
		trace.Record{AtPs: 9*us + 500_000, CPU: 2, Task: reader, Kind: trace.SchedWakeupNew, Args: [4]int64{writer, 0}},
		trace.Record{AtPs: 300000 * us, CPU: 0, Task: writer, Kind: trace.SchedSwitch, Args: [4]int64{trace.TaskPreempted, reader}},
	)
}

// golden compares got with a file under testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(gotLines) {
			g = gotLines[i]
		}
		if i < len(wantLines) {
			w = wantLines[i]
		}
		if g != w {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, g, w)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		file   string
		tr     *export.Trace
		digits int
	}{
		{"kick.txt", kick(t), export.Microseconds},
		{"wakeups.txt", wakeups(t), export.Nanoseconds},
	} {
		var b bytes.Buffer
		if err := c.tr.Text(&b, c.digits); err != nil {
			t.Fatal(err)
		}
		golden(t, c.file, b.Bytes())
	}
}

// report runs trace-cmd report on tr.
func report(t *testing.T, tr *export.Trace, flags ...string) []string {
	t.Helper()
	traceCmd, err := exec.LookPath("trace-cmd")
	if err != nil && os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("trace-cmd is not installed (Debian package trace-cmd)")
	}
	file := filepath.Join(t.TempDir(), "trace.dat")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Dat(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.Command(traceCmd, append([]string{"report", "-t", "-i", file}, flags...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("trace-cmd report: %v\n%s\n%s", err, &stderr, out)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "cpus=") || strings.Contains(l, " is empty") })
}

func TestDat(t *testing.T) {
	golden(t, "wakeups.report", []byte(strings.Join(report(t, wakeups(t)), "\n")+"\n"))
}

// TestDatFlags holds the CPU's flags in trace.dat against those in text.
func TestDatFlags(t *testing.T) {
	lines := report(t, kick(t), "-l")
	if len(lines) != 6 {
		t.Fatalf("%d lines, want 6:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, want := range []string{"0dN.1", "0dN.4", "0.Ns1", "0.Ns1", "0d..2", "0d..2"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %s, want flags %s", i, lines[i], want)
		}
	}
	if want := "bprint:               nohz_csd_func: Raise SCHED_SOFTIRQ for idle balance"; !strings.HasSuffix(lines[0], want) {
		t.Errorf("line 0: %s, want %s at its end", lines[0], want)
	}
}

// TestDatPages fills many pages of a large machine, with records of all sizes
// and pauses longer than a record's time field holds.
func TestDatPages(t *testing.T) {
	machine, err := topo.Shape{Sockets: 2, DiesPerSocket: 4, LLCsPerDie: 8, CoresPerLLC: 8, ThreadsPerCore: 2, NodesPerSocket: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	ring := &trace.Ring{}
	ring.Start(trace.All, 1<<14)
	mask := make([]uint64, 16)
	mask[15] = 1 << 63
	var want []string
	at := int64(0)
	for i := range 2000 {
		at += us
		if i%500 == 499 {
			at += 200 * int64(simtime.Millisecond)
		}
		cpu := int32(i % 3 * 511)
		ring.Emit(trace.Record{AtPs: at, CPU: cpu, Task: writer, Kind: trace.SchedWakeIdleWithoutIPI, Args: [4]int64{int64(i)}})
		want = append(want, fmt.Sprintf("[%03d] %5d.%09d: sched_wake_idle_without_ipi: cpu=%d", cpu, at/1e12, at/1000%1e9, i))
		at += us
		ring.EmitMask(trace.Record{AtPs: at, CPU: cpu, Task: writer, Args: [4]int64{0, genericExecSingle, trace.NoFunc}}, mask)
		want = append(want, fmt.Sprintf("[%03d] %5d.%09d: ipi_send_cpumask: cpumask=1023 callsite=generic_exec_single+0x0 callback=0x0", cpu, at/1e12, at/1000%1e9))
	}
	got := report(t, &export.Trace{Ring: ring, Names: names, Topo: machine})
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if g := strings.Join(strings.Fields(got[i])[1:], " "); g != strings.Join(strings.Fields(want[i]), " ") {
			t.Fatalf("line %d: %s, want %s", i, g, want[i])
		}
	}
}

// chromeFile is what a reader of Chrome JSON sees.
type chromeFile struct {
	TraceEvents []struct {
		Name, Ph, Bp string
		Ts           float64
		Pid, Tid, ID int
		Args         map[string]any
	}
}

func chrome(t *testing.T, tr *export.Trace) chromeFile {
	t.Helper()
	var b bytes.Buffer
	if err := tr.Chrome(&b); err != nil {
		t.Fatal(err)
	}
	var f chromeFile
	if err := json.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatalf("%v in\n%s", err, &b)
	}
	return f
}

func TestChromeTracks(t *testing.T) {
	processes, tracks := map[int]string{}, map[string]string{}
	for _, e := range chrome(t, wakeups(t)).TraceEvents {
		name, _ := e.Args["name"].(string)
		switch e.Name {
		case "process_name":
			processes[e.Pid] = name
		case "thread_name":
			tracks[name] = processes[e.Pid]
		}
	}
	for track, want := range map[string]string{"CPU 0": "LLC 0", "CPU 1": "LLC 0", "CPU 2": "LLC 1", "CPU 3": "LLC 1", "CPU 3 functions": "LLC 1"} {
		if got := tracks[track]; got != want {
			t.Errorf("%s is in %q, want %q", track, got, want)
		}
	}
}

// TestChromeSlices checks that the slices of a track nest, that each arrow
// joins a waker's slice to the slice in which the woken task begins, and that
// times are those of the run in microseconds.
func TestChromeSlices(t *testing.T) {
	f := chrome(t, wakeups(t))
	type span struct{ start, end int64 } // ps
	ps := func(us float64) int64 { return int64(math.Round(us * 1e6)) }
	type begun struct {
		name  string
		start int64
	}
	open := map[int][]begun{} // by track
	slices := map[int][]span{}
	within := func(tid int, at int64) bool {
		for _, s := range slices[tid] {
			if s.start <= at && at <= s.end {
				return true
			}
		}
		return false
	}
	names := map[string]span{}
	last := math.Inf(-1)
	for _, e := range f.TraceEvents {
		switch e.Ph {
		case "B":
			open[e.Tid] = append(open[e.Tid], begun{e.Name, ps(e.Ts)})
		case "E":
			stack := open[e.Tid]
			if len(stack) == 0 || stack[len(stack)-1].name != e.Name {
				t.Fatalf("%s ends on track %d in %v", e.Name, e.Tid, stack)
			}
			s := span{stack[len(stack)-1].start, ps(e.Ts)}
			open[e.Tid] = stack[:len(stack)-1]
			slices[e.Tid] = append(slices[e.Tid], s)
			names[fmt.Sprintf("%d %s", e.Tid, e.Name)] = s
		default:
			continue
		}
		if e.Ts < last {
			t.Errorf("%+v comes after %v us", e, last)
		}
		last = e.Ts
	}
	for track, stack := range open {
		if len(stack) > 0 {
			t.Errorf("track %d: %v do not end", track, stack)
		}
	}
	for name, want := range map[string]span{
		"5 idle state 1":                   {us, 6 * us},
		"5 swapper/2":                      {us, 8_123_456},
		"5 hackbench-4243":                 {8_123_456, 300_000 * us},
		"6 do_idle":                        {7_500_000, 8_123_456},
		"6 __schedule":                     {8_123_456, 9_250_000},
		"6 finish_task_switch":             {8_123_456, 9 * us},
		"7 nohz_csd_func":                  {6_300_000, 6_400_000},
		"7 call function single interrupt": {6_250_000, 6_450_000},
	} {
		if got := names[name]; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	arrows := 0
	for _, e := range f.TraceEvents {
		if e.Ph != "s" && e.Ph != "f" {
			continue
		}
		arrows++
		if !within(e.Tid, ps(e.Ts)) {
			t.Errorf("arrow end %+v is in no slice", e)
		}
		if e.Ph == "s" && (e.Tid != 1 || e.Ts != 2) || e.Ph == "f" && (e.Tid != 5 || e.Ts != 8.123456 || e.Bp != "e") {
			t.Errorf("arrow end %+v: want it from CPU 0 at 2 us to CPU 2 at 8.123456 us", e)
		}
	}
	if arrows != 2 {
		t.Errorf("%d arrow ends, want 2", arrows)
	}
}

// TestCut exports a trace whose beginning was overwritten: exits without
// entries, masks without their record.
func TestCut(t *testing.T) {
	tr := wakeups(t)
	tr.Ring.Start(trace.All, 16)
	for range 8 {
		tr.Ring.EmitMask(trace.Record{AtPs: 1}, make([]uint64, 16))
		tr.Ring.Emit(trace.Record{AtPs: 2, Kind: trace.SoftirqExit, Args: [4]int64{7}})
		tr.Ring.Emit(trace.Record{AtPs: 3, Kind: trace.FuncgraphExit})
	}
	if n := len(chrome(t, tr).TraceEvents); n == 0 {
		t.Error("nothing was exported")
	}
	var b bytes.Buffer
	if err := tr.Text(&b, export.Microseconds); err != nil {
		t.Error(err)
	}
}

func TestCSV(t *testing.T) {
	params := []param.Def{
		{Key: "idle_delay", Kind: param.Duration, Max: int64(simtime.Second)},
		{Key: "cpulist", Kind: param.Text, Max: 100},
	}
	var b bytes.Buffer
	err := export.CSV(&b, params, []export.Run{
		{"laptop", "v6.5", 1, 0xabc, []param.Value{{}, {S: "0-7,64"}}, []view.Counter{{Key: "switches_per_s", Value: 1.5e6}}},
		{"laptop", "idle-1ms", 1, 0xdef, []param.Value{{N: int64(simtime.Millisecond)}, {}}, []view.Counter{{Key: "switches_per_s", Value: 0.1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"machine", "kernel", "model_version", "digest", "idle_delay", "cpulist", "switches_per_s"},
		{"laptop", "v6.5", "1", "0000000000000abc", "0", "0-7,64", "1.5e+06"},
		{"laptop", "idle-1ms", "1", "0000000000000def", "1ms", "", "0.1"},
	}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", rows, want)
	}
}

func ExampleTrace_Text() {
	machine, _ := topo.Shape{Sockets: 1, DiesPerSocket: 1, LLCsPerDie: 1, CoresPerLLC: 2, ThreadsPerCore: 1, NodesPerSocket: 1}.Build()
	ring := &trace.Ring{}
	ring.Start(1<<trace.SchedWaking, 64)
	ring.Emit(trace.Record{AtPs: 1234 * us, CPU: 1, Kind: trace.SchedWaking, Task: writer, PreemptDepth: 2, Flags: trace.IRQsOff, Args: [4]int64{reader, 0}})
	tr := export.Trace{Ring: ring, Names: names, Topo: machine}
	var b bytes.Buffer
	tr.Text(&b, export.Microseconds)
	lines := strings.Split(b.String(), "\n")
	fmt.Println(strings.TrimSpace(lines[len(lines)-2]))
	// Output: hackbench-4242    [001] d..2.     0.001234: sched_waking: comm=hackbench pid=4243 prio=120 target_cpu=000
}
