package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"locus/archive"
	"locus/cache"
	"locus/cmd/locus/internal/cli"
	"locus/gateway"
	"locus/guard"
	"locus/proto/web"
	"locus/server"
)

// proxy lets g pass on the requests of a proxy's clients, as the policy allows: to the
// network, to the network through an archive that records them, or to an archive.
func (o Options) proxy(e *cli.Env, g *gateway.Gateway, client *cli.Client, p policy, open *closers) error {
	isArchived := o.WARC != "" || o.From != ""
	if o.ProxyCA != "" && (!isArchived || o.Policy != "") {
		return &cli.UsageError{Text: "--proxy-ca wants --warc or --from-warc, and no --policy", Hint: "it reads all https of the browser, so it is for your own"}
	}
	if p.opens("http") || o.ProxyCA != "" {
		g.Web = o.web(client)
	}
	if !p.opens("https") {
		return nil
	}
	g.TunnelPorts = client.AllowPorts
	switch {
	case o.ProxyCA != "":
		return o.intercept(e, g, open)
	case !isArchived: // an archive does not see what is in a tunnel
		g.Tunnel = client.DialContext
	}
	return nil
}

// web returns what answers the requests of a proxy's clients.
func (o Options) web(client *cli.Client) http.RoundTripper {
	if from, ok := client.Archive.(*archive.Archive); ok {
		return from
	}
	transport := WebTransport(client.Client)
	if client.Writer != nil {
		through := client.Writer.Transport(&web.Client{Dial: client.DialContext, Idle: o.Idle})
		transport = portChecked{through, guard.Ports{Allow: client.AllowPorts}}
	}
	return &cache.Web{Transport: transport, Cache: client.Cache, Name: "locus"}
}

// intercept lets the tunnels of the browser end in g, so that the archive sees what is in them.
func (o Options) intercept(e *cli.Env, g *gateway.Gateway, open *closers) error {
	authority, err := readAuthority(e, o.ProxyCA)
	if err != nil {
		return err
	}
	i := &server.Interceptor{Handler: g, Authority: authority, Log: g.Log}
	*open = append(closers{i}, *open...) // before the archive
	g.Tunnel, g.TunnelsEndHere = i.Tunnel, true
	return nil
}

// readAuthority reads the file of --proxy-ca, and makes it if it is not there.
func readAuthority(e *cli.Env, name string) (*server.Authority, error) {
	text, err := e.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return makeAuthority(e, name)
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(e.Path(name))
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // Windows has no such modes
		return nil, &cli.UsageError{Text: "--proxy-ca: " + name + ": others can read it or change it", Hint: "chmod 600 " + name}
	}
	authority, err := server.ReadAuthority(text)
	if err != nil {
		return nil, cli.Misuse("--proxy-ca: %s: %v", name, err)
	}
	return authority, nil
}

// makeAuthority makes an authority, and the file for it.
func makeAuthority(e *cli.Env, name string) (*server.Authority, error) {
	authority, err := server.NewAuthority()
	if err != nil {
		return nil, err
	}
	root, err := e.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	base := filepath.Base(name)
	f, err := root.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // nobody else has made it meanwhile
	if err != nil {
		return nil, err
	}
	_, err = authority.WriteTo(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, root.Remove(base))
	}
	e.Say("made " + name + ": let the browser trust it, and keep it secret, since whoever has it can read what that browser sends")
	return authority, nil
}
