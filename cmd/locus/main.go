// Command locus understands and opens URLs. "locus help" says how.
//
// It exits with 0 if everything asked for was done, with 1 if something failed
// or is invalid, and with 2 if it was misused. Data goes to stdout, everything
// else to stderr, in lines that start with "locus: ".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A broken pipe is then an error of Write, which says where it happened.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := newProcess(os.Stdin, os.Stdout, os.Stderr).run(ctx, os.Args)
	stop()
	os.Exit(status)
}
