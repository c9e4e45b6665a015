package export

import (
	"fmt"
	"strings"

	"wakelab/engine/trace"
)

// event describes a tracepoint as its tracefs format file does. Its format
// is the kernel's print format; one field may feed two verbs.
type event struct {
	format string
	fields []field
}

// field is one field of a tracepoint: its value is Args[arg] of the record,
// or the current task.
type field struct {
	*fieldType
	name string
	arg  int
}

const current = -1

// value is what a field is made from.
type value struct {
	t   *Trace
	h   *hit
	arg int64
}

func (v value) task() trace.Task { return v.t.task(v.arg, v.h.CPU) }

// fieldType is how a field is declared, stored and printed.
type fieldType struct {
	decl   string // C declaration of field %s
	size   int
	signed int
	cArgs  string               // print arguments in the format file, of field %[1]s
	bits   func(v value) uint64 // stored value; comm and cpumask are stored otherwise
	args   func(v value) []any  // print arguments here
}

func number(decl string, size, signed int) *fieldType {
	return &fieldType{decl, size, signed, "REC->%[1]s",
		func(v value) uint64 { return uint64(v.arg) }, func(v value) []any { return []any{v.arg} }}
}

var (
	comm = &fieldType{"char %s[16]", 16, 0, "REC->%[1]s", nil,
		func(v value) []any { return []any{v.task().Comm} }}
	pid = &fieldType{"pid_t %s", 4, 1, "REC->%[1]s",
		func(v value) uint64 { return uint64(v.task().PID) }, func(v value) []any { return []any{v.task().PID} }}
	prio = &fieldType{"int %s", 4, 1, "REC->%[1]s",
		func(v value) uint64 { return uint64(v.task().Prio) }, func(v value) []any { return []any{v.task().Prio} }}
	i32   = number("int %s", 4, 1)
	u32   = number("u32 %s", 4, 0)
	plain = number("void * %s", 8, 0)
	state = &fieldType{"long %s", 8, 1, stateCArgs,
		func(v value) uint64 { return uint64(v.arg) }, func(v value) []any { return stateText(v.arg) }}
	vec = &fieldType{"unsigned int %s", 4, 0, vecCArgs(),
		func(v value) uint64 { return uint64(v.arg) }, func(v value) []any { return []any{v.arg, softirqName(v.arg)} }}
	callsite = &fieldType{"void * %s", 8, 0, "(void *)REC->%[1]s",
		func(v value) uint64 { return functionAddr(v.arg) }, func(v value) []any { return []any{v.symbol()} }}
	function = &fieldType{"void * %s", 8, 0, "(void *)REC->%[1]s",
		func(v value) uint64 { return functionAddr(v.arg) }, func(v value) []any { return []any{v.t.function(v.arg)} }}
	textAddr = &fieldType{"unsigned long %s", 8, 0, "(void *)REC->%[1]s", function.bits, function.args}
	message  = &fieldType{"const char * %s", 8, 0, "REC->%[1]s",
		func(v value) uint64 { return messageAddr(v.arg) }, func(v value) []any { return []any{v.t.Names.Messages[v.arg]} }}
	cpumask = &fieldType{"__data_loc cpumask_t %s", 4, 0, "__get_cpumask(%[1]s)", nil,
		func(v value) []any { return []any{maskText(v.h.cpus)} }}
	calltime = &fieldType{"unsigned long long %s", 8, 0, "REC->%[1]s",
		func(v value) uint64 { return uint64(v.arg) / 1000 }, func(v value) []any { return []any{v.arg / 1000} }}
	rettime = &fieldType{"unsigned long long %s", 8, 0, "REC->%[1]s",
		func(v value) uint64 { return v.h.ns() }, func(v value) []any { return []any{v.h.ns()} }}
)

var (
	wakeup  = event{"comm=%s pid=%d prio=%d target_cpu=%03d", []field{{comm, "comm", 0}, {pid, "pid", 0}, {prio, "prio", 0}, {i32, "target_cpu", 1}}}
	softirq = event{"vec=%u [action=%s]", []field{{vec, "vec", 0}}}
	csdFunc = event{"func=%ps, csd=%p", []field{{function, "func", 0}, {plain, "csd", 1}}}
	vector  = event{"vector=%d", []field{{i32, "vector", 0}}}
)

var events = [...]event{
	trace.SchedSwitch: {"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", []field{
		{comm, "prev_comm", current}, {pid, "prev_pid", current}, {prio, "prev_prio", current}, {state, "prev_state", 0},
		{comm, "next_comm", 1}, {pid, "next_pid", 1}, {prio, "next_prio", 1}}},
	trace.SchedWaking:    wakeup,
	trace.SchedWakeup:    wakeup,
	trace.SchedWakeupNew: wakeup,
	trace.SchedMigrateTask: {"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", []field{
		{comm, "comm", 0}, {pid, "pid", 0}, {prio, "prio", 0}, {i32, "orig_cpu", 1}, {i32, "dest_cpu", 2}}},
	trace.SchedWakeIdleWithoutIPI: {"cpu=%d", []field{{i32, "cpu", 0}}},
	trace.SoftirqRaise:            softirq,
	trace.SoftirqEntry:            softirq,
	trace.SoftirqExit:             softirq,
	trace.IPISendCPU: {"cpu=%u callsite=%pS callback=%pS", []field{
		{u32, "cpu", 0}, {callsite, "callsite", 1}, {callsite, "callback", 2}}},
	trace.IPISendCPUMask: {"cpumask=%s callsite=%pS callback=%pS", []field{
		{cpumask, "cpumask", 0}, {callsite, "callsite", 1}, {callsite, "callback", 2}}},
	trace.CSDQueueCPU: {"cpu=%u callsite=%pS func=%ps csd=%p", []field{
		{u32, "cpu", 0}, {callsite, "callsite", 1}, {function, "func", 2}, {plain, "csd", 3}}},
	trace.CSDFunctionEntry:        csdFunc,
	trace.CSDFunctionExit:         csdFunc,
	trace.CPUIdle:                 {"state=%lu cpu_id=%lu", []field{{u32, "state", 0}, {u32, "cpu_id", 1}}},
	trace.RescheduleEntry:         vector,
	trace.RescheduleExit:          vector,
	trace.CallFunctionSingleEntry: vector,
	trace.CallFunctionSingleExit:  vector,
	trace.CallFunctionEntry:       vector,
	trace.CallFunctionExit:        vector,
	trace.LocalTimerEntry:         vector,
	trace.LocalTimerExit:          vector,
	trace.FuncgraphEntry:          {"--> %ps (%d)", []field{{textAddr, "func", 0}, {i32, "depth", 1}}},
	trace.FuncgraphExit: {"<-- %ps (%d) (start: %llu  end: %llu)", []field{
		{textAddr, "func", 0}, {i32, "depth", 1}, {calltime, "calltime", 2}, {rettime, "rettime", current}}},
	trace.Print: {"%ps: %s", []field{{textAddr, "ip", 0}, {message, "fmt", 1}}},
}

// goVerbs turns C's verbs into Go's for the print arguments here.
var goVerbs = strings.NewReplacer("%pS", "%s", "%ps", "%s", "%p", "%016x", "%u", "%d", "%lu", "%d", "%llu", "%d")

// text prints the record's fields as the kernel would.
func (t *Trace) text(h *hit) string {
	e := &events[h.Kind]
	var args []any
	for _, f := range e.fields {
		args = append(args, f.args(t.value(h, f))...)
	}
	return fmt.Sprintf(goVerbs.Replace(e.format), args...)
}

func (t *Trace) value(h *hit, f field) value {
	if f.arg == current {
		return value{t, h, int64(h.Task)}
	}
	return value{t, h, h.Args[f.arg]}
}

// symbol is a code address as %pS prints it. The model knows functions, not
// instructions: the offset is always 0.
func (v value) symbol() string {
	if v.arg == trace.NoFunc {
		return "0x0"
	}
	return fmt.Sprintf("%s+0x0/%#x", v.t.function(v.arg), functionSize)
}

// taskStates are the letters of prev_state's bits.
var taskStates = []struct {
	bit  int64
	name string
}{{1, "S"}, {2, "D"}, {4, "T"}, {8, "t"}, {0x10, "X"}, {0x20, "Z"}, {0x40, "P"}, {0x80, "I"}}

const stateCArgs = `(REC->%[1]s & 0xff) ? __print_flags(REC->%[1]s & 0xff, "|", { 0x01, "S" }, { 0x02, "D" }, { 0x04, "T" }, ` +
	`{ 0x08, "t" }, { 0x10, "X" }, { 0x20, "Z" }, { 0x40, "P" }, { 0x80, "I" }) : "R", REC->%[1]s & 0x100 ? "+" : ""`

func stateText(state int64) []any {
	var set []string
	for _, s := range taskStates {
		if state&s.bit != 0 {
			set = append(set, s.name)
		}
	}
	name, plus := strings.Join(set, "|"), ""
	if name == "" {
		name = "R"
	}
	if state&trace.TaskPreempted != 0 {
		plus = "+"
	}
	return []any{name, plus}
}

var softirqNames = []string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}

func softirqName(vec int64) string { return softirqNames[vec] }

func vecCArgs() string {
	s := "REC->%[1]s, __print_symbolic(REC->%[1]s"
	for i, n := range softirqNames {
		s += fmt.Sprintf(`, { %d, "%s" }`, i, n)
	}
	return s + ")"
}

// maskText prints a bitmask as the kernel's %*pb: 32 bits a group, highest
// first.
func maskText(words []uint64) string {
	var groups []string
	for i := len(words) - 1; i >= 0; i-- {
		groups = append(groups, fmt.Sprintf("%08x,%08x", words[i]>>32, uint32(words[i])))
	}
	return strings.Join(groups, ",")
}
