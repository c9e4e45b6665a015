package engine_test

import (
	"strings"
	"testing"

	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// TestWatchedLines: what is counted of who waits adds up to the lines' own
// statistics, shows up in frames, and does not change the run.
func TestWatchedLines(t *testing.T) {
	plain, watched := storyA(t), storyA(t)
	watched.Observe(true)
	var f view.Frame
	watched.View(&f)
	for _, until := range []simtime.Time{50e6, 100e6} { // 50 us, 100 us
		plain.RunUntil(until, 1<<40)
		watched.RunUntil(until, 1<<40)
	}
	if plain.Digest() != watched.Digest() {
		t.Error("a run that is watched is another run")
	}
	lines := watched.Lines(24)
	for _, l := range lines {
		var sum uint64
		for _, ns := range l.L3WaitNs {
			sum += ns
		}
		if n := uint64(len(l.L3WaitNs)); n != 24 || sum > l.WaitNs || sum+n < l.WaitNs {
			t.Errorf("%s: %d L3 groups waited %d ns, the line says %d", l.Name, n, sum, l.WaitNs)
		}
	}
	if l := plain.Lines(1)[0]; l.Name != lines[0].Name || len(l.L3WaitNs) != 0 {
		t.Errorf("unwatched: %+v", l)
	}
	watched.View(&f)
	waited := 0
	for _, c := range f.CPUs {
		if c.LineWait > 1000 {
			t.Fatalf("a CPU waits %d permille of its time", c.LineWait)
		}
		if c.LineWait > 0 {
			waited++
		}
	}
	if waited < 100 {
		t.Errorf("%d CPUs waited for lines", waited)
	}
	s := watched.Snapshot(nil)
	if err := watched.Restore(s); err != nil {
		t.Fatal(err)
	}
	if l := watched.Lines(1)[0]; l.L3WaitNs[0] != 0 || watched.ObservedSince() != watched.Now() {
		t.Errorf("after going back, since %v: %v", watched.ObservedSince(), l.L3WaitNs)
	}
}

// TestLayouts: where the flush flag lies, and beside what.
func TestLayouts(t *testing.T) {
	for placement, want := range map[string]string{
		"off":              "",
		"aligned":          "flush flag: flush flag at 0",
		"beside_local":     "flush flag: data that only this CPU touches, flush flag",
		"beside_queue":     "call_single_queue: llist head at 0, flush flag",
		"beside_clock":     "rq.curr: curr, idle, clock, flush flag",
		"beside_read":      "flush flag: data that senders read once a call, flush flag",
		"beside_contended": "flush flag, contended: data that many CPUs write, flush flag",
	} {
		got := ""
		for _, l := range started(t, "flush_flag="+placement, "rq_clock_apart=off").Static().CPULines {
			var vars []string
			flag := false
			for _, v := range l.Variables {
				flag = flag || v.Flag
				if v.Offset == 0 {
					v.Name += " at 0"
				}
				vars = append(vars, v.Name)
			}
			if flag {
				got += l.Name + ": " + strings.Join(vars, ", ")
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", placement, got, want)
		}
	}
}
