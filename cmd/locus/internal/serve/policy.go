package serve

import (
	"net"
	"slices"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/guard"
	"locus/proto/file"
	"locus/server"
)

// fetching returns the schemes that the policy "public" opens without --scheme.
func fetching() []string { return (&locus.Client{Public: true}).Schemes() }

// A policy says what the clients of a gateway may open.
type policy struct {
	public  bool     // public addresses only
	schemes []string // none: all
	private []string // schemes that it does not open, because they open the user's own files and mail
}

// policy returns the policy that o asks for.
func (o Options) policy() (policy, error) {
	p := policy{public: o.Policy == "public", schemes: o.Schemes}
	if p.public && o.Proxy != "" {
		return p, &cli.UsageError{Text: "--policy public excludes --proxy", Hint: "the proxy would look up names, and connect to any address"}
	}
	if p.public && len(p.schemes) == 0 {
		p.schemes = fetching()
	}
	for _, name := range p.schemes {
		if !cli.CanOpen(name) {
			return p, cli.Misuse("--scheme: no scheme %q can be opened", name)
		}
	}
	if o.Policy != "" && o.Mail == "" {
		p.private = append(p.private, "mid", "cid")
	}
	if o.Policy != "" {
		p.private = append(p.private, "afs")
	}
	if o.Policy != "" && o.Root == "" {
		p.private = append(p.private, "file")
	}
	return p, nil
}

func (p policy) opens(scheme string) bool {
	return (len(p.schemes) == 0 || slices.Contains(p.schemes, scheme)) && !slices.Contains(p.private, scheme)
}

// usualTimeout is the timeout of a policy without --request-timeout: enough for 1 GiB at 5
// Mbit/s.
const usualTimeout = 30 * time.Minute

// timeout returns how long a request may take; 0: as long as the client waits.
func (o Options) timeout() time.Duration {
	if o.Policy != "" && o.RequestTimeout == 0 {
		return usualTimeout
	}
	return o.RequestTimeout
}

// checkAddress returns an error if others can reach the address and there is no policy.
func (o Options) checkAddress(at net.Addr) error {
	if server.IsLoopback(at) || o.Policy != "" {
		return nil
	}
	return &cli.UsageError{
		Text: "everybody who reaches " + at.String() + " could open what you can: your network, your files",
		Hint: "--policy public lets them open what is at public addresses, --policy any whatever this machine reaches; or --listen on 127.0.0.1",
	}
}

// maxIdleFTP is how many idle FTP connections are kept. A login takes several times as
// long as a small file.
const maxIdleFTP = 128

// client returns the client of the gateway.
func (o Options) client(e *cli.Env, p policy, own *guard.Own, open *closers) (*cli.Client, error) {
	client, err := e.Client(cli.Access{Connect: o.Connect, Protocols: o.Protocols}, nil)
	if err != nil {
		return nil, err
	}
	client.Dial = cli.DialChecked(30*time.Second, own.Check)
	client.Login = nil
	if client.Public = p.public; client.Public {
		client.Proxy, client.Engines.Direct = nil, false
	}
	client.Engines.FTP.Binary, client.Engines.FTP.Pool.Most = true, maxIdleFTP
	client.Engines.Opens = p.opens
	if o.Root != "" {
		root, err := e.OpenRoot(o.Root)
		if err != nil {
			return nil, err
		}
		*open = append(*open, root)
		client.Engines.More = func(locus.Dial) access.Table { return access.Table{"file": file.System{Root: root}} }
	}
	done, err := e.Archives(client, o.Record, o.Replay)
	if err != nil {
		return nil, err
	}
	*open = append(*open, closeFunc(func() error { return done(nil) }))
	client.Cache, err = o.cache(e, open)
	return client, err
}

// A closeFunc is an io.Closer.
type closeFunc func() error

func (f closeFunc) Close() error { return f() }
