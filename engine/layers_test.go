//go:build !js

package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists the engine's packages, lowest first: a package imports only
// packages that stand before it.
var layers = []string{
	"engine/simtime",
	"engine/rng",
	"engine/des",
	"engine/param",
	"engine/topo",
	"engine/trace",
	"engine/view", // plain values: the words for what a CPU is doing
	"engine/hw",
	"engine/kernel",
	"engine/workload",
	"engine/stats",
	"engine",
	"engine/export",
}

// notInEngine are standard packages that would bring files, the outside
// world, wall clock, global randomness or concurrency into the simulator.
var notInEngine = []string{"net", "os", "sync", "syscall", "time", "math/rand"}

// graphics are the only packages that may import Ebiten; each of their files
// is built for js alone, because natively Ebiten needs X11 headers.
var graphics = []string{"render/screen", "cmd/wasm"}

// source is one Go file of the repository that is not a test.
type source struct {
	dir, name string // slash-separated, from the repository's root
	file      *ast.File
}

const root = ".."

// sources parses every Go file that is not a test.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	fset := token.NewFileSet()
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skipDir(d) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		all = append(all, source{path.Dir(rel), rel, f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found %d Go files: is %q the repository's root?", len(all), root)
	}
	return fset, all
}

// skipDir leaves out what is not ours: .git, installed modules, build output.
func skipDir(d fs.DirEntry) bool {
	name := d.Name()
	return d.IsDir() && (name == "node_modules" || name == "dist" || name == "testdata" || len(name) > 2 && name[0] == '.')
}

func TestLayers(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		level := slices.Index(layers, s.dir)
		inEngine := s.dir == "engine" || strings.HasPrefix(s.dir, "engine/")
		if inEngine && level < 0 {
			t.Errorf("%s: package %s is not in the list of layers", s.name, s.dir)
			continue
		}
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(imported, "wakelab/"); ok && inEngine {
				if other := slices.Index(layers, ours); other < 0 || other >= level {
					t.Errorf("%s imports %s: package %s may import only packages below it", s.name, ours, s.dir)
				}
			}
			if inEngine && banned(imported) {
				t.Errorf("%s imports %s: the simulator has no files, wall clock, global randomness or concurrency", s.name, imported)
			}
			if strings.HasPrefix(imported, "github.com/hajimehoshi/ebiten") {
				checkGraphics(t, s)
			}
		}
	}
}

func banned(imported string) bool {
	for _, b := range notInEngine {
		if imported == b || strings.HasPrefix(imported, b+"/") {
			return true
		}
	}
	return strings.Contains(imported, "ebiten")
}

func checkGraphics(t *testing.T, s source) {
	t.Helper()
	if !slices.Contains(graphics, s.dir) {
		t.Errorf("%s imports Ebiten: only %v may", s.name, graphics)
	}
	for _, c := range s.file.Comments {
		if c.Pos() < s.file.Package && slices.ContainsFunc(c.List, func(c *ast.Comment) bool { return c.Text == "//go:build js" }) {
			return
		}
	}
	t.Errorf("%s imports Ebiten without //go:build js", s.name)
}
