package main

import (
	"encoding/xml"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPoster draws a small machine in each format.
func TestPoster(t *testing.T) {
	args := []string{"poster", smallStudy(t), "--machine", "laptop-8", "--at", "20us", "--seed", "7", "--view", "timeline"}
	out := run(t, args...)
	for d := xml.NewDecoder(strings.NewReader(out)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%.2000s", err, out)
		}
	}
	if !strings.Contains(out, "&amp;a=") || !strings.Contains(out, "seed=7&amp;t=20us&amp;v=") {
		t.Errorf("the picture does not say what it is of:\n%.2000s", out)
	}
	file := filepath.Join(t.TempDir(), "poster.png")
	run(t, append(args, "--width", "400", "--height", "300", "-o", file)...)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if img, err := png.DecodeConfig(f); err != nil || img.Width != 800 || img.Height < 600 {
		t.Errorf("%+v, %v: want 800 pixels, at two for a CSS pixel", img, err)
	}
}

func TestPosterErrors(t *testing.T) {
	for _, tt := range []struct{ flags, want string }{
		{"--view map", `--view "map": allowed are machine, timeline, anatomy, lines`},
		{"--theme blue", `--theme "blue": allowed are light, dark`},
		{"--at 2s", "--at 2s: allowed are 0 to 1s"},
		{"--width 10", "--width 10 --height 540: allowed are 200 to 4000"},
		{"-o poster.gif", "--output poster.gif: the name ends in .svg or .png"},
	} {
		code, _, stderr := wakelab(t, append([]string{"poster", "ilb-xeon"}, strings.Fields(tt.flags)...)...)
		if code != exitBadInput || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit code %d, %s, want %q", tt.flags, code, stderr, tt.want)
		}
	}
}
