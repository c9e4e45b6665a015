// Package warm keeps settled states of long-running studies, so that a run
// need not age for seconds of machine time first. A state is named by the
// configuration's key and fits nothing else: a changed model, kernel or
// parameter has another key, and its runs warm up by themselves.
package warm

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"wakelab/engine"
)

// MaxState bounds an unpacked state, so that a damaged file cannot fill the
// memory.
const MaxState = 64 << 20

//go:embed *
var files embed.FS

// Find returns the settled state that a run of cfg may start from, or nil if
// none is kept.
func Find(cfg *engine.Config) (*engine.Snapshot, error) {
	data, err := files.ReadFile(FileName(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Decode(data)
}

// FileName is the name of cfg's settled state in this directory.
func FileName(cfg *engine.Config) string { return cfg.WarmKey() + ".gz" }

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
