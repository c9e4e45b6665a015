package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The two trace snippets of the mail on ksoftirqd and idle load balance, with
// fields as this kernel prints them and without times: what the kick does with
// the NEED_RESCHED test removed, and what it does with the flag.
const (
	published = `          <idle>-0       [000] dN.1. nohz_csd_func: Raise SCHED_SOFTIRQ for idle balance
          <idle>-0       [000] dN.4. sched_wakeup: comm=ksoftirqd/0 pid=16 prio=120 target_cpu=000
          <idle>-0       [000] .Ns1. softirq_entry: vec=7 [action=SCHED]
          <idle>-0       [000] d..2. sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=ksoftirqd/0 next_pid=16 next_prio=120
     ksoftirqd/0-16      [000] d..2. sched_switch: prev_comm=ksoftirqd/0 prev_pid=16 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
`
	publishedFixed = `          <idle>-0       [000] dN.1. nohz_csd_func: Raise SCHED_SOFTIRQ for idle balance
          <idle>-0       [000] .Ns1. softirq_entry: vec=7 [action=SCHED]
`
)

// when is the time column of ftrace text.
var when = regexp.MustCompile(` +\d+\.\d{6}: `)

// TestKickTrace traces the first idle-balance kick of each kernel.
func TestKickTrace(t *testing.T) {
	for _, c := range []struct {
		study, kernel string
		snippet       string // must appear, in this order
		ksoftirqd     bool
	}{
		{"ilb-xeon", "sm-idle", "", false},
		{"ilb-xeon", "sm-idle-no-test", published, true},
		{"ilb-xeon", "flag-aligned", publishedFixed, false},
		{"ilb-xeon", "flag-fixed-walk", publishedFixed, false},
		{"ilb-xeon", "ilb-fixed", publishedFixed, false},
		{"ilb-epyc", "sm-idle", "", false},
	} {
		name := c.study + " " + c.kernel
		code, out, stderr := wakelab(t, "trace", c.study, "--kernel", c.kernel, "--from", "4ms", "--for", "200us",
			"--events", "sched_wakeup,sched_switch,sched_migrate_task,softirq_raise,softirq_entry,softirq_exit,bprint,call_function_single_entry,cpu_idle,sched_wake_idle_without_ipi,ipi_send_cpu")
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, stderr)
		}
		var lines []string
		for _, l := range strings.SplitAfter(out, "\n") {
			if strings.HasPrefix(l, "#") || !strings.Contains(l, " [000] ") && !strings.Contains(l, "cpu=0\n") && !strings.Contains(l, "cpu=0 ") {
				continue
			}
			lines = append(lines, when.ReplaceAllString(l, " "))
		}
		got := strings.Join(lines, "")
		rest := lines
		for _, want := range strings.SplitAfter(c.snippet, "\n") {
			for want != "" && len(rest) > 0 && rest[0] != want {
				rest = rest[1:]
			}
			if want != "" && len(rest) == 0 {
				t.Errorf("%s: not there or not in order: %s", name, want)
			}
		}
		if strings.Contains(got, "ksoftirqd") != c.ksoftirqd {
			t.Errorf("%s: ksoftirqd appears: %v, want %v", name, !c.ksoftirqd, c.ksoftirqd)
		}
		golden(t, strings.ReplaceAll(name, " ", "-")+".txt", got)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%swant (-update rewrites it)\n%s", name, got, want)
	}
}
