package engine

import (
	"math"
	"testing"

	"wakelab/engine/simtime"
)

// TestWhoPreempts checks that hackbench's preemptions by role add up to all of
// them, and that a start with credit shows as the senders' lag alone.
func TestWhoPreempts(t *testing.T) {
	cfg := Default()
	for _, kv := range [][2]string{{"sockets", "1"}, {"dies_per_socket", "1"}, {"llcs_per_die", "1"}, {"cores_per_llc", "4"},
		{"hackbench.groups", "4"}, {"hackbench.loops", "100000"}, {"hackbench.threads", "on"}, {"hackbench.start_credit", "9ms"}} {
		if err := cfg.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	from := e.Sample()
	e.RunUntil(simtime.Time(20*simtime.Millisecond), 1<<62)
	until := e.Sample()
	got := map[string]float64{}
	for _, c := range e.AppendRates(nil, &from, &until) {
		got[c.Key] = c.Value
	}
	sum := got["preempted_reader_by_reader_per_s"] + got["preempted_reader_by_writer_per_s"] +
		got["preempted_writer_by_reader_per_s"] + got["preempted_writer_by_writer_per_s"]
	if all := got["preemptions_per_s"]; all == 0 || math.Abs(sum-all) > 1e-9*all {
		t.Errorf("%v preemptions/s by role, %v in all", sum, all)
	}
	if got["preempted_reader_by_writer_per_s"] <= got["preempted_writer_by_reader_per_s"] || got["lag_writer_ms"] <= got["lag_reader_ms"] {
		t.Errorf("senders that start with credit do not preempt more and lag more than receivers: %v", got)
	}
}
