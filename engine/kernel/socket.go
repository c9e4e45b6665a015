package kernel

import "wakelab/engine/hw"

// socket is one end of a TCP connection over loopback, much simplified: a
// byte count, a wait queue and two lines. What the protocol does is three
// costs; there are no windows, no losses and no acknowledgements of their own.
type socket struct {
	peer   int32
	queued int32 // bytes received and not read
	wait   int32
	line   hw.LineID // struct sock: lock, sequence numbers, receive queue
	data   hw.LineID // the skb and its data
	writer int32     // CPU that sent last
}

// NewConnection makes a connected pair of sockets.
func (k *Kernel) NewConnection(near CPUID) (a, b int32) {
	a = int32(len(k.sockets))
	b = a + 1
	for i := a; i <= b; i++ {
		line := k.Mem.NewLine("sock[%d]", i, near)
		k.sockets = append(k.sockets, socket{peer: a + b - i, wait: k.newWaitQueue(line), line: line,
			data: k.Mem.NewLine("skb[%d]", i, near), writer: near})
	}
	return a, b
}

// SockSend sends n bytes on socket id. It never blocks.
func (k *Kernel) SockSend(c CPUID, id, n int32) Duration { return k.call(c, FnTCPSend, id, n, 0) }

// SockRecv reads n bytes from socket id, sleeping until all are there.
func (k *Kernel) SockRecv(c CPUID, id, n int32) Duration { return k.call(c, FnTCPRecv, id, n, 0) }

// Steps of tcpSend in the softirq.
const (
	sockReceive = iota + 3
	sockReceived
)

// tcpSend mirrors tcp_sendmsg over loopback: the sender itself, in the
// NET_RX softirq that its transmission raises, queues the segment on the
// receiver's socket and wakes it, as a sync wakeup. A socket, B bytes.
func (k *Kernel) tcpSend(c CPUID, f *Frame) Duration {
	cp, s := &k.cpus[c], &k.sockets[f.A]
	to := &k.sockets[s.peer]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cost(c, CostSyscallEntry) + k.cost(c, CostVfs) + k.Mem.Access(k.now, c, s.line, hw.RMW)
	case 1:
		f.Step = 2
		return k.cost(c, CostTCPSend) + k.copyCost(c, f.B)
	case 2:
		k.traceBacklogRaise(c)
		cp.softirq++
		f.Step = sockReceive
		k.traceSoftirq(c, softirqNetRX, true)
		return k.cost(c, CostTCPReceive) + k.Mem.Access(k.now, c, to.line, hw.RMW) + k.Mem.Access(k.now, c, to.data, hw.RMW)
	case sockReceive:
		to.queued += f.B
		to.writer = c
		f.Step = sockReceived
		if k.waits[to.wait].head != none { // skwq_has_sleeper
			return k.call(c, FnWakeUp, to.wait, k.syncFlag(), 0)
		}
	case sockReceived:
		k.traceSoftirq(c, softirqNetRX, false)
		cp.softirq--
		f.Step = 5
		return cp.settle() + k.cost(c, CostVfsExit)
	case 5:
		return k.syscallExit(c)
	}
	return again
}

// tcpRecv mirrors tcp_recvmsg with MSG_WAITALL. A socket, B bytes.
func (k *Kernel) tcpRecv(c CPUID, f *Frame) Duration {
	s := &k.sockets[f.A]
	switch f.Step {
	case 0:
		f.Step = 1
		return k.cost(c, CostSyscallEntry) + k.cost(c, CostVfs)
	case 1:
		f.Step = 2
		return k.cpus[c].settle() + k.Mem.Access(k.now, c, s.line, hw.RMW)
	case 2:
		if s.queued < f.B {
			f.Step = 1
			return k.call(c, FnWaitEvent, s.wait, condReceived, f.A)
		}
		f.Step = 3
		d := k.cost(c, CostTCPRecv) + k.copyCost(c, f.B) + k.Mem.Access(k.now, c, s.data, hw.RMW)
		if s.writer != c {
			d += k.Mem.Latency(s.writer, c)
		}
		return d
	case 3:
		s.queued -= f.B
		k.count[0].Messages++
		f.Step = 4
		return k.cost(c, CostVfsExit)
	case 4:
		return k.syscallExit(c)
	}
	return again
}

// copyCost is the time to copy n bytes that are in the cache: pipe.copy for
// each started hundred.
func (k *Kernel) copyCost(c CPUID, n int32) Duration {
	return Duration((n+99)/100) * k.cost(c, CostCopy)
}
