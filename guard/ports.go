package guard

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"locus/access"
	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// Ports is an Engine that refuses URLs whose port is known to belong to another
// protocol (RFC 1738 §6). For example, "gopher://h:25/0HELO" would send mail.
// The default ports of the scheme's own protocol, with TLS and without, are
// always allowed. So are ports without a known protocol.
//
// A file URL passes: its engine refuses a port itself.
//
// Ports must be inside access.Follow, else redirects bypass it. It does not use
// the network. Several goroutines may use it at once.
type Ports struct {
	Engine access.Engine // executes allowed requests; nil refuses all
	Allow  []uint16      // ports allowed for every scheme; nil for none
}

// Do passes req to Engine, or refuses its port with an [*access.Error] that
// wraps a [*PortError].
func (p Ports) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := p.check(req.Op, req.URL); err != nil {
		return nil, err
	}
	if p.Engine == nil {
		return access.Table(nil).Do(ctx, req)
	}
	return p.Engine.Do(ctx, req)
}

// Check refuses the port of u as Do does. It is for callers that open URLs by
// other means.
func (p Ports) Check(u url.URL) error { return p.check(access.Get, u) }

func (p Ports) check(op access.Op, u url.URL) error {
	text, _ := u.Port()
	port, ok := ascii.Port(text)
	isLocal := facts.Of(u.Scheme()).Has(facts.EmptyHost) // it names no server
	if !ok || isLocal || slices.Contains(p.Allow, port) {
		return nil
	}
	protocol := protocolAt(port)
	if protocol == "" || isOwnPort(u.Part(url.Scheme).Text, port) {
		return nil
	}
	return &access.Error{
		Op: op.String(), URL: u,
		Err:    &PortError{Port: port, Protocol: protocol},
		Remedy: access.AllowPort{Port: port},
	}
}

// isOwnPort reports whether port is the default port of a scheme with the same
// protocol. For example, nntp and nntps for news, or http and https for http.
func isOwnPort(name string, port uint16) bool {
	protocol := facts.Of(name).Protocol
	for s := range facts.All() {
		if s.Port == port && s.Protocol == protocol && protocol != "" {
			return true
		}
	}
	return false
}

// A PortError says that a port belongs to another protocol than the URL's. It
// wraps fs.ErrPermission.
type PortError struct {
	Port     uint16
	Protocol string // the usual protocol of the port: "smtp", "ssh"
}

// Error returns "port 25 belongs to another protocol (smtp)".
func (e *PortError) Error() string {
	return fmt.Sprintf("port %d belongs to another protocol (%s)", e.Port, e.Protocol)
}

// Unwrap returns fs.ErrPermission.
func (e *PortError) Unwrap() error { return fs.ErrPermission }
