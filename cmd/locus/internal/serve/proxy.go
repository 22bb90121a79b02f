package serve

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"locus/archive"
	"locus/cache"
	"locus/cmd/locus/internal/cli"
	"locus/gateway"
	"locus/guard"
	"locus/proto/web"
	"locus/server"
)

// proxy lets the gateway g of s pass on the requests of a proxy's clients, as the policy allows: to the
// network, to the network through an archive that records them, or to an archive.
func (o Options) proxy(e *cli.Env, s *server.Server, g *gateway.Gateway, client *cli.Client, p policy, open *closers) error {
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
		return o.intercept(e, s, g, open)
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
	transport := gateway.Transport(client.DialContext)
	if client.Writer != nil {
		transport = client.Writer.Transport(&web.Client{Dial: client.DialContext, Idle: o.Idle})
	}
	transport = gateway.Checked(transport, guard.Ports{Allow: client.AllowPorts}.Check)
	return &cache.Web{Transport: transport, Cache: client.Cache, Name: "locus"}
}

// intercept lets the tunnels of the browser end in s, so that the archive sees what is in them.
func (o Options) intercept(e *cli.Env, s *server.Server, g *gateway.Gateway, open *closers) error {
	authority, err := readAuthority(e, o.ProxyCA)
	if err != nil {
		return err
	}
	i := &server.Interceptor{Handler: s, Authority: authority, Log: s.Log}
	*open = append(closers{i}, *open...) // before the archive
	g.Tunnel, g.TunnelsEndHere = i.Tunnel, true
	return nil
}

// keyFile returns the name of the key beside a certificate, as mkcert names it: ca-key.pem
// beside ca.pem.
func keyFile(certificate string) string {
	ext := filepath.Ext(certificate)
	return strings.TrimSuffix(certificate, ext) + "-key" + ext
}

// readAuthority reads the certificate of --proxy-ca and the key beside it. It makes both if
// neither is there.
func readAuthority(e *cli.Env, name string) (*server.Authority, error) {
	keyName := keyFile(name)
	certificate, err := e.ReadFile(name)
	key, keyErr := e.ReadFile(keyName)
	if errors.Is(err, fs.ErrNotExist) && errors.Is(keyErr, fs.ErrNotExist) {
		return makeAuthority(e, name, keyName)
	}
	authority, invalid := server.ReadAuthority(certificate, key)
	err = cmp.Or(err, keyErr)
	switch {
	case errors.Is(invalid, server.ErrKeyInCertificate):
		return nil, &cli.UsageError{Text: "--proxy-ca: " + name + ": " + invalid.Error(), Hint: "move the key into " + keyName + ", which only you may read"}
	case errors.Is(err, fs.ErrNotExist):
		return nil, &cli.UsageError{Text: "--proxy-ca: " + err.Error(), Hint: "without both " + name + " and " + keyName + " a new authority is made"}
	case err != nil:
		return nil, err
	}
	if err := checkSecret(e, keyName); err != nil {
		return nil, err
	}
	if invalid != nil {
		return nil, cli.Misuse("--proxy-ca: %s and %s: %v", name, keyName, invalid)
	}
	return authority, nil
}

// checkSecret returns an error if others can read or change a file.
func checkSecret(e *cli.Env, name string) error {
	info, err := e.Stat(name)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // Windows has no such modes
		return &cli.UsageError{Text: "--proxy-ca: " + name + ": others can read it or change it", Hint: "chmod 600 " + name}
	}
	return nil
}

// makeAuthority makes an authority, and the files for its certificate and its key.
func makeAuthority(e *cli.Env, name, keyName string) (*server.Authority, error) {
	authority, err := server.NewAuthority()
	if err != nil {
		return nil, err
	}
	key, err := authority.KeyPEM()
	if err != nil {
		return nil, err
	}
	root, err := e.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := create(root, filepath.Base(keyName), key, 0o600); err != nil {
		return nil, err
	}
	if err := create(root, filepath.Base(name), authority.PEM(), 0o644); err != nil {
		return nil, errors.Join(err, root.Remove(filepath.Base(keyName)))
	}
	e.Say("made " + name + ": let the browser trust it")
	e.Say("made " + keyName + ": keep it secret, since whoever has it can read what that browser sends")
	return authority, nil
}

// create writes a new file. It returns an error if somebody else has made it meanwhile.
func create(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}
