// Command putget keeps the syntax trees of Go packages on disk, loads them back,
// and shows how long parsing and loading take. Run putget help for its commands.
//
// The exit status is 0 if all went well, 1 if something was reported on standard
// error, 2 if the command line makes no sense, and 130 after an interrupt.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and gives the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "putget",
		Short: "Keep the syntax trees of Go packages on disk",
		Long: `Putget keeps the syntax trees of Go packages on disk, loads them back, and shows
how long parsing and loading take.`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(newCacheCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "putget:", err)
	switch {
	case ctx.Err() != nil:
		return 130 // what a shell reports of a program that an interrupt ended
	case errors.As(err, new(*failure)):
		return 1
	}
	fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
	return 2
}

// failure is an error of a command at work; others are of its command line.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// version is the module's, as the go command recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
