package export

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"wakelab/engine/trace"
)

// Layout of a ring-buffer page: when its first record was made, how many
// bytes of records follow, the records.
const (
	pageSize   = 4096
	pageHeader = 16
)

// Limits of a record's header: five bits of length in words, 27 of time.
const (
	maxSmallRecord = 28 * 4
	maxDelta       = 1<<27 - 1
)

const headerPage = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" +
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" +
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" +
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"

const headerEvent = "# compressed entry header\n" +
	"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n" +
	"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n" +
	"\tdata max type_len  == 28\n"

// Dat writes the trace as a trace.dat file, version 6, which trace-cmd and
// KernelShark read. Times are whole nanoseconds.
func (t *Trace) Dat(w io.Writer) error {
	var b bytes.Buffer
	number := func(n any) { binary.Write(&b, binary.LittleEndian, n) }
	sized := func(text string) { number(uint64(len(text))); b.WriteString(text) }
	sized32 := func(text string) { number(uint32(len(text))); b.WriteString(text) }

	b.WriteString("\x17\x08\x44tracing6\x00")
	b.Write([]byte{0, 8}) // little endian, 8 bytes a long
	number(uint32(pageSize))
	b.WriteString("header_page\x00")
	sized(headerPage)
	b.WriteString("header_event\x00")
	sized(headerEvent)

	systems, formats := formatFiles()
	number(uint32(len(formats["ftrace"])))
	for _, f := range formats["ftrace"] {
		sized(f)
	}
	number(uint32(len(systems)))
	for _, system := range systems {
		b.WriteString(system + "\x00")
		number(uint32(len(formats[system])))
		for _, f := range formats[system] {
			sized(f)
		}
	}
	sized32(t.kallsyms())
	sized32(t.printkFormats())
	sized(t.cmdlines())

	cpus := t.Topo.N()
	number(uint32(cpus))
	b.WriteString("options  \x00")
	number(uint16(0))
	b.WriteString("flyrecord\x00")
	pages := t.pages()
	at := roundUp(b.Len()+16*cpus, pageSize)
	start := at
	for _, p := range pages {
		number(uint64(at))
		number(uint64(len(p)))
		at += len(p)
	}
	b.Write(make([]byte, start-b.Len()))
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	for _, p := range pages {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// eventID is the number that stands for a kind in records.
func eventID(k trace.Kind) uint16 { return 1 + uint16(k) }

// formatFiles returns the tracefs format files by system and the systems
// other than ftrace's own, in order.
func formatFiles() (systems []string, files map[string][]string) {
	files = map[string][]string{}
	for i := range events {
		k := trace.Kind(i)
		in := k.Info()
		if files[in.System] == nil && in.System != "ftrace" {
			systems = append(systems, in.System)
		}
		files[in.System] = append(files[in.System], formatFile(k))
	}
	return systems, files
}

// commonFields begin every record.
const commonFields = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" +
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" +
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" +
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

const commonSize = 8

func formatFile(k trace.Kind) string {
	var s strings.Builder
	fmt.Fprintf(&s, "name: %s\nID: %d\nformat:\n%s", k, eventID(k), commonFields)
	args := ""
	end := commonSize
	for _, f := range events[k].fields {
		at := roundUp(end, min(f.size, 8))
		if f.fieldType == comm {
			at = end
		}
		fmt.Fprintf(&s, "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n", fmt.Sprintf(f.decl, f.name), at, f.size, f.signed)
		args += ", " + fmt.Sprintf(f.cArgs, f.name)
		end = at + f.size
	}
	if k == trace.Print {
		fmt.Fprintf(&s, "\tfield:u32 buf[];\toffset:%d;\tsize:0;\tsigned:0;\n", end)
	}
	fmt.Fprintf(&s, "\nprint fmt: \"%s\"%s\n", events[k].format, args)
	return s.String()
}

// encode makes the record's bytes: common fields, fields, cpumask.
func (t *Trace) encode(h *hit) []byte {
	b := binary.LittleEndian.AppendUint16(nil, eventID(h.Kind))
	b = append(b, byte(h.Flags), h.PreemptDepth&15)
	pid := uint32(0)
	if h.Task != trace.IdleTask {
		pid = uint32(t.Names.Tasks[h.Task].PID)
	}
	b = binary.LittleEndian.AppendUint32(b, pid)
	maskAt := -1
	for _, f := range events[h.Kind].fields {
		v := t.value(h, f)
		if f.fieldType == comm {
			var text [16]byte
			copy(text[:15], v.task().Comm)
			b = append(b, text[:]...)
			continue
		}
		b = append(b, make([]byte, roundUp(len(b), f.size)-len(b))...)
		var bits uint64
		if f.fieldType == cpumask {
			maskAt = len(b)
		} else {
			bits = f.bits(v)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		b = append(b, word[:f.size]...)
	}
	if maskAt >= 0 {
		binary.LittleEndian.PutUint32(b[maskAt:], uint32(8*len(h.cpus))<<16|uint32(len(b)))
		for _, w := range h.cpus {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	return append(b, make([]byte, roundUp(len(b), 4)-len(b))...)
}

// pages returns each CPU's ring-buffer pages.
func (t *Trace) pages() [][]byte {
	bufs := make([]pageWriter, t.Topo.N())
	hits := t.hits(byTask)
	for i := range hits {
		bufs[hits[i].CPU].add(hits[i].ns(), t.encode(&hits[i]))
	}
	pages := make([][]byte, len(bufs))
	for i := range bufs {
		pages[i] = bufs[i].finish()
	}
	return pages
}

// pageWriter appends records to pages; a page is closed when it is full or
// when a record is too late for the 27 bits of its time.
type pageWriter struct {
	pages []byte // closed ones
	page  []byte // the open one; nil none
	last  uint64 // ns of the latest record
}

func (p *pageWriter) add(ns uint64, data []byte) {
	size := 4 + len(data)
	if len(data) > maxSmallRecord {
		size += 4
	}
	if p.page == nil || len(p.page)+size > pageSize || ns-p.last > maxDelta {
		p.pages = p.finish()
		p.page = binary.LittleEndian.AppendUint64(make([]byte, 0, pageSize), ns)
		p.page = append(p.page, make([]byte, 8)...)
		p.last = ns
	}
	delta := uint32(ns-p.last) << 5
	if len(data) <= maxSmallRecord {
		p.page = binary.LittleEndian.AppendUint32(p.page, delta|uint32(len(data)/4))
	} else {
		p.page = binary.LittleEndian.AppendUint32(p.page, delta)
		p.page = binary.LittleEndian.AppendUint32(p.page, uint32(len(data)+4))
	}
	p.page = append(p.page, data...)
	p.last = ns
}

// finish closes the open page and returns all of them.
func (p *pageWriter) finish() []byte {
	if p.page != nil {
		binary.LittleEndian.PutUint64(p.page[8:], uint64(len(p.page)-pageHeader))
		p.pages = append(p.pages, p.page...)
		p.pages = append(p.pages, make([]byte, pageSize-len(p.page))...)
		p.page = nil
	}
	return p.pages
}

// kallsyms lists the functions as /proc/kallsyms does.
func (t *Trace) kallsyms() string {
	var s strings.Builder
	for i, name := range t.Names.Functions {
		fmt.Fprintf(&s, "%016x t %s\n", functionAddr(int64(i)), strings.Replace(name, " [", "\t[", 1)) // a module's
	}
	return s.String()
}

// printkFormats lists the messages of trace_printk.
func (t *Trace) printkFormats() string {
	var s strings.Builder
	for i, text := range t.Names.Messages {
		fmt.Fprintf(&s, "%#x : \"%s\\n\"\n", messageAddr(int64(i)), strings.ReplaceAll(text, "%", "%%"))
	}
	return s.String()
}

// cmdlines lists the tasks as saved_cmdlines does; idle tasks, whose pid is
// 0, have a name of their own in every tool.
func (t *Trace) cmdlines() string {
	var s strings.Builder
	for _, task := range t.Names.Tasks {
		if task.PID == 0 {
			continue
		}
		fmt.Fprintf(&s, "%d %s\n", task.PID, task.Comm)
	}
	return s.String()
}
