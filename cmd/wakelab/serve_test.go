package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

func TestPageHandler(t *testing.T) {
	page := "<!doctype html><title>page</title>"
	handler := pageHandler(fstest.MapFS{
		"index.html":     {Data: []byte(page)},
		"index.html.gz":  {Data: gzipped(page)},
		"page.wasm":      {Data: []byte("\x00asm plain")},
		"page.wasm.gz":   {Data: gzipped("\x00asm packed")},
		"js/page.mjs":    {Data: []byte("export {}")},
		"css/page.css":   {Data: []byte("p {}")},
		"data/site.json": {Data: []byte("{}")},
	})
	for _, c := range []struct {
		path, accept               string
		status                     int
		contentType, encoding, has string
	}{
		{"/", "gzip, br", 200, "text/html", "gzip", "<title>page"},
		{"/", "", 200, "text/html", "", "<title>page"},
		{"/page.wasm", "gzip", 200, "application/wasm", "gzip", "packed"},
		{"/page.wasm", "", 200, "application/wasm", "", "plain"},
		{"/js/page.mjs", "gzip", 200, "javascript", "", "export"},
		{"/css/page.css", "", 200, "text/css", "", "p {}"},
		{"/data/site.json", "", 200, "application/json", "", "{}"},
		{"/nothing", "gzip", 404, "text/plain", "", "not found"},
		{"/../serve.go", "", 404, "text/plain", "", "not found"},
	} {
		req := httptest.NewRequest("GET", c.path, nil)
		if c.accept != "" {
			req.Header.Set("Accept-Encoding", c.accept)
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		body := rec.Body.Bytes()
		if c.encoding == "gzip" {
			r, err := gzip.NewReader(rec.Body)
			if err != nil {
				t.Errorf("%s: %v", c.path, err)
				continue
			}
			body, _ = io.ReadAll(r)
		}
		h := rec.Result().Header
		if rec.Code != c.status || !strings.Contains(h.Get("Content-Type"), c.contentType) ||
			h.Get("Content-Encoding") != c.encoding || !strings.Contains(string(body), c.has) {
			t.Errorf("%s with Accept-Encoding %q: got %d, %v, body %q", c.path, c.accept, rec.Code, h, body)
		}
	}
}

func TestListenSaysWhatToDo(t *testing.T) {
	busy, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, port, _ := net.SplitHostPort(busy.Addr().String())
	for _, c := range []struct{ port, want string }{
		{port, "in use by another program"},
		{"0", "allowed are 1 to 65535"},
		{"65536", "allowed are 1 to 65535"},
		{"web", "allowed are 1 to 65535"},
	} {
		if l, err := listen(c.port); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("listen(%q) = %v, %v, want an error with %q", c.port, l, err, c.want)
		}
	}
}
