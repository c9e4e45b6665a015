package machinefile

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseList reads a CPU list as Linux and lscpu write it: "0-3,8", "0-62:2",
// or a mask such as 0xff.
func ParseList(text string) ([]int32, error) {
	if strings.HasPrefix(text, "0x") {
		m, err := parseMask(text)
		return m.ids(), err
	}
	var ids []int32
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		span, strideText, hasStride := strings.Cut(part, ":")
		loText, hiText, isSpan := strings.Cut(span, "-")
		if !isSpan {
			hiText = loText
		}
		stride := 1
		lo, err1 := strconv.Atoi(loText)
		hi, err2 := strconv.Atoi(hiText)
		var err3 error
		if hasStride {
			stride, err3 = strconv.Atoi(strideText)
		}
		if err1 != nil || err2 != nil || err3 != nil || lo < 0 || hi < lo || stride < 1 || hi > maxNumber {
			return nil, fmt.Errorf("%q is not a CPU list such as 0-3,8 with numbers up to %d", part, maxNumber)
		}
		if len(ids)+(hi-lo)/stride > maxNumber {
			return nil, fmt.Errorf("the CPU list has more than %d entries", maxNumber)
		}
		for id := lo; id <= hi; id += stride {
			ids = append(ids, int32(id))
		}
	}
	return ids, nil
}

// mask is a set of CPUs as hwloc writes it.
type mask struct {
	words []uint32 // lowest first
	all   bool     // and every CPU above
}

// parseMask reads 32-bit hexadecimal words, highest first, separated by
// commas; an empty word is 0, and 0xf...f in front means every CPU above. A
// single longer word, as lscpu --hex writes it, is read too.
func parseMask(text string) (mask, error) {
	var m mask
	parts := strings.Split(text, ",")
	if len(parts) == 1 && len(text) > 10 {
		digits := strings.TrimPrefix(text, "0x")
		parts = nil
		for len(digits) > 8 {
			parts = append([]string{digits[len(digits)-8:]}, parts...)
			digits = digits[:len(digits)-8]
		}
		parts = append([]string{digits}, parts...)
	}
	if len(parts) > maxNumber/32 {
		return m, fmt.Errorf("the CPU mask has %d words: at most %d", len(parts), maxNumber/32)
	}
	if parts[0] == "0xf...f" {
		m.all = true
		parts = parts[1:]
	}
	for i := len(parts) - 1; i >= 0; i-- {
		digits := strings.TrimPrefix(parts[i], "0x")
		if digits == "" {
			digits = "0"
		}
		w, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return mask{}, fmt.Errorf("%q is not a word of a CPU mask", parts[i])
		}
		m.words = append(m.words, uint32(w))
	}
	return m, nil
}

func (m mask) has(id int32) bool {
	if int(id/32) >= len(m.words) {
		return m.all
	}
	return m.words[id/32]>>(id%32)&1 != 0
}

// ids lists the CPUs that the words name.
func (m mask) ids() []int32 {
	var ids []int32
	for id := range int32(32 * len(m.words)) {
		if m.has(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// formatMask writes CPUs as hwloc does.
func formatMask(ids []int32) string {
	words := []uint32{0}
	for _, id := range ids {
		for int(id/32) >= len(words) {
			words = append(words, 0)
		}
		words[id/32] |= 1 << (id % 32)
	}
	parts := make([]string, len(words))
	for i, w := range words {
		parts[len(words)-1-i] = fmt.Sprintf("0x%08x", w)
	}
	return strings.Join(parts, ",")
}
