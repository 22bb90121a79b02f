package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// An Interceptor is where the tunnels of a proxy's clients end, instead of at the servers that
// they name. It speaks TLS with certificates of its own, so that an archive can record or
// answer requests for https. It is for the browser of one person, who trusts its Authority:
// it reads everything that the browser sends, also passwords.
//
//	browser --CONNECT h:443--> Gateway --Tunnel--> Interceptor --GET https://h/--> Handler
//
// Set the fields before the first use. Close it when no tunnel is needed any more.
type Interceptor struct {
	Handler   http.Handler // gets each request in the absolute form of a proxy's client; required
	Authority *Authority   // signs the certificates; required
	Log       *slog.Logger // gets what is wrong with connections; nil: nobody

	once     sync.Once
	server   *http.Server
	accepted chan net.Conn
	closed   chan struct{}
	failed   error // why there is no server
	key      *ecdsa.PrivateKey

	mu           sync.Mutex
	certificates map[string]*tls.Certificate // by host
}

const (
	// maxCertificates is how many certificates are kept.
	maxCertificates = 1000

	// renewal is how long before its end a certificate is replaced.
	renewal = 7 * 24 * time.Hour
)

// Tunnel returns a connection to the Interceptor: see gateway.Gateway.Tunnel. It connects to
// nothing else.
func (i *Interceptor) Tunnel(ctx context.Context, _, address string) (net.Conn, error) {
	i.once.Do(i.start)
	if i.failed != nil {
		return nil, i.failed
	}
	client, server := net.Pipe()
	select {
	case i.accepted <- &intercepted{tls.Server(server, i.config(address)), address}:
		return client, nil
	case <-i.closed:
	case <-ctx.Done():
	}
	client.Close()
	return nil, errors.Join(net.ErrClosed, context.Cause(ctx))
}

// Close ends all tunnels.
func (i *Interceptor) Close() error {
	i.once.Do(i.start)
	if i.server == nil { // it did not start
		return nil
	}
	return i.server.Close()
}

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
		ReadHeaderTimeout: time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10,
		ErrorLog:          slog.NewLogLogger(log, slog.LevelDebug),
	}
	go func() { _ = i.server.Serve(tunnels{i}) }() // it ends with Close
}

// An intercepted is the server's end of a tunnel. It is no *tls.Conn for net/http, which would
// speak HTTP/2: the archive has HTTP/1.1.
type intercepted struct {
	net.Conn
	address string // host and port of the CONNECT request
}

type tunnelKey struct{}

// tunnels is the Listener of an Interceptor.
type tunnels struct{ *Interceptor }

func (t tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.accepted:
		return c, nil
	case <-t.closed:
		return nil, net.ErrClosed
	}
}

func (t tunnels) Close() error {
	close(t.closed)
	return nil
}

func (t tunnels) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// serve hands a request to the Handler, in the absolute form of a proxy's client.
func (i *Interceptor) serve(w http.ResponseWriter, r *http.Request) {
	tunnel, ok := r.Context().Value(tunnelKey{}).(*intercepted)
	if !ok || !strings.HasPrefix(r.RequestURI, "/") {
		http.Error(w, "a request in a tunnel has a path", http.StatusBadRequest)
		return
	}
	host := strings.TrimSuffix(tunnel.address, ":443")
	next := r.Clone(r.Context())
	next.RequestURI = "https://" + host + r.RequestURI
	next.URL.Scheme, next.URL.Host, next.Host = "https", host, host
	i.Handler.ServeHTTP(w, next)
}

// config returns the configuration of TLS for a tunnel to address.
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

// certificate returns the certificate for a host.
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

// An Authority signs certificates for an Interceptor. Whoever has its key can pretend to be
// any server to a browser that trusts it.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an Authority, which is valid for ten years.
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

// template returns a certificate with the fields that all have. The caller sets NotAfter.
// CreateCertificate gives it a random serial number.
func template(name string) *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-24 * time.Hour)}
}

// maxHostName is the length of the longest host name (RFC 1035 §2.3.4).
const maxHostName = 255

// sign returns a certificate for a host and a key. It is valid for three months.
func (a *Authority) sign(host string, key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	if len(host) > maxHostName {
		return nil, errors.New("the name of the host is too long")
	}
	leaf := template("") // a common name has 64 bytes at most; SAN counts
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

// PEM returns the certificate, which a browser must trust.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// WriteTo writes the certificate and the secret key, as ReadAuthority reads them.
func (a *Authority) WriteTo(w io.Writer) (int64, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(a.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...))
	return int64(n), err
}

// ReadAuthority reads what WriteTo has written. It returns an error if the authority has
// expired.
func ReadAuthority(text []byte) (*Authority, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("it is no authority with an ECDSA key")
	}
	if end := pair.Leaf.NotAfter; time.Now().After(end) {
		return nil, fmt.Errorf("the authority has expired on %s; remove the file, and a new one is made", end.Format(time.DateOnly))
	}
	return &Authority{pair.Leaf, key}, nil
}
