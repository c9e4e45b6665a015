package kernel

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"wakelab/engine/hw"
	"wakelab/engine/rng"
	"wakelab/engine/simtime"
	"wakelab/engine/view"
)

// bytesOf views a slice of plain structs as bytes. Only types without
// pointers and padding are state; a test looks at each.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// stateTypes are the structs that the regions consist of.
var stateTypes = typesOf(clock{}, Counters{}, cpu{}, rq{}, llcShared{}, task{}, Frame{}, spinlock{}, mutex{}, waitQueue{}, pipe{}, csd{}, schedDomain{}, rootDomain{}, nohzState{}, taskGroup{}, stopper{}, futex{}, socket{}, Hist{}, rng.Stream{}, avg{})

func typesOf(values ...any) (types []reflect.Type) {
	for _, v := range values {
		types = append(types, reflect.TypeOf(v))
	}
	return types
}

// StateLayout describes the fields of all state, in order. A saved state fits
// only the layout it was saved from.
func StateLayout() string {
	var b strings.Builder
	for _, t := range stateTypes {
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintf(&b, "%s.%s %v@%d ", t.Name(), f.Name, f.Type, f.Offset)
		}
	}
	return b.String()
}

// regions is all of the run's state, in a fixed order. Sizes depend on the
// configuration alone.
func (k *Kernel) regions() [][]byte {
	return append([][]byte{
		bytesOf(k.clk), bytesOf(k.count), bytesOf(k.prof), bytesOf(k.steps.Keys), bytesOf(k.arrivals.Keys),
		bytesOf(k.cpus), bytesOf(k.rqs), bytesOf(k.llcs), bytesOf(k.coreBusy), bytesOf(k.tasks), bytesOf(k.frames), bytesOf(k.locks),
		bytesOf(k.mutexes), bytesOf(k.waits), bytesOf(k.pipes), bytesOf(k.futexes), bytesOf(k.sockets),
		bytesOf(k.words), bytesOf(k.hists), bytesOf(k.csds), bytesOf(k.domains),
		bytesOf(k.root), bytesOf(k.nohz), bytesOf(k.tg), bytesOf(k.stoppers), bytesOf(k.anatomy), bytesOf(k.calls), bytesOf(k.idleMask), bytesOf(k.manyMask), bytesOf(k.random),
	}, k.Mem.Regions()...)
}

// StateSize is the length of a saved state in bytes.
func (k *Kernel) StateSize() int {
	n := 0
	for _, r := range k.regions() {
		n += len(r)
	}
	return n
}

// Save appends the state to dst.
func (k *Kernel) Save(dst []byte) []byte {
	for _, r := range k.regions() {
		dst = append(dst, r...)
	}
	return dst
}

// Load replaces the state by one saved from the same configuration.
func (k *Kernel) Load(src []byte) error {
	if n := k.StateSize(); len(src) != n {
		return fmt.Errorf("saved state has %d bytes, this configuration needs %d", len(src), n)
	}
	for _, r := range k.regions() {
		copy(r, src)
		src = src[len(r):]
	}
	k.now = k.clk[0].Now
	return nil
}

// Digest is a 64-bit FNV-1a hash of the state, eight bytes a step.
func (k *Kernel) Digest() uint64 {
	h := uint64(14695981039346656037)
	for _, r := range k.regions() {
		for len(r) >= 8 {
			v := uint64(r[0]) | uint64(r[1])<<8 | uint64(r[2])<<16 | uint64(r[3])<<24 |
				uint64(r[4])<<32 | uint64(r[5])<<40 | uint64(r[6])<<48 | uint64(r[7])<<56
			h = (h ^ v) * 1099511628211
			h ^= h >> 29
			r = r[8:]
		}
		for _, b := range r {
			h = (h ^ uint64(b)) * 1099511628211
		}
	}
	return h
}

// Check verifies the invariants of the model and panics on a broken one.
func (k *Kernel) Check() {
	k.now = k.clk[0].Now
	where := make([]int8, len(k.tasks))
	for c := range CPUID(len(k.cpus)) {
		k.checkCPU(c, where)
	}
	k.checkCores()
	contribs := int64(0)
	for i := range k.rqs {
		contribs += k.rqs[i].tgContrib
	}
	if contribs != k.tg[0].loadAvg {
		k.bug(0, "tg->load_avg is %d, the runqueues' contributions %d", k.tg[0].loadAvg, contribs)
	}
	for w := range k.waits {
		for id := k.waits[w].head; id != none; id = k.tasks[id].wqNext {
			if k.tasks[id].wq != int32(w) {
				k.bug(0, "task %d is linked on wait queue %d but says %d", id, w, k.tasks[id].wq)
			}
		}
	}
	for id := int32(len(k.cpus)); id < int32(len(k.tasks)); id++ {
		t := &k.tasks[id]
		if t.state == taskWaking || t.state == taskMigrating {
			continue
		}
		if t.onRq != 0 && where[id] != 1 {
			k.bug(t.cpu, "task %d is on %d runqueues", id, where[id])
		}
		if t.onRq == 0 && where[id] != 0 && t.onCPU == 0 {
			k.bug(t.cpu, "task %d sleeps on a runqueue", id)
		}
	}
	k.checkPipes()
	if err := k.Mem.Check(); err != nil {
		k.bug(0, "%v", err)
	}
}

// checkCores compares each core's count of busy hardware threads with their
// idle states.
func (k *Kernel) checkCores() {
	busy := make([]int32, len(k.coreBusy))
	for c := range CPUID(len(k.cpus)) {
		if cp := &k.cpus[c]; cp.inState == 0 || cp.idleState == uint8(view.IdlePoll) {
			busy[k.Topo.CoreOf(c)]++
		}
	}
	for core, n := range busy {
		if n != k.coreBusy[core] {
			k.bug(k.Topo.Cores[core][0], "core %d has %d busy threads, not %d", core, n, k.coreBusy[core])
		}
	}
}

func (k *Kernel) checkCPU(c CPUID, where []int8) {
	cp, r := &k.cpus[c], &k.rqs[c]
	n, est := int32(0), int64(0)
	last := Duration(-1 << 62)
	for id := r.head; id != none; id = k.tasks[id].next {
		t := &k.tasks[id]
		where[id]++
		n++
		est += t.estimated()
		if t.vruntime < last {
			k.bug(c, "the tree is out of order at task %d", id)
		}
		last = t.vruntime
		if t.cpu != c || t.onRq == 0 {
			k.bug(c, "task %d in the tree belongs to CPU %d, on_rq %d", id, t.cpu, t.onRq)
		}
	}
	if r.curr != none && k.tasks[r.curr].onRq != 0 {
		where[r.curr]++
		n++
		est += k.tasks[r.curr].estimated()
	}
	if r.stopOn != 0 {
		where[k.stopperOf(c)]++
	}
	if n != r.nrRunning {
		k.bug(c, "nr_running is %d, tasks are %d", r.nrRunning, n)
	}
	if est != r.utilEst {
		k.bug(c, "util_est is %d, that of its tasks %d", r.utilEst, est)
	}
	if w, sum := r.seWeight, r.seAvg.loadSum; w < 2 || w > niceZero || sum < 0 {
		k.bug(c, "the group's entity has weight %d and a load sum of %d", w, sum)
	}
	if cp.polling != 0 && cp.curr != c {
		k.bug(c, "POLLING is set while task %d runs", cp.curr)
	}
	if cp.parked == 0 && k.steps.At(c) < k.now {
		k.bug(c, "its next step lies in the past")
	}
	if cp.parked == 0 && k.steps.At(c) == simtime.Never {
		k.bug(c, "runs but has no next step")
	}
	var sum Duration
	for _, d := range cp.stateTime {
		sum += d
	}
	if sum != Duration(cp.since) {
		k.bug(c, "accounted %v of %v", sum, Duration(cp.since))
	}
}

func (k *Kernel) checkPipes() {
	for i := range k.pipes {
		p := &k.pipes[i]
		if n := p.used(); n < 0 || n > pipeSlots {
			k.bug(p.writer, "pipe %d has %d slots in use", i, n)
		}
		k.checkLostWakeup(i, p)
	}
}

// checkLostWakeup finds readers that sleep on a pipe with data although
// nobody is on the way to wake them.
func (k *Kernel) checkLostWakeup(i int, p *pipe) {
	if p.used() == 0 || k.mutexes[p.mutex].owner != none {
		return
	}
	w := &k.waits[p.rdWait]
	if w.head == none || k.locks[w.lock].holder >= 0 {
		return
	}
	t := &k.tasks[w.head]
	if t.state != taskInterruptible || t.onRq != 0 || t.onCPU != 0 {
		return
	}
	for id := range k.tasks {
		for _, f := range k.stack(TaskID(id)) {
			if (f.Fn == FnPipeRead || f.Fn == FnPipeWrite) && f.A == int32(i) && int32(id) != w.head {
				return // somebody is in the pipe's code and may wake it
			}
		}
	}
	k.bug(t.cpu, "reader %d sleeps on pipe %d, which has data: a lost wakeup", w.head, i)
}

// Lines returns the hw statistics of every line; index 0 is no line.
func (k *Kernel) Lines() int { return k.Mem.NumLines() }

// Line returns one line's statistics.
func (k *Kernel) Line(i int) hw.LineStat { return k.Mem.Stat(hw.LineID(i)) }

// ForgetStatistics zeroes what only reports read. Counters stay: they say how
// much of the workload is done.
func (k *Kernel) ForgetStatistics() {
	for c := range k.cpus {
		k.account(CPUID(c)) // before what it books is zeroed
	}
	k.Mem.ForgetStatistics()
	k.clk[0].MeasureAt = k.Now()
	clear(k.prof)
	clear(k.anatomy)
	for c := range k.cpus {
		k.cpus[c].stateTime = [view.NumStates]Duration{}
		k.cpus[c].idleUsage = [3]int64{}
		k.cpus[c].stateTime[view.Kernel] = Duration(k.now) // times add up to the run's length
	}
	for i := range k.locks {
		l := &k.locks[i]
		l.hold, l.wait, l.acquired, l.contended = 0, 0, 0, 0
	}
	for i := range k.mutexes {
		m := &k.mutexes[i]
		m.hold, m.wait, m.acquired, m.contended = 0, 0, 0, 0
	}
}
