package kernel

import "wakelab/engine/hw"

// pipeSlots is the ring's size in pages (PIPE_DEF_BUFFERS); a full ring is
// counted in slots, however little each holds.
const (
	pipeSlots = 16
	pageSize  = 4096
)

// pipeBuf mirrors struct pipe_buffer: the bytes offset..offset+len of a page.
type pipeBuf struct {
	offset, len int32
}

// pipe mirrors struct pipe_inode_info. Its first line holds the mutex and
// both wait queues' locks, the second head and tail.
type pipe struct {
	head     int32 // slots ever used and freed, modulo 2^31
	tail     int32
	mutex    int32
	rdWait   int32
	wrWait   int32
	lineHead hw.LineID // head, tail
	lineBufs hw.LineID // the slot in use
	lineData hw.LineID // the message's bytes in the page: written lines drain before the unlock
	readEnd  hw.LineID // struct file of the read end: f_count
	writeEnd hw.LineID
	writer   int32 // CPU that wrote last
	reader   int32 // CPU that read last
	messages int64
	slots    int64 // slots ever opened, for messages per page
	bufs     [pipeSlots]pipeBuf
}

func (p *pipe) used() int32 { return p.head - p.tail }

// NewPipe makes an empty pipe. With sharedFiles its two struct files are used
// through one file table by several threads, so that every system call takes
// and drops a reference on them.
func (k *Kernel) NewPipe(near CPUID, sharedFiles bool) int32 {
	i := int32(len(k.pipes))
	l0 := k.Mem.NewLine("pipe[%d].mutex", i, near)
	p := pipe{
		mutex: k.newMutex(l0), rdWait: k.newWaitQueue(l0), wrWait: k.newWaitQueue(l0),
		lineHead: k.Mem.NewLine("pipe[%d].head", i, near),
		lineBufs: k.Mem.NewLine("pipe[%d].bufs", i, near),
		lineData: k.Mem.NewBundle("pipe[%d].data", i, near, 2),
		writer:   near, reader: near,
	}
	if sharedFiles {
		p.readEnd = k.Mem.NewLine("pipe[%d] read file.f_count", i, near)
		p.writeEnd = k.Mem.NewLine("pipe[%d] write file.f_count", i, near)
	}
	k.pipes = append(k.pipes, p)
	return i
}

// PipeRead reads one message of n bytes from pipe id, sleeping while it is
// empty.
func (k *Kernel) PipeRead(c CPUID, id, n int32) Duration { return k.call(c, FnPipeRead, id, n, 0) }

// PipeWrite writes one message of n bytes to pipe id, sleeping while it is
// full.
func (k *Kernel) PipeWrite(c CPUID, id, n int32) Duration { return k.call(c, FnPipeWrite, id, n, 0) }

// Bits of a pipe frame's D.
const (
	pipeWasFull = 1 << iota
	pipeWasEmpty
	pipeSlept
	pipeMadeRoom // v6.14: this read turned a full ring into one with room
)

// Steps common to reading and writing.
const (
	pipeEnter = iota
	pipeFget
	pipeLock
	pipeLocked
	pipeHave
	pipeSlot
	pipeSlotLocked
	pipeSlotMoved
	pipeFill
	pipeCopy
	pipeBlock
	pipeBlockWake
	pipeBlockWait
	pipeAwake
	pipeUnlock
	pipeWakeOther
	pipeWakeNext
	pipeExit
	pipeFput
	pipeDone
)

// pipeRead mirrors vfs_read and pipe_read. A pipe, B bytes, D flags.
func (k *Kernel) pipeRead(c CPUID, f *Frame) Duration {
	p := &k.pipes[f.A]
	cp := &k.cpus[c]
	for { // steps that take no time follow each other at once
		switch f.Step {
		case pipeEnter:
			f.Step = pipeFget
			return k.cost(c, CostSyscallEntry) + k.cost(c, CostVfs)
		case pipeFget:
			f.Step = pipeLock
			if p.readEnd != 0 {
				if d := k.touch(c, p.readEnd, hw.RMW); d != again {
					return d
				}
			}
			fallthrough
		case pipeLock:
			f.Step = pipeLocked
			return k.lockMutex(c, p.mutex)
		case pipeLocked:
			f.Step = pipeHave
			f.D &^= pipeWasFull | pipeMadeRoom
			if p.used() >= pipeSlots {
				f.D |= pipeWasFull
			}
			if d := k.touch(c, p.lineHead, hw.Load); d != again {
				return d
			}
			fallthrough
		case pipeHave:
			if p.used() == 0 {
				f.Step = pipeBlock
				return k.cost(c, CostCondition)
			}
			f.Step = pipeSlot
			return k.cost(c, CostPipeRead) + k.cost(c, CostCopy) + k.Mem.Access(k.now, c, p.lineBufs, hw.RMW) +
				k.Mem.Access(k.now, c, p.lineData, hw.Load)
		case pipeSlot:
			b := &p.bufs[p.tail&(pipeSlots-1)]
			n := min(b.len, f.B)
			b.offset += n
			b.len -= n
			f.B -= n
			p.reader = c
			if b.len > 0 {
				f.Step = pipeUnlock
				continue
			}
			// The slot is used up: tail moves under rd_wait.lock.
			cp.irqsOff = 1
			f.Step = pipeSlotLocked
			return k.spinLock(c, k.waits[p.rdWait].lock)
		case pipeSlotLocked:
			f.Step = pipeSlotMoved
			return k.cost(c, CostPipeSlot) + k.Mem.Access(k.now, c, p.lineHead, hw.RMW)
		case pipeSlotMoved:
			if p.used() >= pipeSlots {
				f.D |= pipeMadeRoom
			}
			p.tail++
			k.spinUnlock(c, k.waits[p.rdWait].lock)
			f.Step = pipeUnlock
			if f.B > 0 && p.used() > 0 {
				f.Step = pipeHave
			}
			return k.irqOn(c)
		case pipeBlock:
			f.Step = pipeBlockWait
			return k.unlockMutex(c, p.mutex)
		case pipeBlockWait:
			f.Step = pipeAwake
			return k.call(c, FnWaitEvent, p.rdWait, condReadable, f.A)
		case pipeAwake:
			f.D |= pipeSlept
			f.Step = pipeLock
		case pipeUnlock:
			if d := cp.settle(); d > 0 {
				return d
			}
			p.messages++
			k.count[0].Messages++
			if p.used() == 0 {
				f.D &^= pipeSlept
			}
			f.Step = pipeWakeOther
			return k.unlockMutex(c, p.mutex)
		case pipeWakeOther:
			f.Step = pipeWakeNext
			rule := int32(pipeWasFull)
			if k.feat[PipeWakeOnRoom] != 0 {
				rule = pipeMadeRoom
			}
			if f.D&rule != 0 {
				return k.call(c, FnWakeUp, p.wrWait, k.syncFlag(), 0)
			}
			fallthrough
		case pipeWakeNext:
			f.Step = pipeExit
			if f.D&pipeSlept != 0 {
				return k.call(c, FnWakeUp, p.rdWait, k.syncFlag(), 0)
			}
			fallthrough
		case pipeExit:
			f.Step = pipeFput
			cp.debt += k.cost(c, CostVfsExit)
			fallthrough
		case pipeFput:
			f.Step = pipeDone
			if p.readEnd != 0 {
				if d := k.touch(c, p.readEnd, hw.RMW); d != again {
					return d
				}
			}
			fallthrough
		case pipeDone:
			return k.syscallExit(c)
		}
	}
}

// pipeWrite mirrors vfs_write and pipe_write. A pipe, B bytes, D flags.
func (k *Kernel) pipeWrite(c CPUID, f *Frame) Duration {
	p := &k.pipes[f.A]
	cp := &k.cpus[c]
	for { // steps that take no time follow each other at once
		switch f.Step {
		case pipeEnter:
			f.Step = pipeFget
			return k.cost(c, CostSyscallEntry) + k.cost(c, CostVfs)
		case pipeFget:
			f.Step = pipeLock
			if p.writeEnd != 0 {
				if d := k.touch(c, p.writeEnd, hw.RMW); d != again {
					return d
				}
			}
			fallthrough
		case pipeLock:
			f.Step = pipeLocked
			return k.lockMutex(c, p.mutex)
		case pipeLocked:
			f.Step = pipeHave
			if d := k.touch(c, p.lineHead, hw.Load); d != again {
				return d
			}
			fallthrough
		case pipeHave:
			f.D &^= pipeWasEmpty
			if p.used() == 0 {
				f.D |= pipeWasEmpty
			}
			// A task that has not slept may add to the last page, even of a full
			// ring; one that has slept goes on in the allocation loop.
			last := &p.bufs[(p.head-1)&(pipeSlots-1)]
			if p.used() > 0 && (f.D&pipeSlept == 0 || k.feat[PipeMergeAfterSleep] != 0) && last.offset+last.len+f.B <= pageSize {
				f.Step = pipeCopy
				return k.cost(c, CostPipeWrite) + k.cost(c, CostCopy) + k.Mem.Access(k.now, c, p.lineBufs, hw.RMW) +
					k.Mem.Access(k.now, c, p.lineData, hw.RMW)
			}
			if p.used() >= pipeSlots {
				f.Step = pipeBlock
				return k.cost(c, CostCondition)
			}
			f.Step = pipeSlot
			return k.cost(c, CostPipePage)
		case pipeSlot:
			// A fresh slot: head moves under rd_wait.lock.
			cp.irqsOff = 1
			f.Step = pipeSlotLocked
			return k.spinLock(c, k.waits[p.rdWait].lock)
		case pipeSlotLocked:
			f.Step = pipeSlotMoved
			return k.cost(c, CostPipeSlot) + k.Mem.Access(k.now, c, p.lineHead, hw.RMW)
		case pipeSlotMoved:
			p.bufs[p.head&(pipeSlots-1)] = pipeBuf{}
			p.head++
			p.slots++
			k.spinUnlock(c, k.waits[p.rdWait].lock)
			f.Step = pipeFill
			return k.irqOn(c)
		case pipeFill:
			f.Step = pipeCopy
			return k.cost(c, CostPipeWrite) + k.cost(c, CostCopy) + k.Mem.Access(k.now, c, p.lineBufs, hw.RMW) +
				k.Mem.Access(k.now, c, p.lineData, hw.RMW)
		case pipeBlock:
			f.Step = pipeBlockWake
			return k.unlockMutex(c, p.mutex)
		case pipeBlockWake:
			f.Step = pipeBlockWait
			if f.D&pipeWasEmpty != 0 {
				return k.call(c, FnWakeUp, p.rdWait, k.syncFlag(), 0)
			}
		case pipeBlockWait:
			f.Step = pipeAwake
			return k.call(c, FnWaitEvent, p.wrWait, condWritable, f.A)
		case pipeAwake:
			f.D |= pipeSlept
			f.Step = pipeLock
		case pipeCopy:
			p.bufs[(p.head-1)&(pipeSlots-1)].len += f.B
			p.writer = c
			f.Step = pipeUnlock
			fallthrough
		case pipeUnlock:
			if d := cp.settle(); d > 0 {
				return d
			}
			if p.used() >= pipeSlots {
				f.D &^= pipeSlept
			}
			f.Step = pipeWakeOther
			return k.unlockMutex(c, p.mutex)
		case pipeWakeOther:
			f.Step = pipeWakeNext
			if f.D&pipeWasEmpty != 0 {
				return k.call(c, FnWakeUp, p.rdWait, k.syncFlag(), 0)
			}
			fallthrough
		case pipeWakeNext:
			f.Step = pipeExit
			if f.D&pipeSlept != 0 {
				return k.call(c, FnWakeUp, p.wrWait, k.syncFlag(), 0)
			}
			fallthrough
		case pipeExit:
			f.Step = pipeFput
			cp.debt += k.cost(c, CostVfsExit)
			fallthrough
		case pipeFput:
			f.Step = pipeDone
			if p.writeEnd != 0 {
				if d := k.touch(c, p.writeEnd, hw.RMW); d != again {
					return d
				}
			}
			fallthrough
		case pipeDone:
			return k.syscallExit(c)
		}
	}
}

func (k *Kernel) syncFlag() int32 {
	if k.feat[SyncWakeups] != 0 {
		return wfSync
	}
	return 0
}

// syscallExit returns to user mode, through the scheduler if it was asked for
// meanwhile.
func (k *Kernel) syscallExit(c CPUID) Duration {
	k.ret(c, 0)
	k.cpus[c].debt += k.cost(c, CostSyscallExit)
	return k.ExitToUser(c)
}
