package export_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/export"
	"wakelab/engine/simtime"
	"wakelab/engine/trace"
	"wakelab/presets"
)

// runs traces three milliseconds of every workload on a small machine.
func runs(t *testing.T, events trace.Mask, f func(t *testing.T, tr *export.Trace)) {
	for _, workload := range engine.Params()[engine.Find("workload")].Options {
		t.Run(workload, func(t *testing.T) {
			cfg := engine.Default()
			for _, s := range [][2]string{{"workload", workload}, {"dies_per_socket", "1"}, {"llcs_per_die", "2"}, {"cores_per_llc", "2"}} {
				if err := cfg.Set(s[0], s[1]); err != nil {
					t.Fatal(err)
				}
			}
			f(t, traced(t, cfg, events, 3*simtime.Millisecond))
		})
	}
}

// traced runs cfg for a while and returns its records.
func traced(t *testing.T, cfg engine.Config, events trace.Mask, span simtime.Duration) *export.Trace {
	t.Helper()
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.Trace().Start(events, 1<<18)
	e.RunUntil(simtime.Time(0).Add(span), 1_000_000)
	if e.Trace().Written == 0 {
		t.Fatal("the run made no records")
	}
	return &export.Trace{Ring: e.Trace(), Names: e.Names(), Topo: e.Topology()}
}

// withoutFunctions leaves out what trace-cmd prints differently: one line for
// the entry and the exit of a leaf.
const withoutFunctions = trace.All &^ (1<<trace.FuncgraphEntry | 1<<trace.FuncgraphExit)

// TestRunReport has trace-cmd print a run and compares each line's time, CPU
// and event with the records.
func TestRunReport(t *testing.T) {
	runs(t, withoutFunctions, checkReport)
}

// TestStudyReport does so for every kernel of the three stories, on their
// machines.
func TestStudyReport(t *testing.T) {
	lib := presets.Shipped()
	for name, span := range map[string]simtime.Duration{
		"hackbench-epyc9654": 50 * simtime.Microsecond, "ipistorm-epyc-milan": 200 * simtime.Microsecond, "ilb-epyc": 3 * simtime.Millisecond,
	} {
		study, err := lib.Study(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range study.Kernels {
			t.Run(name+" "+k.Kernel, func(t *testing.T) {
				cfg, err := lib.Config(study, k.Kernel, nil)
				if err != nil {
					t.Fatal(err)
				}
				checkReport(t, traced(t, cfg, withoutFunctions, span))
			})
		}
	}
}

func checkReport(t *testing.T, tr *export.Trace) {
	got := report(t, tr)
	var b bytes.Buffer
	if err := tr.Text(&b, export.Nanoseconds); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	lines = lines[len(lines)-len(got):]
	if strings.HasPrefix(lines[0], "#") {
		t.Fatalf("trace-cmd prints %d lines, more than there are records", len(got))
	}
	// Records of several CPUs at one nanosecond have no order in trace.dat.
	count := map[string]int{}
	for i := range got {
		g, l := strings.Fields(got[i]), strings.Fields(lines[i])
		count[fmt.Sprint(g[0], g[1], g[2], g[3])]++
		count[fmt.Sprint(l[0], l[1], l[3], eventName(l[4]))]--
	}
	for line, n := range count {
		if n != 0 {
			t.Fatalf("%d times %s in trace-cmd's report, not in the text", n, line)
		}
	}
}

// eventName is the event of a line of text: a trace_printk shows the
// function that made it.
func eventName(word string) string {
	if word == "nohz_csd_func:" {
		return "bprint:"
	}
	return word
}

// TestRunSwitches follows sched_switch on each CPU: who is switched out was
// switched in before.
func TestRunSwitches(t *testing.T) { runs(t, trace.All, checkSwitches) }

func checkSwitches(t *testing.T, tr *export.Trace) {
	on := map[int32]int32{}
	switches := 0
	tr.Ring.Each(0, func(r *trace.Record, _ []uint64) {
		if was, ok := on[r.CPU]; ok && was != r.Task {
			t.Errorf("%d ps, CPU %d: %s says that task %d runs, but %d was switched in", r.AtPs, r.CPU, r.Kind, r.Task, was)
		}
		if r.Kind == trace.SchedSwitch {
			on[r.CPU] = int32(r.Args[1])
			switches++
		}
	})
	if switches == 0 && tr.Ring.First() == 0 {
		t.Error("the run made no switches")
	}
}

func TestRunChrome(t *testing.T) { runs(t, trace.All, checkChrome) }

func checkChrome(t *testing.T, tr *export.Trace) {
	want := 0 // switches to a task that was woken since it last ran
	woken := map[int64]bool{}
	tr.Ring.Each(0, func(r *trace.Record, _ []uint64) {
		switch r.Kind {
		case trace.SchedWaking:
			woken[r.Args[0]] = true
		case trace.SchedSwitch:
			if woken[r.Args[1]] {
				want++
			}
			delete(woken, r.Args[1])
		}
	})
	got := 0
	for _, e := range chrome(t, tr).TraceEvents {
		if e.Ts < 0 || e.Dur < 0 || e.Ts > 3_000 {
			t.Fatalf("%+v is outside of the run", e)
		}
		if e.Ph == "f" {
			got++
		}
	}
	if got != want {
		t.Errorf("%d arrows, want %d", got, want)
	}
}
