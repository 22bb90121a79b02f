package check

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

	"locus/check"
	"locus/check/stream"
	"locus/cmd/locus/internal/cli"
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

// check returns an error if flags for queues contradict each other.
func (o Options) check() error {
	if flag := o.Given.First("run", "replicas", "worker", "lease"); flag != "" && !o.Given["nats"] {
		return cli.Misuse("%s is for --nats", flag)
	}
	switch {
	case o.Resume && o.NoResume:
		return cli.Misuse("--resume and --no-resume exclude each other")
	case o.Given["nats"] && o.Given.First("resume", "no-resume") != "":
		return cli.Misuse("--resume and --no-resume are for runs without --nats: those with it can always be resumed")
	case o.Worker && o.Given.First("replicas", "lease") != "":
		return cli.Misuse("--worker takes neither --replicas nor --lease: the process that starts the run sets them")
	case o.Worker && len(o.Args) > 0:
		return cli.Misuse("--worker takes no arguments: the process that starts the run has them")
	case o.Given["lease"] && o.Lease < time.Second/10:
		return cli.Misuse("--lease wants a duration of at least 100ms")
	case o.Yes && !o.Fix:
		return cli.Misuse("--yes is for --fix")
	}
	return nil
}

// isKept reports whether the run is saved in the state folder.
func (o Options) isKept() bool {
	return !o.Given["nats"] && (o.Resume || o.Recursive && !o.NoResume)
}

// openQueue opens the queue that the options ask for: at a server, in the state folder,
// or in temporary files.
func (k *checker) openQueue(ctx context.Context) (runQueue, error) {
	switch {
	case k.options.Given["nats"]:
		return sharedQueue(ctx, k.options)
	case k.options.isKept():
		return k.ownQueue(ctx)
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

// sharedQueue opens the queue at the servers of --nats.
func sharedQueue(ctx context.Context, o Options) (runQueue, error) {
	for server := range strings.SplitSeq(o.NATS, ",") {
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		// The library's error would show a password.
		if _, err := neturl.Parse(strings.TrimSpace(server)); err != nil {
			return runQueue{}, cli.Misuse("--nats wants URLs such as nats://127.0.0.1:4222, not %q", cli.HideLogin(server))
		}
	}
	conn, err := nats.Connect(o.NATS, nats.MaxReconnects(-1), nats.ReconnectWait(200*time.Millisecond), nats.Name("locus check"))
	if err != nil {
		return runQueue{}, &cli.Hinted{Err: fmt.Errorf("connect to --nats: %w", err), Hint: "nats-server -js runs a server that keeps streams"}
	}
	q, err := stream.Open(ctx, conn, o.Run, stream.Options{
		Shards: sharedShards, Replicas: max(o.Replicas, 1), Lease: o.Lease, Helper: o.Worker, Create: temporaryFile,
	})
	if err != nil {
		conn.Close()
		return runQueue{}, err
	}
	return runQueue{q, q, func() { _ = q.Close(); conn.Close() }, q.Delete}, nil
}

// ownQueue opens a queue in the state folder. It resumes an interrupted run with the
// same arguments.
func (k *checker) ownQueue(ctx context.Context) (runQueue, error) {
	if k.state == "" {
		return runQueue{}, &cli.UsageError{Text: "there is no state folder", Hint: "--state DIR names one, --no-resume needs none"}
	}
	dir, err := k.runDir()
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
func (k *checker) resume(streams string) {
	info, err := os.Stat(streams)
	switch {
	case err != nil:
	case time.Since(info.ModTime()) > maxResumeAge:
		_ = os.RemoveAll(streams) // if that fails the run is resumed
	default:
		k.Say("resuming the interrupted run; --no-resume starts again")
	}
}

var errLocked = &cli.Hinted{Err: errors.New("another process works on this run"), Hint: "--no-resume starts a run of its own"}

// runDir returns the folder of a run. It depends on the arguments, the policy and the
// current folder.
func (k *checker) runDir() (string, error) {
	here, err := k.Abs(".")
	if err != nil {
		return "", err
	}
	policy, err := json.Marshal(k.Policy)
	if err != nil {
		return "", err
	}
	what := here + "\x00" + string(policy) + "\x00" + strings.Join(k.options.Args, "\x00")
	return filepath.Join(k.state, "check", fmt.Sprintf("%x", sha256.Sum256([]byte(what)))[:16]), nil
}

// work helps with a run that another process has started.
func (k *checker) work(ctx context.Context, q runQueue) error {
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
		return cli.ErrInterrupted
	}
	return err
}
