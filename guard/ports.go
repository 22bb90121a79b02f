package guard

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"locus/access"
	"locus/internal/facts"
	"locus/url"
)

// Ports is an Engine that must stand inside access.Follow, or a redirect leads
// past it. It refuses URLs whose port is known to belong to another protocol (RFC
// 1738 §6): "gopher://h:25/0HELO" is mail that somebody wants the user to send. The
// default ports of the scheme's own protocol, with TLS and without, are never
// refused, nor is a port that no protocol is known for.
//
// It does not use the network. It may be used by several goroutines at once.
type Ports struct {
	Engine access.Engine // opens the rest; nil opens nothing
	Allow  []uint16      // ports that are allowed whatever the scheme; nil for none
}

// Do does what req asks, or refuses its port with an [*access.Error] that wraps
// a [*PortError].
func (p Ports) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := p.check(req.Op, req.URL); err != nil {
		return nil, err
	}
	if p.Engine == nil {
		return access.Table(nil).Do(ctx, req)
	}
	return p.Engine.Do(ctx, req)
}

// Check refuses the port of u as Do does, for callers that open URLs by other
// means.
func (p Ports) Check(u url.URL) error { return p.check(access.Get, u) }

func (p Ports) check(op access.Op, u url.URL) error {
	port, ok := u.PortNumber()
	if !ok || slices.Contains(p.Allow, port) {
		return nil
	}
	protocol := protocolAt(port)
	if protocol == "" || isOwn(u.RawScheme(), port) {
		return nil
	}
	return &access.Error{
		Op: op.String(), URL: u,
		Err:    &PortError{Port: port, Protocol: protocol},
		Remedy: access.AllowPort{Port: port},
	}
}

// isOwn reports whether port is the default port of a scheme that uses the same
// protocol as the named one: of nntp and nntps for news, of http and https for
// http.
func isOwn(name string, port uint16) bool {
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
	Protocol string // whose servers listen there: "smtp", "ssh"
}

// Error gives "port 25 belongs to another protocol (smtp)".
func (e *PortError) Error() string {
	return fmt.Sprintf("port %d belongs to another protocol (%s)", e.Port, e.Protocol)
}

// Unwrap returns fs.ErrPermission.
func (e *PortError) Unwrap() error { return fs.ErrPermission }
