//go:build !js

package engine_test

import (
	"bufio"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxFuncLines keeps functions readable in one go.
const maxFuncLines = 120

// mapFree are the packages whose results must not depend on the order in
// which Go walks a map.
var mapFree = []string{"engine/des", "engine/topo", "engine/trace", "engine/hw", "engine/kernel", "engine/workload", "engine"}

func TestPackageComments(t *testing.T) {
	_, all := sources(t)
	documented := map[string]bool{}
	for _, s := range all {
		documented[s.dir] = documented[s.dir] || s.file.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestFunctionLength(t *testing.T) {
	fset, all := sources(t)
	for _, s := range all {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, at most %d", s.name, f.Name.Name, n, maxFuncLines)
			}
		}
	}
}

func TestNoGoroutinesOrMapOrder(t *testing.T) {
	fset, all := sources(t)
	l := &loader{fset: fset, std: importer.Default(), files: map[string][]*ast.File{}, done: map[string]*types.Package{}}
	l.info.Types = map[ast.Expr]types.TypeAndValue{}
	for _, s := range all {
		if s.dir == "engine" || strings.HasPrefix(s.dir, "engine/") {
			l.files["wakelab/"+s.dir] = append(l.files["wakelab/"+s.dir], s.file)
		}
	}
	for dir, files := range l.files {
		// Types are needed only there; others import modules, which the loader
		// cannot find.
		typed := slices.Contains(mapFree, strings.TrimPrefix(dir, "wakelab/"))
		if typed {
			if _, err := l.Import(dir); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: a goroutine in the simulator", fset.Position(n.Pos()))
				case *ast.RangeStmt:
					if !typed {
						break
					}
					if _, isMap := l.info.TypeOf(n.X).Underlying().(*types.Map); isMap {
						t.Errorf("%s: the order of a map is random", fset.Position(n.Pos()))
					}
				}
				return true
			})
		}
	}
}

// loader type-checks the engine's packages from their parsed files.
type loader struct {
	fset  *token.FileSet
	std   types.Importer
	files map[string][]*ast.File
	done  map[string]*types.Package
	info  types.Info
}

// Import implements types.Importer.
func (l *loader) Import(path string) (*types.Package, error) {
	files, ours := l.files[path]
	if !ours {
		return l.std.Import(path)
	}
	if l.done[path] == nil {
		pkg, err := (&types.Config{Importer: l}).Check(path, l.fset, files, &l.info)
		if err != nil {
			return nil, err
		}
		l.done[path] = pkg
	}
	return l.done[path], nil
}

// leftover matches notes to oneself that should not stay in the repository.
var leftover = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestNoLeftovers(t *testing.T) {
	text := []string{".go", ".js", ".mjs", ".css", ".html", ".md", ".json", ".sh", ""}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skipDir(d) {
			return filepath.SkipDir
		}
		if d.IsDir() || !slices.Contains(text, filepath.Ext(p)) || d.Name() == "tidy_test.go" {
			return nil
		}
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if word := leftover.FindString(lines.Text()); word != "" {
				t.Errorf("%s:%d: %s", p, n, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
