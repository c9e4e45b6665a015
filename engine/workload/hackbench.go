package workload

import (
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// hackbench mirrors rt-tests' hackbench with pipes: in each group, fds
// senders write to the pipes of fds receivers, loops times each. There are no
// replies. Time runs from the gate, at which all tasks wait, to the last join.
type hackbench struct {
	groups, fds, loops, size int32
	threads                  bool
	work, credit             kernel.Duration
	firstPipe                []int32 // of each group
}

// Roles of tasks, for counters.
const (
	RoleReceiver = iota
	RoleSender
)

func newHackbench(v []param.Value) *hackbench {
	return &hackbench{
		groups: int32(v[HackbenchGroups].N), fds: int32(v[HackbenchFDs].N), loops: int32(v[HackbenchLoops].N),
		size: int32(v[HackbenchSize].N), threads: v[HackbenchThreads].N != 0, work: kernel.Duration(v[HackbenchWork].N), credit: kernel.Duration(v[HackbenchCredit].N),
	}
}

// Start creates the groups, receivers before senders, placed as fork's search
// for the idlest CPU spreads tasks that block at once: evenly, over sockets,
// L3s, cores and threads in turn.
func (h *hackbench) Start(k *kernel.Kernel) {
	order := forkOrder(k.Topo)
	next := 0
	mm := int32(-1)
	for g := range h.groups {
		h.firstPipe = append(h.firstPipe, 0)
		for i := range 2 * h.fds {
			cpu := order[next%len(order)]
			next++
			if !h.threads || mm < 0 {
				mm = k.NewMM(cpu)
			}
			role, comm, credit := int32(RoleReceiver), "receiver", kernel.Duration(0)
			frame := kernel.Frame{A: g, B: i}
			if i < h.fds {
				p := k.NewPipe(cpu, h.threads)
				if i == 0 {
					h.firstPipe[g] = p
				}
				frame.C = p
			} else {
				role, comm, credit = RoleSender, "sender", h.credit
			}
			id := k.NewTask(fmt.Sprintf("%s-%d", comm, g), mm, role, cpu, false, frame)
			k.StartTask(id, credit)
		}
	}
}

// forkOrder visits all CPUs so that consecutive ones are far apart.
func forkOrder(t *topo.Topology) []topo.CPUID {
	var order []topo.CPUID
	for thread := 0; len(order) < t.N(); thread++ {
		for core := 0; ; core++ {
			found := false
			for at := 0; ; at++ {
				more := false
				for _, s := range t.Sockets {
					llcs := llcsOf(t, s)
					if at >= len(llcs) {
						continue
					}
					more = true
					cores := coresOf(t, llcs[at])
					if core >= len(cores) {
						continue
					}
					found = true
					if threads := t.Cores[cores[core]]; thread < len(threads) {
						order = append(order, threads[thread])
					}
				}
				if !more {
					break
				}
			}
			if !found {
				break
			}
		}
	}
	return order
}

func llcsOf(t *topo.Topology, cpus []topo.CPUID) []int32 {
	var list []int32
	for _, c := range cpus {
		list = appendNew(list, t.CPUs[c].LLC)
	}
	return list
}

func coresOf(t *topo.Topology, llc int32) []int32 {
	var list []int32
	for _, c := range t.LLCs[llc] {
		list = appendNew(list, t.CPUs[c].Core)
	}
	return list
}

func appendNew(list []int32, v int32) []int32 {
	for _, x := range list {
		if x == v {
			return list
		}
	}
	return append(list, v)
}

// Step runs one round of a task's loop. A receiver counts messages in T, a
// sender rounds in D and its place in the round in E.
func (h *hackbench) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	k.Charge(c, k.Work(c, h.work))
	if f.B < h.fds {
		if f.T == int64(h.fds)*int64(h.loops) {
			return k.TaskExit(c)
		}
		f.T++
		return k.PipeRead(c, f.C, h.size)
	}
	if f.D == h.loops {
		return k.TaskExit(c)
	}
	pipe := h.firstPipe[f.A] + f.E
	if f.E++; f.E == h.fds {
		f.E = 0
		f.D++
	}
	return k.PipeWrite(c, pipe, h.size)
}

// Done counts messages read.
func (h *hackbench) Done(k *kernel.Kernel) int64 { return k.Count().Messages }

// Total returns how many messages the whole run sends.
func (h *hackbench) Total() int64 {
	return int64(h.groups) * int64(h.fds) * int64(h.fds) * int64(h.loops)
}

// Output is what hackbench prints.
func (h *hackbench) Output(_ *kernel.Kernel, rate float64) string {
	kind := "process"
	if h.threads {
		kind = "threaded"
	}
	return fmt.Sprintf("Running in %s mode with %d groups using %d file descriptors each (== %d tasks)\nEach sender will pass %d messages of %d bytes\nTime: %.3f\n",
		kind, h.groups, 2*h.fds, 2*h.groups*h.fds, h.loops, h.size, float64(h.Total())/rate)
}
