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
	stream *stream.Queue               // nil if it is this process's own
	close  func()                      // leaves the run as it is
	end    func(context.Context) error // removes what is kept of it, before close
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
		return misuse("--resume and --no-resume are for runs without --nats, which go on in any case")
	case c.Bool("worker") && (c.IsSet("replicas") || c.IsSet("lease")):
		return misuse("--worker takes neither --replicas nor --lease: they are those of the process that sets up the run")
	case c.Bool("worker") && c.NArg() > 0:
		return misuse("--worker takes no arguments: another process says what is checked")
	case c.IsSet("lease") && c.Duration("lease") < time.Second/10:
		return misuse("--lease wants a duration of at least 100ms")
	}
	return nil
}

// isKept reports whether the run is kept in the folder for state.
func (k *linkChecker) isKept(c *cli.Command) bool {
	return !c.IsSet("nats") && (c.Bool("resume") || k.Recursive && !c.Bool("no-resume"))
}

// openQueue opens the queue that the flags ask for: at a server, in the folder for
// state, or in temporary files.
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

// temporaryFile makes a file that is gone when it is closed or, where systems can
// do that, in any case.
func temporaryFile() (check.File, error) {
	f, err := os.CreateTemp("", "locus-check-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // if that is not possible while it is open, Close does it
	return closedForGood{f}, nil
}

// closedForGood is a file that Close removes.
type closedForGood struct{ *os.File }

func (f closedForGood) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // it is gone already, but on Windows
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

// ownQueue opens a queue in the folder for state. A run with the same arguments
// that was ended goes on.
func (k *linkChecker) ownQueue(ctx context.Context, c *cli.Command) (runQueue, error) {
	if k.state == "" {
		return runQueue{}, &usageError{text: "there is no folder for state", hint: "--state DIR names one, --no-resume needs none"}
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
	k.resumes(streams)
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

// tooOld is the age from which the results of a run that was ended are worth
// nothing any more.
const tooOld = 24 * time.Hour

// resumes says whether a run goes on, and removes one that is too old for that.
func (k *linkChecker) resumes(streams string) {
	info, err := os.Stat(streams)
	switch {
	case err != nil:
	case time.Since(info.ModTime()) > tooOld:
		_ = os.RemoveAll(streams) // what is left of it goes on after all
	default:
		k.say("going on with the run that was ended; --no-resume begins anew")
	}
}

var errLocked = &hinted{errors.New("another process is at this very run"), "--no-resume runs beside it"}

// runDir returns the folder of a run: the same for the same arguments and policy
// in the same folder.
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

// work helps at a run that another process has begun.
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
