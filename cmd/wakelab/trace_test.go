package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// small is a run that ends within milliseconds.
var small = []string{"trace", "--machine", "laptop-8", "--workload", "hackbench-small"}

func TestTraceText(t *testing.T) {
	code, out, stderr := wakelab(t, append(small, "--from", "10us", "--for", "100us", "--events", "sched_waking")...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if lines[0] != "# tracer: nop" {
		t.Errorf("begins with %q", lines[0])
	}
	hits := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "#") {
			continue
		}
		hits++
		// 0.000010 to 0.000110, rounded.
		if !strings.Contains(l, ": sched_waking: comm=") || !strings.Contains(l, " 0.0000") && !strings.Contains(l, " 0.00010") && !strings.Contains(l, " 0.00011") {
			t.Errorf("%s: want a sched_waking between 10 and 110 us", l)
		}
	}
	if hits == 0 {
		t.Error("no record")
	}
}

// TestTraceCallSites: callsite= is what the sender returns to, and the flags
// count what is held there.
func TestTraceCallSites(t *testing.T) {
	const call = " callback=generic_smp_call_function_single_interrupt"
	for args, want := range map[string][]string{
		"hackbench-epyc9654 --for 100us":                                                {" d..3. csd_queue_cpu: callsite=ttwu_queue_wakelist", " d..3. ipi_send_cpu: callsite=ttwu_queue_wakelist" + call},
		"--machine laptop-8 --workload hackbench-4 --kernel v6.5 --from 20ms --for 10ms": {" d..4. ipi_send_cpu: callsite=check_preempt_wakeup callback=0x0"},
		"--machine laptop-8 --workload hackbench-4 --kernel v6.6 --from 5ms --for 10ms": {" d..4. ipi_send_cpu: callsite=check_preempt_curr callback=0x0"},
		"ipistorm-epyc-milan --kernel always-ipi --for 20us":                            {" ...1. csd_queue_cpu: callsite=generic_exec_single", " ...1. ipi_send_cpu: callsite=generic_exec_single" + call},
		"--machine laptop-8 -- insmod ipistorm.ko single=0 cpulist=0 numipi=1":          {" ...1. csd_queue_cpu: callsite=smp_call_function", " ...1. ipi_send_cpumask: callsite=smp_call_function" + call},
	} {
		code, out, stderr := wakelab(t, append([]string{"trace", "--events", "csd_queue_cpu,ipi_send_cpu,ipi_send_cpumask"}, strings.Fields(args)...)...)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", args, code, stderr)
		}
		out = callSiteRest.ReplaceAllString(when.ReplaceAllString(out, " "), "")
		for _, line := range want {
			if !strings.Contains(out, line) {
				t.Errorf("%s: no record with %q in\n%.2000s", args, line, out)
			}
		}
	}
}

// TestTraceFlags: the columns before the event are what the kernel shows at
// that place, in that order.
func TestTraceFlags(t *testing.T) {
	for args, want := range map[string][]string{
		// A flag that another CPU set (n) is taken over by the handler (N), and a
		// wakeup is traced after it has set the flag of its own CPU.
		"--machine laptop-8 --workload hackbench-4 --from 20ms --for 10ms": {
			" dnh.. reschedule_entry: vector=253", " dNh.. reschedule_exit: vector=253", " dN.4. sched_wakeup: ", " d.h.. local_timer_entry: vector=236"},
		"--machine laptop-8 --workload tbench --from 2ms --for 50us": {
			" D..1. softirq_raise: vec=3", " ..s1. softirq_entry: vec=3", " d.s5. sched_waking: ", " d.s6. sched_wakeup: ", " ..s1. softirq_exit: vec=3"},
		"ipistorm-variants --kernel tip-idle-poll --for 100us": {
			" d..1. cpu_idle: state=0 cpu_id=16", " dn.1. cpu_idle: state=4294967295 cpu_id=16"},
	} {
		code, out, stderr := wakelab(t, append([]string{"trace"}, strings.Fields(args)...)...)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", args, code, stderr)
		}
		out = when.ReplaceAllString(out, " ")
		for _, line := range want {
			if !strings.Contains(out, line) {
				t.Errorf("%s: no record with %q", args, line)
			}
		}
	}
}

// TestTraceStates: a task that sched_switch says to sleep runs again only
// after a wakeup, one that it says to be runnable without. Wakers race with
// the switch on the full machine.
func TestTraceStates(t *testing.T) {
	event := regexp.MustCompile(`prev_pid=(\d+) prev_prio=120 prev_state=(\S+) .*next_pid=(\d+)|sched_wakeup: comm=\S+ pid=(\d+)`)
	for args, states := range map[string][]string{
		"hackbench-epyc9654 --from 2ms --for 300us":                         {"R", "S"},
		"perfpipe-xeon --for 100us":                                         {"S"},
		"--machine laptop-8 --for 60ms -- hackbench -g 4 -p":                {"R", "R+", "S", "Z"},
		"--machine laptop-8 --for 8ms -- hackbench -g 1 -l 10 -p --threads": {"S", "X"},
		"--machine laptop-8 --for 40ms --workload schbench":                 {"R", "S"},
		"ilb-epyc --set periodic_balance=on --for 20ms":                     {"R+"},
	} {
		code, out, stderr := wakelab(t, append([]string{"trace", "--events", "sched_switch,sched_wakeup"}, strings.Fields(args)...)...)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", args, code, stderr)
		}
		left, seen := map[string]string{}, map[string]bool{}
		for _, line := range strings.Split(out, "\n") {
			m := event.FindStringSubmatch(line)
			switch {
			case m == nil:
			case m[4] != "":
				if left[m[4]] != "S" && left[m[4]] != "D" && left[m[4]] != "" {
					t.Errorf("%s: woken in state %s: %s", args, left[m[4]], line)
				}
				left[m[4]] = "woken"
			default:
				if m[3] != "0" && (left[m[3]] == "S" || left[m[3]] == "D") {
					t.Errorf("%s: runs without a wakeup: %s", args, line)
				}
				delete(left, m[3])
				if m[1] != "0" {
					left[m[1]] = m[2]
					seen[m[2]] = true
				}
			}
		}
		for _, s := range states {
			if !seen[s] {
				t.Errorf("%s: no task left in state %s, only %v", args, s, seen)
			}
		}
	}
}

// callSiteRest is what differs between records from one call site.
var callSiteRest = regexp.MustCompile(`cpu=\d+ |cpumask=[0-9a-f,]+ |\+0x0/0x1000`)

func TestTraceFiles(t *testing.T) {
	for format, check := range map[string]func([]byte) bool{
		"ftrace-ns": func(b []byte) bool { return strings.HasPrefix(string(b), "# tracer: nop\n") },
		"perfetto":  json.Valid,
		"dat":       func(b []byte) bool { return strings.HasPrefix(string(b), "\x17\x08\x44tracing6\x00") },
	} {
		file := filepath.Join(t.TempDir(), format)
		code, out, stderr := wakelab(t, append(small, "--for", "50us", "--format", format, "-o", file)...)
		if code != 0 || out != "" {
			t.Fatalf("%s: exit code %d: %s%s", format, code, out, stderr)
		}
		if data, err := os.ReadFile(file); err != nil || !check(data) {
			t.Errorf("%s: %v, %.40q", format, err, data)
		}
	}
}

func TestTraceSaysWhatIsMissing(t *testing.T) {
	_, _, stderr := wakelab(t, append(small, "--for", "1ms", "--records", "16")...)
	if !strings.Contains(stderr, "records are lost: --records keeps the latest 16") {
		t.Errorf("stderr %q, want it to name the loss", stderr)
	}
	_, _, stderr = wakelab(t, append(small, "--from", "1s", "--for", "1ms")...)
	if !strings.Contains(stderr, "Nothing was recorded") {
		t.Errorf("stderr %q, want it to say that nothing was recorded", stderr)
	}
}

func TestTraceErrors(t *testing.T) {
	for _, tt := range []struct{ flags, want string }{
		{"--format svg", `--format "svg": allowed are ftrace, ftrace-ns, perfetto, dat`},
		{"--records 0", "--records 0: allowed are 1 to"},
		{"--events sched,foo", `--events: unknown tracepoints "foo"`},
		{"--for 5", `--for: "5" is not a duration`},
		{"--from -1us", `--from: "-1us" is negative`},
		{"--from 4000s --for 1000s", "a run ends before"},
	} {
		code, _, stderr := wakelab(t, append(small, strings.Fields(tt.flags)...)...)
		if code != exitBadInput || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit code %d, %s, want %q", tt.flags, code, stderr, tt.want)
		}
	}
}

// TestImport imports a hybrid machine and runs on it.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lscpu := write("lscpu.txt", "# CPU,Core,Socket,Node,,L3\n0,0,0,0,,0\n1,0,0,0,,0\n2,1,0,0,,0\n")
	table := write("c2c.csv", ",,\n9,,\n40.5,41.5,\n")
	code, out, stderr := wakelab(t, "import", lscpu, "--latency", table)
	if code != 0 || !strings.Contains(stderr, "The file names no dies") || !strings.Contains(stderr, "Idle states, interrupts and the kernel's costs are the table's defaults, those of 2 x AMD EPYC 9654") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(out, `"line_llc": "41ns"`) || !strings.Contains(out, `"places"`) {
		t.Errorf("preset:\n%s", out)
	}
	machine := write("mine.json", out)
	code, out, stderr = wakelab(t, "trace", "--machine", machine, "--workload", "hackbench-small", "--for", "20us")
	if code != 0 || !strings.Contains(out, "#P:3") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, out)
	}
	code, out, _ = wakelab(t, "import", lscpu, "--hwloc")
	if code != 0 || !strings.Contains(out, `<topology version="2.0">`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	code, _, stderr = wakelab(t, "import", table)
	if code != exitBadInput || !strings.Contains(stderr, "c2c.csv") || !strings.Contains(stderr, "no machine description") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
