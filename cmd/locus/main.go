// Command locus understands and opens URLs. "locus help" says how.
//
// It exits with 0 if everything asked for was done, with 1 if something failed
// or is invalid, and with 2 if it was misused. Data goes to stdout, everything
// else to stderr, in lines that start with "locus: ".
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
	// A broken pipe is then an error of Write, which says where it happened.
	signal.Ignore(syscall.SIGPIPE)
	// What net/http logs by itself are lines of others on stderr.
	log.SetOutput(io.Discard)
	os.Exit(newProcess(os.Stdin, os.Stdout, os.Stderr).run(context.Background(), os.Args))
}

// untilInterrupted returns a context that ends when the user interrupts the
// command, so that it can clean up. A second interrupt kills it. The commands
// that have nothing to clean up die of the first.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
