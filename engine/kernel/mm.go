package kernel

import "wakelab/engine/hw"

// mm mirrors mm_struct: what all threads of a process share. mm_count is on a
// line of its own.
type mm struct {
	count  hw.LineID
	lruGen hw.LineID // lru_gen.bitmap
	lock   lockID    // the experiment's raw spinlock, taken in every switch
}

// NewMM makes an address space homed near a CPU.
func (k *Kernel) NewMM(near CPUID) int32 {
	i := int32(len(k.mms))
	k.mms = append(k.mms, mm{count: k.Mem.NewLine("mm[%d].mm_count", i, near),
		lruGen: k.Mem.NewLine("mm[%d].lru_gen", i, near),
		lock:   k.newLock(k.Mem.NewLine("mm[%d].raw_lock", i, near))})
	return i
}

// mmGrab and mmDrop are the lazy-TLB reference: one atomic on mm_count.
func (k *Kernel) mmGrab(c CPUID, m int32) Duration {
	if k.feat[LazyMMRefcount] == 0 {
		return 0
	}
	return k.Mem.Access(k.now, c, k.mms[m].count, hw.RMW)
}

func (k *Kernel) mmDrop(c CPUID, m int32) Duration { return k.mmGrab(c, m) }
