package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// defaultPort is where the page is served when neither --port nor PORT says otherwise.
const defaultPort = 8080

func serveCmd() *cobra.Command {
	var dir, port string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the built page on this machine",
		Long: `Serve the folder made by "make build" on http://localhost:PORT.

Any static file server does as well: all addresses in the page are relative.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			if _, err := fs.Stat(os.DirFS(dir), "index.html"); err != nil {
				return fmt.Errorf("--dir %s: no page there (%w); run \"make build\" first", dir, err)
			}
			listener, err := listen(port)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Wakelab is on http://%s (Ctrl-C stops it)\n", listener.Addr())
			server := &http.Server{Handler: pageHandler(os.DirFS(dir))}
			defer context.AfterFunc(cmd.Context(), func() { server.Close() })()
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	env := os.Getenv("PORT")
	if env == "" {
		env = strconv.Itoa(defaultPort)
	}
	cmd.Flags().StringVar(&dir, "dir", "dist", "folder to serve")
	cmd.Flags().StringVar(&port, "port", env, "TCP port, 1 to 65535; the variable PORT sets it too")
	return cmd
}

// listen opens port on the loopback interface; the error says what to do.
func listen(port string) (net.Listener, error) {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("--port %q: allowed are 1 to 65535", port)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("localhost", port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("port %s is in use by another program; choose another one, such as PORT=8081 make run", port)
	}
	return l, err
}

// pageHandler serves dir's files. A file with a ".gz" sibling goes out
// compressed to whoever accepts that. Nothing is cached unasked, so that a
// rebuilt page is seen at once.
func pageHandler(dir fs.FS) http.Handler {
	plain := http.FileServerFS(dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Content-Type-Options", "nosniff")
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if strings.HasSuffix(r.URL.Path, "/") {
			name = path.Join(name, "index.html")
		}
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") || !isFile(dir, name+".gz") {
			plain.ServeHTTP(w, r)
			return
		}
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		h.Set("Content-Encoding", "gzip")
		h.Set("Vary", "Accept-Encoding")
		http.ServeFileFS(w, r, dir, name+".gz")
	})
}

func isFile(dir fs.FS, name string) bool {
	info, err := fs.Stat(dir, name)
	return err == nil && info.Mode().IsRegular()
}
