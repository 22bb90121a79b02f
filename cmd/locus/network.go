package main

import (
	"net"
	"os"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/access"
	"locus/proto/ftp"
	"locus/proto/gopher"
	"locus/proto/nntp"
	"locus/proto/prospero"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
	"locus/proto/wais"
	"locus/proto/web"
	"locus/url"
)

// networkFlags are the flags of every command that connects.
func networkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "proxy", Usage: "go through the proxy at this `URL` (http, socks5, socks5h)"},
		&cli.BoolFlag{Name: "no-proxy", Usage: "connect directly, whatever the environment says"},
		gatewayFlag(),
	}
}

// fromEnvironment returns the proxies that the environment names.
func fromEnvironment() proxies {
	var dialer net.Dialer
	return proxies{direct: dialer.DialContext, getenv: os.Getenv}
}

// proxiesOf returns the proxies that the flags of c and the environment name.
func proxiesOf(c *cli.Command) proxies {
	p := fromEnvironment()
	p.flag, p.none = c.String("proxy"), c.Bool("no-proxy")
	return p
}

// throughProxies lets the engines of t connect as the flags of c and the
// environment say, and gateways stand in for them.
func throughProxies(t access.Table, c *cli.Command) error {
	p := proxiesOf(c)
	logins, err := loginsOf(c)
	if err != nil {
		return err
	}
	for scheme, o := range t {
		if _, ok := o.(receivedMail); ok {
			at, err := p.of("imap")
			if err != nil {
				return err
			}
			t[scheme] = logins.receivedMail(c.String("mail"), p.dialler(at))
			continue
		}
		at, err := p.of(scheme)
		if err != nil {
			return err
		}
		if !at.IsZero() {
			t[scheme] = p.through(at, scheme, o)
		}
	}
	return addGateways(t, c)
}

// through returns o, going through the proxy at. An HTTP proxy is asked for http
// URLs, and for those of ftp, gopher and wais, themselves; for the others it
// makes a tunnel.
func (p proxies) through(at url.URL, scheme string, o access.Opener) access.Opener {
	if at.Scheme() != "http" {
		return withDial(o, p.dialler(at))
	}
	switch scheme {
	case "http":
		client := &web.Client{Dial: p.reaching(at), SendUserinfo: true, Proxy: func(u url.URL) (url.URL, bool) {
			return at, !p.skipsURL(u)
		}}
		return client
	case "ftp", "gopher", "wais":
		gateway := web.Gateway{Client: &web.Client{Dial: p.reaching(at)}, At: at}
		return around(func(req *access.Request) (access.Opener, *access.Request) {
			if p.skipsURL(req.URL) {
				return o, req
			}
			return gateway, req
		})
	}
	return withDial(o, p.dialler(at))
}

// skipsURL reports whether no_proxy names the host of u.
func (p proxies) skipsURL(u url.URL) bool {
	port, _ := u.Port()
	return p.skips(hostOf(u), port)
}

// withDial returns o with another dialler.
func withDial(o access.Opener, dial locus.Dial) access.Opener {
	switch e := o.(type) {
	case *web.Client:
		return &web.Client{Dial: dial, SendUserinfo: e.SendUserinfo}
	case ftp.Client:
		e.Dial = dial
		return e
	case gopher.Client:
		e.Dial = dial
		return e
	case nntp.Client:
		e.Dial = dial
		return e
	case wais.Client:
		e.Dial = dial
		return e
	case prospero.Client:
		e.Dial, e.ListenPacket = dial, nil
		return e
	case telnet.Client:
		e.Dial = dial
		return e
	case rlogin.Client:
		e.Dial, e.DialLow = dial, nil
		return e
	case tn3270.Client:
		e.Dial = dial
		return e
	}
	return o
}
