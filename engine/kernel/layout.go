package kernel

import (
	"slices"
	"strings"

	"wakelab/engine/hw"
	"wakelab/engine/view"
)

// lineVariables is what the model keeps on lines of a kind, by Mem.Kind. The
// offsets within struct rq and task_struct depend on the configuration, so only
// the start of an aligned per-CPU variable has one.
var lineVariables = map[string][]view.Variable{
	"rq[%d].lock":           unplaced("__lock", "nr_running"),
	"rq[%d].ttwu_pending":   unplaced("ttwu_pending", "nohz_flags", "nr_switches", "nohz_csd"),
	"rq[%d].curr":           unplaced("curr", "idle"),
	"rq[%d].clock":          unplaced("clock"),
	"rq[%d].cfs":            unplaced("tasks_timeline", "min_vruntime", "averages"),
	"idle[%d].flags":        {{Name: "NEED_RESCHED, POLLING_NRFLAG", Offset: 0, Size: 8}}, // thread_info begins task_struct
	"call_single_queue[%d]": {{Name: "llist head", Offset: 0, Size: 8}},                   // DEFINE_PER_CPU_SHARED_ALIGNED
	"csd.stack[%d]":         unplaced("the waiting caller's csd"),
	"csd_data[%d]":          unplaced("the caller's csd"),
	"pipe[%d].mutex":        unplaced("mutex", "rd_wait", "wr_wait"),
	"pipe[%d].head":         unplaced("head", "tail"),
	"pipe[%d].bufs":         unplaced("the slot in use"),
	"pipe[%d].data":         unplaced("the message"),
	"mm[%d].mm_count":       unplaced("mm_count"),
	"mm[%d].lru_gen":        unplaced("lru_gen.bitmap"),
	"tg->load_avg":          unplaced("load_avg of the task group"),
	"llc[%d].shared":        unplaced("nr_busy_cpus", "has_idle_cores"),
	"nohz":                  unplaced("nr_cpus", "has_blocked", "next_balance"),
	"task[%d]":              unplaced("pi_lock", "wake_entry"),
	"task[%d].se":           unplaced("se", "state", "on_rq"),
	"flush flag, contended": unplaced("data that many CPUs write"),
}

// flagNeighbours is what a flag with a line of its own kind shares it with, by
// placement.
var flagNeighbours = map[int64][]view.Variable{
	flagBesideLocal: unplaced("data that only this CPU touches"),
	flagBesideRead:  unplaced("data that senders read once a call"),
}

func unplaced(names ...string) []view.Variable {
	var vars []view.Variable
	for _, name := range names {
		vars = append(vars, view.Variable{Name: name, Offset: -1})
	}
	return vars
}

// variables returns what lies on a line, as far as the model says.
func (k *Kernel) variables(id hw.LineID) []view.Variable {
	vars := append([]view.Variable{}, lineVariables[k.Mem.Kind(id)]...)
	for c := range k.rqs {
		if r := &k.rqs[c]; r.lineCurr == id && r.lineClock == id {
			vars = append(vars, unplaced("clock")...)
		}
		if k.flushFlag[c] != id {
			continue
		}
		flag := view.Variable{Name: "flush flag", Offset: -1, Size: 1, Flag: true}
		if k.feat[FlushFlag] == flagAligned {
			flag.Offset = 0
		}
		return append(append(vars, flagNeighbours[k.feat[FlushFlag]]...), flag)
	}
	return vars
}

// names lists variables in one text.
func names(vars []view.Variable) string {
	var all []string
	for _, v := range vars {
		all = append(all, v.Name)
	}
	return strings.Join(all, ", ")
}

// cpuLines describes the lines of a CPU that callers and wakers use, each once.
func (k *Kernel) cpuLines() []view.Layout {
	r := &k.rqs[0]
	lines := []hw.LineID{r.lineQueue, r.lineFlags, r.lineLock, r.lineTtwu, r.lineCurr}
	for _, id := range []hw.LineID{r.lineClock, k.flushFlag[0]} {
		if id != 0 && !slices.Contains(lines, id) {
			lines = append(lines, id)
		}
	}
	var out []view.Layout
	for _, id := range lines {
		out = append(out, view.Layout{Name: strings.Replace(k.Mem.Kind(id), "[%d]", "", 1), Variables: k.variables(id)})
	}
	return out
}
