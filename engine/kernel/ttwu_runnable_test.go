package kernel_test

import (
	"testing"

	"wakelab/engine/hw"
	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
)

// pingPong is two tasks with two pipes. Task 0 writes, computes for gap and
// reads the answer: with the right gap the answer comes just while it is on
// the way to sleep.
type pingPong struct {
	gap   kernel.Duration
	left  int32 // rounds
	pipes [2]int32
}

func (p *pingPong) Start(k *kernel.Kernel) {
	mm := k.NewMM(0)
	p.pipes = [2]int32{k.NewPipe(0, false), k.NewPipe(0, false)}
	for i := range int32(2) {
		k.StartTask(k.NewTask("ping-pong", mm, i, topo.CPUID(i), true, kernel.Frame{A: i, B: p.left}), 0)
	}
}

func (p *pingPong) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	const bytes = 4
	f.Step++
	switch {
	case f.B == 0:
		return k.TaskExit(c)
	case f.Step == 1 && f.A == 0:
		return k.PipeWrite(c, p.pipes[0], bytes)
	case f.Step == 1:
		return k.PipeRead(c, p.pipes[0], bytes)
	case f.Step == 2 && f.A == 0:
		return p.gap
	case f.Step == 2:
		return k.PipeWrite(c, p.pipes[1], bytes)
	}
	f.Step = 0
	f.B--
	if f.A == 0 {
		return k.PipeRead(c, p.pipes[1], bytes)
	}
	return simtime.Nanosecond
}

func defaults(defs []param.Def) []param.Value {
	v := make([]param.Value, len(defs))
	for i := range defs {
		v[i] = defs[i].DefaultValue()
	}
	return v
}

// newKernel runs prog on two CPUs that share an L3. Testing the wait condition
// is stretched to 400 ns. At the default a waker, who must take the pipe's mutex
// after the sleeper has dropped it, always comes too late, unless an interrupt
// holds the sleeper up.
func newKernel(t *testing.T, prog kernel.Program, form int64) *kernel.Kernel {
	t.Helper()
	machine := defaults(hw.Defs[:])
	for p, n := range map[hw.Param]int64{hw.Sockets: 1, hw.DiesPerSocket: 1, hw.LLCsPerDie: 1, hw.CoresPerLLC: 2, hw.ThreadsPerCore: 1} {
		machine[p].N = n
	}
	shape, err := hw.Shape(machine).Build()
	if err != nil {
		t.Fatal(err)
	}
	features := defaults(kernel.FeatureDefs[:])
	features[kernel.TtwuRunnable].N = form
	costs := defaults(kernel.CostDefs[:])
	costs[kernel.CostCondition].N = 400 * int64(simtime.Nanosecond)
	return kernel.New(shape, machine, features, costs, prog, 1)
}

// TestTtwuRunnableRace moves a wakeup in steps of 20 ns over the wakee's way
// to sleep. Before the wakee has queued itself there is nothing to wake;
// then, until __schedule takes it off its runqueue, the sleep is prevented;
// after that it is a full wakeup. Every form must end all rounds, and a form
// that does less under the runqueue lock must spend less time there.
func TestTtwuRunnableRace(t *testing.T) {
	const rounds = 50
	perRace := map[string]float64{}
	for form, name := range kernel.FeatureDefs[kernel.TtwuRunnable].Options {
		var none, prevented, full, ns int64
		for gap := kernel.Duration(0); gap < 4*simtime.Microsecond; gap += 20 * simtime.Nanosecond {
			k := newKernel(t, &pingPong{gap: gap, left: rounds}, int64(form))
			k.Run(simtime.Time(simtime.Second), 1<<30)
			k.Check()
			if !k.Done() {
				t.Fatalf("%s, gap %v: a wakeup was lost", name, gap)
			}
			n := k.Count()
			prevented += n.RaceWakes
			full += n.WakeupsByRole[0]
			none += rounds - n.RaceWakes - n.WakeupsByRole[0]
			for _, f := range k.Profile() {
				if f.Name == kernel.FnTtwuRunnable.String() {
					ns += int64(f.Ns)
				}
			}
		}
		if none <= 0 || prevented <= 0 || full <= 0 {
			t.Fatalf("%s: %d answers before, %d during and %d after the way to sleep: want some of each", name, none, prevented, full)
		}
		perRace[name] = float64(ns) / float64(prevented)
	}
	t.Logf("ns in ttwu_runnable per prevented sleep: %v", perRace)
	for _, less := range [][2]string{{"v1", "v6.12"}, {"v6.12", "legacy"}, {"merged", "legacy"}} {
		if perRace[less[0]] >= perRace[less[1]] {
			t.Errorf("%s spends %.0f ns per prevented sleep in ttwu_runnable, %s %.0f: want less", less[0], perRace[less[0]], less[1], perRace[less[1]])
		}
	}
}
