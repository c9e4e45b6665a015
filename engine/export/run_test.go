package export_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
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

// TestRunReport has trace-cmd print a run and compares every line with the
// text: task, CPU, time, event, fields, functions by depth and time.
func TestRunReport(t *testing.T) {
	runs(t, trace.All, checkReport)
}

// TestStudyReport does so for every kernel of the three stories, on their
// machines.
func TestStudyReport(t *testing.T) {
	lib := presets.Shipped()
	for name, span := range map[string]simtime.Duration{
		"hackbench-epyc9654": 50 * simtime.Microsecond, "ipistorm-epyc-milan": 200 * simtime.Microsecond, "ilb-epyc": 3 * simtime.Millisecond, "perfpipe-xeon": 200 * simtime.Microsecond,
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
				checkReport(t, traced(t, cfg, trace.All, span))
			})
		}
	}
}

func checkReport(t *testing.T, tr *export.Trace) {
	var b bytes.Buffer
	if err := tr.Text(&b, export.Nanoseconds); err != nil {
		t.Fatal(err)
	}
	text := byCPU(strings.Split(b.String(), "\n"))
	// Without plugins trace-cmd prints by the file's own formats.
	want := byCPU(report(t, tr, "-N"))
	for cpu := range tr.Topo.N() {
		id := fmt.Sprintf("[%03d]", cpu)
		compare(t, id, text[id], want[id])
	}
}

func compare(t *testing.T, cpu string, text, report []line) {
	t.Helper()
	for i := range max(len(text), len(report)) {
		if i >= len(text) || i >= len(report) {
			t.Fatalf("CPU %s: %d lines of text, %d of trace-cmd's report", cpu, len(text), len(report))
		}
		if text[i] != report[i] {
			t.Fatalf("CPU %s, line %d:\ntext   %q\nreport %q", cpu, i, text[i], report[i])
		}
	}
}

// line is a record as the text or trace-cmd prints it.
type line struct{ task, time, event, fields string }

var lineFormat = regexp.MustCompile(`^ *(\S+) +(\[\d+\]) (?:[.\w]{5} )? *(\d+\.\d+): (\w+): *(.*)$`)

// Where the two print an argument differently.
var printedAlike = strings.NewReplacer("+0x0/0x1000", "+0x0", "csd=0x", "csd=", " [ipistorm]", "")

var (
	csdZeros    = regexp.MustCompile(`csd=0+([0-9a-f])`)
	cpuMask     = regexp.MustCompile(`cpumask=\S+`) // words here, a list there
	graphLine   = regexp.MustCompile(`^(?:[+!#*@$] )?(?:(\d+)\.(\d+) us )? *\|  ( *)(\S+?)(\(\) \{|\(\);|)$`)
	reportEntry = regexp.MustCompile(`^--> (\S+) \((\d+)\)$`)
	reportExit  = regexp.MustCompile(`^<-- \S+ \((\d+)\) \(start: (\d+)  end: (\d+)\)$`)
)

// byCPU parses the lines that are records. Functions are "DEPTH NAME" and, at
// their exit, "DEPTH TIME", in ns; a leaf's line becomes both.
func byCPU(lines []string) map[string][]line {
	cpus := map[string][]line{}
	for _, text := range lines {
		m := lineFormat.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		cpu, l := m[2], line{m[1], m[3], m[4], m[5]}
		if l.event == "nohz_csd_func" { // a trace_printk shows the function that made it
			l.event, l.fields = "bprint", l.event+": "+l.fields
		}
		number := func(s string) int64 {
			n, _ := strconv.ParseInt(strings.Replace(s, ".", "", 1), 10, 64)
			return n
		}
		l.fields = cpuMask.ReplaceAllString(csdZeros.ReplaceAllString(printedAlike.Replace(l.fields), "csd=$1"), "cpumask")
		if m := reportEntry.FindStringSubmatch(l.fields); m != nil {
			l.fields = m[2] + " " + m[1]
		} else if m := reportExit.FindStringSubmatch(l.fields); m != nil {
			l.fields = fmt.Sprint(m[1], " ", number(m[3])-number(m[2]))
		} else if m := graphLine.FindStringSubmatch(l.fields); m != nil {
			took := number(m[1] + m[2])
			exit := l
			exit.event, exit.fields = "funcgraph_exit", fmt.Sprint(len(m[3])/2, " ", took)
			at := number(l.time)
			if m[5] == "();" {
				at += took
			}
			exit.time = fmt.Sprintf("%d.%09d", at/1e9, at%1e9)
			l.fields = fmt.Sprint(len(m[3])/2, " ", m[4])
			switch {
			case m[4] == "}":
				l = exit
			case m[5] == "();":
				cpus[cpu] = append(cpus[cpu], l)
				l = exit
			}
		}
		cpus[cpu] = append(cpus[cpu], l)
	}
	return cpus
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
		if e.Ts < 0 || e.Ts > 3_000 {
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
