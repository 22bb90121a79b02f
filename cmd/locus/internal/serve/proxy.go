package serve

import (
	"errors"
	"io/fs"
	"net/http"

	"locus/archive"
	"locus/cache"
	"locus/cmd/locus/internal/certs"
	"locus/cmd/locus/internal/cli"
	"locus/gateway"
	"locus/guard"
	"locus/proto/web"
	"locus/server"
)

// proxy makes g a proxy, too, for http and https as far as the policy p opens them. It answers the
// requests of its clients from the network, which it records for --warc, or from the archive of
// --from-warc. With an archive it has tunnels for https only if --proxy-ca is given. s is the
// server of g.
func (o Options) proxy(e *cli.Env, s *server.Server, g *gateway.Gateway, client *cli.Client, p server.Policy, toClose *closers) error {
	isArchived := o.WARC != "" || o.From != ""
	if o.ProxyCA != "" && (!isArchived || o.Policy != "") {
		return &cli.UsageError{Text: "--proxy-ca needs --warc or --from-warc, and cannot be combined with --policy", Hint: "it can read all https traffic of a browser, so it is only for your own"}
	}
	if p.Opens("http") || o.ProxyCA != "" {
		g.Web = o.web(client)
	}
	if !p.Opens("https") {
		return nil
	}
	g.TunnelPorts = client.AllowPorts
	switch {
	case o.ProxyCA != "":
		return o.intercept(e, s, g, toClose)
	case !isArchived: // an archive cannot record the content of a tunnel
		g.Tunnel = client.DialContext
	}
	return nil
}

// web returns the RoundTripper that answers the requests of a proxy's clients. If client reads an
// archive, all responses come from the archive. Otherwise the RoundTripper asks the servers,
// through the cache and only on the ports that client allows. If client writes an archive, the
// RoundTripper records the exchanges with the servers.
func (o Options) web(client *cli.Client) http.RoundTripper {
	if from, ok := client.Archive.(*archive.Archive); ok {
		return from
	}
	transport := gateway.Transport(client.DialContext)
	if client.Writer != nil {
		transport = client.Writer.Transport(&web.Client{Dial: client.DialContext, Idle: o.Idle})
	}
	transport = gateway.Checked(transport, guard.Ports{Allow: client.AllowPorts}.Check)
	return &cache.Web{Transport: transport, Cache: client.Cache, Name: "locus"}
}

// intercept makes the tunnels of g end at s: s answers the requests that the browser sends through
// a tunnel, instead of the tunnel's server, so that the archive sees them. It opens the authority
// of --proxy-ca, and puts the Interceptor before the other members of toClose.
func (o Options) intercept(e *cli.Env, s *server.Server, g *gateway.Gateway, toClose *closers) error {
	authority, err := openAuthority(e, o.ProxyCA)
	if err != nil {
		return err
	}
	i := &server.Interceptor{Handler: s, Authority: authority, Log: s.Log}
	*toClose = append(closers{i}, *toClose...) // close i before the archive
	g.Tunnel, g.TunnelsEndHere = i.Tunnel, true
	return nil
}

// openAuthority returns the authority of --proxy-ca, whose certificate is in the file name. If the
// files do not exist, it makes a new authority and tells the user.
func openAuthority(e *cli.Env, name string) (*server.Authority, error) {
	keyName := certs.KeyFile(name)
	authority, isNew, err := certs.OpenAuthority(e.Path(name))
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok { // show the name that the user typed
		for _, typed := range []string{name, keyName} {
			if pathErr.Path == e.Path(typed) {
				pathErr.Path = typed
			}
		}
	}
	switch {
	case errors.Is(err, server.ErrKeyInCertificate):
		return nil, &cli.UsageError{Text: "--proxy-ca: " + name + ": " + err.Error(), Hint: "move the key into " + keyName + ", and make that file readable only by you"}
	case errors.Is(err, certs.ErrIncomplete):
		return nil, &cli.UsageError{Text: "--proxy-ca: " + err.Error(), Hint: "remove both " + name + " and " + keyName + ", and locus makes a new authority"}
	case errors.Is(err, certs.ErrExposed):
		return nil, &cli.UsageError{Text: "--proxy-ca: " + keyName + ": " + err.Error(), Hint: "chmod 600 " + keyName}
	case errors.Is(err, certs.ErrInvalid):
		return nil, cli.Misuse("--proxy-ca: %s and %s: %v", name, keyName, err)
	case err != nil:
		return nil, err
	}
	if isNew {
		e.Say("made " + name + "; add it to the authorities that the browser trusts")
		e.Say("made " + keyName + "; keep it secret, because anyone who has it can read the browser's traffic")
	}
	return authority, nil
}
