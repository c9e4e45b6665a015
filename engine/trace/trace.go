// Package trace keeps typed tracepoint records in a bounded ring. Kinds and
// arguments carry the names that Linux gives its tracepoints and their
// fields; text and files are made from records by package export.
package trace

import (
	"fmt"
	"strings"
)

// Kind is a tracepoint. Its comment lists Record.Args in order; a task is an
// index into Names.Tasks, a function an index into Names.Functions.
type Kind uint8

// Tracepoints. NoFunc as a function means a NULL pointer.
const (
	SchedSwitch             Kind = iota // prev_state, next task; the previous task is Record.Task
	SchedWaking                         // task, target_cpu; on the waker's CPU
	SchedWakeup                         // task, target_cpu; on the CPU that enqueues
	SchedWakeupNew                      // task, target_cpu
	SchedMigrateTask                    // task, orig_cpu, dest_cpu
	SchedWakeIdleWithoutIPI             // cpu
	SoftirqRaise                        // vec
	SoftirqEntry                        // vec
	SoftirqExit                         // vec
	IPISendCPU                          // cpu, callsite function, callback function
	IPISendCPUMask                      // words of the mask, callsite function, callback function; see EmitMask
	CSDQueueCPU                         // cpu, callsite function, func, csd
	CSDFunctionEntry                    // func, csd
	CSDFunctionExit                     // func, csd
	CPUIdle                             // state or IdleExit, cpu_id
	RescheduleEntry                     // vector
	RescheduleExit                      // vector
	CallFunctionSingleEntry             // vector
	CallFunctionSingleExit              // vector
	CallFunctionEntry                   // vector
	CallFunctionExit                    // vector
	LocalTimerEntry                     // vector
	LocalTimerExit                      // vector
	FuncgraphEntry                      // two words of functions (see PackStack) that a CPU is in from now on
	FuncgraphExit                       // the same, until now; made together with its entry
	Print                               // function, index into Names.Messages: a trace_printk
	maskWords                           // the next words of an IPISendCPUMask
	NumKinds
)

// Info is a tracepoint's place in tracefs.
type Info struct{ System, Name string }

var infos = [NumKinds]Info{
	SchedSwitch:             {"sched", "sched_switch"},
	SchedWaking:             {"sched", "sched_waking"},
	SchedWakeup:             {"sched", "sched_wakeup"},
	SchedWakeupNew:          {"sched", "sched_wakeup_new"},
	SchedMigrateTask:        {"sched", "sched_migrate_task"},
	SchedWakeIdleWithoutIPI: {"sched", "sched_wake_idle_without_ipi"},
	SoftirqRaise:            {"irq", "softirq_raise"},
	SoftirqEntry:            {"irq", "softirq_entry"},
	SoftirqExit:             {"irq", "softirq_exit"},
	IPISendCPU:              {"ipi", "ipi_send_cpu"},
	IPISendCPUMask:          {"ipi", "ipi_send_cpumask"},
	CSDQueueCPU:             {"csd", "csd_queue_cpu"},
	CSDFunctionEntry:        {"csd", "csd_function_entry"},
	CSDFunctionExit:         {"csd", "csd_function_exit"},
	CPUIdle:                 {"power", "cpu_idle"},
	RescheduleEntry:         {"irq_vectors", "reschedule_entry"},
	RescheduleExit:          {"irq_vectors", "reschedule_exit"},
	CallFunctionSingleEntry: {"irq_vectors", "call_function_single_entry"},
	CallFunctionSingleExit:  {"irq_vectors", "call_function_single_exit"},
	CallFunctionEntry:       {"irq_vectors", "call_function_entry"},
	CallFunctionExit:        {"irq_vectors", "call_function_exit"},
	LocalTimerEntry:         {"irq_vectors", "local_timer_entry"},
	LocalTimerExit:          {"irq_vectors", "local_timer_exit"},
	FuncgraphEntry:          {"ftrace", "funcgraph_entry"},
	FuncgraphExit:           {"ftrace", "funcgraph_exit"},
	Print:                   {"ftrace", "bprint"},
}

// Info returns the tracepoint's system and name.
func (k Kind) Info() Info { return infos[k] }

// String returns the tracepoint's name.
func (k Kind) String() string { return infos[k].Name }

// IdleTask stands for the idle task of the record's CPU wherever a task is
// asked for.
const IdleTask = -1

// NoFunc stands for a NULL function pointer.
const NoFunc = -1

// IdleExit is cpu_idle's state when a CPU leaves its idle state.
const IdleExit = 1<<32 - 1

// Values of sched_switch's prev_state.
const (
	TaskRunning         = 0
	TaskInterruptible   = 1
	TaskUninterruptible = 2
	TaskDead            = 0x10
	TaskZombie          = 0x20
	TaskPreempted       = 0x100 // still runnable, printed R+
)

// Interrupt vectors of x86.
const (
	CallFunctionSingleVector = 0xfb
	CallFunctionVector       = 0xfc
	RescheduleVector         = 0xfd
	LocalTimerVector         = 0xec
)

// Flags is a CPU's state when a record is made, in the bits that the kernel
// writes into a trace entry.
type Flags uint8

// Flags.
const (
	IRQsOff            Flags = 0x01
	NeedResched        Flags = 0x04 // TIF_NEED_RESCHED
	HardIRQ            Flags = 0x08
	SoftIRQ            Flags = 0x10 // serving one
	PreemptNeedResched Flags = 0x20
	BHOff              Flags = 0x80
)

// MaxStack is how many functions a record's stack holds.
const MaxStack = 16

// PackStack packs the functions that a CPU is in, outermost first, into two
// words: a byte each, its index plus 1, 0 after the last. More than MaxStack
// are cut.
func PackStack(functions []int64) (words [2]int64) {
	for i, f := range functions[:min(len(functions), MaxStack)] {
		words[i/8] |= (f + 1) << (i % 8 * 8)
	}
	return words
}

// Functions is the stack of a FuncgraphEntry or FuncgraphExit, outermost first.
func (r *Record) Functions() (functions []int64) {
	for i := range MaxStack {
		f := r.Args[i/8] >> (i % 8 * 8) & 0xff
		if f == 0 {
			break
		}
		functions = append(functions, f-1)
	}
	return functions
}

// Record is one tracepoint hit.
type Record struct {
	AtPs         int64
	Args         [4]int64
	Task         int32 // current, or IdleTask
	CPU          int32
	Kind         Kind
	Flags        Flags
	PreemptDepth uint8
}

// Target returns the CPU that a record is about: the one that is told, chosen
// or moved to; -1 if there is none or several.
func (r *Record) Target() int32 {
	switch r.Kind {
	case SchedWaking, SchedWakeup, SchedWakeupNew:
		return int32(r.Args[1])
	case SchedMigrateTask:
		return int32(r.Args[2])
	case SchedWakeIdleWithoutIPI, IPISendCPU, CSDQueueCPU:
		return int32(r.Args[0])
	}
	return -1
}

// Task names a task in records.
type Task struct {
	Comm string
	PID  int32
	Prio int32 // as the kernel prints it: 120 for nice 0
}

// Names is what the indices in records stand for.
type Names struct {
	Tasks     []Task
	Functions []string
	Messages  []string
}

// Mask is a set of kinds, 1<<Kind each.
type Mask uint32

// All is every tracepoint.
const All Mask = 1<<maskWords - 1

// ParseMask reads a list such as "sched,ipi:ipi_send_cpu,cpu_idle": systems,
// tracepoints, or both joined by a colon; "all" is everything and the empty
// list nothing. The error lists every name that is unknown.
func ParseMask(list string) (Mask, error) {
	var m Mask
	var unknown []string
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		var found Mask
		for k, in := range infos[:maskWords] {
			if word == "all" || word == in.System || word == in.Name || word == in.System+":"+in.Name {
				found |= 1 << k
			}
		}
		if found == 0 {
			unknown = append(unknown, fmt.Sprintf("%q", word))
		}
		m |= found
	}
	if unknown != nil {
		return 0, fmt.Errorf("unknown tracepoints %s: allowed are all, systems such as sched, and tracepoints such as sched_switch", strings.Join(unknown, ", "))
	}
	return m, nil
}
