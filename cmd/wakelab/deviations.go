package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"wakelab/presets"
)

// siteGap is an entry of DEVIATIONS.md.
type siteGap struct {
	Number string `json:"number"`
	Group  string `json:"group"` // the heading it stands under
	Title  string `json:"title"` // its words in bold at the beginning
	Text   string `json:"text"`  // the rest
}

var gapLine = regexp.MustCompile(`^(\d+)\. \*\*(.+?)\*\*(.*)$`)

// readDeviations reads the numbered entries of DEVIATIONS.md, each one line
// that begins with words in bold.
func readDeviations(name string) ([]siteGap, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	plain := strings.NewReplacer("**", "", "`", "")
	var all []siteGap
	var group string
	for i, line := range strings.Split(string(data), "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			group = heading
		}
		m := gapLine.FindStringSubmatch(line)
		if m == nil {
			if line != "" && line[0] >= '0' && line[0] <= '9' {
				return nil, fmt.Errorf("%s:%d: want \"1. **Words in bold** and text\"", name, i+1)
			}
			continue
		}
		all = append(all, siteGap{m[1], group, plain.Replace(m[2]), plain.Replace(strings.TrimSpace(m[3]))})
	}
	return all, nil
}

// checkGaps reports gaps of studies that are not in the list.
func checkGaps(lib *presets.Library, all []siteGap) error {
	for _, id := range lib.Names(presets.Studies) {
		for _, number := range lib.Studies[id].Gaps {
			if !slices.ContainsFunc(all, func(g siteGap) bool { return g.Number == number }) {
				return fmt.Errorf("study %s: gaps: DEVIATIONS.md has no number %s", id, number)
			}
		}
	}
	return nil
}
