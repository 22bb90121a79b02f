// Command locus understands and opens URLs. "locus help" explains it.
//
// It exits with 0 if everything was done, with 1 if something failed or is invalid, and
// with 2 if it was misused. Data goes to stdout, everything else to stderr, in lines that
// start with "locus: ". doc/command.md has the details.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Then Write returns an error for a broken pipe.
	signal.Ignore(syscall.SIGPIPE)
	// net/http would write to stderr.
	log.SetOutput(io.Discard)
	os.Exit(newProcess(os.Stdin, os.Stdout, os.Stderr).run(context.Background(), os.Args))
}

// untilInterrupted returns a context that ends when the user interrupts the command, so
// that it can clean up. A second interrupt kills the command. Commands without this
// context die at the first.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
