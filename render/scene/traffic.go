package scene

import "wakelab/engine/view"

// pair is the traffic from one CPU to another.
type pair struct {
	from, to int32
	rate     [view.NumArrowKinds]float32 // smoothed messages per frame
	glow     [view.NumArrowKinds]float32 // 1 when just seen, fading to 0
}

// traffic is the recent messages between CPUs, faded.
type traffic struct {
	n     int
	pairs []pair
	slot  []int32 // by from*n+to: index into pairs plus one
}

func (t *traffic) reset(cpus int) {
	t.n = cpus
	t.slot = make([]int32, cpus*cpus)
}

func (t *traffic) forget() {
	t.pairs = t.pairs[:0]
	clear(t.slot)
}

// add fades what was there and takes the arrows of a new frame.
func (t *traffic) add(arrows []view.Arrow) {
	for i := 0; i < len(t.pairs); i++ {
		p := &t.pairs[i]
		alive := false
		for k := range p.glow {
			p.glow[k] *= glowDecay
			p.rate[k] *= glowDecay
			alive = alive || p.glow[k] > glowMin
		}
		if alive {
			continue
		}
		t.slot[int(p.from)*t.n+int(p.to)] = 0
		last := len(t.pairs) - 1
		if i != last {
			*p = t.pairs[last]
			t.slot[int(p.from)*t.n+int(p.to)] = int32(i + 1)
		}
		t.pairs = t.pairs[:last]
		i--
	}
	for _, a := range arrows {
		if a.From < 0 || a.To < 0 || int(a.From) >= t.n || int(a.To) >= t.n {
			continue // from or to a device
		}
		slot := &t.slot[int(a.From)*t.n+int(a.To)]
		if *slot == 0 {
			t.pairs = append(t.pairs, pair{from: a.From, to: a.To})
			*slot = int32(len(t.pairs))
		}
		p := &t.pairs[*slot-1]
		p.glow[a.Kind] = 1
		p.rate[a.Kind] += (1 - glowDecay) * float32(a.Count)
	}
}
