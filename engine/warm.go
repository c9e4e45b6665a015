package engine

import (
	"encoding/binary"
	"fmt"

	"wakelab/engine/hw"
	"wakelab/engine/kernel"
)

// WarmKey names the settled state that belongs to c: it depends on the model's
// version, the layout of its state and on everything in c but the seed and the
// other parameters of the run itself.
func (c *Config) WarmKey() string { return c.key(func(int) bool { return true }) }

// SceneKey names c's machine shape and workload. Runs of one scene, whatever
// their kernels, costs and latencies, can go on from each other's states, as
// if the kernel were exchanged under the running workload.
func (c *Config) SceneKey() string {
	return c.key(func(i int) bool { return i <= machineAt+int(hw.CPUNumbering) || i >= workloadAt })
}

func (c *Config) key(counts func(param int) bool) string {
	h := uint64(14695981039346656037)
	add := func(b []byte) {
		for _, x := range b {
			h = (h ^ uint64(x)) * 1099511628211
		}
	}
	add([]byte(fmt.Sprint("wakelab model ", ModelVersion, kernel.StateLayout())))
	for i := range runAt {
		if counts(i) {
			add(binary.LittleEndian.AppendUint64(nil, uint64(c.Values[i].N)))
			add([]byte(c.Values[i].S))
		}
	}
	for _, p := range c.Places {
		add([]byte(fmt.Sprint(p)))
	}
	return fmt.Sprintf("%016x", h)
}

// StartFrom replaces the run's state by a settled one of the same scene and
// draws anew what the seed decides: the random streams and every CPU's tick
// phase. Runs that start from one state are not independent at first; a
// measurement leaves out their beginning.
func (e *Engine) StartFrom(s *Snapshot) error {
	if err := e.Restore(s); err != nil {
		return err
	}
	e.k.Reseed(uint64(e.cfg.Values[runAt+int(runSeed)].N))
	return nil
}

// SnapshotOf wraps a state that Bytes gave earlier.
func SnapshotOf(state []byte) *Snapshot { return &Snapshot{state: state} }

// ForgetStatistics sets the statistics of lines, locks, functions and states
// to zero; the run itself goes on unchanged.
func (e *Engine) ForgetStatistics() {
	e.k.ForgetStatistics()
	e.k.ForgetObserved()
	e.shown, e.viewed = kernel.Shown{}, Sample{}
}
