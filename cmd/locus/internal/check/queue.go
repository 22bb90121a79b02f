package check

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/runfile"
)

// A runQueue is the queue of a run.
type runQueue struct {
	check.Queue
	close func()                      // closes the queue, and keeps the run unless end was called
	end   func(context.Context) error // deletes the run; call it before close
}

// openQueue opens the queue that the options ask for: at the servers of --nats, in the state
// folder, or in memory and temporary files. The caller closes it.
func (k *checker) openQueue(ctx context.Context) (runQueue, error) {
	switch {
	case k.options.isShared():
		return k.sharedQueue(ctx)
	case k.options.isKept():
		return k.keptQueue()
	}
	s := report.NewQueue(runfile.Temporary)
	return runQueue{s, func() { _ = s.Close() }, func(context.Context) error { return nil }}, nil
}

// keptQueue opens a queue in the state folder, and resumes an interrupted run with the same
// arguments. It fails if another process has that run open.
func (k *checker) keptQueue() (runQueue, error) {
	if k.state == "" {
		return runQueue{}, &cli.UsageError{Text: "there is no user folder for state", Hint: "name a folder with --state DIR, or use --no-resume"}
	}
	name, err := k.runFile()
	if err != nil {
		return runQueue{}, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return runQueue{}, err
	}
	run, err := runfile.Open(name, maxResumeAge)
	switch {
	case errors.Is(err, runfile.ErrLocked):
		return runQueue{}, &cli.Hinted{Err: runfile.ErrLocked, Hint: "start a separate run with --no-resume"}
	case err != nil:
		return runQueue{}, err
	case run.IsResumed:
		k.Say("resuming the interrupted run; to start over, use --no-resume")
	}
	return runQueue{run, func() { _ = run.Close() }, func(context.Context) error { return run.End() }}, nil
}

// maxResumeAge is the age from which an interrupted run is not resumed.
const maxResumeAge = 24 * time.Hour

// runFile returns the name of the file that keeps the run in the state folder. The name depends on
// the current folder, the arguments, the policy, and the flags that decide which files are read and
// where their links lead, so that only the same command resumes a run.
func (k *checker) runFile() (string, error) {
	here, err := k.Abs(".")
	if err != nil {
		return "", err
	}
	o := k.options
	what, err := json.Marshal([]any{here, o.Args, k.Policy, o.Walk, o.Root, o.Base, o.Index, o.Extension, o.Shard})
	if err != nil {
		return "", err
	}
	return filepath.Join(k.state, "check", fmt.Sprintf("%x.log", sha256.Sum256(what))[48:]), nil
}
