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

// secure is how TLS is spoken; nil is not at all.
type secure struct {
	config *tls.Config
	proxy  bool // for clients that ask for the web
}

// secureOf reads the files that the flags of c name.
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

// serve serves at l: over TLS, if that is spoken there, and then with HTTP/2, but
// not to a proxy's clients. By HTTP/2 these ask for http as a visitor asks the
// gateway, but for the scheme, of which net/http tells nothing; nor has it tunnels.
func (s *secure) serve(server *http.Server, l listening, speaksTLS bool) error {
	if s == nil || !speaksTLS {
		return server.Serve(l)
	}
	server.TLSConfig = s.config
	if s.proxy {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
	}
	return server.ServeTLS(l, "", "")
}

// discardLog takes what net/http has to say about clients that speak no HTTP.
func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }
