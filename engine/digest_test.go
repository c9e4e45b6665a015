package engine_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/engine/simtime"
)

var update = flag.Bool("update", false, "write testdata/digests.txt anew")

const digestsFile = "testdata/digests.txt"

// TestGoldenDigests compares runs with digests written natively on amd64. The
// same test runs as WebAssembly: a run is the same on every machine. A change
// of the model or of the state's layout changes them: -update, and tell in the
// commit which of the two it was.
func TestGoldenDigests(t *testing.T) {
	var got strings.Builder
	for _, settings := range []string{
		"hackbench.groups=32 hackbench.fds=20 hackbench.threads=on hackbench.loops=480000",
		"hackbench.groups=32 hackbench.fds=20 hackbench.threads=on hackbench.loops=480000 idle_delay=1ms",
		"hackbench.groups=4 hackbench.fds=4 seed=7 sockets=1 cores_per_llc=2 numbering=alternate autogroup=off",
		"hackbench.groups=8 hackbench.fds=20 hackbench.threads=on eevdf=on util_fits_capacity=on select_bias_prev=on migration_window=2ms sockets=1 dies_per_socket=1",
		"workload=sched-pipe schedpipe.loops=100000 line_spread=7ns",
		"workload=ipistorm ipistorm.single=on",
		"workload=schbench",
	} {
		e := started(t, strings.Fields(settings)...)
		e.RunUntil(simtime.Never, 200_000)
		fmt.Fprintf(&got, "%016x at %v: %s\n", e.Digest(), e.Now(), settings)
	}
	if *update {
		if err := os.WriteFile(digestsFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(digestsFile)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("model version %d, got\n%swant\n%s", engine.ModelVersion, got.String(), want)
	}
}

// BenchmarkSnapshot copies the state of story A and goes back to it.
func BenchmarkSnapshot(b *testing.B) {
	e := storyA(b)
	e.RunUntil(simtime.Never, 200_000)
	s := e.Snapshot(nil)
	for _, c := range []struct {
		name string
		op   func() error
	}{
		{"save", func() error { e.Snapshot(s); return nil }},
		{"restore", func() error { return e.Restore(s) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.op(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Size())/1e6, "MB")
		})
	}
}
