package workload

import (
	"fmt"

	"wakelab/engine/kernel"
	"wakelab/engine/param"
	"wakelab/engine/simtime"
)

// requestResponse is pairs of tasks that pass a request and a response over a
// loopback connection: netperf TCP_RR, and, with larger messages and a server
// that computes, the shape of tbench.
type requestResponse struct {
	client, server    string // comms
	pairs             int32
	request, response int32 // bytes
	clientWork        kernel.Duration
	serverWork        kernel.Duration
	output            func(r *requestResponse, rate float64) string
	socks             []int32 // client's and server's end of each pair
}

func newNetperf(v []param.Value) *requestResponse {
	return &requestResponse{client: "netperf", server: "netserver", pairs: int32(v[NetperfPairs].N),
		request: int32(v[NetperfRequest].N), response: int32(v[NetperfResponse].N),
		clientWork: kernel.Duration(v[NetperfWork].N), serverWork: kernel.Duration(v[NetperfWork].N), output: netperfOutput}
}

// What netperf reports of itself.
const (
	netperfSeconds = 10     // -l, its default
	tcpSendBuffer  = 16384  // net.ipv4.tcp_wmem's default, bytes
	tcpRecvBuffer  = 131072 // net.ipv4.tcp_rmem's
)

// netperfOutput is what one netperf of the pairs prints, by netperf 2.7.
func netperfOutput(r *requestResponse, rate float64) string {
	return fmt.Sprintf("MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to localhost () port 0 AF_INET : first burst 0\n"+
		"Local /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   Size     Size    Time     Rate         \nbytes  Bytes  bytes    bytes   secs.    per sec   \n\n"+
		"%-6d %-6d %-6d   %-6d  %-6.2f   %7.2f   \n%-6d %-6d\n",
		tcpSendBuffer, tcpRecvBuffer, r.request, r.response, float64(netperfSeconds), rate/float64(r.pairs), tcpSendBuffer, tcpRecvBuffer)
}

// newTbench is the shape of dbench's tbench: each client's operations are
// answered by a server process of its own, which does a file server's work
// without a disk.
func newTbench(v []param.Value) *requestResponse {
	return &requestResponse{client: "tbench", server: "tbench_srv", pairs: int32(v[TbenchClients].N),
		request: int32(v[TbenchRequest].N), response: int32(v[TbenchResponse].N),
		clientWork: kernel.Duration(v[TbenchClientWork].N), serverWork: kernel.Duration(v[TbenchServerWork].N), output: tbenchOutput}
}

// tbenchOutput lacks max_latency, which is not recorded.
func tbenchOutput(r *requestResponse, rate float64) string {
	return fmt.Sprintf("Throughput %g MB/sec  %d clients  %d procs\n", rate*float64(r.request+r.response)/1e6, r.pairs, r.pairs)
}

// Start makes a client and a server of each pair. Pairs are spread as fork
// spreads them; the accepting server is forked beside its client.
func (r *requestResponse) Start(k *kernel.Kernel) {
	order := forkOrder(k.Topo)
	for i := range r.pairs {
		near := order[int(i)%len(order)]
		a, b := k.NewConnection(near)
		r.socks = append(r.socks, a, b)
		for end, comm := range []string{r.client, r.server} {
			cpu := near
			if end == 1 {
				cpu = otherCore(k, near)
			}
			id := k.NewTask(comm, k.NewMM(cpu), int32(end), cpu, false, kernel.Frame{A: 2*i + int32(end)})
			k.StartTask(id, 0)
		}
	}
}

// Step runs a third of a transaction. Frame locals: A the task's socket, even
// for a client.
func (r *requestResponse) Step(k *kernel.Kernel, c kernel.CPUID, f *kernel.Frame) kernel.Duration {
	sock := r.socks[f.A]
	server := f.A&1 == 1
	f.Step++
	switch {
	case f.Step == 1 && server:
		return k.SockRecv(c, sock, r.request)
	case f.Step == 1:
		return k.SockSend(c, sock, r.request)
	case f.Step == 2 && server:
		return max(k.Work(c, r.serverWork), simtime.Nanosecond)
	case f.Step == 2:
		return k.SockRecv(c, sock, r.response)
	}
	f.Step = 0
	if server {
		return k.SockSend(c, sock, r.response)
	}
	return max(k.Work(c, r.clientWork), simtime.Nanosecond)
}

// Done counts transactions: each is two messages.
func (r *requestResponse) Done(k *kernel.Kernel) int64 { return k.Count().Messages / 2 }

// Total is 0: both run for a time.
func (r *requestResponse) Total() int64 { return 0 }

// Output is the program's last lines.
func (r *requestResponse) Output(_ *kernel.Kernel, rate float64) string { return r.output(r, rate) }
