package view

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// randomFrame fills every field, extremes included.
func randomFrame(r *rand.Rand) *Frame {
	cpus := 1 + r.IntN(40)
	f := &Frame{
		NowPs: r.Int64N(1 << 52), Events: r.Uint64(), Done: r.IntN(2) == 0, Lost: r.Uint32(),
		CPUs: make([]CPU, cpus), Arrows: make([]Arrow, r.IntN(50)), Spans: make([]Span, r.IntN(50)),
		Counters: []Counter{{"switches_per_s", "switches", "1/s", r.NormFloat64(), false}, {"", "", "", math.Inf(1), true}},
	}
	f.SincePs = f.NowPs - r.Int64N(1<<30)
	for i := range f.CPUs {
		f.CPUs[i] = CPU{
			State: State(r.IntN(int(NumStates))), NeedResched: r.IntN(2) == 0, Polling: r.IntN(2) == 0, IRQsOff: r.IntN(2) == 0,
			NrRunning: uint16(r.Uint32()), Fn: math.MaxUint16, Task: int32(r.Uint32()), Busy: 1000,
			LockWait: uint16(r.IntN(1001)), LineWait: uint16(r.IntN(1001)), IRQShare: uint16(r.IntN(1001)), Wakeups: math.MaxUint32,
		}
	}
	for i := range f.Arrows {
		f.Arrows[i] = Arrow{ArrowKind(r.IntN(int(NumArrowKinds))), int32(r.IntN(cpus)), int32(r.IntN(cpus)), r.Uint32(), f.NowPs - r.Int64N(1<<20), f.NowPs + r.Int64N(1<<20)}
	}
	for i := range f.Spans {
		f.Spans[i] = Span{int32(r.IntN(cpus)), uint16(r.Uint32()), State(r.IntN(int(NumStates))), -1, f.NowPs - r.Int64N(1<<40), f.NowPs}
	}
	return f
}

var sampleStatic = &Static{
	Places:    []Place{{0, 0, 0, 0, 0, 0}, {1, 1, 2, 3, 4, 1}},
	Functions: []string{"do_idle", "try_to_wake_up"},
	Tasks:     []string{"hackbench-1", ""},
	CStates:   []string{"POLL", "C1", "C2"},
	CPULines:  []Layout{{"rq.lock", []Variable{{"__lock", -1, 4, false}, {"flag", 0, 1, true}}}},
}

func TestFrameRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var got Frame // reused, as the page does
	for range 200 {
		want := randomFrame(r)
		code := AppendFrame(nil, want)
		if err := DecodeFrame(code, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := AppendFrame(nil, &got); string(again) != string(code) {
			t.Fatalf("seed %d: frame changed on its way\n got %+v\nwant %+v", seed, got, *want)
		}
		var fresh Frame
		if err := DecodeFrame(code, &fresh); err != nil || !sameFrame(&fresh, want) {
			t.Fatalf("seed %d: decoded %+v, %v\nwant %+v", seed, fresh, err, *want)
		}
	}
}

// sameFrame compares, taking an empty slice for a nil one.
func sameFrame(a, b *Frame) bool {
	c, d := *a, *b
	for _, f := range []*Frame{&c, &d} {
		f.Arrows = append([]Arrow{}, f.Arrows...)
		f.Spans = append([]Span{}, f.Spans...)
	}
	return reflect.DeepEqual(c, d)
}

func TestStaticRoundTrip(t *testing.T) {
	var got Static
	if err := DecodeStatic(AppendStatic(nil, sampleStatic), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, sampleStatic) {
		t.Errorf("got %+v, want %+v", got, *sampleStatic)
	}
}

func TestDetailsRoundTrip(t *testing.T) {
	want := &Details{
		Lines:     []Line{{"rq[12].lock", 5, 2, 1 << 40, 3, 2, 999, "__lock, nr_running", []uint64{1, 1 << 50}}, {"mm[0].mm_count", -1, 0, 0, 0, 0, 0, "", []uint64{0}}},
		Locks:     []Lock{{"rq[1]", 4, 3, 2, math.MaxUint64}},
		Slices:    []Slice{{"wakeup", "C-state exit", "do_idle", "", 150.5, 0, 1, 2, 3, 4, math.Inf(1)}},
		Functions: []FnTime{{"do_idle", math.MaxUint64}, {"", 0}},
		SincePs:   400e9,
	}
	var got Details
	if err := DecodeDetails(AppendDetails(nil, want), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v, want %+v", got, *want)
	}
}

func TestDecodeRefusesMalformed(t *testing.T) {
	good := AppendFrame(nil, randomFrame(rand.New(rand.NewPCG(1, 1))))
	for n := range good {
		if err := DecodeFrame(good[:n], new(Frame)); err == nil {
			t.Fatalf("accepted the first %d of %d bytes", n, len(good))
		}
	}
	oneCPU := func(change func(*Frame)) []byte {
		f := &Frame{CPUs: make([]CPU, 1)}
		change(f)
		return AppendFrame(nil, f)
	}
	for _, c := range []struct {
		name, want string
		code       []byte
	}{
		{"empty", "not this kind", nil},
		{"static", "not this kind", AppendStatic(nil, sampleStatic)},
		{"trailing byte", "1 bytes too many", append(append([]byte{}, good...), 0)},
		{"huge count", "cut short", []byte{frameTag, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 7}},
		{"unknown state", "out of range", oneCPU(func(f *Frame) { f.CPUs[0].State = NumStates })},
		{"unknown arrow", "out of range", oneCPU(func(f *Frame) { f.Arrows = []Arrow{{Kind: NumArrowKinds}} })},
		{"arrow to no CPU", "out of range", oneCPU(func(f *Frame) { f.Arrows = []Arrow{{To: 1}} })},
		{"span of no CPU", "out of range", oneCPU(func(f *Frame) { f.Spans = []Span{{CPU: -1}} })},
	} {
		err := DecodeFrame(c.code, new(Frame))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add(AppendFrame(nil, randomFrame(rand.New(rand.NewPCG(2, 2)))))
	f.Fuzz(func(t *testing.T, code []byte) {
		var a Frame
		if DecodeFrame(code, &a) != nil {
			return
		}
		var b Frame
		if err := DecodeFrame(AppendFrame(nil, &a), &b); err != nil {
			t.Fatalf("a decoded frame does not survive a round trip: %v", err)
		}
	})
}

func TestCodecDoesNotAllocate(t *testing.T) {
	want := randomFrame(rand.New(rand.NewPCG(3, 3)))
	buf := AppendFrame(nil, want)
	var f Frame
	if err := DecodeFrame(buf, &f); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		buf = AppendFrame(buf[:0], want)
		if err := DecodeFrame(buf, &f); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations for a round trip", n)
	}
}

func BenchmarkAppendFrame(b *testing.B) {
	f := &Frame{CPUs: make([]CPU, 768), Arrows: make([]Arrow, 2000), Spans: make([]Span, 4000)}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendFrame(buf[:0], f)
	}
	b.SetBytes(int64(len(buf)))
}
