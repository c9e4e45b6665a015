// Command wakelab runs the simulator on the command line and serves the page.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes.
const (
	exitBadInput    = 2
	exitInterrupted = 130 // as a shell reports a program ended by Ctrl-C
)

// errInterrupted is returned after a partial result has been printed, and wrapped
// if there was none.
var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute runs one command line and returns its exit code. Every error is the
// user's input: our own mistakes panic.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCmd()
	root.SetArgs(args)
	out := &checkedWriter{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	if err != errInterrupted { // otherwise a partial result has been printed
		fmt.Fprintf(stderr, "wakelab: %v\n", err)
	}
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	return exitBadInput
}

// checkedWriter keeps the first error of a writer, so that a full disk is
// reported whoever prints.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.err = cmp.Or(c.err, err)
	return n, err
}

func rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "wakelab",
		Short:         "Simulate the Linux scheduler's wakeup paths on very large machines",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(studyCmd(), sweepCmd(), mergeCmd(), recordCmd(), diffCmd(), warmCmd(), calibrateCmd(), runCmd(), profileCmd(), traceCmd(), posterCmd(), importCmd(), listCmd(), showCmd(), serveCmd(), siteCmd())
	return root
}

// flagError says what a flag wants. The flag package names Go's parsers instead.
func flagError(_ *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	f := bad.GetFlag()
	want := "a whole number"
	if f.Value.Type() == "bool" {
		want = "true or false"
	}
	return fmt.Errorf("--%s %q: want %s: %s", f.Name, bad.GetValue(), want, f.Usage)
}
