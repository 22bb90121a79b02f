package server

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"strings"

	"locus/gateway"
	"locus/internal/facts"
	"locus/internal/forwarded"
)

// How the server finds the client of a request:
//
//	the peer          is the other end of the TCP connection
//	PROXY header      in front of the first request of a connection. A trusted peer sends it with
//	                  ProxyProtocol, and names the client (proxyprotocol.go)
//	header fields     Forwarded and X-Forwarded-For. They are read if the peer, or the client that the
//	                  PROXY header names, is a trusted proxy (this file)
//
// The result is the RemoteAddr of the request, before logins, limits and the log see it. A loopback address is trusted
// no more than any other address: a Policy decides what clients may open.

// asSent returns r as its client sent it to the first trusted proxy. The result has the address and the Host that the
// proxy reports, a TLS that is nil unless the client uses https, and no header fields of proxies. A request that did
// not come through a trusted proxy is returned unchanged. The error is a *forwarded.Error if a trusted proxy sent
// fields that do not name a client; the result is then r. Such a request must be refused, because it would count for
// the wrong client.
func (s *Server) asSent(r *http.Request) (*http.Request, error) {
	if _, isInTunnel := r.Context().Value(tunnelKey{}).(*intercepted); isInTunnel {
		return r, nil // the CONNECT has the client, and the browser wrote all fields
	}
	from := proxiedConnOf(r.Context())
	if from != nil && from.isEncrypted {
		r = withTLS(r, true)
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !s.proxies().Contains(peer.Addr()) || from != nil && !from.namesClient {
		return r, nil //nolint:nilerr // an address that is not of TCP belongs to no proxy
	}
	origin, err := s.proxies().Read(r.Header)
	if err != nil {
		return r, err
	}
	r = withTLS(r, facts.Of(origin.Proto).Has(facts.Encrypted) || origin.Proto == "" && r.TLS != nil)
	if origin.Client.IsValid() {
		r.RemoteAddr = origin.Client.String()
	}
	// A proxy may pass on an X-Forwarded-Host that the client has invented. It replaces the Host only
	// if the Host is right already, so that it cannot hide a name that the gateway refuses.
	if own := (gateway.Gateway{Names: s.Names}); origin.Host != "" && own.IsOwnHost(r.Host) {
		r.Host = origin.Host
	}
	// Servers need not know the client. A cache does not store responses to requests with these fields.
	for name := range r.Header {
		if name == "Forwarded" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			delete(r.Header, name)
		}
	}
	return r, nil
}

// proxies returns the networks of the trusted proxies.
func (s *Server) proxies() forwarded.Proxies { return s.Proxies }

// withTLS returns a copy of r whose TLS is nil if isEncrypted is false, and not nil if it is true. It is meant for
// clients of a proxy, which may have decrypted a request that its client sent with TLS.
func withTLS(r *http.Request, isEncrypted bool) *http.Request {
	r = r.WithContext(r.Context()) // a copy
	switch {
	case !isEncrypted:
		r.TLS = nil
	case r.TLS == nil:
		r.TLS = new(tls.ConnectionState) // the proxy knows more about it
	}
	return r
}
