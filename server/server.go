// Package server puts a gateway on the network: TLS, logins, a log, metrics, deadlines,
// and an end that lets requests finish.
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
	"sync"
	"time"

	"locus/cache"
	"locus/gateway"
)

// A Server serves a gateway. Only Handler must be set. Change no field after the first
// call of a method, and do not copy a Server.
type Server struct {
	// What it serves.

	// Handler answers the requests, usually a *gateway.Gateway. nil answers with 404.
	Handler http.Handler
	// Proxy says that Handler is also a proxy for http and https URLs. Then there is
	// no HTTP/2: net/http shows neither the scheme of such a request nor a tunnel.
	Proxy bool

	// Who may ask.

	// Users may ask, with their passwords; nil: everybody.
	Users *Users
	// TLS has the certificate, such as [TLSConfig] returns; nil: no TLS.
	TLS *tls.Config

	// Bounds.

	// Connections bounds the connections of each client.
	Connections gateway.Connections
	// MaxStall is how long a client may neither send nor take anything during a
	// request; 0: a minute. Then its connection is closed.
	MaxStall time.Duration
	// Drain is how long requests may go on when Serve is told to end; 0: they are
	// aborted at once.
	Drain time.Duration

	// What it reports.

	// Log gets a line for each response, without passwords and answers to forms; nil:
	// nothing is logged.
	Log *slog.Logger
	// Cache is the cache behind Handler, for the metrics; nil: there is none.
	Cache *cache.Cache
	// Names are the host names by which the metrics can be asked for, besides
	// "localhost" and every IP address. See gateway.Gateway.Names.
	Names []string

	makeMetrics sync.Once
	ownMetrics  *metricSet
	requests    sync.WaitGroup // that are being answered
}

// ErrAborted is the error of Serve if requests did not finish within Drain.
var ErrAborted = errors.New("aborted the requests that did not finish")

// TLSConfig returns a configuration for TLS 1.2 and later. get returns the certificate,
// such as [Certificate.Get]. clientCA has the certificates of authorities in PEM: each
// client needs a certificate of one of them. nil: clients need none.
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

// Serve serves at l until ctx is done. At admin, if that is not nil, it serves /metrics
// for Prometheus and /healthz, without TLS and for everybody who can reach it.
//
// When ctx is done it accepts no more connections, and waits for requests up to Drain.
// Then it aborts them, which is an [ErrAborted]. Serve closes both listeners and all
// connections. Call it once.
func (s *Server) Serve(ctx context.Context, l, admin net.Listener) error {
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	main, admins := newHTTPServer(base, s), newHTTPServer(base, s.metrics().handler(s.Names))
	main.ConnState = s.Connections.ConnState
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
		late, cancel := context.WithTimeout(base, s.Drain)
		defer cancel()
		main.SetKeepAlivesEnabled(false)
		_ = l.Close() // then serveClients ends
		<-served      //nolint:errcheck // it ends because l is closed
		coming.wait(late)
		err = main.Shutdown(late)
	}
	end()
	err = errors.Join(err, main.Close(), admins.Close())
	serving.Wait()
	s.requests.Wait()
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w within %v", ErrAborted, s.Drain)
	}
	return err
}

// serveClients serves at l, with TLS if there is a configuration.
func (s *Server) serveClients(server *http.Server, l net.Listener) error {
	if s.TLS == nil {
		return server.Serve(l)
	}
	server.TLSConfig = s.TLS
	if s.Proxy {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
	}
	return server.ServeTLS(l, "", "")
}

// newHTTPServer returns a server with timeouts. It does not log the errors of clients
// that speak no HTTP.
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

func (s *Server) maxStall() time.Duration { return cmp.Or(s.MaxStall, time.Minute) }
