package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v3"

	"locus/check"
	"locus/check/stream"
)

// sharedShards is how many parts the hosts of a shared run are divided into.
const sharedShards = 32

// A runQueue is the queue of a run.
type runQueue struct {
	check.Queue
	stream *stream.Queue               // nil: only this process has it
	close  func()                      // keeps the run
	end    func(context.Context) error // deletes the run, before close
}

func checkQueueFlags(c *cli.Command) error {
	for _, flag := range []string{"run", "replicas", "worker", "lease"} {
		if c.IsSet(flag) && !c.IsSet("nats") {
			return misuse("--%s is for --nats", flag)
		}
	}
	switch {
	case c.Bool("resume") && c.Bool("no-resume"):
		return misuse("--resume and --no-resume exclude each other")
	case c.IsSet("nats") && (c.IsSet("resume") || c.IsSet("no-resume")):
		return misuse("--resume and --no-resume are for runs without --nats: those with it can always be resumed")
	case c.Bool("worker") && (c.IsSet("replicas") || c.IsSet("lease")):
		return misuse("--worker takes neither --replicas nor --lease: the process that starts the run sets them")
	case c.Bool("worker") && c.NArg() > 0:
		return misuse("--worker takes no arguments: the process that starts the run has them")
	case c.IsSet("lease") && c.Duration("lease") < time.Second/10:
		return misuse("--lease wants a duration of at least 100ms")
	}
	return nil
}

// isKept reports whether the run is saved in the state folder.
func (k *linkChecker) isKept(c *cli.Command) bool {
	return !c.IsSet("nats") && (c.Bool("resume") || k.Recursive && !c.Bool("no-resume"))
}

// openQueue opens the queue that the flags ask for: at a server, in the state folder, or
// in temporary files.
func (k *linkChecker) openQueue(ctx context.Context, c *cli.Command) (runQueue, error) {
	switch {
	case c.IsSet("nats"):
		return sharedQueue(ctx, c)
	case k.isKept(c):
		return k.ownQueue(ctx, c)
	}
	s := check.NewSpool(temporaryFile)
	return runQueue{Queue: s, close: func() { _ = s.Close() }, end: func(context.Context) error { return nil }}, nil
}

// temporaryFile creates a file that is deleted when it is closed. Where the system
// allows it, the file has no name meanwhile.
func temporaryFile() (check.File, error) {
	f, err := os.CreateTemp("", "locus-check-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // some systems cannot delete an open file; then Close does it
	return deletedFile{f}, nil
}

// deletedFile is a file that Close deletes.
type deletedFile struct{ *os.File }

func (f deletedFile) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // already deleted, except on Windows
	return err
}

func sharedQueue(ctx context.Context, c *cli.Command) (runQueue, error) {
	replicas, err := countOf(c, "replicas", 1)
	if err != nil {
		return runQueue{}, err
	}
	servers := c.String("nats")
	for server := range strings.SplitSeq(servers, ",") {
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		// The library's error would show a password.
		if _, err := neturl.Parse(strings.TrimSpace(server)); err != nil {
			return runQueue{}, misuse("--nats wants URLs such as nats://127.0.0.1:4222, not %q", hideLogin(server))
		}
	}
	conn, err := nats.Connect(servers, nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond), nats.Name("locus check"))
	if err != nil {
		return runQueue{}, &hinted{fmt.Errorf("connect to --nats: %w", err), "nats-server -js runs a server that keeps streams"}
	}
	name := c.String("run")
	q, err := stream.Open(ctx, conn, name, stream.Options{
		Shards: sharedShards, Replicas: replicas, Lease: c.Duration("lease"), Helper: c.Bool("worker"), Create: temporaryFile,
	})
	if err != nil {
		conn.Close()
		return runQueue{}, err
	}
	return runQueue{q, q, func() { _ = q.Close(); conn.Close() }, q.Delete}, nil
}

// ownQueue opens a queue in the state folder. It resumes an interrupted run with the
// same arguments.
func (k *linkChecker) ownQueue(ctx context.Context, c *cli.Command) (runQueue, error) {
	if k.state == "" {
		return runQueue{}, &usageError{text: "there is no state folder", hint: "--state DIR names one, --no-resume needs none"}
	}
	dir, err := k.runDir(c)
	if err != nil {
		return runQueue{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return runQueue{}, err
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return runQueue{}, err
	}
	streams := filepath.Join(dir, "streams")
	k.resume(streams)
	s, err := stream.Embed(streams)
	if err != nil {
		lock.Close()
		return runQueue{}, err
	}
	q, err := stream.Open(ctx, s.Conn(), "own", stream.Options{Create: temporaryFile})
	if err != nil {
		s.Close()
		lock.Close()
		return runQueue{}, err
	}
	closeAll := func() { _ = q.Close(); s.Close(); lock.Close() }
	return runQueue{q, q, closeAll, func(context.Context) error {
		s.Close()
		return os.RemoveAll(streams)
	}}, nil
}

// maxResumeAge is the age of an interrupted run from which it is not resumed.
const maxResumeAge = 24 * time.Hour

// resume reports that a run is resumed, or deletes one that is too old.
func (k *linkChecker) resume(streams string) {
	info, err := os.Stat(streams)
	switch {
	case err != nil:
	case time.Since(info.ModTime()) > maxResumeAge:
		_ = os.RemoveAll(streams) // if that fails the run is resumed
	default:
		k.say("resuming the interrupted run; --no-resume starts again")
	}
}

var errLocked = &hinted{errors.New("another process works on this run"), "--no-resume starts a run of its own"}

// runDir returns the folder of a run. It depends on the arguments, the policy and the
// current folder.
func (k *linkChecker) runDir(c *cli.Command) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	policy, err := json.Marshal(k.Policy)
	if err != nil {
		return "", err
	}
	what := here + "\x00" + string(policy) + "\x00" + strings.Join(c.Args().Slice(), "\x00")
	return filepath.Join(k.state, "check", fmt.Sprintf("%x", sha256.Sum256([]byte(what)))[:16]), nil
}

// work helps with a run that another process has started.
func (k *linkChecker) work(ctx context.Context, q runQueue) error {
	own := k.Policy
	var err error
	if k.Policy, err = q.stream.Policy(ctx); err != nil {
		return err
	}
	k.Jobs = own.Jobs
	progress := k.progress()
	k.Notify = progress.result
	err = k.Run(ctx, q.Queue)
	progress.close()
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}
