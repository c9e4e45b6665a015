// Command wakelab runs the simulator on the command line and serves the page.
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "wakelab", Short: "Simulate the Linux scheduler's wakeup paths on very large machines"}
	root.AddCommand(serveCmd())
	if root.Execute() != nil {
		os.Exit(2)
	}
}
