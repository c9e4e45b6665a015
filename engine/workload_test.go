package engine_test

import (
	"regexp"
	"testing"

	"wakelab/engine/simtime"
)

// small is 32 CPUs in two L3s.
var small = []string{"sockets=1", "dies_per_socket=1", "llcs_per_die=2"}

// TestWorkloadsRun runs every workload with every idle path and a crowded and
// an empty machine; run checks the invariants after each. A rewind must
// repeat the second half.
func TestWorkloadsRun(t *testing.T) {
	const ms = simtime.Millisecond
	for _, w := range []struct {
		half     simtime.Duration
		settings []string
	}{
		{20 * ms, []string{"workload=schbench", "schbench.workers=12", "schbench.messages=2"}},
		{5 * ms, []string{"workload=schbench", "schbench.workers=80", "schbench.work=300us"}},
		{2 * ms, []string{"workload=tbench", "tbench.clients=40"}},
		{2 * ms, []string{"workload=netperf", "netperf.pairs=3"}},
		{4 * ms, []string{"workload=compute", "compute.work=100us"}},
		{4 * ms, []string{"workload=compute", "compute.threads=40", "compute.bind=on", "compute.work=100us", "compute.spin=2us"}},
	} {
		for _, idle := range []string{"c2=ioport", "c1=off", "idle_poll=on", "polled_ipi=off"} {
			e := run(t, w.half, append(append([]string{idle}, small...), w.settings...)...)
			half, _ := e.Work()
			middle := e.Snapshot(nil)
			e.RunUntil(simtime.Time(0).Add(2*w.half), 1<<40)
			e.Check()
			digest := e.Digest()
			if err := e.Restore(middle); err != nil {
				t.Fatal(err)
			}
			e.RunUntil(simtime.Time(0).Add(2*w.half), 1<<40)
			if again := e.Digest(); again != digest {
				t.Errorf("%v, %s: digest %x after a rewind, %x before: some state is not in the snapshot", w.settings, idle, again, digest)
			}
			if done, _ := e.Work(); !e.Done() && (half == 0 || done <= half+half/4) {
				t.Errorf("%v, %s: %d units of work done in %v, %d in twice that: it stands still", w.settings, idle, half, w.half, done)
			}
		}
	}
}

// TestNetperfOutput: the columns of netperf 2.7, one pair's share of the rate.
func TestNetperfOutput(t *testing.T) {
	e := run(t, simtime.Millisecond, append(small, "workload=netperf", "netperf.pairs=2", "netperf.response=100")...)
	const want = `MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost () port 0 AF_INET : first burst 0
Local /Remote
Socket Size   Request  Resp.   Elapsed  Trans.
Send   Recv   Size     Size    Time     Rate
bytes  Bytes  bytes    bytes   secs.    per sec

16384  131072 1        100     10.00    50000.25
16384  131072
`
	if got := regexp.MustCompile(` +\n`).ReplaceAllString(e.Output(100000.5), "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestSchbenchEnds reads the final report.
func TestSchbenchEnds(t *testing.T) {
	e := run(t, simtime.Second, append(small, "workload=schbench", "schbench.workers=4", "schbench.uneven=0", "schbench.runtime=50ms")...)
	if !e.Done() {
		t.Fatal("schbench does not end after its run time")
	}
	out := e.Output(80) // 4 requests in 50 ms: a tenth of those it has done
	const want = `Wakeup Latencies percentiles \(usec\) runtime 0 \(s\) \(4 total samples\)
	  50\.0th: \d+ +\(\d samples\)
	  90\.0th: \d+ +\(\d samples\)
	\* 99\.0th: \d+ +\(\d samples\)
	  99\.9th: \d+ +\(\d samples\)
	  min=\d+, max=\d+
Request Latencies percentiles \(usec\) runtime 0 \(s\) \(4 total samples\)
	  50\.0th: 51\d\d {7}\(\d samples\)
	  90\.0th: 51\d\d {7}\(\d samples\)
	\* 99\.0th: 51\d\d {7}\(\d samples\)
	  99\.9th: 51\d\d {7}\(\d samples\)
	  min=(49|50|51)\d\d, max=51\d\d
RPS percentiles \(requests\) runtime 0 \(s\) \(1 total samples\)
	  20\.0th: 80 {9}\(1 samples\)
	\* 50\.0th: 80 {9}\(0 samples\)
	  90\.0th: 80 {9}\(0 samples\)
	  min=80, max=80
average rps: 80\.00
`
	if !regexp.MustCompile("^" + want + "$").MatchString(out) {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
}

// TestIdleHasOnlyTicks: a machine that has long been idle is tickless, and
// nothing may happen any more.
func TestIdleHasOnlyTicks(t *testing.T) {
	e := run(t, 200*simtime.Millisecond, append(small, "workload=idle")...)
	before := e.Count()
	e.RunUntil(simtime.Time(0).Add(400*simtime.Millisecond), 1<<40)
	after := e.Count()
	if d := after.Events - before.Events; d > 200 || after.Wakeups != before.Wakeups {
		t.Errorf("%d events and %d wakeups in 200 ms of idling", d, after.Wakeups-before.Wakeups)
	}
}

// TestSiblingsSlowEachOther: two threads that compute on one core need
// smt_slowdown times as long as on two cores.
func TestSiblingsSlowEachOther(t *testing.T) {
	for _, c := range []struct {
		shape []string
		ms    int64 // of work that each thread does in 30 ms
	}{
		{[]string{"cores_per_llc=1", "threads_per_core=2"}, 20},
		{[]string{"cores_per_llc=2", "threads_per_core=1"}, 30},
	} {
		e := run(t, 30*simtime.Millisecond, append(c.shape, "sockets=1", "dies_per_socket=1", "llcs_per_die=1", "smt_slowdown=1500",
			"workload=compute", "compute.threads=2", "compute.bind=on", "compute.uneven=0", "compute.work=1ms")...)
		if done, _ := e.Work(); done/2 < c.ms-2 || done/2 > c.ms {
			t.Errorf("%v: each thread did %d ms of work in 30 ms, want a little below %d", c.shape, done/2, c.ms)
		}
	}
}
