package main

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-json"
)

// writeFileList writes DIR/sw-files.js, which tells the service worker the
// SHA-256 of each file that a page may fetch.
func writeFileList(dir string) error {
	hashes := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !served(name) {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		sum := sha256.Sum256(data)
		hashes[name] = base64.StdEncoding.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		return err
	}
	list, err := json.MarshalIndent(hashes, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "sw-files.js"), func(w io.Writer) error {
		_, err := io.WriteString(w, "const wakelabFiles = "+string(list)+";\n")
		return err
	})
}

// served reports whether a page fetches the file under its own name: not the
// packed copies of texts, nor the service worker itself.
func served(name string) bool {
	packed := strings.HasSuffix(name, ".gz") && !strings.HasSuffix(name, ".wasm.gz") && !strings.HasPrefix(name, "warm/")
	return !packed && !strings.HasPrefix(name, ".") && name != "sw.js" && name != "sw-files.js"
}
