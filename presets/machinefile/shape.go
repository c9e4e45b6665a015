package machinefile

import (
	"slices"

	"wakelab/engine/hw"
	"wakelab/engine/param"
	"wakelab/engine/topo"
)

// Setting is the value of one parameter as a reader would type it.
type Setting struct{ Key, Value string }

// Shape returns the regular shape that gives exactly these places; ok is
// false if there is none, as for hybrid processors and machines with CPUs
// offline.
func Shape(places []topo.Place) (s topo.Shape, ok bool) {
	t, err := topo.Build(places)
	if err != nil {
		return s, false
	}
	sockets, dies, llcs, cores := int64(len(t.Sockets)), int64(len(t.Dies)), int64(len(t.LLCs)), int64(len(t.Cores))
	s = topo.Shape{
		Sockets: sockets, DiesPerSocket: dies / sockets, LLCsPerDie: llcs / dies, CoresPerLLC: cores / llcs,
		ThreadsPerCore: int64(t.N()) / cores, NodesPerSocket: int64(len(t.Nodes)) / sockets,
	}
	for s.Numbering = range topo.NumNumberings {
		if built, err := s.Build(); err == nil && slices.Equal(built.CPUs, places) {
			return s, true
		}
	}
	return topo.Shape{}, false
}

// ShapeSettings returns the machine parameters that describe s.
func ShapeSettings(s topo.Shape) []Setting {
	var all []Setting
	for _, f := range []struct {
		p hw.Param
		v int64
	}{
		{hw.Sockets, s.Sockets}, {hw.DiesPerSocket, s.DiesPerSocket}, {hw.LLCsPerDie, s.LLCsPerDie}, {hw.CoresPerLLC, s.CoresPerLLC},
		{hw.ThreadsPerCore, s.ThreadsPerCore}, {hw.NodesPerSocket, s.NodesPerSocket}, {hw.CPUNumbering, int64(s.Numbering)},
	} {
		d := &hw.Defs[f.p]
		all = append(all, Setting{d.Key, d.Format(param.Value{N: f.v})})
	}
	return all
}

// distanceParams holds latencies by distance.
var distanceParams = map[topo.Distance]hw.Param{
	topo.SMT: hw.LineSMT, topo.LLC: hw.LineLLC, topo.Die: hw.LineDie, topo.Socket: hw.LineSocket, topo.Remote: hw.LineRemote,
}

// Settings returns the machine parameters that follow from the latency. A
// table does not say where lines are homed; a line with a remote home is taken
// to cost as much as one from the other socket.
func (l Latency) Settings() []Setting {
	params := []hw.Param{distanceParams[l.Distance]}
	if l.Distance == topo.Remote {
		params = append(params, hw.LineRemoteHome)
	}
	var all []Setting
	for _, p := range params {
		all = append(all, Setting{hw.Defs[p].Key, l.Median.String()})
	}
	return all
}
