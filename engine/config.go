// Package engine is the simulator's front door: a configuration goes in, a
// run that can be advanced, looked at, copied and restored comes out.
package engine

import (
	"errors"
	"fmt"
	"strings"

	"wakelab/engine/hw"
	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/rng"
	"wakelab/engine/simtime"
	"wakelab/engine/topo"
	"wakelab/engine/workload"
)

// ModelVersion changes whenever a run of the same configuration may differ.
const ModelVersion = 4

// RunParam indexes the parameters of the run itself.
type runParam int

const (
	runSeed runParam = iota
	runDuration
	runWarmup
	runPrecision
	runSettlesAfter
	runResettlesAfter
	runCostSpread
	numRunParams
)

var runDefs = [numRunParams]param.Def{
	runSeed: {Key: "seed", Title: "Seed", Kind: param.Int, Default: 1, Min: 0, Max: 1<<53 - 1, Public: true,
		Help:   "All randomness of a run follows from it: the same configuration and seed give the same run on every machine.",
		Source: "choice", Confidence: param.Choice},
	runDuration: {Key: "duration", Title: "Simulated time at most", Kind: param.Duration, Default: int64(400 * simtime.Millisecond),
		Min: int64(simtime.Millisecond), Max: int64(600 * simtime.Second), Public: true,
		Help:   "A run that is neither done nor precise enough by then ends, and its result is extrapolated.",
		Source: "choice", Confidence: param.Choice},
	runWarmup: {Key: "warmup", Title: "Warm-up", Kind: param.Duration, Max: int64(600 * simtime.Second), Public: true,
		Help:   "Start of the run that is left out of all rates. 0: found by the MSER-5 rule.",
		Source: "choice", Confidence: param.Choice},
	runPrecision: {Key: "precision", Title: "Precision", Kind: param.Permille, Max: 500, Public: true,
		Help:   "A steady run ends early once its 95 % interval is within this many thousandths of the value. 0: it never ends early.",
		Source: "choice", Confidence: param.Choice},
	runSettlesAfter: {Key: "settles_after", Title: "Settles after", Kind: param.Duration, Max: int64(600 * simtime.Second), Public: true,
		Help:   "The workload is known to drift, too slowly for a short run to see, for this long. A run whose warm-up is shorter is not called settled.",
		Source: "choice: taken from long runs", Confidence: param.Choice},
	runResettlesAfter: {Key: "resettles_after", Title: "Settles again after", Kind: param.Duration, Max: int64(600 * simtime.Second), Public: true,
		Help:   "A run that goes on from the settled state of another kernel, or of other costs, lasts this much longer, and leaves it out.",
		Source: "choice: taken from runs that go on from each other's states", Confidence: param.Choice},
	runCostSpread: {Key: "cost_spread", Title: "Spread of costs", Kind: param.Permille, Max: 500, Public: true,
		Help:   "Every cost and machine latency that is not a published figure is multiplied by a factor of its own, drawn by the seed from 1 - this to 1 + this, within its range. Kernels with the same seed get the same factors. Shows what hangs on exact timing.",
		Source: "choice", Confidence: param.Choice},
}

var table = buildTable()

func buildTable() []param.Def {
	var all []param.Def
	add := func(group string, defs []param.Def) {
		for _, d := range defs {
			d.Group = group
			all = append(all, d)
		}
	}
	add("machine", hw.Defs[:])
	add("kernel", kernel.FeatureDefs[:])
	add("cost", kernel.CostDefs[:])
	add("workload", workload.Defs[:])
	add("run", runDefs[:])
	return all
}

// Offsets of the groups in the table.
const (
	machineAt  = 0
	featureAt  = machineAt + int(hw.NumParams)
	costAt     = featureAt + int(kernel.NumFeatures)
	workloadAt = costAt + int(kernel.NumCosts)
	runAt      = workloadAt + int(workload.NumParams)
)

// Params returns the table of every parameter: the one list from which the
// forms, link keys, flags, CSV header and help page come. Do not change it.
func Params() []param.Def { return table }

var paramIndex = func() map[string]int {
	m := make(map[string]int, len(table))
	for i, d := range table {
		if _, twice := m[d.Key]; twice {
			panic("engine: parameter " + d.Key + " is defined twice")
		}
		m[d.Key] = i
	}
	return m
}()

// Find returns the index in Params of the parameter called key, or -1.
func Find(key string) int {
	if i, ok := paramIndex[key]; ok {
		return i
	}
	return -1
}

// Config is everything a run depends on.
type Config struct {
	// Values holds one value per entry of Params.
	Values []param.Value
	// Places is the machine's shape when it was imported; nil means that the
	// machine parameters (sockets, cores per L3, ...) describe it.
	Places []topo.Place
}

// Default returns the configuration in which every parameter has its default.
func Default() Config {
	c := Config{Values: make([]param.Value, len(table))}
	for i := range table {
		c.Values[i] = table[i].DefaultValue()
	}
	return c
}

// drawn returns the values to run with: those of c, costs and latencies
// multiplied as cost_spread says.
func (c *Config) drawn() []param.Value {
	v := append([]param.Value(nil), c.Values...)
	spread := v[runAt+int(runCostSpread)].N
	if spread == 0 {
		return v
	}
	for i := range table[:workloadAt] {
		d := &table[i]
		if d.Kind != param.Duration || d.Confidence == param.Published || d.Confidence == param.Choice {
			continue
		}
		r := rng.New(uint64(v[runAt+int(runSeed)].N), "cost_spread."+d.Key)
		v[i].N = min(max(v[i].N*(1000-spread+r.Intn(2*spread+1))/1000, d.Min), d.Max)
	}
	return v
}

// Clone returns a copy that shares nothing with c.
func (c Config) Clone() Config {
	c.Values = append([]param.Value(nil), c.Values...)
	c.Places = append([]topo.Place(nil), c.Places...)
	return c
}

// Set parses text as the value of key. The error names key, text and what is
// allowed.
func (c *Config) Set(key, text string) error {
	i := Find(key)
	if i < 0 {
		return fmt.Errorf("%s: no such parameter%s", key, suggest(key))
	}
	v, err := table[i].Parse(text)
	if err != nil {
		return err
	}
	c.Values[i] = v
	return nil
}

// Get returns the value of key as text; it panics on an unknown key.
func (c *Config) Get(key string) string {
	i := Find(key)
	if i < 0 {
		panic("engine: unknown parameter " + key)
	}
	return table[i].Format(c.Values[i])
}

// Changed lists the parameters that do not have their default, as KEY=VALUE in
// the table's order.
func (c *Config) Changed() []string {
	var out []string
	for i := range table {
		if c.Values[i] != table[i].DefaultValue() {
			out = append(out, table[i].Key+"="+table[i].Format(c.Values[i]))
		}
	}
	return out
}

// Number returns the value of key as the table stores it; it panics on an
// unknown key.
func (c *Config) Number(key string) int64 {
	i := Find(key)
	if i < 0 {
		panic("engine: unknown parameter " + key)
	}
	return c.Values[i].N
}

// suggest names the closest keys to a misspelt one.
func suggest(key string) string {
	var near []string
	for _, d := range table {
		if strings.Contains(d.Key, key) || (len(d.Key) > 3 && strings.Contains(key, d.Key)) {
			near = append(near, d.Key)
		}
	}
	if len(near) == 0 || len(near) > 8 {
		return "; `wakelab list params` shows all"
	}
	return "; did you mean " + strings.Join(near, ", ") + "?"
}

// Validate reports every problem of c at once, joined.
func (c *Config) Validate() error {
	if len(c.Values) != len(table) {
		panic(fmt.Sprintf("engine: config has %d values, want %d", len(c.Values), len(table)))
	}
	var errs []error
	for i := range table {
		if err := table[i].Check(c.Values[i]); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	t, err := c.topology()
	if err != nil {
		return err
	}
	return errors.Join(hw.Check(c.Values[machineAt:featureAt]), kernel.CheckFeatures(c.Values[featureAt:costAt]), workload.Check(c.Values[workloadAt:runAt], t))
}

// CPUs returns how many logical CPUs the machine of a valid c has.
func (c *Config) CPUs() int {
	if c.Places != nil {
		return len(c.Places)
	}
	return int(hw.Shape(c.Values[machineAt:featureAt]).CPUs())
}

func (c *Config) topology() (*topo.Topology, error) {
	if c.Places != nil {
		return topo.Build(c.Places)
	}
	return hw.Shape(c.Values[machineAt:featureAt]).Build()
}
