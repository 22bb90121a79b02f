// Package server serves a gateway on the network, with TLS, logins, a log, metrics and deadlines. A [Server] that is
// told to end lets requests finish.
//
// # How the pieces work together
//
// Serve gives the listener to net/http (server.go). A targetConn changes request lines that net/http would refuse
// (target.go), and sends short responses with one system call (gather.go). arrivals knows the connections that have not
// sent a request, so that Serve can wait for them at its end (arrivals.go). Each request goes through ServeHTTP
// (handler.go). A trusted proxy tells its client (proxies.go, proxyprotocol.go). An outcome wraps the ResponseWriter,
// to record the response and to set deadlines, and [Users] admit the client by its login (users.go). A login whose
// password must be compared is a guess. guesses.go limits the guesses of each address, and line.go decides which one is
// compared next. The Handler then answers, and the response is logged and counted (metrics.go).
//
// An [Interceptor] is the server for the tunnels of a proxy's clients (intercept.go). A [Policy] tells the program
// which URLs its gateway may open, and on which addresses it may listen (policy.go, address.go). A [Certificate] is
// loaded again while the server runs (certificate.go), and [WithoutRobots] answers for robots.txt (robots.go).
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"locus/cache"
	"locus/gateway"
)

// A Server serves a gateway. Only Handler must be set. Do not change a field after the first
// call of a method, and do not copy a Server.
type Server struct {
	// The gateway.

	// Handler answers the requests. It is usually a *gateway.Gateway. A nil Handler answers with 404.
	Handler http.Handler
	// Proxy means that Handler is also a proxy for http and https URLs. Such a Server does not
	// speak HTTP/2, because net/http shows neither the scheme of an HTTP/2 request nor a tunnel.
	Proxy bool

	// The clients.

	// Users may use the gateway with their passwords. A nil Users admits everybody.
	Users *Users
	// TLS has the certificate. [TLSConfig] returns one. A nil TLS serves plain HTTP.
	TLS *tls.Config

	// The proxies.

	// Proxies are the networks of trusted reverse proxies. For a request from one of them, the header
	// fields Forwarded, X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host tell the client, its
	// scheme and its Host. Then the RemoteAddr of the request that Handler gets is the client, its
	// TLS is nil unless the client uses https, and the fields are removed. Logins, limits and the
	// log use the same address. A request whose fields are malformed, or contradict each other, gets
	// 400. For requests from other addresses the fields have no effect.
	//
	// Name the addresses of the proxies only, because everybody with such an address can pretend to be
	// any client.
	Proxies []netip.Prefix
	// ProxyProtocol means that each connection from Proxies begins with a PROXY header, version 1 or 2,
	// before TLS. It tells the client. A connection without it is closed. The header fields
	// count only if that client is one of Proxies itself, because a proxy that passes bytes on does not
	// change the fields that a client sends. Serve reads the headers. A program with an http.Server of
	// its own has to read them itself.
	ProxyProtocol bool

	// The limits.

	// Connections limits the connections of each client. Serve sets its Proxies.
	Connections gateway.Connections
	// MaxStall is the time after which the connection of a client is closed that neither
	// sends nor receives a byte during a request. 0 means a minute, and a negative value
	// means no limit.
	MaxStall time.Duration
	// Drain is the time that requests have to finish when Serve is told to end. 0 means 10
	// seconds, and a negative value means no limit. With a nanosecond they are aborted at once.
	Drain time.Duration

	// The reports.

	// Log gets a line for each response, without passwords and input of forms. A nil Log
	// discards the lines.
	Log *slog.Logger
	// Cache is the cache behind Handler. The metrics count its hits. It may be nil.
	Cache *cache.Cache
	// Names are the host names that requests for the metrics may have, besides
	// "localhost" and every IP address. See gateway.Gateway.Names. A trusted proxy replaces the
	// Host of a request only if it is one of these.
	Names []string

	makeMetrics sync.Once
	ownMetrics  *metricSet
	requests    sync.WaitGroup // requests that are being answered
}

// ErrAborted is the error of Serve if it aborted requests that did not finish within Drain.
var ErrAborted = errors.New("aborted the requests that did not finish")

// TLSConfig returns a configuration for TLS 1.2 and later. get returns the certificate, as [Certificate.Get] does.
// clientCA has the certificates of authorities in PEM, and each client needs a certificate from one of them. If
// clientCA is nil, clients need no certificate. The error says that clientCA contains no certificate.
func TLSConfig(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), clientCA []byte) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: get}
	if clientCA == nil {
		return config, nil
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !config.ClientCAs.AppendCertsFromPEM(clientCA) {
		return nil, errors.New("there are no certificates in PEM")
	}
	return config, nil
}

// Serve serves at l until ctx is done. If admin is not nil, Serve serves /metrics for Prometheus and /healthz there,
// without TLS and for everybody who can reach it.
//
// When ctx is done, Serve accepts no more connections and waits up to Drain for requests to finish. If all have
// finished, it returns nil. Otherwise it aborts the others and returns an error that wraps [ErrAborted]. If a listener
// fails, Serve ends at once and returns the error. Serve closes both listeners and all connections. Call it once.
func (s *Server) Serve(ctx context.Context, l, admin net.Listener) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	main, admins := newHTTPServer(base, s), newHTTPServer(base, s.metrics().handler(s.Names))
	s.Connections.Proxies = s.Proxies
	main.ConnState = s.Connections.ConnState
	if s.ProxyProtocol {
		l = newProxyListener(l, s.Proxies, s.Log)
	}
	var coming arrivals
	coming.watch(main)
	failed, served := make(chan error, 1), make(chan error, 1)
	var serving sync.WaitGroup
	serving.Go(func() {
		defer l.Close()
		served <- s.serveClients(main, l)
	})
	if admin != nil {
		serving.Go(func() { failed <- admins.Serve(admin) })
	}
	var err error
	select {
	case err = <-failed:
	case err = <-served:
	case <-ctx.Done():
		s.metrics().stopping.Store(true)
		late, cancel := context.WithTimeout(base, s.drain())
		defer cancel()
		main.SetKeepAlivesEnabled(false)
		_ = l.Close() // it makes serveClients end
		<-served      //nolint:errcheck // it ends because l is closed
		coming.wait(late)
		err = main.Shutdown(late)
	}
	end()
	err = errors.Join(err, main.Close(), admins.Close())
	serving.Wait()
	s.requests.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w within %v", ErrAborted, s.drain())
	}
	return err
}

// serveClients serves at l until l or server is closed, with s.TLS if it is set. A proxy with TLS speaks only HTTP/1.
// It returns an error in any case, as http.Server.Serve does.
func (s *Server) serveClients(server *http.Server, l net.Listener) error {
	if s.TLS == nil {
		return server.Serve(targetListener{l})
	}
	server.TLSConfig = s.TLS
	if s.Proxy {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
	}
	return server.ServeTLS(l, "", "")
}

// newHTTPServer returns a server for h with timeouts. base is the parent of the contexts of its requests. The server
// discards the log of net/http, which has the errors of clients that do not speak HTTP.
func newHTTPServer(base context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
}

// noLimit is the time for a negative limit. It is ten years instead of the greatest
// Duration, so that it can be added to a time.
const noLimit = 10 * 365 * 24 * time.Hour

// maxStall returns the effective MaxStall, which is never 0 or negative.
func (s *Server) maxStall() time.Duration { return limitOf(s.MaxStall, time.Minute) }

// drain returns the effective Drain, which is never 0 or negative.
func (s *Server) drain() time.Duration { return limitOf(s.Drain, 10*time.Second) }

// limitOf returns limit or, if limit is 0, usual. A negative limit becomes noLimit.
func limitOf(limit, usual time.Duration) time.Duration {
	if limit < 0 {
		return noLimit
	}
	return cmp.Or(limit, usual)
}
