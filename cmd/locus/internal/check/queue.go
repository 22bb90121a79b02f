package check

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"locus/check"
	"locus/check/report"
	"locus/check/stream"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/runfile"
	"locus/internal/render"
)

// sharedShards is how many parts the hosts of a shared run are divided into.
const sharedShards = 64

// A runQueue is the queue of a run.
type runQueue struct {
	check.Queue
	close func()                      // keeps the run, unless end was called
	end   func(context.Context) error // deletes the run, before close
}

// check returns an error if flags for queues contradict each other.
func (o Options) check() error {
	if flag := o.Given.First("run", "replicas", "lease", "split-host", "join", "list-runs", "forget-run", "nats-creds", "nats-ca", "nats-cert", "nats-key"); flag != "" && !o.Given["nats"] {
		return cli.Misuse("%s is for --nats", flag)
	}
	if reports := o.onStdout(); len(reports) > 1 {
		return cli.Misuse("%s and %s exclude each other: both write to stdout", reports[0], reports[1])
	}
	switch {
	case o.Resume && o.NoResume:
		return cli.Misuse("--resume and --no-resume exclude each other")
	case o.Given["nats"] && o.Given.First("resume", "no-resume") != "":
		return cli.Misuse("--resume and --no-resume are for runs without --nats: those with it can always be resumed")
	case o.Given["nats-cert"] != o.Given["nats-key"]:
		return cli.Misuse("--nats-cert and --nats-key want each other")
	case o.Given["since"] && o.Given["baseline"]:
		return cli.Misuse("--since and --baseline exclude each other")
	case o.Join && len(o.Args) > 0:
		return cli.Misuse("--join takes no arguments: the process that starts the run has them")
	case o.Join && o.notOfWorker() != "":
		return cli.Misuse("--join does not take --%s: the process that starts the run does", o.notOfWorker())
	case o.Given["lease"] && o.Lease < time.Second/10:
		return cli.Misuse("--lease wants a duration of at least 100ms")
	case o.Yes && !o.Fix:
		return cli.Misuse("--yes is for --fix")
	}
	return nil
}

// notOfWorker returns a flag that was given and has no meaning for a worker; "" if there
// is none. A worker decides how it connects, and how much it does at once.
func (o Options) notOfWorker() string {
	allowed := append(cli.FlagNames[cli.Protocols](), "nats", "nats-creds", "nats-ca", "nats-cert", "nats-key", "run", "join",
		"jobs", "idle", "proxy", "no-proxy", "allow-port", "min-rate", "no-mx", "netrc-file")
	for _, name := range slices.Sorted(maps.Keys(o.Given)) {
		if o.Given[name] && !slices.Contains(allowed, name) {
			return name
		}
	}
	return ""
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
		return k.sharedQueue(ctx)
	case k.options.isKept():
		return k.ownQueue()
	}
	s := report.NewQueue(runfile.Temporary)
	return runQueue{s, func() { _ = s.Close() }, func(context.Context) error { return nil }}, nil
}

// connect connects to the servers of --nats.
func connect(e *cli.Env, o Options) (*nats.Conn, error) {
	for server := range strings.SplitSeq(o.NATS, ",") {
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		// The library's error would show a password.
		if _, err := neturl.Parse(strings.TrimSpace(server)); err != nil {
			return nil, cli.Misuse("--nats wants URLs such as nats://127.0.0.1:4222, not %q", flags.HideLogin(server))
		}
	}
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.Name("locus check")}
	if o.NATSCreds != "" {
		options = append(options, nats.UserCredentials(e.Path(o.NATSCreds)))
	}
	if o.NATSCA != "" {
		options = append(options, nats.RootCAs(e.Path(o.NATSCA)))
	}
	if o.NATSCert != "" {
		options = append(options, nats.ClientCert(e.Path(o.NATSCert), e.Path(o.NATSKey)))
	}
	conn, err := nats.Connect(o.NATS, options...)
	if err != nil {
		return nil, &cli.Hinted{Err: fmt.Errorf("connect to --nats: %w", err), Hint: "nats-server -js runs a server that keeps streams"}
	}
	return conn, nil
}

// sharedQueue opens the queue at the servers of --nats.
func (k *checker) sharedQueue(ctx context.Context) (runQueue, error) {
	conn, err := connect(k.Env, k.options)
	if err != nil {
		return runQueue{}, err
	}
	run := stream.Run{Policy: k.Policy, Args: k.options.Args, Shards: sharedShards}
	q, err := stream.Start(ctx, conn, k.options.Run, run, stream.Options{
		Replicas: max(k.options.Replicas, 1), Lease: k.options.Lease, Jobs: k.Jobs, Create: runfile.Temporary,
	})
	if err != nil {
		conn.Close()
		return runQueue{}, withHint(err)
	}
	return runQueue{q, func() { _ = q.Close(); conn.Close() }, q.Delete}, nil
}

// ownQueue opens a queue in the state folder. It resumes an interrupted run with the
// same arguments.
func (k *checker) ownQueue() (runQueue, error) {
	if k.state == "" {
		return runQueue{}, &cli.UsageError{Text: "there is no state folder", Hint: "--state DIR names one, --no-resume needs none"}
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
		return runQueue{}, &cli.Hinted{Err: runfile.ErrLocked, Hint: "--no-resume starts a run of its own"}
	case err != nil:
		return runQueue{}, err
	case run.IsResumed:
		k.Say("resuming the interrupted run; --no-resume starts again")
	}
	return runQueue{run, func() { _ = run.Close() }, func(context.Context) error { return run.End() }}, nil
}

// maxResumeAge is the age of an interrupted run from which it is not resumed.
const maxResumeAge = 24 * time.Hour

// runFile returns the name of the file that keeps a run. It depends on the current folder,
// the arguments, the policy, and the flags that decide which files are read and where
// their links lead.
func (k *checker) runFile() (string, error) {
	here, err := k.Abs(".")
	if err != nil {
		return "", err
	}
	o := k.options
	what, err := json.Marshal([]any{here, o.Args, k.Policy, o.Walk, o.Root, o.Base, o.Index, o.Extension})
	if err != nil {
		return "", err
	}
	return filepath.Join(k.state, "check", fmt.Sprintf("%x.log", sha256.Sum256(what))[48:]), nil
}

// work helps with a run that another process has started.
func (k *checker) work(ctx context.Context) error {
	conn, err := connect(k.Env, k.options)
	if err != nil {
		return err
	}
	defer conn.Close()
	q, err := stream.Join(ctx, conn, k.options.Run, stream.Options{Jobs: k.Jobs, Create: runfile.Temporary})
	if err == nil {
		defer q.Close()
		jobs := k.Jobs
		k.Policy = q.Run().Policy
		k.Jobs = jobs
		progress := k.progress()
		k.Notify = progress.result
		err = k.Checker.Run(ctx, q)
		progress.close()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return cli.ErrInterrupted
	}
	return withHint(err)
}

// withHint adds the way out to an error of a shared run.
func withHint(err error) error {
	for _, known := range []cli.Hinted{
		{Err: stream.ErrOther, Hint: "--run NAME starts one beside it; --forget-run removes it"},
		{Err: stream.ErrVersion, Hint: "--run NAME starts one beside it; --forget-run removes it"},
		{Err: stream.ErrNotStarted, Hint: "a run may have ended before; a worker may start before its run, and not after"},
		{Err: stream.ErrFull, Hint: "make room, and start the same command again: it resumes the run"},
		{Err: stream.ErrFewServers, Hint: "start the other servers, or set a smaller --replicas"},
	} {
		if errors.Is(err, known.Err) {
			return &cli.Hinted{Err: err, Hint: known.Hint}
		}
	}
	return err
}

// manageRuns obeys --list-runs and --forget-run.
func manageRuns(ctx context.Context, e *cli.Env, o Options) error {
	if len(o.Args) > 0 || o.ListRuns && o.ForgetRun {
		return cli.Misuse("--list-runs and --forget-run stand alone, with --nats")
	}
	if err := o.check(); err != nil {
		return err
	}
	conn, err := connect(e, o)
	if err != nil {
		return err
	}
	defer conn.Close()
	runs, err := stream.Runs(ctx, conn)
	if err != nil {
		return err
	}
	if o.ListRuns {
		for _, name := range slices.Sorted(maps.Keys(runs)) {
			if err := e.Line(name + "  " + render.Clean(runs[name].String())); err != nil {
				return err
			}
		}
		return nil
	}
	if _, ok := runs[o.Run]; !ok {
		return &cli.Hinted{Err: fmt.Errorf("the servers keep no run %q", o.Run), Hint: "--list-runs lists them"}
	}
	return stream.Remove(ctx, conn, o.Run)
}
