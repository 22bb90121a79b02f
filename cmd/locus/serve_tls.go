package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/urfave/cli/v3"
)

// secure is the TLS configuration; nil: no TLS.
type secure struct {
	config *tls.Config
	proxy  bool // the server is an HTTP proxy, too
}

// secureOf reads the certificates that the flags of c name.
func secureOf(c *cli.Command) (*secure, error) {
	cert, key, ca := c.String("tls-cert"), c.String("tls-key"), c.String("client-ca")
	switch {
	case cert == "" && key == "" && ca == "":
		return nil, nil
	case cert == "" || key == "":
		return nil, misuse("TLS wants both --tls-cert and --tls-key")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	if ca == "" {
		return &secure{config: config}, nil
	}
	text, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, misuse("--client-ca: %s has no certificates in PEM", ca)
	}
	return &secure{config: config}, nil
}

func (s *secure) scheme() string {
	if s == nil {
		return "http"
	}
	return "https"
}

// serve serves at l, over TLS if useTLS is set and s is not nil. A proxy has no HTTP/2:
// net/http shows neither the scheme of such a request nor a tunnel.
func (s *secure) serve(server *http.Server, l listening, useTLS bool) error {
	if s == nil || !useTLS {
		return server.Serve(l)
	}
	server.TLSConfig = s.config
	if s.proxy {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
	}
	return server.ServeTLS(l, "", "")
}

// discardLog drops the messages of net/http about clients that speak no HTTP.
func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }
