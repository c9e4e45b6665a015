package hw_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

const ns = simtime.Nanosecond

func defaults() []param.Value {
	v := make([]param.Value, hw.NumParams)
	for i := range v {
		v[i] = hw.Defs[i].DefaultValue()
	}
	return v
}

func newMem(tb testing.TB) *hw.Mem {
	tb.Helper()
	t, err := hw.Shape(defaults()).Build()
	if err != nil {
		tb.Fatal(err)
	}
	return hw.NewMem(t, defaults())
}

func at(d simtime.Duration) simtime.Time { return simtime.Time(0).Add(d) }

// TestAccess follows one line, homed on socket 0, with the default costs of a
// 2 x EPYC 9654: CPU 192 is CPU 0's sibling, 1 shares its L3, 8 its quadrant,
// 24 its socket, 96 is on the other socket.
func TestAccess(t *testing.T) {
	const hit, locked = 1500, 5 * ns
	for _, c := range []struct {
		name string
		cpus []topo.CPUID // accesses before, a microsecond apart
		ops  []hw.Op
		cpu  topo.CPUID
		op   hw.Op
		want simtime.Duration
	}{
		{"cold, near memory", nil, nil, 0, hw.Load, 100 * ns},
		{"cold, remote memory", nil, nil, 96, hw.Load, 192 * ns},
		{"own line", []topo.CPUID{0}, []hw.Op{hw.RMW}, 0, hw.RMW, locked},
		{"own line read", []topo.CPUID{0}, []hw.Op{hw.RMW}, 0, hw.Load, hit},
		{"sibling's line is in the same cache", []topo.CPUID{0}, []hw.Op{hw.RMW}, 192, hw.RMW, locked},
		{"from the L3", []topo.CPUID{1}, []hw.Op{hw.RMW}, 0, hw.Load, 27 * ns},
		{"from the quadrant", []topo.CPUID{8}, []hw.Op{hw.RMW}, 0, hw.RMW, 90*ns + locked},
		{"from the socket", []topo.CPUID{24}, []hw.Op{hw.RMW}, 0, hw.RMW, 100*ns + locked},
		{"from the other socket", []topo.CPUID{96}, []hw.Op{hw.RMW}, 0, hw.RMW, 192*ns + locked},
		{"within the other socket, remote home", []topo.CPUID{96}, []hw.Op{hw.RMW}, 104, hw.RMW, 192*ns + locked},
		{"within an L3 of the other socket", []topo.CPUID{96}, []hw.Op{hw.RMW}, 97, hw.RMW, 27*ns + locked},
		{"a store is hidden", []topo.CPUID{96}, []hw.Op{hw.RMW}, 0, hw.Store, 0},
		{"upgrade", []topo.CPUID{0, 96}, []hw.Op{hw.RMW, hw.Load}, 0, hw.RMW, 192*ns*600/1000 + locked},
		{"reading a shared line again", []topo.CPUID{0, 96}, []hw.Op{hw.RMW, hw.Load}, 96, hw.Load, hit},
	} {
		m := newMem(t)
		id := m.NewLine("line %d", 0, 0)
		now := simtime.Time(0)
		for i, cpu := range c.cpus {
			m.Access(now, cpu, id, c.ops[i])
			now = now.Add(simtime.Microsecond)
		}
		if got := m.Access(now, c.cpu, id, c.op); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if err := m.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestContention: two CPUs ask at once for a line a third one holds; the
// second waits until the line has served the first.
func TestContention(t *testing.T) {
	m := newMem(t)
	id := m.NewLine("rq[%d].lock", 3, 0)
	m.Access(0, 0, id, hw.RMW)
	now := at(simtime.Microsecond)
	first := m.Access(now, 8, id, hw.RMW)
	second := m.Access(now, 16, id, hw.RMW)
	busy := 90 * ns * simtime.Duration(defaults()[hw.LineOccupancyWrite].N) / 1000
	if want := 95 * ns; first != want {
		t.Errorf("first waits %s, want %s", first, want)
	}
	if want := busy + 95*ns; second != want {
		t.Errorf("second waits %s, want %s", second, want)
	}
	s := m.Stat(id)
	if s.Name != "rq[3].lock" || s.Owner != 16 || s.Sharers != 1 || s.Transfers != 3 || s.Queue != busy {
		t.Errorf("statistics %+v, want rq[3].lock owned by 16 alone, 3 transfers, queue %s", s, busy)
	}
	if want := 100*ns + 90*ns + busy + 90*ns; s.Wait != want {
		t.Errorf("wait %s, want %s", s.Wait, want)
	}
}

func TestHiddenStoreIsNoWait(t *testing.T) {
	m := newMem(t)
	id := m.NewLine("nohz", 0, 0)
	m.Access(0, 96, id, hw.RMW)
	before := m.Stat(id)
	m.Access(at(simtime.Microsecond), 0, id, hw.Store)
	after := m.Stat(id)
	if after.Name != "nohz" {
		t.Errorf("name %q, want nohz", after.Name)
	}
	if after.Wait != before.Wait || after.Transfers != before.Transfers+1 {
		t.Errorf("wait %s to %s, transfers %d to %d: want the same wait and one transfer more",
			before.Wait, after.Wait, before.Transfers, after.Transfers)
	}
}

// TestAgainstHolders compares random accesses with a plain set of holders:
// who holds a line pays no transfer, a write leaves one holder.
func TestAgainstHolders(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := newMem(t)
	var ids [4]hw.LineID
	holders := map[hw.LineID]map[int32]bool{}
	owner := map[hw.LineID]int32{}
	for i := range ids {
		ids[i] = m.NewLine("line %d", int32(i), topo.CPUID(rnd.IntN(384)))
		holders[ids[i]], owner[ids[i]] = map[int32]bool{}, -1
	}
	now := simtime.Time(0)
	for i := range 20000 {
		id, cpu, op := ids[rnd.IntN(len(ids))], topo.CPUID(rnd.IntN(384)), hw.Op(rnd.IntN(3))
		core := m.Topo.CoreOf(cpu)
		h := holders[id]
		exclusive := len(h) == 1 && h[core] && owner[id] == core
		if m.Held(cpu, id) != exclusive {
			t.Fatalf("seed %d, access %d: Held = %t, want %t", seed, i, !exclusive, exclusive)
		}
		before := m.Stat(id).Transfers
		d := m.Access(now, cpu, id, op)
		local := exclusive || op == hw.Load && h[core]
		if moved := m.Stat(id).Transfers != before; moved == local {
			t.Fatalf("seed %d, access %d: moved %t although held %t", seed, i, moved, local)
		}
		if d < 0 {
			t.Fatalf("seed %d, access %d: waits %s", seed, i, d)
		}
		if op != hw.Load {
			clear(h)
			owner[id] = core
		}
		h[core] = true
		if got := m.Stat(id).Sharers; got != len(h) {
			t.Fatalf("seed %d, access %d: %d sharers, want %d", seed, i, got, len(h))
		}
		now = now.Add(simtime.Duration(rnd.IntN(200)) * ns)
	}
	if err := m.Check(); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
}

// A line moves to the other socket and back.
func ExampleMem_Access() {
	t, _ := hw.Shape(defaults()).Build()
	m := hw.NewMem(t, defaults())
	flags := m.NewLine("thread_info[%d].flags", 8, 8)
	m.Access(0, 8, flags, hw.RMW)
	fmt.Println(m.Access(at(simtime.Microsecond), 100, flags, hw.Load))
	fmt.Println(m.Access(at(2*simtime.Microsecond), 8, flags, hw.RMW))
	// Output:
	// 192ns
	// 120.2ns
}

func BenchmarkAccess(b *testing.B) {
	m := newMem(b)
	id := m.NewLine("line", 0, 0)
	b.ReportAllocs()
	now := simtime.Time(0)
	for i := 0; b.Loop(); i++ {
		now = now.Add(m.Access(now, topo.CPUID(i*7%384), id, hw.Op(i%3)))
	}
}
