package main

import (
	"strconv"
	"testing"

	"wakelab/presets"
)

func TestDeviations(t *testing.T) {
	all, err := readDeviations("../../DEVIATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range all {
		if g.Number != strconv.Itoa(i+1) || g.Group == "" || g.Title == "" {
			t.Errorf("entry %d is %+v", i+1, g)
		}
	}
	lib := presets.Shipped()
	if err := checkGaps(lib, all); err != nil {
		t.Error(err)
	}
	for _, id := range lib.Names(presets.Studies) {
		if len(lib.Studies[id].Gaps) == 0 {
			t.Errorf("study %s names no deviation of the model", id)
		}
	}
}
