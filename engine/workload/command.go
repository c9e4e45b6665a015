package workload

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Setting is one parameter's value as text.
type Setting struct{ Key, Value string }

// option is one option of a program: it sets key to its argument, or to value
// if it takes none. An option without a key is accepted and changes nothing;
// one with a refusal is known and not modelled.
type option struct {
	short   byte
	long    string
	key     string
	value   string
	convert func(argument string) (value string, err error) // nil: they are the same
	bare    string                                          // the argument that a module's parameter has if none is given
	refusal string
}

func (o *option) takesArgument() bool { return o.convert != nil || o.key != "" && o.value == "" }

// in converts a number of some unit.
func in(unit string) func(string) (string, error) {
	return func(number string) (string, error) {
		if _, err := strconv.ParseUint(number, 10, 64); err != nil {
			return "", fmt.Errorf("want a whole number, of %s, without the unit", unit)
		}
		return number + unit, nil
	}
}

// only is for an option with one argument that is modelled.
func only(argument string) func(string) (string, error) {
	return func(text string) (string, error) {
		if text != argument {
			return "", fmt.Errorf("allowed is %s: nothing else is modelled", argument)
		}
		return text, nil
	}
}

// notEmpty is for a list that may be left out, and means all then.
func notEmpty(list string) (string, error) {
	if list == "" {
		return "", errors.New("want CPUs such as 8 or 0-3; leave it out for all")
	}
	return list, nil
}

// loopback is for the name of the one machine that is modelled.
func loopback(host string) (string, error) {
	if !slices.Contains([]string{"localhost", "127.0.0.1"}, host) {
		return "", errors.New("allowed are localhost and 127.0.0.1: one machine is modelled")
	}
	return host, nil
}

// moduleBool reads a bool as the kernel's kstrtobool does, by its first letters.
func moduleBool(text string) (string, error) {
	t := strings.ToLower(text) + "  "
	switch {
	case strings.ContainsRune("yt1", rune(t[0])) || t[:2] == "on":
		return "on", nil
	case strings.ContainsRune("nf0", rune(t[0])) || t[:2] == "of":
		return "off", nil
	}
	return "", errors.New("allowed are y, n, 1, 0, on and off")
}

// command is a program whose literal command line is understood.
type command struct {
	words    []string // that start it
	settings []Setting
	options  []option
	assigns  bool // a kernel module: its parameters are written name=value
	// check reports what is missing; given are the options' long names.
	check func(given map[string]bool) error
}

// hackbenchDrift is how long a long hackbench that starts without credit
// drifts on a large machine: the receivers fall behind, and full pipes hold the senders up together.
const hackbenchDrift = "800ms"

var commands = []command{
	{
		words:    []string{"hackbench"},
		settings: []Setting{{"workload", "hackbench"}, {"hackbench.threads", "off"}, {"settles_after", hackbenchDrift}},
		options: []option{
			{short: 'g', long: "groups", key: "hackbench.groups"},
			{short: 'f', long: "fds", key: "hackbench.fds"},
			{short: 'l', long: "loops", key: "hackbench.loops"},
			{short: 's', long: "datasize", key: "hackbench.size"},
			{short: 'T', long: "threads", key: "hackbench.threads", value: "on"},
			{short: 'P', long: "process", key: "hackbench.threads", value: "off"},
			{short: 'p', long: "pipe"},
			{short: 'F', long: "fifo", refusal: "SCHED_FIFO is not modelled"},
			{short: 'i', long: "inet", refusal: "inet sockets are not modelled; give --pipe"},
		},
		check: wantPipe,
	},
	{
		words:    []string{"perf", "bench", "sched", "messaging"},
		settings: []Setting{{"workload", "hackbench"}, {"hackbench.threads", "off"}, {"hackbench.fds", "20"}, {"hackbench.size", "100"}, {"settles_after", hackbenchDrift}},
		options: []option{
			{short: 'g', long: "group", key: "hackbench.groups"},
			{short: 'l', long: "nr_loops", key: "hackbench.loops"},
			{short: 't', long: "thread", key: "hackbench.threads", value: "on"},
			{short: 'p', long: "pipe"},
		},
		check: wantPipe,
	},
	{
		words:    []string{"perf", "bench", "sched", "pipe"},
		settings: []Setting{{"workload", "sched-pipe"}, {"schedpipe.threads", "off"}},
		options: []option{
			{short: 'l', long: "loop", key: "schedpipe.loops"},
			{short: 'T', long: "threaded", key: "schedpipe.threads", value: "on"},
		},
		check: func(map[string]bool) error { return nil },
	},
	{
		words:    []string{"schbench"},
		settings: []Setting{{"workload", "schbench"}},
		options: []option{
			{short: 'm', long: "message-threads", key: "schbench.messages"},
			{short: 't', long: "threads", key: "schbench.workers"},
			{short: 'r', long: "runtime", key: "schbench.runtime", convert: in("s")},
			{short: 's', long: "sleep_usec", key: "schbench.sleep", convert: in("us")},
			{short: 'p', long: "pipe", refusal: "the pipe simulation is not modelled"},
			{short: 'R', long: "rps", refusal: "a fixed request rate is not modelled"},
			{short: 'A', long: "auto-rps", refusal: "a fixed load is not modelled"},
		},
		check: func(map[string]bool) error { return nil },
	},
	{
		words:    []string{"netperf"},
		settings: []Setting{{"workload", "netperf"}, {"netperf.pairs", "1"}, {"netperf.request", "1"}, {"netperf.response", "1"}},
		options: []option{
			{short: 't', long: "testname", convert: only("TCP_RR")},
			{short: 'H', long: "host", convert: loopback},                              // where netserver runs: one machine is modelled
			{short: 'l', long: "testlen", convert: only(strconv.Itoa(netperfSeconds))}, // the rate does not depend on it
		},
		check: func(given map[string]bool) error {
			if !given["testname"] {
				return errors.New("without -t it runs TCP_STREAM, which is not modelled; give -t TCP_RR")
			}
			return nil
		},
	},
	ipistormCommand("insmod", "ipistorm.ko"),
	ipistormCommand("modprobe", "ipistorm"),
}

func ipistormCommand(words ...string) command {
	return command{
		words:    words,
		settings: []Setting{{"workload", "ipistorm"}, {"ipistorm.single", "off"}},
		assigns:  true,
		options: []option{
			{long: "numipi", key: "ipistorm.numipi"},
			{long: "single", key: "ipistorm.single", convert: moduleBool, bare: "1"},
			{long: "wait", key: "ipistorm.wait", convert: moduleBool, bare: "1"},
			{long: "offset", key: "ipistorm.offset"},
			{long: "mask", key: "ipistorm.mask"},
			{long: "delay", key: "ipistorm.delay", convert: in("us")},
			{long: "cpulist", key: "ipistorm.cpulist", convert: notEmpty},
			{long: "timeout", refusal: "runs of a fixed time are not modelled; give numipi"},
		},
		check: func(map[string]bool) error { return nil },
	}
}

func wantPipe(given map[string]bool) error {
	if given["pipe"] {
		return nil
	}
	return errors.New("without --pipe it uses sockets, which are not modelled; give --pipe")
}

// ParseCommand reads a program's literal command line, such as "hackbench",
// "-g", "32", "--pipe", as getopt_long does, and returns the parameters it
// sets. The error names the option and what is allowed; values are checked
// when they are set.
func ParseCommand(args []string) ([]Setting, error) {
	for i := range commands {
		if c := &commands[i]; c.startedBy(args) {
			settings, err := c.parse(args[len(c.words):])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(c.words, " "), err)
			}
			return settings, nil
		}
	}
	var known []string
	for _, c := range commands {
		known = append(known, strings.Join(c.words, " "))
	}
	return nil, fmt.Errorf("%.80q: not a known program; allowed are %s", strings.Join(args, " "), strings.Join(known, ", "))
}

// startedBy reports whether a command line starts the program; a module's
// file may be anywhere.
func (c *command) startedBy(args []string) bool {
	if len(args) < len(c.words) {
		return false
	}
	for i, word := range c.words {
		if args[i] != word && !(c.assigns && i > 0 && path.Base(args[i]) == word) {
			return false
		}
	}
	return true
}

// parser walks over a program's arguments.
type parser struct {
	*command
	args  []string // still to read
	out   []Setting
	given map[string]bool // long names seen
}

func (c *command) parse(args []string) ([]Setting, error) {
	p := parser{command: c, args: args, out: append([]Setting(nil), c.settings...), given: map[string]bool{}}
	for len(p.args) > 0 {
		arg := p.args[0]
		p.args = p.args[1:]
		if err := p.argument(arg); err != nil {
			return nil, err
		}
	}
	return p.out, c.check(p.given)
}

// argument reads one word: name=value of a module, or --name, --name=value, or a cluster of short
// options whose last may have its value attached.
func (p *parser) argument(arg string) error {
	if p.assigns {
		name, value, ok := strings.Cut(arg, "=")
		is := func(o *option) bool { return o.long == name }
		if i := slices.IndexFunc(p.options, func(o option) bool { return is(&o) }); i >= 0 && !ok {
			if value = p.options[i].bare; value == "" {
				return fmt.Errorf("%s wants a value, as %s=1", name, name)
			}
		}
		return p.use(name, value, true, is)
	}
	if long, ok := strings.CutPrefix(arg, "--"); ok {
		name, value, attached := strings.Cut(long, "=")
		return p.use("--"+name, value, attached, func(o *option) bool { return o.long == name })
	}
	cluster, ok := strings.CutPrefix(arg, "-")
	if !ok || cluster == "" {
		return p.unknown(arg)
	}
	for cluster != "" {
		letter := cluster[0]
		cluster = cluster[1:]
		is := func(o *option) bool { return o.short == letter }
		if i := slices.IndexFunc(p.options, func(o option) bool { return is(&o) && o.takesArgument() }); i >= 0 {
			return p.use("-"+string(rune(letter)), cluster, cluster != "", is)
		}
		if err := p.use("-"+string(rune(letter)), "", false, is); err != nil {
			return err
		}
	}
	return nil
}

// use applies the option that is picks; value is the one attached to it.
func (p *parser) use(name, value string, attached bool, is func(*option) bool) error {
	i := slices.IndexFunc(p.options, func(o option) bool { return is(&o) })
	if i < 0 {
		return p.unknown(name)
	}
	o := &p.options[i]
	p.given[o.long] = true
	switch {
	case o.refusal != "":
		return fmt.Errorf("%s: %s", name, o.refusal)
	case !o.takesArgument() && attached:
		return fmt.Errorf("%s takes no argument", name)
	case o.takesArgument() && !attached && len(p.args) == 0:
		return fmt.Errorf("%s wants an argument", name)
	case o.takesArgument() && !attached:
		value, p.args = p.args[0], p.args[1:]
	case !o.takesArgument():
		value = o.value
	}
	argument := value
	if o.convert != nil {
		var err error
		if value, err = o.convert(argument); err != nil {
			return fmt.Errorf("%s %.40q: %w", name, argument, err)
		}
	}
	if o.key != "" {
		p.out = append(p.out, Setting{o.key, value})
	}
	return nil
}

func (p *parser) unknown(name string) error {
	var known []string
	for _, o := range p.options {
		if p.assigns {
			known = append(known, o.long+"=")
			continue
		}
		known = append(known, fmt.Sprintf("-%c, --%s", o.short, o.long))
	}
	return fmt.Errorf("%.40q: no such option; allowed are %s", name, strings.Join(known, "; "))
}
