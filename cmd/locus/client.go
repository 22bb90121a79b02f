package main

import (
	"context"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/internal/facts"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/nntp"
	"locus/proto/prospero"
)

// dialer connects. Whether an idle connection still works is left to the engines'
// limits.
var dialer = &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: -1, Interval: -1, Count: -1}}

// engines are the engines that the command sets up differently from a locus.Client.
type engines struct {
	idle     time.Duration // of locus.Client
	mail     receivedMail
	news     nntp.Client
	ftp      ftp.Client
	gateways []schemeGateway
	direct   bool                               // prospero and rlogin may bind local ports
	more     func(dial locus.Dial) access.Table // further engines; nil: none
	opens    func(scheme string) bool           // nil: all schemes
}

// table returns the engines. They connect with dial.
func (e *engines) table(dial locus.Dial) access.Table {
	e.news.Dial, e.ftp.Dial, e.mail.dial = dial, dial, dial
	e.news.Idle, e.ftp.Idle, e.mail.idle = e.idle, e.idle, e.idle
	udp := prospero.Client{Dial: dial, Idle: e.idle}
	if e.direct {
		udp.ListenPacket = new(net.ListenConfig).ListenPacket
	}
	t := access.Table{
		"ftp": e.ftp, "ftps": e.ftp,
		"news": e.news, "snews": e.news, "nntp": e.news, "nntps": e.news,
		"prospero": udp,
		"mid":      e.mail, "cid": e.mail,
		"file": files(),
	}
	if e.more != nil {
		maps.Copy(t, e.more(dial))
	}
	for _, g := range e.gateways {
		t[g.scheme] = g.engine(e.idle)
	}
	if e.opens != nil {
		for s := range facts.All() {
			if !e.opens(s.Name) {
				t[s.Name] = nil
			}
		}
	}
	return t
}

// newClient returns the client that the flags of c ask for. The caller may change its
// fields before using it.
func (p *process) newClient(c *cli.Command) (*locus.Client, *engines, error) {
	if _, err := durationOf(c, "timeout"); err != nil {
		return nil, nil, err
	}
	idle, err := durationOf(c, "idle")
	if err != nil {
		return nil, nil, err
	}
	allow, err := allowedPorts(c)
	if err != nil {
		return nil, nil, err
	}
	if err := p.readLogins(c); err != nil {
		return nil, nil, err
	}
	e := &engines{idle: idle, mail: p.receivedMail(c.String("mail"))}
	if e.news, err = newsClient(c); err != nil {
		return nil, nil, err
	}
	e.news.User = c.String("news-user")
	if e.ftp, err = ftpClient(c); err != nil {
		return nil, nil, err
	}
	slowest, err := minRate(c)
	if err != nil {
		return nil, nil, err
	}
	proxies := proxiesOf(c)
	if e.gateways, err = gatewaysOf(c, proxies); err != nil {
		return nil, nil, err
	}
	client := &locus.Client{
		Dial: dialer.DialContext, AllowPorts: allow, Login: p.logins.login(nil), Engines: e.table,
		Idle: idle, MinRate: slowest,
	}
	if client.Proxy, err = proxies.chooser(e.gateways); err != nil {
		return nil, nil, err
	}
	e.direct = client.Proxy == nil
	if warning := passwordWarning(c.Args().Slice()); warning != "" && !p.quiet && isTerminal(p.stderr) {
		p.say(warning)
	}
	return client, e, nil
}

// opener returns the client that the flags of c ask for.
func (p *process) opener(c *cli.Command) (*locus.Client, error) {
	client, _, err := p.newClient(c)
	return client, err
}

// files returns an engine for all files of this machine. It skips drives that cannot be
// opened.
func files() file.System {
	var s file.System
	s.Root, _ = os.OpenRoot(string(os.PathSeparator))
	if name, err := os.Hostname(); err == nil {
		s.Names = []string{name}
	}
	if runtime.GOOS != "windows" {
		return s
	}
	s.Drives = make(map[byte]*os.Root)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if root, err := os.OpenRoot(string(letter) + `:\`); err == nil {
			s.Drives[letter] = root
		}
	}
	return s
}

// canOpen reports whether the command opens URLs of a scheme.
func canOpen(scheme string) bool {
	client := &locus.Client{Engines: (&engines{}).table}
	return slices.Contains(client.Schemes(), scheme)
}

// A loginFunc is the Login of an access.Request.
type loginFunc = func(ctx context.Context, c access.Challenge) (access.Credentials, error)
