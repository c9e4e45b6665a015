// Package view is what renderers and tables see of a run: plain values,
// copied out between events. Nothing here can change the engine.
package view

// Pictures names the pictures that renderers draw of a run, in the order of
// render/scene's views.
var Pictures = [...]string{"machine", "timeline", "anatomy", "lines"}

// MaxLarge CPUs can be drawn large beside each other in the machine picture.
const MaxLarge = 4

// State is what a CPU is doing, for colour and shape.
type State uint8

// States of a CPU.
const (
	IdlePoll State = iota // polling idle loop (POLL)
	IdleC1                // MWAIT
	IdleC2                // deeper state
	IdleLoop              // in the idle task but not in a state: entry, exit, flush, schedule
	User
	Kernel
	Spin // waiting for a lock with the CPU busy
	IRQ
	SoftIRQ
	NumStates
)

var stateNames = [NumStates]string{"idle POLL", "idle C1", "idle C2", "idle loop", "user", "kernel", "spinning", "hard irq", "softirq"}

// String returns the state's name.
func (s State) String() string { return stateNames[s] }

// CPU is one logical CPU at the frame's instant.
type CPU struct {
	State       State
	NeedResched bool
	Polling     bool // TIF_POLLING_NRFLAG of the idle task
	IRQsOff     bool
	NrRunning   uint16
	Fn          uint16 // index into Static.Functions
	Task        int32  // index into Static.Tasks; -1 idle task
	Busy        uint16 // permille of the time since the last frame not idle
	LockWait    uint16 // permille spent spinning
	LineWait    uint16 // permille spent waiting for cache lines
	IRQShare    uint16 // permille in interrupts and softirqs
	Wakeups     uint32 // wakeups that chose this CPU since the last frame
}

// ArrowKind is a kind of message between CPUs.
type ArrowKind uint8

// Kinds of arrow.
const (
	IPI        ArrowKind = iota // a real interrupt
	PolledWake                  // NEED_RESCHED set on a polling idle CPU, no interrupt
	Migration                   // a task moved
	Wakeup                      // waker to wakee's CPU
	Pipe                        // data: writer's CPU to reader's CPU
	NumArrowKinds
)

var arrowNames = [NumArrowKinds]string{"IPI", "polled wake", "migration", "wakeup", "pipe data"}

// String returns the kind's name.
func (k ArrowKind) String() string { return arrowNames[k] }

// Arrow is traffic between two CPUs since the last frame.
type Arrow struct {
	Kind     ArrowKind
	From, To int32
	Count    uint32
	AtPs     int64 // instant of the latest one
	EndPs    int64 // for an IPI in flight: when it arrives; otherwise AtPs
}

// Span is a stretch of one CPU's time in one kernel function.
type Span struct {
	CPU     int32
	Fn      uint16
	State   State
	Task    int32 // -1 idle task
	StartPs int64
	EndPs   int64
}

// Line is one cache line's statistics since the start of the run.
type Line struct {
	Name      string `json:"name"`  // "rq[12].lock", "mm[0].mm_count"
	Owner     int32  `json:"owner"` // CPU of the owning core's first thread; -1 memory
	Sharers   int32  `json:"sharers"`
	Transfers uint64 `json:"transfers"`
	WaitNs    uint64 `json:"wait_ns"`  // ns CPUs waited for it, transfers and queueing
	QueueNs   uint64 `json:"queue_ns"` // of these, ns queued behind other transfers
	BusyPm    uint16 `json:"busy_pm"`  // permille of the run it was being transferred

	Variables string   `json:"variables"`  // what lies on it, as far as the model says: "__lock, nr_running"
	L3WaitNs  []uint64 `json:"l3_wait_ns"` // of each L3 group's CPUs, since Details.SincePs; empty if nobody watched
}

// Lock is one lock's statistics since the start of the run.
type Lock struct {
	Name      string `json:"name"`
	Acquired  uint64 `json:"acquired"`
	Contended uint64 `json:"contended"`
	WaitNs    uint64 `json:"wait_ns"`
	HoldNs    uint64 `json:"hold_ns"`
}

// Counter is one named count or rate of the run.
type Counter struct {
	Key   string  `json:"key"` // stable, as in the JSON contract: "switches_per_s"
	Title string  `json:"title"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	None  bool    `json:"none,omitempty"` // a mean of no events: Value is 0 and says nothing
}

// Frame is one instant of a run. Slices are reused from frame to frame.
type Frame struct {
	NowPs    int64
	SincePs  int64 // instant of the previous frame
	Events   uint64
	Done     bool
	CPUs     []CPU
	Arrows   []Arrow
	Spans    []Span // spans that ended since the last frame, oldest first, bounded
	Lost     uint32 // spans dropped because the bound was reached
	Counters []Counter
}

// Place is a CPU's position, copied from topo for renderers.
type Place struct {
	Socket, Node, Die, LLC, Core, Thread int32
}

// Static is what does not change during a run.
type Static struct {
	Places    []Place
	Functions []string // kernel function names by Fn
	Tasks     []string // "hackbench-1234" by task index
	CStates   []string
	CPULines  []Layout // the lines of each CPU that calls and wakeups use
}

// LineBytes is the size of a cache line.
const LineBytes = 64

// Layout says which variables share a cache line.
type Layout struct {
	Name      string // "rq.lock"
	Variables []Variable
}

// Variable is one that the model keeps on a line.
type Variable struct {
	Name   string
	Offset int32 // bytes from the start of the line; -1 the sources do not say
	Size   int32 // bytes; 0 the sources do not say
	Flag   bool  // it is there only in kernels with the flush flag
}

// FnTime is the time all CPUs spent in one kernel function.
type FnTime struct {
	Name string `json:"name"`
	Ns   uint64 `json:"ns"`
}

// Slice is a part of a wakeup, or of an interrupt's round trip, over all of
// them since the start of the run.
type Slice struct {
	Path  string  `json:"path"`   // "wakeup" or "call"
	Name  string  `json:"name"`   // "C-state exit"
	Fn    string  `json:"fn"`     // kernel function in which the time passes
	Patch string  `json:"patch"`  // what the compared kernel changes here; empty nothing
	Ns    float64 `json:"ns"`     // mean
	P10Ns float64 `json:"p10_ns"` // percentiles
	P25Ns float64 `json:"p25_ns"`
	P50Ns float64 `json:"p50_ns"`
	P75Ns float64 `json:"p75_ns"`
	P90Ns float64 `json:"p90_ns"`
	P99Ns float64 `json:"p99_ns"`
}

// Details is what a run has found since its start that changes slowly: the
// hottest lines and locks, what a wakeup is made of, and where the time went.
type Details struct {
	Lines     []Line   `json:"lines"`
	Locks     []Lock   `json:"locks"`
	Slices    []Slice  `json:"slices"`
	Functions []FnTime `json:"functions"` // longest first
	SincePs   int64    `json:"since_ps"`  // from when on Line.L3WaitNs counts
}
