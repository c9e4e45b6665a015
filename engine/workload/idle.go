package workload

import (
	"wakelab/engine/kernel"
	"wakelab/engine/simtime"
)

// idle is a machine with nothing to do but its ticks: one task that sleeps.
type idle struct{}

func (idle) Start(k *kernel.Kernel) {
	k.StartTask(k.NewTask("sleep", k.NewMM(0), RoleReceiver, 0, false, kernel.Frame{}), 0)
}

func (idle) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	if f.Step == 1 {
		return k.TaskExit(c)
	}
	f.Step = 1
	return k.Sleep(c, simtime.Never.Sub(k.Now())/2)
}

// Done counts ticks.
func (idle) Done(k *kernel.Kernel) int64 { return k.Count().Ticks }

// Total is 0: only time ends it.
func (idle) Total() int64 { return 0 }

// Output is empty: sleep(1) prints nothing.
func (idle) Output(*kernel.Kernel, float64) string { return "" }
