package view

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Leading bytes of the encodings; they change with the layout.
const (
	frameTag   = 0xF1
	staticTag  = 0x52
	detailsTag = 0xD2
)

// AppendFrame appends f's encoding to dst: compact, and equal for equal
// frames, so that frames can cross from a worker to the page as bytes.
func AppendFrame(dst []byte, f *Frame) []byte {
	c := coder{buf: dst, writing: true}
	c.tag(frameTag)
	c.frame(f)
	return c.buf
}

// DecodeFrame fills f from an encoding made by AppendFrame, reusing its
// slices. On an error f holds a part of the frame.
func DecodeFrame(src []byte, f *Frame) error {
	c := coder{buf: src}
	c.tag(frameTag)
	c.frame(f)
	return c.end("frame")
}

// AppendStatic appends s's encoding to dst.
func AppendStatic(dst []byte, s *Static) []byte {
	c := coder{buf: dst, writing: true}
	c.tag(staticTag)
	c.static(s)
	return c.buf
}

// DecodeStatic fills s from an encoding made by AppendStatic.
func DecodeStatic(src []byte, s *Static) error {
	c := coder{buf: src}
	c.tag(staticTag)
	c.static(s)
	return c.end("static")
}

// AppendDetails appends d's encoding to dst.
func AppendDetails(dst []byte, d *Details) []byte {
	c := coder{buf: dst, writing: true}
	c.tag(detailsTag)
	c.details(d)
	return c.buf
}

// DecodeDetails fills d from an encoding made by AppendDetails.
func DecodeDetails(src []byte, d *Details) error {
	c := coder{buf: src}
	c.tag(detailsTag)
	c.details(d)
	return c.end("details")
}

var (
	errShort = errors.New("cut short")
	errRange = errors.New("number out of range")
)

// coder either appends to buf or reads from it: one description of the
// layout serves both ways. Numbers are varints. The first error sticks.
type coder struct {
	buf     []byte
	at      int // reading position
	writing bool
	err     error
}

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// end reports what went wrong while reading, trailing bytes included.
func (c *coder) end(what string) error {
	if c.err == nil && c.at != len(c.buf) {
		c.fail(fmt.Errorf("%d bytes too many", len(c.buf)-c.at))
	}
	if c.err != nil {
		return fmt.Errorf("view: malformed %s at byte %d: %w", what, c.at, c.err)
	}
	return nil
}

func (c *coder) tag(want byte) {
	if c.writing {
		c.buf = append(c.buf, want)
		return
	}
	if len(c.buf) == 0 || c.buf[0] != want {
		c.fail(errors.New("not this kind or version of encoding"))
		return
	}
	c.at = 1
}

func (c *coder) uint(v, max uint64) uint64 {
	if c.writing {
		c.buf = binary.AppendUvarint(c.buf, v)
		return v
	}
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.buf[c.at:])
	switch {
	case n == 0:
		c.fail(errShort)
	case n < 0 || v > max:
		c.fail(errRange)
	default:
		c.at += n
		return v
	}
	return 0
}

func (c *coder) u16(v *uint16) { *v = uint16(c.uint(uint64(*v), math.MaxUint16)) }
func (c *coder) u32(v *uint32) { *v = uint32(c.uint(uint64(*v), math.MaxUint32)) }
func (c *coder) u64(v *uint64) { *v = c.uint(*v, math.MaxUint64) }

// i64 codes small negative numbers as short as small positive ones.
func (c *coder) i64(v *int64) {
	z := c.uint(uint64(*v)<<1^uint64(*v>>63), math.MaxUint64)
	*v = int64(z>>1) ^ -int64(z&1)
}

func (c *coder) i32(v *int32) {
	wide := int64(*v)
	c.i64(&wide)
	if wide != int64(int32(wide)) {
		c.fail(errRange)
		wide = 0
	}
	*v = int32(wide)
}

// index codes a number that must be below n.
func (c *coder) index(v *int32, n int) {
	c.i32(v)
	if !c.writing && (*v < 0 || int(*v) >= n) {
		c.fail(errRange)
	}
}

func (c *coder) state(s *State) { *s = State(c.uint(uint64(*s), uint64(NumStates)-1)) }

func (c *coder) flags(flags ...*bool) {
	var bits uint64
	for i, f := range flags {
		if *f {
			bits |= 1 << i
		}
	}
	bits = c.uint(bits, 1<<len(flags)-1)
	for i, f := range flags {
		*f = bits>>i&1 != 0
	}
}

func (c *coder) float(v *float64) {
	if c.writing {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, math.Float64bits(*v))
		return
	}
	if c.err == nil && len(c.buf)-c.at < 8 {
		c.fail(errShort)
	}
	if c.err != nil {
		return
	}
	*v = math.Float64frombits(binary.LittleEndian.Uint64(c.buf[c.at:]))
	c.at += 8
}

func (c *coder) text(s *string) {
	n := c.count(len(*s))
	if c.writing {
		c.buf = append(c.buf, *s...)
		return
	}
	if got := c.buf[c.at : c.at+n]; string(got) != *s {
		*s = string(got) // only a changed text allocates
	}
	c.at += n
}

// count codes a number of elements, each of which takes at least one byte,
// so that a hostile count cannot allocate more than its message's size.
func (c *coder) count(n int) int {
	n = int(c.uint(uint64(n), math.MaxInt32))
	if !c.writing && n > len(c.buf)-c.at {
		c.fail(errShort)
		return 0
	}
	return n
}

// list codes a slice, reusing its memory when reading.
func list[T any](c *coder, s *[]T, each func(*coder, *T)) {
	n := c.count(len(*s))
	if !c.writing {
		if cap(*s) < n {
			*s = make([]T, n)
		}
		*s = (*s)[:n]
	}
	for i := range *s {
		each(c, &(*s)[i])
	}
}

func (c *coder) frame(f *Frame) {
	c.i64(&f.NowPs)
	c.i64(&f.SincePs)
	c.u64(&f.Events)
	c.flags(&f.Done)
	list(c, &f.CPUs, (*coder).cpu)
	cpus := len(f.CPUs)
	list(c, &f.Arrows, func(c *coder, a *Arrow) { c.arrow(a, f.NowPs, cpus) })
	list(c, &f.Spans, func(c *coder, s *Span) { c.span(s, f.NowPs, cpus) })
	c.u32(&f.Lost)
	list(c, &f.Counters, (*coder).counter)
}

func (c *coder) cpu(v *CPU) {
	c.state(&v.State)
	c.flags(&v.NeedResched, &v.Polling, &v.IRQsOff)
	c.u16(&v.NrRunning)
	c.u16(&v.Fn)
	c.i32(&v.Task)
	c.u16(&v.Busy)
	c.u16(&v.LockWait)
	c.u16(&v.LineWait)
	c.u16(&v.IRQShare)
	c.u32(&v.Wakeups)
}

// ago codes an instant as its distance before now, which is short.
func (c *coder) ago(at *int64, now int64) {
	d := now - *at
	c.i64(&d)
	*at = now - d
}

func (c *coder) arrow(a *Arrow, now int64, cpus int) {
	a.Kind = ArrowKind(c.uint(uint64(a.Kind), uint64(NumArrowKinds)-1))
	c.index(&a.From, cpus)
	c.index(&a.To, cpus)
	c.u32(&a.Count)
	c.ago(&a.AtPs, now)
	c.ago(&a.EndPs, a.AtPs)
}

func (c *coder) span(s *Span, now int64, cpus int) {
	c.index(&s.CPU, cpus)
	c.u16(&s.Fn)
	c.state(&s.State)
	c.i32(&s.Task)
	c.ago(&s.EndPs, now)
	c.ago(&s.StartPs, s.EndPs)
}

func (c *coder) counter(v *Counter) {
	c.text(&v.Key)
	c.text(&v.Title)
	c.text(&v.Unit)
	c.float(&v.Value)
	c.flags(&v.None)
}

func (c *coder) static(s *Static) {
	list(c, &s.Places, func(c *coder, p *Place) {
		for _, v := range []*int32{&p.Socket, &p.Node, &p.Die, &p.LLC, &p.Core, &p.Thread} {
			c.i32(v)
		}
	})
	for _, names := range []*[]string{&s.Functions, &s.Tasks, &s.CStates} {
		list(c, names, (*coder).text)
	}
	list(c, &s.CPULines, func(c *coder, l *Layout) {
		c.text(&l.Name)
		list(c, &l.Variables, func(c *coder, v *Variable) {
			c.text(&v.Name)
			c.i32(&v.Offset)
			c.i32(&v.Size)
			c.flags(&v.Flag)
		})
	})
}

func (c *coder) details(d *Details) {
	list(c, &d.Lines, func(c *coder, l *Line) {
		c.text(&l.Name)
		c.i32(&l.Owner)
		c.i32(&l.Sharers)
		c.u64(&l.Transfers)
		c.u64(&l.WaitNs)
		c.u64(&l.QueueNs)
		c.u16(&l.BusyPm)
		c.text(&l.Variables)
		list(c, &l.L3WaitNs, (*coder).u64)
	})
	list(c, &d.Locks, func(c *coder, l *Lock) {
		c.text(&l.Name)
		for _, v := range []*uint64{&l.Acquired, &l.Contended, &l.WaitNs, &l.HoldNs} {
			c.u64(v)
		}
	})
	list(c, &d.Slices, func(c *coder, s *Slice) {
		for _, v := range []*string{&s.Path, &s.Name, &s.Fn, &s.Patch} {
			c.text(v)
		}
		for _, v := range []*float64{&s.Ns, &s.P10Ns, &s.P25Ns, &s.P50Ns, &s.P75Ns, &s.P90Ns, &s.P99Ns} {
			c.float(v)
		}
	})
	list(c, &d.Functions, func(c *coder, f *FnTime) {
		c.text(&f.Name)
		c.u64(&f.Ns)
	})
	c.i64(&d.SincePs)
}
