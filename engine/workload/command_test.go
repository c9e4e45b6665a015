package workload

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseCommand(t *testing.T) {
	mail := map[string]string{"workload": "hackbench", "hackbench.groups": "32", "hackbench.fds": "20",
		"hackbench.threads": "on", "hackbench.loops": "480000", "hackbench.size": "100", "settles_after": "800ms"}
	tests := []struct {
		line string
		want map[string]string
		err  string // a part of it
	}{
		{line: "hackbench -g 32 -f 20 --threads --pipe -l 480000 -s 100", want: mail},
		{line: "hackbench -g32 -f20 -pTl480000 --datasize=100", want: mail},
		{line: "hackbench --groups 32 --fds=20 -Tp --loops 480000 -s100", want: mail},
		{line: "perf bench sched messaging -g 5 -t -p", want: map[string]string{"workload": "hackbench",
			"hackbench.groups": "5", "hackbench.fds": "20", "hackbench.threads": "on", "hackbench.size": "100", "settles_after": "800ms"}},
		{line: "perf bench sched pipe -l 1000 -T", want: map[string]string{"workload": "sched-pipe", "schedpipe.threads": "on", "schedpipe.loops": "1000"}},
		{line: "schbench -m 2 -t16 --runtime=10", want: map[string]string{"workload": "schbench", "schbench.messages": "2", "schbench.workers": "16", "schbench.runtime": "10s"}},
		{line: "schbench -R 100", err: "-R: a fixed request rate"},
		{line: "netperf -t TCP_RR", want: map[string]string{"workload": "netperf", "netperf.pairs": "1", "netperf.request": "1", "netperf.response": "1"}},
		{line: "netperf -t TCP_RR -H 127.0.0.1 -l 10", want: map[string]string{"workload": "netperf", "netperf.pairs": "1", "netperf.request": "1", "netperf.response": "1"}},
		{line: "netperf -t TCP_RR -l", err: "-l wants an argument"},
		{line: "netperf -l 10 -t TCP_RR", want: map[string]string{"workload": "netperf", "netperf.pairs": "1", "netperf.request": "1", "netperf.response": "1"}},
		{line: "netperf -t TCP_RR -l abc", err: `-l "abc": allowed is 10`},
		{line: "netperf -t TCP_RR -H 10.0.0.1", err: `-H "10.0.0.1": allowed are localhost and 127.0.0.1`},
		{line: "netperf -t UDP_RR", err: `-t "UDP_RR": allowed is TCP_RR`},
		{line: "netperf -H localhost", err: "TCP_STREAM, which is not modelled; give -t TCP_RR"},
		{line: "netperf -t TCP_RR -D", err: `"-D": no such option; allowed are -t, --testname; -H, --host; -l, --testlen`},
		{line: "insmod ipistorm.ko numipi=100000 single=1 offset=8 cpulist=8 wait=1", want: map[string]string{"workload": "ipistorm",
			"ipistorm.numipi": "100000", "ipistorm.single": "on", "ipistorm.offset": "8", "ipistorm.cpulist": "8", "ipistorm.wait": "on"}},
		{line: "modprobe ipistorm delay=10", want: map[string]string{"workload": "ipistorm", "ipistorm.single": "off", "ipistorm.delay": "10us"}},
		{line: "insmod ipistorm.ko single wait=No", want: map[string]string{"workload": "ipistorm", "ipistorm.single": "on", "ipistorm.wait": "off"}},
		{line: "insmod ipistorm.ko single=Y wait=off", want: map[string]string{"workload": "ipistorm", "ipistorm.single": "on", "ipistorm.wait": "off"}},
		{line: "insmod ./modules/ipistorm.ko wait", want: map[string]string{"workload": "ipistorm", "ipistorm.single": "off", "ipistorm.wait": "on"}},
		{line: "./insmod ipistorm.ko", err: "not a known program"},
		{line: "insmod ipistorm.ko cpulist=", err: `cpulist "": want CPUs such as 8 or 0-3`},
		{line: "insmod ipistorm.ko single=x", err: `single "x": allowed are y, n, 1, 0, on and off`},
		{line: "insmod ipistorm.ko wait=", err: `wait "": allowed are`},
		{line: "insmod ipistorm.ko numipi", err: "numipi wants a value, as numipi=1"},
		{line: "insmod ipistorm.ko delay=1us", err: `delay "1us": want a whole number, of us, without the unit`},
		{line: "schbench -r 10s", err: `-r "10s": want a whole number, of s`},
		{line: "insmod ipistorm.ko timeout=5", err: "timeout: runs of a fixed time are not modelled; give numipi"},
		{line: "insmod ipistorm.ko cpus=5", err: `"cpus": no such option; allowed are numipi=; single=; wait=`},
		{line: "hackbench -g 2", err: "sockets, which are not modelled"},
		{line: "hackbench -p -i", err: "-i: inet"},
		{line: "hackbench -p -g", err: "-g wants an argument"},
		{line: "hackbench --pipe=yes", err: "--pipe takes no argument"},
		{line: "hackbench --pipe --cpus 4", err: `"--cpus": no such option; allowed are -g, --groups`},
		{line: "hackbench -p 10", err: `"10": no such option`},
		{line: "hackbench -", err: `"-": no such option`},
		{line: "hackbench --", err: `"--": no such option`},
		{line: "stress-ng --pipe 4", err: "not a known program; allowed are hackbench, perf bench sched messaging, perf bench sched pipe"},
		{line: "", err: "not a known program"},
	}
	for _, tt := range tests {
		settings, err := ParseCommand(strings.Fields(tt.line))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: error %v, want one with %q", tt.line, err, tt.err)
			}
			continue
		}
		got := map[string]string{}
		for _, s := range settings {
			got[s.Key] = s.Value
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.line, got, err, tt.want)
		}
	}
}
