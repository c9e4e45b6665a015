package trace_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wakelab/engine/trace"
)

func TestEveryKindIsNamed(t *testing.T) {
	seen := map[string]bool{}
	for k := range trace.Kind(32) {
		if trace.All>>k&1 == 0 {
			continue
		}
		in := k.Info()
		if in.System == "" || in.Name == "" || k.String() != in.Name {
			t.Errorf("kind %d: %+v, String %q", k, in, k.String())
		}
		if seen[in.Name] {
			t.Errorf("%s is there twice", in.Name)
		}
		seen[in.Name] = true
	}
	if !seen["sched_switch"] || !seen["bprint"] {
		t.Errorf("All does not reach from sched_switch to bprint: %v", seen)
	}
}

func TestParseMask(t *testing.T) {
	for _, c := range []struct {
		list string
		want trace.Mask
		errs []string
	}{
		{"", 0, nil},
		{"all", trace.All, nil},
		{"sched:sched_switch, cpu_idle", 1<<trace.SchedSwitch | 1<<trace.CPUIdle, nil},
		{"csd", 1<<trace.CSDQueueCPU | 1<<trace.CSDFunctionEntry | 1<<trace.CSDFunctionExit, nil},
		{"sched,irq:nope,huh", 0, []string{`"irq:nope"`, `"huh"`}},
	} {
		got, err := trace.ParseMask(c.list)
		if got != c.want || (err != nil) != (c.errs != nil) {
			t.Errorf("ParseMask(%q) = %b, %v, want %b", c.list, got, err, c.want)
		}
		for _, e := range c.errs {
			if !strings.Contains(err.Error(), e) {
				t.Errorf("ParseMask(%q): %v does not name %s", c.list, err, e)
			}
		}
	}
}

// TestRingAgainstSlice compares a ring with a plain slice of everything that
// was ever emitted.
func TestRingAgainstSlice(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	var r trace.Ring
	enabled := trace.All &^ (1 << trace.SoftirqRaise)
	capacity := 1 + rnd.IntN(100)
	r.Start(enabled, capacity)
	type entry struct {
		rec  trace.Record
		mask []uint64
	}
	var all []entry
	for i := range 2000 {
		rec := trace.Record{AtPs: int64(i), Kind: trace.Kind(rnd.IntN(int(trace.Print) + 1)), CPU: int32(rnd.IntN(384))}
		var mask []uint64
		if rec.Kind == trace.IPISendCPUMask {
			for range rnd.IntN(17) {
				mask = append(mask, rnd.Uint64())
			}
			r.EmitMask(rec, mask)
			rec.Args[0] = int64(len(mask))
		} else {
			r.Emit(rec)
		}
		if rec.Kind != trace.SoftirqRaise {
			all = append(all, entry{rec, mask})
		}
		var got []entry
		r.Each(0, func(rec *trace.Record, cpus []uint64) {
			got = append(got, entry{*rec, append([]uint64(nil), cpus...)})
		})
		tail := all[len(all)-len(got):]
		for j := range got {
			if fmt.Sprint(got[j]) != fmt.Sprint(tail[j]) {
				t.Fatalf("seed %d, after %d: record %d is %v, want %v", seed, i, j, got[j], tail[j])
			}
		}
		if r.Written-r.First() == uint64(len(r.Records)) && len(r.Records) < capacity {
			t.Fatalf("seed %d: keeps %d records, want at least %d", seed, len(r.Records), capacity)
		}
		if len(got) == 0 && len(all) > 0 && capacity > 6 {
			t.Fatalf("seed %d: kept nothing of %d", seed, len(all))
		}
	}
}

func TestZeroRingRecordsNothing(t *testing.T) {
	var r trace.Ring
	r.Emit(trace.Record{Kind: trace.SchedSwitch})
	r.EmitMask(trace.Record{}, []uint64{1})
	if r.Written != 0 {
		t.Errorf("%d records, want none", r.Written)
	}
}

func TestEmitDoesNotAllocate(t *testing.T) {
	var r trace.Ring
	r.Start(trace.All, 64)
	mask := make([]uint64, 6)
	n := testing.AllocsPerRun(100, func() {
		r.Emit(trace.Record{Kind: trace.SchedWaking})
		r.EmitMask(trace.Record{}, mask)
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// A reader follows a run by asking for what came since its last look.
func ExampleRing_Each() {
	var r trace.Ring
	r.Start(1<<trace.SchedWakeup|1<<trace.CPUIdle, 1024)
	r.Emit(trace.Record{AtPs: 1000, CPU: 3, Kind: trace.CPUIdle, Args: [4]int64{trace.IdleExit, 3}})
	seen := r.Written
	r.Emit(trace.Record{AtPs: 2000, CPU: 3, Kind: trace.SchedWakeup, Args: [4]int64{7, 3}})
	r.Emit(trace.Record{AtPs: 3000, CPU: 3, Kind: trace.SchedSwitch})
	r.Each(seen, func(rec *trace.Record, _ []uint64) {
		fmt.Println(rec.AtPs, rec.Kind, "task", rec.Args[0], "target_cpu", rec.Args[1])
	})
	// Output: 2000 sched_wakeup task 7 target_cpu 3
}

func BenchmarkEmit(b *testing.B) {
	for _, c := range []struct {
		name string
		mask trace.Mask
	}{{"off", 0}, {"on", trace.All}} {
		b.Run(c.name, func(b *testing.B) {
			var r trace.Ring
			r.Start(c.mask, 1<<16)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Emit(trace.Record{AtPs: int64(i), Kind: trace.SchedWaking, Args: [4]int64{1, 2}})
			}
		})
	}
}
