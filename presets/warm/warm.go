// Package warm keeps settled states of long-running studies, so that a run
// need not age for seconds of machine time first. A state is named by the
// configuration's key and fits nothing else: a changed model, kernel or
// parameter has another key, and its runs warm up by themselves.
package warm

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strings"

	"wakelab/engine"
)

// MaxState bounds an unpacked state, so that a damaged file cannot fill the
// memory.
const MaxState = 64 << 20

//go:embed *
var files embed.FS

// Find returns the settled state that a run of cfg may start from, or nil if
// none is kept: its own, or, branched, the one of its scene.
func Find(cfg *engine.Config) (_ *engine.Snapshot, branched bool, _ error) {
	own, scene := cfg.WarmKey(), "-"+cfg.SceneKey()
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, false, err
	}
	found, branched := "", true
	for _, e := range entries {
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		switch {
		case packed && strings.HasPrefix(name, own):
			found, branched = e.Name(), false
		case packed && strings.HasSuffix(name, scene) && branched:
			found = e.Name()
		}
	}
	if found == "" {
		return nil, false, nil
	}
	data, err := files.ReadFile(found)
	if err != nil {
		return nil, false, err
	}
	state, err := Decode(data)
	return state, branched, err
}

// FileName is the name of cfg's settled state in this directory. The one that
// all runs of the scene may go on from has the scene's key in its name.
func FileName(cfg *engine.Config, forScene bool) string {
	if forScene {
		return cfg.WarmKey() + "-" + cfg.SceneKey() + ".gz"
	}
	return cfg.WarmKey() + ".gz"
}

// Decode unpacks a state.
func Decode(data []byte) (*engine.Snapshot, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("settled state: %w", err)
	}
	state, err := io.ReadAll(io.LimitReader(z, MaxState+1))
	if err != nil {
		return nil, fmt.Errorf("settled state: %w", err)
	}
	if len(state) > MaxState {
		return nil, fmt.Errorf("settled state: more than %d bytes", MaxState)
	}
	return engine.SnapshotOf(state), nil
}

// Encode packs the present state of e. Statistics are left out: they are not
// what the next run starts from.
func Encode(e *engine.Engine) ([]byte, error) {
	e.ForgetStatistics()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(e.Snapshot(nil).Bytes()); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
