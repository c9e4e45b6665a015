package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// ringUser is one task that writes to and reads from one pipe at random, as
// far as it need not sleep, and keeps a plain list of what must be in it.
type ringUser struct {
	rnd   *rand.Rand
	left  int
	pages []pipeBuf
	wrong string
}

func (p *ringUser) Start(k *Kernel) {
	k.NewPipe(0, false)
	k.StartTask(k.NewTask("ring", k.NewMM(0), 0, 0, true, Frame{}), 0)
}

func (p *ringUser) Step(k *Kernel, c CPUID, _ *Frame) Duration {
	var got []pipeBuf
	for i := k.pipes[0].tail; i != k.pipes[0].head; i++ {
		got = append(got, k.pipes[0].bufs[i%pipeSlots])
	}
	if fmt.Sprint(got) != fmt.Sprint(p.pages) {
		p.wrong = fmt.Sprintf("%d operations before the end the ring has %v, want %v", p.left, got, p.pages)
	}
	if p.left--; p.left < 0 || p.wrong != "" {
		return k.TaskExit(c)
	}
	n := int32(1 + p.rnd.IntN(pageSize>>(4*p.rnd.IntN(3))))
	last := len(p.pages) - 1
	merges := last >= 0 && p.pages[last].offset+p.pages[last].len+n <= pageSize
	switch write := p.rnd.IntN(2) == 0; {
	case (write || last < 0) && (merges || last+1 < pipeSlots):
		if merges {
			p.pages[last].len += n
		} else {
			p.pages = append(p.pages, pipeBuf{len: n})
		}
		return k.PipeWrite(c, 0, n)
	}
	for rest := n; rest > 0 && len(p.pages) > 0; {
		b := &p.pages[0]
		take := min(rest, b.len)
		b.offset, b.len, rest = b.offset+take, b.len-take, rest-take
		if b.len == 0 {
			p.pages = p.pages[1:]
		}
	}
	return k.PipeRead(c, 0, n)
}

func kernelOn(machine *topo.Topology, change map[string]int64, prog Program) *Kernel {
	return New(machine, values(hw.Defs[:], change), values(FeatureDefs[:], change), values(CostDefs[:], change), prog, 1)
}

// TestPipeRing: pages fill up by merging, are read in part, span reads and
// come free as in a plain list of pages.
func TestPipeRing(t *testing.T) {
	seed := rand.Uint64()
	machine, err := twoSockets.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := &ringUser{rnd: rand.New(rand.NewPCG(seed, 0)), left: 5000}
	k := kernelOn(machine, nil, p)
	k.Run(Time(10*simtime.Second), 1<<22)
	if p.wrong != "" || !k.Done() {
		t.Errorf("seed %d: done %t, %s", seed, k.Done(), p.wrong)
	}
}

// once is a reader and a writer of one message, on neighbouring CPUs; they
// start after their delays.
type once struct{ readAfter, writeAfter Duration }

func (p *once) Start(k *Kernel) {
	mm := k.NewMM(0)
	k.NewPipe(0, false)
	for i := range int32(2) {
		k.StartTask(k.NewTask("once", mm, i, i, true, Frame{A: i}), 0)
	}
}

func (p *once) Step(k *Kernel, c CPUID, f *Frame) Duration {
	switch f.Step++; {
	case f.Step == 1 && f.A == 0:
		return p.readAfter
	case f.Step == 1:
		return p.writeAfter
	case f.Step == 2 && f.A == 0:
		return k.PipeRead(c, 0, 100)
	case f.Step == 2:
		return k.PipeWrite(c, 0, 100)
	}
	return k.TaskExit(c)
}

// TestQueueLockRounds counts how often one message takes rd_wait.lock. Moving
// head and tail takes it once each and the writer's wakeup once; a sleep adds
// three: the reader queues itself, queues itself again once woken, and leaves.
func TestQueueLockRounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		read, wrt Duration
		want      int64
	}{
		{"message there before the reader", 100 * simtime.Microsecond, simtime.Nanosecond, 3},
		{"reader asleep before the message", simtime.Nanosecond, 100 * simtime.Microsecond, 6},
	} {
		machine, err := twoSockets.Build()
		if err != nil {
			t.Fatal(err)
		}
		k := kernelOn(machine, nil, &once{c.read, c.wrt})
		k.Run(Time(simtime.Second), 1<<20)
		if got := k.locks[k.waits[k.pipes[0].rdWait].lock].acquired; got != c.want || !k.Done() {
			t.Errorf("%s: done %t, rd_wait.lock taken %d times, want %d", c.name, k.Done(), got, c.want)
		}
	}
}

// TestExclusiveWakeup: of two waiters one is woken. A first waiter that is
// queued but awake, on its way to look at the condition, takes the wakeup for
// itself; one that has already set its state back leaves it to the second.
func TestExclusiveWakeup(t *testing.T) {
	for _, c := range []struct {
		name          string
		first         uint8 // its state; it runs
		raced         int64
		firstIsQueued bool
	}{
		{"awake but ready to sleep", taskInterruptible, 1, false},
		{"awake", taskRunning, 0, true},
	} {
		k := newStill(t, twoSockets, 3, nil)
		first, second := k.testTask(0), k.testTask(1)
		k.occupy(0, k.testTask(2))
		k.occupy(1, first)
		k.tasks[first].state = c.first
		wq := k.newWaitQueue(k.Mem.NewLine("queue", 0, 0))
		k.wqAdd(wq, first)
		k.wqAdd(wq, second)
		base := k.cpus[0].sp
		k.call(0, FnWakeUp, wq, wfSync, 0)
		for k.cpus[0].sp > base {
			k.exec(0)
		}
		if got := k.count[0].RaceWakes; got != c.raced {
			t.Errorf("%s: %d wakeups of a task that was awake, want %d", c.name, got, c.raced)
		}
		if queued := k.tasks[first].wq == wq; queued != c.firstIsQueued {
			t.Errorf("%s: the first is queued %t, want %t", c.name, queued, c.firstIsQueued)
		}
		if queued := k.tasks[second].wq == wq; queued == c.firstIsQueued {
			t.Errorf("%s: the second is queued %t, want %t", c.name, queued, !c.firstIsQueued)
		}
		if asleep := k.tasks[second].state == taskInterruptible; asleep == c.firstIsQueued {
			t.Errorf("%s: the second sleeps %t, want %t", c.name, asleep, !c.firstIsQueued)
		}
	}
}

// blocked is a writer that fills a pipe with whole pages and blocks, and a
// reader that then reads one page in parts.
type blocked struct{ parts int32 }

func (p *blocked) Start(k *Kernel) {
	mm := k.NewMM(0)
	k.NewPipe(0, false)
	for i := range int32(2) {
		k.StartTask(k.NewTask("blocked", mm, i, i, true, Frame{A: i}), 0)
	}
}

func (p *blocked) Step(k *Kernel, c CPUID, f *Frame) Duration {
	f.Step++
	switch {
	case f.A == 1:
		return k.PipeWrite(c, 0, pageSize)
	case f.Step%2 == 1 || int32(f.Step) > 2*p.parts: // let the writer block; at the end stand still
		return 100 * simtime.Microsecond
	}
	return k.PipeRead(c, 0, pageSize/p.parts)
}

// TestPipeWakeups: of four reads of a full pipe's first page the last frees a
// slot. Each wakes the writer in vain until then, up to v6.13; from v6.14 on
// only the one that makes room wakes it.
func TestPipeWakeups(t *testing.T) {
	for _, c := range []struct{ onRoom, wakeups, spurious int64 }{{0, 4, 3}, {1, 1, 0}} {
		machine, err := twoSockets.Build()
		if err != nil {
			t.Fatal(err)
		}
		k := kernelOn(machine, map[string]int64{"pipe_wake_on_room": c.onRoom}, &blocked{parts: 4})
		k.Run(Time(simtime.Millisecond), 1<<30)
		k.Check()
		if n := &k.count[0]; n.WakeupsByRole[1] != c.wakeups || n.SpuriousWakes != c.spurious {
			t.Errorf("pipe_wake_on_room %d: %d wakeups of the writer, %d in vain, want %d and %d", c.onRoom, n.WakeupsByRole[1], n.SpuriousWakes, c.wakeups, c.spurious)
		}
	}
}
