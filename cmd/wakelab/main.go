// Command wakelab runs the simulator on the command line and serves the page.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitBadInput    = 2
	exitInterrupted = 130 // as a shell reports a program ended by Ctrl-C
)

// errInterrupted is returned after a partial result has been printed.
var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute runs one command line and returns its exit code. Every error is the
// user's input: our own mistakes panic.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCmd()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
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

func rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "wakelab",
		Short:         "Simulate the Linux scheduler's wakeup paths on very large machines",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(studyCmd(), sweepCmd(), mergeCmd(), diffCmd(), warmCmd(), calibrateCmd(), runCmd(), profileCmd(), traceCmd(), importCmd(), listCmd(), showCmd(), serveCmd(), siteCmd())
	return root
}
