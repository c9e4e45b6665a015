package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme parses every command of README.md, without running it, and loads
// its example of a preset.
func TestReadme(t *testing.T) {
	text := read(t, "../../README.md")
	commands := regexp.MustCompile("(?m)(?:go run ./cmd/)?wakelab ([a-z]+ [^#\n`]*)").FindAllStringSubmatch(text, -1)
	if len(commands) < 8 {
		t.Fatalf("found %d commands", len(commands))
	}
	for _, c := range commands {
		args := strings.Fields(c[1])
		cmd, rest, err := rootCmd().Find(args)
		if err != nil || cmd.Name() != args[0] {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	preset := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(text)
	if preset == nil {
		t.Fatal("no example of a preset")
	}
	file := filepath.Join(t.TempDir(), "idle-300us.json")
	if err := os.WriteFile(file, []byte(preset[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(t, "show", file); !strings.Contains(out, "idle_delay = 300us") {
		t.Error(out)
	}
}
