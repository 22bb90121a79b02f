package serve

import (
	"fmt"
	"net"
	"time"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/guard"
	"locus/proto/file"
	"locus/server"
)

// publicSchemes returns the schemes that the policy "public" opens without --scheme.
func publicSchemes() []string { return (&locus.Client{Public: true}).Schemes() }

// policy returns the policy of the gateway. If another flag contradicts the policy, the error is a
// UsageError.
func (o Options) policy() (server.Policy, error) {
	p := server.Policy{Kind: server.Kind(o.Policy), Schemes: o.Schemes, Files: o.Root != "", Mail: o.Mail != "", Proxied: len(o.TrustedProxies) > 0}
	if p.Kind == server.Public && o.Proxy != "" {
		return p, &cli.UsageError{Text: "--policy public cannot be combined with --proxy", Hint: "the proxy would look up names itself, and connect to any address"}
	}
	if p.Kind == server.Public && len(p.Schemes) == 0 {
		p.Schemes = publicSchemes()
	}
	for _, name := range p.Schemes {
		if !cli.CanOpen(name) {
			return p, cli.Misuse("--scheme: locus cannot open the scheme %q", name)
		}
	}
	return p, o.checkFor(p)
}

// checkFor returns a UsageError if --scheme, --root or --mail asks for a resource that the policy p
// does not open.
func (o Options) checkFor(p server.Policy) error {
	for _, name := range o.Schemes {
		if !p.Opens(name) {
			return cli.Misuse("--scheme %s needs %s", name, needed(name))
		}
	}
	switch {
	case p.Files && !p.Opens("file"):
		return cli.Misuse("--root needs --scheme file, because this policy does not open files by default")
	case p.Mail && !p.Opens("mid") && !p.Opens("cid"):
		return cli.Misuse("--mail needs --scheme mid or --scheme cid, because this policy does not open mail by default")
	}
	return nil
}

// needed returns the flags that let a gateway open URLs of a scheme that a policy does not open:
// "--root", "--mail" or "no --policy".
func needed(scheme string) string {
	switch scheme {
	case "file":
		return "--root"
	case "mid", "cid":
		return "--mail"
	}
	return "no --policy" // afs
}

// errExposed returns the error for a gateway that others can reach and that has no policy.
func errExposed(at net.Addr) error {
	return &cli.UsageError{
		Text: "everyone who can reach " + at.String() + " could open everything that you can open, such as your network and your files",
		Hint: "to let them open only public addresses, use --policy public; for everything that this machine can reach, --policy any; to keep them out, listen on 127.0.0.1",
	}
}

// maxIdleFTP is the number of idle FTP connections that are kept, because a login takes several
// times as long as a small file.
const maxIdleFTP = 128

// client returns the client of the gateway. It uses no logins of the user, opens only schemes that
// p allows, and dials only addresses that own allows. client adds the resources that must be closed
// to toClose.
func (o Options) client(e *cli.Env, p server.Policy, own *guard.Own, toClose *closers) (*cli.Client, error) {
	client, err := e.Client(cli.Access{Connect: o.Connect, Protocols: o.Protocols}, nil)
	if err != nil {
		return nil, err
	}
	if err := e.CheckMail(o.Mail); err != nil {
		return nil, err
	}
	client.Dial = cli.DialChecked(30*time.Second, own.Check)
	client.Login = nil
	if p.Kind != server.Own {
		client.Pins = e.StrangersPins()
	}
	if client.Public = p.Kind == server.Public; client.Public {
		client.Proxy, client.Engines.Direct = nil, false
		client.Interfaces = nil // own refuses this machine, and the neighbours of a server may be public
	}
	client.Engines.FTP.UnixText, client.Engines.FTP.Pool.Most = false, maxIdleFTP
	client.Engines.Opens = p.Opens
	if o.Root != "" {
		root, err := e.OpenRoot(o.Root)
		if err != nil {
			return nil, fmt.Errorf("--root: %w", err)
		}
		*toClose = append(*toClose, root)
		client.Engines.More = func(locus.Dial) access.Table { return access.Table{"file": file.System{Root: root}} }
	}
	done, err := e.Archives(client, o.Recording, o.Replay)
	if err != nil {
		return nil, err
	}
	*toClose = append(*toClose, closeFunc(func() error { return done(nil) }))
	client.Cache, err = o.cache(e, toClose)
	return client, err
}

// A closeFunc is an io.Closer.
type closeFunc func() error

// Close calls f.
func (f closeFunc) Close() error { return f() }
