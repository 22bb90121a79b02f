package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"syscall"
	"time"

	"locus"
	"locus/access"
	"locus/archive"
	"locus/internal/facts"
	"locus/limit"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/mail"
	"locus/proto/nfs"
	"locus/proto/nntp"
	"locus/proto/prospero"
	"locus/proto/sftp"
	"locus/proto/wais"
	"locus/proto/z3950"
	"locus/retry"
	"locus/scheme"
	"locus/url"
)

// Dial connects to an address without a proxy. It uses a local port below 1024 if the context comes from fromLowPort.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if wantsLowPort(ctx) {
		return dialForNFS(ctx, network, address)
	}
	return dialer.DialContext(ctx, network, address)
}

// DialChecked returns a function that connects directly, gives up after timeout (0 means no limit),
// and asks check before each connection. check gets an IP address and a port, after the name was
// looked up, and its error refuses the address.
func DialChecked(timeout time.Duration, check func(address string) error) locus.Dial {
	d := dialer
	d.Timeout = timeout
	d.Control = func(_, address string, _ syscall.RawConn) error { return check(address) }
	return d.DialContext
}

// dialer sends no keep-alive probes of its own, because the engines' limits decide how long a
// connection may be idle.
var dialer = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: -1, Interval: -1, Count: -1}}

// A Client is the locus.Client for the flags in [Access].
type Client struct {
	*locus.Client
	Engines *Engines
	Writer  *archive.Writer // of --warc: see Archives; nil: nothing is recorded

	hasProxy bool // --proxy was given
}

// Engines are the engines that the command sets up differently from a locus.Client.
// They may be changed before the client is used.
type Engines struct {
	Idle   time.Duration // of locus.Client
	FTP    ftp.Client
	NFS    nfs.Client
	SFTP   sftp.Client
	WAIS   wais.Client
	Z3950  z3950.Client
	Direct bool                               // without a proxy, prospero and rlogin may bind local ports
	More   func(dial locus.Dial) access.Table // further engines; nil: none
	Opens  func(scheme string) bool           // nil: all schemes
	Files  access.Engine                      // of URLs of files, unless More has one; nil: the files of this machine

	lowPort  bool // connect to nfs servers from a port below 1024
	news     nntp.Client
	trips    *prospero.RoundTrips // of prospero servers; nil: not made yet
	mail     *mail.Mailbox        // opens mid and cid URLs; nil: there is no mail
	gateways access.Table         // of --gateway, by the scheme
}

// schemes returns the engine and the properties of each scheme. If Opens is set, it leaves out the engines that Opens
// refuses. It sets the dialler of every engine to dial, and the longest silence to Idle.
func (e *Engines) schemes(dial locus.Dial) map[string]locus.Scheme {
	received := e.mail
	if received == nil {
		received = new(mail.Mailbox)
	}
	received.Dial, received.Idle = dial, e.Idle
	e.news.Dial, e.news.Idle = dial, e.Idle
	e.FTP.Dial, e.FTP.Idle = dial, e.Idle
	e.WAIS.Dial, e.WAIS.Idle = dial, e.Idle
	e.Z3950.Dial, e.Z3950.Idle = dial, e.Idle
	e.NFS.Dial, e.NFS.Idle = dial, e.Idle
	e.SFTP.Dial, e.SFTP.Idle = dial, e.Idle
	if e.lowPort {
		e.NFS.Dial = fromLowPort(dial)
	}
	if e.trips == nil {
		e.trips = new(prospero.RoundTrips)
	}
	udp := prospero.Client{Dial: dial, Idle: e.Idle, Trips: e.trips}
	if e.Direct {
		udp.ListenPacket = new(net.ListenConfig).ListenPacket
	}
	t := access.Table{
		"ftp": e.FTP, "ftps": e.FTP, "ftpes": e.FTP,
		"news": e.news, "snews": e.news, "nntp": e.news, "nntps": e.news,
		"nfs":      e.NFS,
		"prospero": udp,
		"sftp":     e.SFTP,
		"wais":     e.WAIS,
		"z39.50s":  e.Z3950, "z39.50r": e.Z3950,
		"mid": explained{received}, "cid": explained{received},
		"file": file.Machine(), "afs": file.AFS{Folder: "/afs"},
	}
	if e.Files != nil {
		t["file"], t["afs"] = e.Files, e.Files
	}
	if e.More != nil {
		maps.Copy(t, e.More(dial))
	}
	maps.Copy(t, e.gateways)
	schemes := t.Schemes()
	if e.Opens != nil {
		restrict(schemes, e.Opens)
	}
	return schemes
}

// restrict adapts schemes to a program that opens URLs for other people. It removes the engine of
// each scheme for which opens returns false, and marks the other schemes as Shared, unless they are
// public anyway.
func restrict(schemes access.Schemes, opens func(scheme string) bool) {
	for s := range facts.All() {
		if !opens(s.Name) {
			schemes[s.Name] = access.Scheme{}
		}
	}
	for name, s := range schemes {
		s.Shared = s.Engine != nil && !s.IsPublic()
		schemes[name] = s
	}
}

// mostDocuments is the maximum number of documents that a wais server is asked for, because the server
// sends all of them in one reply.
const mostDocuments = 100_000

// Client returns a client for the flags in o, and reads the logins that the flags name. An invalid flag is a
// UsageError. args are the arguments of the verb. If a URL in them has a password, Client warns the user on a
// terminal, because other users can see the arguments.
func (e *Env) Client(o Access, args []string) (*Client, error) {
	if err := e.ReadLogins(o.Login); err != nil {
		return nil, err
	}
	if err := z3950.CheckSyntaxes(o.RecordSyntax); err != nil {
		return nil, Misuse("--record-syntax: %v", err)
	}
	if err := e.CheckMail(o.Mail); err != nil {
		return nil, err
	}
	engines := &Engines{
		Idle: o.Idle, mail: e.ReceivedMail(o.Mail), WAIS: wais.Client{MaxHits: min(o.MaxHits, mostDocuments)},
		Z3950: z3950.Client{MaxHits: o.MaxHits, Syntaxes: o.RecordSyntax},
	}
	var err error
	if engines.news, err = e.newsClient(o.Protocols); err != nil {
		return nil, err
	}
	if engines.FTP, err = e.ftpClient(o.Protocols); err != nil {
		return nil, err
	}
	if engines.NFS, err = nfsClient(o.Protocols); err != nil {
		return nil, err
	}
	engines.SFTP = e.sftpClient()
	engines.lowPort = o.NFSLowPort
	certificate, err := e.certificate(o.Certificates, args)
	if err != nil {
		return nil, err
	}
	proxies, err := e.Proxies(o.Connect, args)
	if err != nil {
		return nil, err
	}
	engines.gateways = make(access.Table)
	for _, g := range o.Gateway {
		if engines.gateways[g.Scheme], err = g.Engine(Dial, proxies, o.Idle, Pseudonym()); err != nil {
			return nil, Misuse("%v", err)
		}
	}
	client := &locus.Client{
		Dial: Dial, Interfaces: net.InterfaceAddrs, AllowPorts: o.AllowPort, Login: e.logins.ForOthers(),
		Engines: engines.schemes, Idle: o.Idle, Warn: e.warn, Pins: e.newPins(e.StateDir(), o.Pins), Certificate: certificate,
		Retries: -1, // see Retrying
	}
	if client.Proxy, err = proxies.ProxyFunc(slices.Collect(maps.Keys(engines.gateways))...); err != nil {
		return nil, Misuse("%v", err)
	}
	engines.Direct = client.Proxy == nil
	e.clients = append(e.clients, client)
	if warning := passwordWarning(args); warning != "" && !e.Quiet && IsTerminal(e.Stderr) {
		e.Say(warning)
	}
	return &Client{Client: client, Engines: engines, hasProxy: o.Proxy != ""}, nil
}

// Proxies returns the proxies that o and the environment name. With NoProxy there are no proxies. args are the
// arguments of the verb, whose schemes may have variables of their own, such as x_foo_proxy. An invalid --proxy, and
// --proxy together with --no-proxy, are UsageErrors.
func (e *Env) Proxies(o Connect, args []string) (locus.Proxies, error) {
	switch {
	case o.NoProxy && o.Proxy != "":
		return locus.Proxies{}, Misuse("--proxy and --no-proxy cannot be combined")
	case o.NoProxy:
		return locus.Proxies{}, nil
	}
	p := locus.Proxies{Getenv: e.Getenv, URL: o.Proxy, Schemes: schemesIn(args)}
	if p.URL != "" {
		if _, err := p.For("http"); err != nil {
			return p, Misuse("--proxy: %v", err)
		}
	}
	return p, nil
}

// schemesIn returns the schemes of the arguments that are URLs with a scheme.
func schemesIn(args []string) []string {
	var schemes []string
	for _, arg := range args {
		if u, err := url.Parse(scheme.Unprefix(arg)); err == nil && u.IsAbs() {
			schemes = append(schemes, u.Scheme())
		}
	}
	return schemes
}

// defaultPerHost is the value of --per-host if it is not given.
const defaultPerHost = 8

// Limit sets the limits of o in c: the least rate of a transfer, the number of connections to a server, and the rate of
// all transfers together. If o.LimitRate is 0, it does not change the last of these.
func (c *Client) Limit(o Fetch) {
	c.MinRate = o.MinRate
	c.Limiter = &limit.Limiter{PerServer: PerHost(o.PerHost)}
	if o.LimitRate > 0 {
		c.Rate = &limit.Rate{PerSecond: o.LimitRate}
	}
}

// PerHost returns the value of --per-host, or the default for 0.
func PerHost(n int) int { return cmp.Or(n, defaultPerHost) }

// Policy returns the flags as a retry.Policy.
func (o Retry) Policy() retry.Policy {
	return retry.Policy{Retries: o.Retries, Wait: o.RetryWait, Time: o.RetryTime}
}

// RetryPolicy returns the flags of o as a retry.Policy for requests of c. If c opens URLs from an archive, the policy has
// no retries, because an archive always has the same answer.
func (c *Client) RetryPolicy(o Retry) retry.Policy {
	p := o.Policy()
	if c.Archive != nil {
		p.Retries = -1
	}
	return p
}

// Retrying sets the limits of o in c, as Limit does, and returns an engine that opens URLs with c and retries
// failures that may pass: see RetryPolicy.
func (e *Env) Retrying(c *Client, o Fetch) access.Engine {
	c.Limit(o)
	return retry.Engine{Engine: c, Policy: c.RetryPolicy(o.Retry), Notify: e.Note}
}

// warn shows the user err, the reason why the resource at u may not be whole. With --quiet it does nothing.
func (e *Env) warn(u url.URL, err error) {
	if !e.Quiet {
		e.Say(fmt.Sprintf("warning: %s: %v", u.Redacted(), err))
	}
}

// Note tells the user that the request for a URL failed with err, and is tried again after wait. It flushes stdout
// first. With --quiet, or if the reader of stdout has gone, it shows nothing.
func (e *Env) Note(_ url.URL, err error, wait time.Duration) {
	if e.Quiet || IsBrokenPipe(e.Out.Flush()) {
		return
	}
	text := err.Error() + "; trying again"
	if wait = wait.Round(time.Second / 10); wait > 0 {
		text += " in " + wait.String()
	}
	e.Say(text)
}

// Schemes returns the schemes whose URLs the command opens.
func Schemes() []string {
	return (&locus.Client{Engines: (&Engines{}).schemes}).Schemes()
}

// CanOpen reports whether the command opens URLs of a scheme, which is in lower case.
func CanOpen(scheme string) bool { return slices.Contains(Schemes(), scheme) }
