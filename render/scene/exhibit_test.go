package scene_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"wakelab/engine/view"
	"wakelab/render/scene"
)

var exhibits = flag.String("exhibits", "", "directory to write what a painter is told for each view, and the picture of it, for a browser to compare")

// message is what the page tells the painter: a function's name, a side, and an
// encoded value.
type message struct {
	Type  string `json:"type"`
	Side  int    `json:"side"`
	Bytes []byte `json:"bytes"`
}

// script writes down what a player is shown.
type script struct {
	View     int       `json:"view"`
	Titles   [2]string `json:"titles"`
	Messages []message `json:"messages"`
	details  [2]view.Details
}

func (s *script) say(kind string, side int, bytes []byte) {
	s.Messages = append(s.Messages, message{kind, side, bytes})
}

func (s *script) SetStatic(side int, st *view.Static) {
	s.say("static", side, view.AppendStatic(nil, st))
}
func (s *script) Add(side int, f *view.Frame) { s.say("frame", side, view.AppendFrame(nil, f)) }

func (s *script) SetLines(side int, sincePs int64, lines []view.Line, locks []view.Lock) {
	d := &s.details[side]
	d.SincePs, d.Lines, d.Locks = sincePs, lines, locks
}

func (s *script) SetSlices(side int, slices []view.Slice) { s.details[side].Slices = slices }

// TestExhibits writes the views of three sizes of machine as asked by -exhibits:
// NAME.json, NAME-light.png and NAME-dark.png. web/test/golden.test.mjs shows
// them to the page's painter.
func TestExhibits(t *testing.T) {
	if *exhibits == "" {
		t.Skip("-exhibits names no directory")
	}
	for _, e := range views(8, 384, 768) {
		s, vp := script{Titles: demoTitles}, scene.NewViewport(640, 360, 1, &scene.Light)
		e.show(&s, &vp)
		s.View = int(vp.View)
		for side := range s.details {
			s.say("details", side, view.AppendDetails(nil, &s.details[side]))
		}
		text, err := json.Marshal(&s)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*exhibits, e.name+".json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, th := range []*scene.Theme{&scene.Light, &scene.Dark} {
			writePNG(t, filepath.Join(*exhibits, e.name+"-"+th.Name+".png"), e.draw(640, 360, th))
		}
	}
}
