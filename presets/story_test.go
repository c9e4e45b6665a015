package presets

import (
	"math"
	"strings"
	"testing"

	"wakelab/engine/kernel"
	"wakelab/engine/view"
	"wakelab/presets/warm"
	"wakelab/study"
)

// moment is where a step has taken both kernels' runs.
type moment struct {
	hit    study.Hit
	sides  [2]*study.Run
	frames [2]view.Frame
	static view.Static
	begun  [2]kernel.Counters // at the start
	cold   bool               // the study has settled states, but none for this model
}

// count is what a side has counted since the start.
func (m *moment) count(side int) kernel.Counters {
	c, from := m.sides[side].Engine().Count(), &m.begun[side]
	c.Migrations -= from.Migrations
	c.PolledWakes -= from.PolledWakes
	c.CallIPIs -= from.CallIPIs
	c.ReschedIPIs -= from.ReschedIPIs
	c.Preemptions -= from.Preemptions
	return c
}

// fn names the function that a CPU of a side is in.
func (m *moment) fn(side int, cpu int32) string {
	return m.static.Functions[m.frames[side].CPUs[cpu].Fn]
}

func (m *moment) idle(side int) (n int) {
	for _, c := range m.frames[side].CPUs {
		if c.State <= view.IdleLoop {
			n++
		}
	}
	return n
}

// fact is what a step's text says of the model; false means that the text is
// not true.
type fact struct {
	says string
	of   func(m *moment) bool
}

func cpu(side int, of func(c *view.CPU) bool, cpu int32) func(*moment) bool {
	return func(m *moment) bool { return of(&m.frames[side].CPUs[cpu]) }
}

func resched(c *view.CPU) bool   { return c.NeedResched && c.State <= view.IdleLoop }
func noResched(c *view.CPU) bool { return !c.NeedResched }

// target is what holds of the CPU that the event is about, on a side.
func target(side int, of func(c *view.CPU) bool) func(*moment) bool {
	return func(m *moment) bool { return of(&m.frames[side].CPUs[m.hit.To]) }
}

// here is what holds of the CPU on which the event is.
func here(side int, of func(c *view.CPU) bool) func(*moment) bool {
	return func(m *moment) bool { return of(&m.frames[side].CPUs[m.hit.CPU]) }
}

func done(m *moment, side int) int64 { n, _ := m.sides[side].Engine().Work(); return n }

func moreWork(m *moment) bool { return done(m, 1) > done(m, 0) }
func lessWork(m *moment) bool { return done(m, 1) < done(m, 0) }

func fewerMigrations(m *moment) bool {
	return m.cold || m.count(1).Migrations < m.count(0).Migrations
}

func fewerIPIs(m *moment) bool {
	a, b := m.count(0), m.count(1)
	return b.CallIPIs+b.ReschedIPIs < a.CallIPIs+a.ReschedIPIs
}

func someIdle(m *moment) bool { return m.idle(0) > 0 }

// spent is a side's time in a function.
func spent(m *moment, side int, fn string) (ns uint64) {
	for _, f := range m.sides[side].Engine().Profile() {
		if f.Name == fn {
			ns = f.Ns
		}
	}
	return ns
}

func queues(side int, want map[int32]uint16) func(*moment) bool {
	return func(m *moment) bool {
		for c, n := range want {
			if m.frames[side].CPUs[c].NrRunning != n {
				return false
			}
		}
		return true
	}
}

func irq(c *view.CPU) bool    { return c.State == view.IRQ }
func notIRQ(c *view.CPU) bool { return c.State != view.IRQ }
func idleCPU(c *view.CPU) bool {
	return c.State <= view.IdleLoop && c.NrRunning == 0
}
func irqsOff(c *view.CPU) bool { return c.IRQsOff }
func deaf(c *view.CPU) bool    { return c.IRQsOff && !c.Polling }

// facts of the shipped stories: what each step's text says, by study.
var facts = map[string][][]fact{
	"hackbench-epyc9654": {
		{{"this CPU is idle", here(0, idleCPU)}},
		{{"the CPU is in select_idle_cpu", func(m *moment) bool { return m.fn(0, m.hit.CPU) == "select_idle_cpu" }}},
		{{"it goes to another CPU", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"B has migrated less", fewerMigrations}},
		{{"A has waited for tg->load_avg or runqueue locks", func(m *moment) bool { return len(m.sides[0].Engine().Locks(1)) > 0 }}},
		{{"B migrates less, too", fewerMigrations}},
	},
	"hackbench-mechanisms": {
		{{"a CPU is chosen", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"in pipe_write", func(m *moment) bool { return m.fn(0, m.hit.CPU) == "pipe_write" }}},
		{{"in resched_curr", func(m *moment) bool { return m.fn(0, m.hit.CPU) == "resched_curr" }}},
		{{"A has no preemption by a wakeup", func(m *moment) bool { return m.count(0).Preemptions == 0 }}},
	},
	"hackbench-patches": {
		{{"it goes to another CPU", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"B migrates less", fewerMigrations}},
		{{"to another CPU", func(m *moment) bool { return m.hit.To != m.hit.CPU }}},
		{{"it goes to another CPU", func(m *moment) bool { return m.hit.To >= 0 }}},
	},
	"ipistorm-epyc-milan": {
		{{"CPU 16 is idle with NEED_RESCHED", cpu(0, resched, 16)}, {"and POLLING", cpu(0, func(c *view.CPU) bool { return c.Polling }, 16)}},
		{{"NEED_RESCHED is still set", cpu(0, resched, 16)}, {"the function runs", func(m *moment) bool { return m.fn(0, 16) == "do_nothing_ipi" }}},
		{{"interrupts are off", cpu(0, irqsOff, 16)}, {"nothing is runnable", queues(0, map[int32]uint16{16: 0})}, {"it balances", func(m *moment) bool { return m.fn(0, 16) == "load_balance" }}},
		{{"CPU 16 does not poll and lets no interrupt in", cpu(0, deaf, 16)}},
		{{"CPU 16 has taken it", cpu(0, irq, 16)}, {"CPU 8 waits", func(m *moment) bool { return m.fn(0, 8) == "csd_lock_wait" }}},
		{{"B never balances, A does", func(m *moment) bool { return spent(m, 1, "load_balance") == 0 && spent(m, 0, "load_balance") > 0 }},
			{"B sends fewer interrupts", fewerIPIs}, {"B has made more calls", moreWork}},
		{{"B makes fewer calls", lessWork}},
	},
	"ipistorm-variants": {
		{{"CPU 16 idles", cpu(0, idleCPU, 16)}, {"NEED_RESCHED is clear", cpu(0, noResched, 16)}},
		{{"in the interrupt", cpu(0, irq, 16)}, {"NEED_RESCHED is clear", cpu(0, noResched, 16)}},
		{{"NEED_RESCHED is clear", cpu(0, noResched, 16)}},
		{{"A spends nothing in __schedule on CPU 16, B does", func(m *moment) bool { return spent(m, 0, "__schedule") < spent(m, 1, "__schedule") }}},
		{{"A has made more calls", lessWork}},
		{{"B has made more calls", moreWork}, {"A balances", func(m *moment) bool { return spent(m, 0, "load_balance") > 0 }}},
	},
	"ilb-xeon": {
		{{"CPU 0 has no thread, CPU 1 two, the others one", queues(0, map[int32]uint16{0: 0, 1: 2, 2: 1, 63: 1})}},
		{{"a tick kicks", here(0, irq)}, {"CPU 0", func(m *moment) bool { return m.hit.To == 0 }}},
		{{"NEED_RESCHED is set", cpu(0, resched, 0)}},
		{{"nothing has been pulled", queues(0, map[int32]uint16{0: 0, 1: 2})}, {"no softirq", func(m *moment) bool { return spent(m, 0, "__do_softirq") < spent(m, 1, "__do_softirq")+1 }}},
		{{"a task is on CPU 0's runqueue", queues(1, map[int32]uint16{0: 1})}},
		{{"CPU 1 still has two", queues(1, map[int32]uint16{1: 2})}},
		{{"to CPU 0", func(m *moment) bool { return m.hit.To == 0 }}, {"A pulls nothing", func(m *moment) bool { return m.count(0).BalancePulled == 0 }}},
	},
	"ilb-epyc": {
		{{"CPU 0 has no thread, CPU 64 two", queues(0, map[int32]uint16{0: 0, 64: 2, 1: 1})}},
		{{"in C2", cpu(0, func(c *view.CPU) bool { return c.State == view.IdleC2 && !c.Polling && !c.NeedResched }, 0)}},
		{{"in the interrupt", cpu(0, irq, 0)}},
		{{"CPU 0 counts as idle", queues(0, map[int32]uint16{0: 0})}, {"NEED_RESCHED is clear", cpu(0, noResched, 0)}},
		{{"to CPU 0", func(m *moment) bool { return m.hit.To == 0 }}},
		{{"one thread each", queues(0, map[int32]uint16{0: 1, 64: 1})}, {"in both", queues(1, map[int32]uint16{0: 1, 64: 1})}},
	},
	"perfpipe-xeon": {
		{{"another CPU", func(m *moment) bool { return m.hit.To != m.hit.CPU }}},
		{{"the target has nothing to run", target(0, idleCPU)}},
		{{"NEED_RESCHED is set", target(0, resched)}},
		{{"on its own CPU", func(m *moment) bool { return m.hit.CPU == m.hit.To }}},
		{{"no wakeup met it", func(m *moment) bool {
			return m.count(0).RaceWakes == 0 && m.count(1).RaceWakes == 0
		}}, {"the same rounds", func(m *moment) bool { return done(m, 0) == done(m, 1) }}},
	},
	"polled-ipi-value": {
		{{"the target is idle", target(0, idleCPU)}, {"A never polls", func(m *moment) bool { return m.count(0).PolledWakes == 0 }}},
		{{"in the interrupt", here(0, irq)}},
		{{"NEED_RESCHED is set", target(1, resched)}},
		{{"not in an interrupt", here(1, notIRQ)}, {"on its own CPU", func(m *moment) bool { return m.hit.CPU == m.hit.To }}},
		{{"B has made more rounds", moreWork}},
	},
	"polled-ipi-value-tbench": {
		{{"most CPUs are idle", func(m *moment) bool { return 2*m.idle(0) > len(m.frames[0].CPUs) }}},
		{{"the target is idle", target(0, idleCPU)}},
		{{"NEED_RESCHED is set", target(1, resched)}},
		{{"B sends fewer interrupts", fewerIPIs}, {"B has done more", moreWork}},
	},
	"idle-extension-costs": {
		{{"some CPUs are idle", someIdle}},
		{{"a CPU is chosen", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"a CPU is chosen", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"B's tail is longer", func(m *moment) bool {
			return m.sides[1].Engine().Latency("wakeup").Permille(990) > m.sides[0].Engine().Latency("wakeup").Permille(990)
		}}},
	},
	"idle-extension-costs-hackbench": {
		{{"many CPUs are idle", func(m *moment) bool { return m.idle(0) > 50 }}},
		{{"it moves", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"B has migrated less", fewerMigrations}},
		{{"B has migrated less", fewerMigrations}},
	},
	"idle-extension-costs-tbench": {
		{{"some CPUs are idle", someIdle}},
		{{"a CPU is chosen", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"a CPU is chosen", func(m *moment) bool { return m.hit.To >= 0 }}},
		{{"fewer of B's wakeups are polled", func(m *moment) bool { return m.count(1).PolledWakes < m.count(0).PolledWakes }}, {"B has done less", lessWork}},
	},
}

// TestStories takes every study's story as the page does and holds
// each step's text to what the model then shows.
func TestStories(t *testing.T) {
	lib := Shipped()
	for _, id := range lib.Names(Studies) {
		t.Run(id, func(t *testing.T) {
			s := lib.Studies[id]
			if len(s.Story) == 0 || len(s.Story) != len(facts[id]) {
				t.Fatalf("%d steps, facts of %d", len(s.Story), len(facts[id]))
			}
			var m moment
			var before [2]string
			for i, kernels := range s.StoryKernels() {
				if kernels != before {
					m = begin(t, lib, s, kernels)
					before = kernels
				}
				if step := &s.Story[i]; step.At != nil && !m.goTo(step.At, kernels) {
					t.Fatalf("step %d, %s: its event does not come", i+1, step.Title)
				}
				for side, r := range m.sides {
					r.Engine().View(&m.frames[side])
				}
				for _, f := range facts[id][i] {
					if !f.of(&m) {
						t.Errorf("step %d, %q at %v: not true: %s (event on CPU %d to %d)", i+1, s.Story[i].Title, m.sides[0].Engine().Now(), f.says, m.hit.CPU, m.hit.To)
					}
				}
			}
		})
	}
}

func begin(t *testing.T, lib *Library, s *Study, kernels [2]string) moment {
	m := moment{hit: study.Hit{CPU: study.AnyCPU, To: study.AnyCPU}}
	metric, _ := study.FindMetric(s.Metric)
	for side, name := range kernels {
		cfg, err := lib.Config(s, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		state, branched, err := warm.Find(&cfg)
		if err != nil {
			t.Fatal(err)
		}
		if state != nil {
			m.sides[side], err = study.NewFrom(cfg, metric, state, branched)
		} else {
			m.sides[side], err = study.New(cfg, metric)
			m.cold = m.cold || cfg.Number("settles_after") > 0
		}
		if err != nil {
			t.Fatal(err)
		}
		m.begun[side] = m.sides[side].Engine().Count()
	}
	m.static = m.sides[0].Engine().Static()
	return m
}

// goTo takes both runs to a step's instant; false if it does not come.
func (m *moment) goTo(at *At, kernels [2]string) bool {
	after, want, waits := at.Want()
	side := 0
	if at.Kernel == kernels[1] {
		side = 1
	}
	to := m.sides[side].Engine().Now().Add(after)
	for _, r := range m.sides {
		r.Advance(to, math.MaxInt32)
	}
	if !waits {
		return true
	}
	var found bool
	m.hit, found = m.sides[side].Next(want, math.MaxInt32)
	m.sides[1-side].Advance(m.sides[side].Engine().Now(), math.MaxInt32)
	return found
}

func TestStoryProblems(t *testing.T) {
	lib := Shipped()
	const id = "ipistorm-epyc-milan"
	good := string(lib.Text(Studies, id))
	for _, c := range []struct{ old, new, want string }{
		{`"view": "lines"`, `"view": "wires"`, `$.story[6].look.view: "wires": allowed are machine, timeline, anatomy, lines`},
		{`"pin": "16"`, `"pin": "256"`, `$.story[0].look.pin: CPU 256: this machine's are 0-255`},
		{`"pin": "16"`, `"pin": "8,16"`, `$.story[0].look.pin: 2 CPUs: at most 1`},
		{`"cpu": "8"`, `"cpu": "999"`, `$.story[0].at.cpu: CPU 999`},
		{`"after": "50us"`, `"after": "3s"`, `$.story[0].at.after: 3s: 3s after the run's start, beyond its end at 2s`},
		{`"after": "50us"`, `"after": "50"`, `$.story[0].at.after: "50" is not a duration`},
		{`"event": "csd_function_entry"`, `"event": "csd_exit"`, `$.story[1].at.event: unknown tracepoints "csd_exit"`},
		{`"enters": "load_balance"`, `"enters": "balance"`, `$.story[2].at.enters: "balance" is no function of the model`},
		{"\"flag-beside-contended\"\n      ]", "\"v6.5\"\n      ]", `$.story[6].kernels[1]: "v6.5" is no kernel of the study`},
		{"\"flag-beside-contended\"\n      ]", "\"sm-idle\"\n      ]", `$.story[6].kernels: A and B are both "sm-idle"`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%s is not in the study", c.old)
		}
		err := lib.Clone().Add(Studies, "own", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.want)
		}
	}
}
