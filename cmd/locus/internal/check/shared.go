package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	neturl "net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"locus/check/stream"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/runfile"
	"locus/internal/render"
)

// sharedShards is the number of parts into which the hosts of a shared run are divided.
const sharedShards = 64

// connect connects to the servers of --nats, with the credentials and certificates of the flags. An address that is
// not a URL is a UsageError. The caller closes the connection.
func (s Shared) connect(e *cli.Env) (*nats.Conn, error) {
	for server := range strings.SplitSeq(s.NATS, ",") {
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		// The library's error would show a password.
		if _, err := neturl.Parse(strings.TrimSpace(server)); err != nil {
			return nil, cli.Misuse("--nats must be URLs such as nats://127.0.0.1:4222, not %q", flags.HideLogin(server))
		}
	}
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.Name("locus check"), nats.ErrorHandler(reportOnce(e))}
	if err := s.checkFiles(e); err != nil {
		return nil, err
	}
	if s.NATSCreds != "" {
		options = append(options, nats.UserCredentials(e.Path(s.NATSCreds)))
	}
	if s.NATSCA != "" {
		options = append(options, nats.RootCAs(e.Path(s.NATSCA)))
	}
	if s.NATSCert != "" {
		options = append(options, nats.ClientCert(e.Path(s.NATSCert), e.Path(s.NATSKey)))
	}
	conn, err := nats.Connect(s.NATS, options...)
	if err != nil {
		return nil, &cli.Hinted{Err: fmt.Errorf("connect to --nats: %w", err), Hint: connectHint(err)}
	}
	return conn, nil
}

// reportOnce returns a handler for errors of a connection that no call returns. It reports each text once, because the
// same request may fail many times. If the server refuses a message, the handler closes the connection, so that calls
// that wait for an answer fail.
func reportOnce(e *cli.Env) nats.ErrHandler {
	var said sync.Map
	return func(conn *nats.Conn, _ *nats.Subscription, err error) {
		if _, again := said.LoadOrStore(err.Error(), true); !again {
			e.Report(fmt.Errorf("--nats: %w", err))
		}
		if errors.Is(err, nats.ErrPermissionViolation) {
			conn.Close()
		}
	}
}

const (
	serverHint = "run the server with JetStream: nats-server -js"
	loginHint  = "log in with --nats-creds FILE, or with --nats nats://USER:PASSWORD@HOST"
)

// connectHint returns the remedy for a connection to --nats that failed.
func connectHint(err error) string {
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	network, isNetwork := errors.AsType[*net.OpError](err)
	_, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isLoginError(err):
		return loginHint
	case isUnknown:
		return "name the authority that signed the server's certificate with --nats-ca FILE"
	case isNetwork && network.Op == "remote error", // an alert of TLS (RFC 8446 §6)
		errors.Is(err, nats.ErrTLS) && !isUntrusted: // the server has closed the connection, and the alert is lost
		return "present a client certificate with --nats-cert and --nats-key"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server does not use TLS; write nats:// instead of tls://"
	}
	return serverHint
}

// isLoginError reports whether a server has refused a login. At the start of a connection, the library's error only has
// the server's text.
func isLoginError(err error) bool {
	return slices.ContainsFunc([]error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired}, func(login error) bool {
		return errors.Is(err, login) || strings.EqualFold(err.Error(), login.Error())
	})
}

// checkFiles returns an error if a file of --nats-creds, --nats-ca, --nats-cert or --nats-key cannot be read, or has
// the wrong content. Call it before connecting: the library reads some of the files only when a server asks for them,
// and after a failure it waits for another server instead of returning the error.
func (s Shared) checkFiles(e *cli.Env) error {
	for _, f := range []struct {
		flag, name string
		isRight    func(text []byte) bool
		want       string
	}{
		{"--nats-creds", s.NATSCreds, hasUserKey, "credentials of a user"},
		{"--nats-ca", s.NATSCA, x509.NewCertPool().AppendCertsFromPEM, "certificates in PEM"},
	} {
		if f.name == "" {
			continue
		}
		text, err := e.ReadFile(f.name)
		if err == nil && !f.isRight(text) {
			err = fmt.Errorf("%s has no %s", f.name, f.want)
		}
		if err != nil {
			return cli.FileError(f.flag, err)
		}
	}
	if s.NATSCert == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(e.Path(s.NATSCert), e.Path(s.NATSKey))
	return cli.FileError("--nats-cert and --nats-key", err)
}

// hasUserKey reports whether text has the secret key of a NATS user.
func hasUserKey(text []byte) bool {
	key, err := nkeys.ParseDecoratedUserNKey(text)
	if err == nil {
		key.Wipe()
	}
	return err == nil
}

// sharedQueue starts or resumes the run that --run names, at the servers of --nats, and returns its queue.
func (k *checker) sharedQueue(ctx context.Context) (runQueue, error) {
	conn, err := k.options.connect(k.Env)
	if err != nil {
		return runQueue{}, err
	}
	run := stream.Run{Policy: k.Policy, Args: k.options.Args, Shards: sharedShards}
	q, err := stream.Start(ctx, conn, k.options.Run, run, stream.Options{
		Replicas: max(k.options.Replicas, 1), Lease: k.options.Lease, Jobs: k.Jobs, Create: runfile.Temporary,
		CloseIdle: k.client.CloseIdleConnections, Skipped: k.reportDamage,
	})
	if err != nil {
		conn.Close()
		return runQueue{}, withHint(err)
	}
	return runQueue{q, func() { _ = q.Close(); conn.Close() }, q.Delete}, nil
}

// reportDamage reports a message of a shared run that cannot be read. If the message may have had URLs, the report of
// the run counts as incomplete.
func (k *checker) reportDamage(d stream.Damage) {
	k.Env.Report(fmt.Errorf("%v", d))
	if d.HasJobs() {
		k.hasLost.Store(true)
	}
}

// work checks links for a run that another process has started, until that run ends. The error is ErrReported if a
// damaged message may have had URLs.
func (k *checker) work(ctx context.Context) error {
	conn, err := k.options.connect(k.Env)
	if err != nil {
		return err
	}
	defer conn.Close()
	q, err := stream.Join(ctx, conn, k.options.Run, stream.Options{Jobs: k.Jobs, Create: runfile.Temporary, CloseIdle: k.client.CloseIdleConnections, Skipped: k.reportDamage})
	if err == nil {
		defer q.Close()
		jobs := k.Jobs
		k.Policy = q.Run().Policy
		k.Jobs = jobs
		k.client.PerHost = k.Policy.MaxPerServer() // before the first request
		progress := k.progress()
		k.Notify = progress.result
		err = k.Checker.Run(ctx, q)
		progress.close()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return cli.ErrInterrupted
	case err == nil && k.hasLost.Load():
		return cli.ErrReported
	}
	return withHint(err)
}

// withHint returns err with a remedy if it is a known error of a shared run, and otherwise err itself, which may be
// nil.
func withHint(err error) error {
	for _, known := range []cli.Hinted{
		{Err: stream.ErrOther, Hint: "start another run with --run NAME, or remove this one with --forget-run"},
		{Err: stream.ErrVersion, Hint: "start another run with --run NAME, or remove this one with --forget-run"},
		{Err: stream.ErrRemoved, Hint: "it was forgotten, or it ended while this process could not reach the servers"},
		{Err: stream.ErrNotStarted, Hint: "the run may have ended already; a worker can start before its run, but not after the run has ended"},
		{Err: stream.ErrFull, Hint: "free some space, and then run the same command again to resume the run"},
		{Err: stream.ErrNoJetStream, Hint: serverHint},
		{Err: nats.ErrConnectionClosed, Hint: loginHint}, // the server has refused the login or a message
		{Err: stream.ErrFewServers, Hint: "start the other servers, or use a smaller --replicas"},
	} {
		if errors.Is(err, known.Err) {
			return &cli.Hinted{Err: err, Hint: known.Hint}
		}
	}
	return err
}

// manageRuns obeys --list-runs, which lists the runs that the servers keep, and --forget-run, which removes the run
// of --run. Neither takes arguments.
func manageRuns(ctx context.Context, e *cli.Env, o Options) error {
	if len(o.Args) > 0 || o.ListRuns && o.ForgetRun {
		return cli.Misuse("--list-runs and --forget-run take no arguments, and cannot be combined")
	}
	if err := o.check(); err != nil {
		return err
	}
	conn, err := o.connect(e)
	if err != nil {
		return err
	}
	defer conn.Close()
	runs, err := stream.Runs(ctx, conn)
	if err != nil {
		return withHint(err)
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
		return &cli.Hinted{Err: fmt.Errorf("the servers have no run %q", o.Run), Hint: "--list-runs lists them"}
	}
	return stream.Remove(ctx, conn, o.Run)
}
