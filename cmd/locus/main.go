// RFC 5280 §4.1.2.2 wants certificates with a negative serial number to be handled. FileZilla
// Server makes them.
//
//go:debug x509negativeserial=1

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
	"runtime/debug"
	"syscall"
	"time"

	"locus/cmd/locus/internal/cli"
)

func main() {
	// Then Write returns an error for a broken pipe.
	signal.Ignore(syscall.SIGPIPE)
	// net/http would write to stderr.
	log.SetOutput(io.Discard)
	e := cli.NewEnv(os.Stdin, os.Stdout, os.Stderr)
	e.LookupEnv, e.Signals, e.SetGarbage = os.LookupEnv, signals{}, setGarbage
	e.Program, _ = os.Executable() // "" if it is unknown
	status := program().Run(context.Background(), e.Env, os.Args)
	if s := e.InterruptedBy(); s != nil && status != 0 {
		dieBy(s)
	}
	os.Exit(status)
}

// dieBy makes the process die by the signal s. It returns only if the system cannot send the
// signal, as Windows cannot.
func dieBy(s os.Signal) {
	signal.Reset(s)
	self, err := os.FindProcess(os.Getpid())
	if err != nil || self.Signal(s) != nil {
		return
	}
	time.Sleep(time.Second) // the signal arrives before that
}

// setGarbage sets GOGC to percent and GOMEMLIMIT to limit bytes for this process. It ignores a
// value of 0, and a variable that the user has set.
func setGarbage(percent int, limit int64) {
	if percent > 0 && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

// signals implements [command.Signals] for this process.
type signals struct{}

// Notify, Stop and Reset call the functions of os/signal with these names.
func (signals) Notify(c chan<- os.Signal, s ...os.Signal) { signal.Notify(c, s...) }
func (signals) Stop(c chan<- os.Signal)                   { signal.Stop(c) }
func (signals) Reset(s ...os.Signal)                      { signal.Reset(s...) }
