package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// An Interceptor ends the tunnels of a proxy's clients itself, instead of connecting them to the
// servers that they name. It speaks TLS with its own certificates, so that an archive can record or
// answer requests for https. It reads everything that a browser sends, including passwords, so it
// is for the browser of one person who trusts its Authority.
//
//	browser --CONNECT h:443--> Gateway --Tunnel--> Interceptor --GET https://h/--> Handler
//
// If the Handler is the Server that received the CONNECT, the requests are logged and
// counted for the client of the tunnel, its login holds for them, and pages of a gateway link to
// the address of the proxy. With another Handler, the RemoteAddr and the local address of the requests
// are "pipe".
//
// Set the fields before the first use, and call Close after the last.
type Interceptor struct {
	Handler   http.Handler // gets each request in the absolute form of a proxy's client; required
	Authority *Authority   // signs the certificates; required
	Log       *slog.Logger // gets the errors of connections; nil discards them

	once     sync.Once
	server   *http.Server
	accepted chan net.Conn
	closed   chan struct{}
	failed   error // the error of start
	key      *ecdsa.PrivateKey

	mu           sync.Mutex
	certificates map[string]*tls.Certificate // by host
}

const (
	// maxCertificates is the maximum number of certificates in memory.
	maxCertificates = 1000

	// renewal is the time before its end at which a certificate is replaced.
	renewal = 7 * 24 * time.Hour
)

// Tunnel returns the client's end of a new tunnel, for gateway.Gateway.Tunnel. The Interceptor serves the other end
// itself, as the server at address, to which it does not connect. The caller closes the connection. The error wraps
// net.ErrClosed after Close or when ctx is done.
func (i *Interceptor) Tunnel(ctx context.Context, _, address string) (net.Conn, error) {
	i.once.Do(i.start)
	if i.failed != nil {
		return nil, i.failed
	}
	client, server := net.Pipe()
	select {
	case i.accepted <- &intercepted{newTargetConn(tls.Server(server, i.config(address))), address, tunnelClientOf(ctx)}:
		return client, nil
	case <-i.closed:
	case <-ctx.Done():
	}
	client.Close()
	return nil, errors.Join(net.ErrClosed, context.Cause(ctx))
}

// Close closes all tunnels and aborts their requests. Later calls of Tunnel fail.
func (i *Interceptor) Close() error {
	i.once.Do(i.start)
	if i.server == nil { // start failed
		return nil
	}
	return i.server.Close()
}

// start makes the key and the server, and starts to serve. It sets i.failed if it cannot make the key. once calls it at
// the first use of i.
func (i *Interceptor) start() {
	i.accepted, i.closed = make(chan net.Conn), make(chan struct{})
	i.certificates = make(map[string]*tls.Certificate)
	if i.key, i.failed = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); i.failed != nil {
		return
	}
	log := slog.DiscardHandler
	if i.Log != nil {
		log = i.Log.Handler()
	}
	i.server = &http.Server{
		Handler:           http.HandlerFunc(i.serve),
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, tunnelKey{}, c) },
		ConnState:         func(c net.Conn, state http.ConnState) { c.(*intercepted).setState(state) },
		ReadHeaderTimeout: time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10,
		ErrorLog:          slog.NewLogLogger(log, slog.LevelDebug),
	}
	go func() { _ = i.server.Serve(tunnels{i}) }() // it ends with Close
}

// An intercepted is the server's end of a tunnel. It hides the *tls.Conn from net/http, which would
// speak HTTP/2. The archive records HTTP/1.1.
type intercepted struct {
	*targetConn
	address string // host and port of the CONNECT request
	client  tunnelClient
}

// A tunnelClient describes the client of a tunnel. It is the zero tunnelClient if the CONNECT did not pass through a
// Server.
type tunnelClient struct {
	server  *Server // the Server that admitted the client
	address string
	user    string
	at      any                  // the net.Addr of the proxy that received the CONNECT
	tls     *tls.ConnectionState // of the CONNECT; nil if it came without TLS
}

// newTunnelClient returns the client of a CONNECT request that s has admitted for user.
func (s *Server) newTunnelClient(r *http.Request, user string) tunnelClient {
	return tunnelClient{s, r.RemoteAddr, user, r.Context().Value(http.LocalAddrContextKey), r.TLS}
}

// The keys of contexts. tunnelKey has the *intercepted of a request in a tunnel, and tunnelClientKey
// has the tunnelClient of a CONNECT request.
type (
	tunnelKey       struct{}
	tunnelClientKey struct{}
)

// context returns ctx with the address of the proxy as the local address, because pages of the gateway link to it. If
// that address is unknown, it returns ctx itself.
func (c tunnelClient) context(ctx context.Context) context.Context {
	if c.at == nil {
		return ctx
	}
	return context.WithValue(ctx, http.LocalAddrContextKey, c.at)
}

// tunnelClientOf returns the client that ServeHTTP has put into the context of a CONNECT request, or the zero
// tunnelClient.
func tunnelClientOf(ctx context.Context) tunnelClient {
	client, _ := ctx.Value(tunnelClientKey{}).(tunnelClient)
	return client
}

// tunnels is the Listener of an Interceptor.
type tunnels struct{ *Interceptor }

// Accept returns the next tunnel. After Close, the error is net.ErrClosed.
func (t tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.accepted:
		return c, nil
	case <-t.closed:
		return nil, net.ErrClosed
	}
}

// Close makes Accept fail. It must be called once only.
func (t tunnels) Close() error {
	close(t.closed)
	return nil
}

func (t tunnels) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// serve passes a request in a tunnel to the Handler in the absolute form that clients of a proxy use. The request has
// the address and the TLS of the tunnel's client. A request without a path gets 400.
func (i *Interceptor) serve(w http.ResponseWriter, r *http.Request) {
	tunnel, ok := r.Context().Value(tunnelKey{}).(*intercepted)
	if !ok || !strings.HasPrefix(r.RequestURI, "/") {
		http.Error(w, "a request in a tunnel has a path", http.StatusBadRequest)
		return
	}
	r = tunnel.restore(r)
	host := strings.TrimSuffix(tunnel.address, ":443")
	next := r.Clone(tunnel.client.context(r.Context()))
	next.TLS = tunnel.client.tls
	next.RequestURI = "https://" + host + r.RequestURI
	next.URL.Scheme, next.URL.Host, next.Host = "https", host, host
	next.RemoteAddr = cmp.Or(tunnel.client.address, r.RemoteAddr)
	i.Handler.ServeHTTP(w, next)
}

// config returns the configuration of TLS for a tunnel to address. The certificate is for the name for which the client
// asks or, if it asks for no name, for the host of address.
func (i *Interceptor) config(address string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" {
				return i.certificate(hello.ServerName)
			}
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return i.certificate(host)
		},
	}
}

// certificate returns the certificate for a host, signed by the Authority. It keeps certificates in memory, and
// replaces one a week before it expires.
func (i *Interceptor) certificate(host string) (*tls.Certificate, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if c, ok := i.certificates[host]; ok && time.Until(c.Leaf.NotAfter) > renewal {
		return c, nil
	}
	c, err := i.Authority.sign(host, i.key)
	if err != nil {
		return nil, err
	}
	if len(i.certificates) >= maxCertificates {
		clear(i.certificates)
	}
	i.certificates[host] = c
	return c, nil
}

// An Authority signs certificates for an Interceptor. Keep its key secret: with the key anybody can
// pretend to be any server to a browser that trusts the Authority.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority returns a new Authority that is valid for ten years.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := template("locus archive")
	template.NotAfter = time.Now().AddDate(10, 0, 0)
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &Authority{certificate, key}, err
}

// template returns a certificate with the fields that all certificates share. name is the common name. The certificate
// is valid from yesterday on, and the caller sets NotAfter. CreateCertificate adds a random serial number.
func template(name string) *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-24 * time.Hour)}
}

// maxHostName is the maximum length of a host name (RFC 1035 §2.3.4).
const maxHostName = 255

// sign returns a certificate for a host, a name or an IP address, that is valid for three months. key is the private
// key of the certificate, not of the Authority.
func (a *Authority) sign(host string, key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	if len(host) > maxHostName {
		return nil, errors.New("the name of the host is too long")
	}
	leaf := template("") // browsers read the SAN, and a common name has at most 64 bytes
	leaf.NotAfter = time.Now().AddDate(0, 3, 0)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil {
		leaf.IPAddresses = []net.IP{ip}
	} else {
		leaf.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der, a.certificate.Raw}, PrivateKey: key, Leaf: parsed}, nil
}

// PEM returns the certificate of the Authority in PEM, which the user imports into a browser.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// KeyPEM returns the private key in PEM (PKCS #8). Keep it in a separate file. The file of the certificate
// is imported into other programs.
func (a *Authority) KeyPEM() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), nil
}

// ErrKeyInCertificate is the error of ReadAuthority for a certificate whose text also has the
// private key. It is refused because a user who imports the file elsewhere would copy the key.
var ErrKeyInCertificate = errors.New("the file of the certificate also has the private key")

// ReadAuthority parses a certificate and its private key in PEM, which PEM and KeyPEM or mkcert have written. It
// returns ErrKeyInCertificate if the text of the certificate also has a key, and another error if the certificate has
// expired, does not belong to an authority, or does not match the key.
func ReadAuthority(certificate, key []byte) (*Authority, error) {
	if bytes.Contains(certificate, []byte("PRIVATE KEY-----")) {
		return nil, ErrKeyInCertificate
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("the certificate does not belong to an authority")
	}
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		return nil, fmt.Errorf("the authority expired on %s; remove both files, and locus makes a new one", end.Format(time.DateOnly))
	}
	return &Authority{pair.Leaf, signer}, nil
}
