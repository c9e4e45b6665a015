package main

import (
	"encoding/json"
	"html"
	"os"
	"strings"
	"testing"

	"wakelab/engine"
	"wakelab/presets"
	"wakelab/render/scene"
)

// TestValues holds the table to the examples that the page's reading of
// values is held to.
func TestValues(t *testing.T) {
	data, err := os.ReadFile("../../web/test/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples [][3]*string // key, text, value as the table writes it or null
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		key, text, want := *e[0], *e[1], e[2]
		cfg := engine.Default()
		err := cfg.Set(key, text)
		if (err == nil) != (want != nil) {
			t.Errorf("%s=%q: error %v, want value %v", key, text, err, want)
		} else if want != nil && cfg.Get(key) != *want {
			t.Errorf("%s=%q: is written %q, want %q", key, text, cfg.Get(key), *want)
		}
	}
}

// TestSiteStudies checks that the page knows what a study sets.
func TestSiteStudies(t *testing.T) {
	for _, s := range siteStudies(presets.Shipped()) {
		if _, err := scene.ParseCPUs(s.Focus, 64); err != nil { // less than any study's machine has
			t.Errorf("%s: focus: %v", s.ID, err)
		}
		for _, k := range s.Kernels {
			cfg, err := presets.Shipped().Config(presets.Shipped().Studies[s.ID], k.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range engine.Params() {
				want := d.Format(cfg.Values[i])
				got := d.Format(d.DefaultValue())
				for _, set := range []presets.Set{s.Values, k.Values} {
					if v, ok := set[d.Key]; ok {
						got = v
					}
				}
				if got != want {
					t.Errorf("%s, %s: %s is %q on the page, %q in the run", s.ID, k.ID, d.Key, got, want)
				}
			}
		}
	}
}

// TestCostsPage checks that every parameter is on the page with its source.
func TestCostsPage(t *testing.T) {
	var page strings.Builder
	if err := writeCostsPage(&page); err != nil {
		t.Fatal(err)
	}
	for _, d := range engine.Params() {
		row, _, _ := strings.Cut(strings.SplitN(page.String()+"</tr>", `<tr id="`+d.Key+`">`, 2)[1], "</tr>")
		for _, want := range []string{d.Range(), d.Confidence.String(), d.Source} {
			if !strings.Contains(html.UnescapeString(row), "<td>"+want+"</td>") {
				t.Errorf("%s: no %q in %s", d.Key, want, row)
			}
		}
	}
}
