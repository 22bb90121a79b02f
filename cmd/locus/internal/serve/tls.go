package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"locus/cmd/locus/internal/certs"
	"locus/cmd/locus/internal/cli"
	"locus/server"
)

// Certificates are the flags for TLS.
type Certificates struct {
	TLSCert       string   `flag:"tls-cert"`
	TLSKey        string   `flag:"tls-key"`
	ClientCA      string   `flag:"client-ca"`
	ACME          []string `flag:"acme"`
	ACMEDirectory string   `flag:"acme-directory"`
	ACMEState     string   `flag:"acme-state"`
}

// tls returns the TLS configuration for the flags, or nil if no flag asks for TLS. log gets errors
// of reading a changed certificate later.
func (c Certificates) tls(e *cli.Env, log *slog.Logger) (*tls.Config, error) {
	switch {
	case len(c.ACME) > 0:
		return c.acme(e)
	case c.TLSCert == "" && c.TLSKey == "" && c.ClientCA == "":
		return nil, nil
	case c.TLSCert == "" || c.TLSKey == "":
		return nil, cli.Misuse("TLS needs both --tls-cert and --tls-key")
	}
	certificate := &server.Certificate{Log: log, Load: func() (tls.Certificate, error) {
		return tls.LoadX509KeyPair(e.Path(c.TLSCert), e.Path(c.TLSKey))
	}}
	if _, err := certificate.Get(nil); err != nil {
		return nil, cli.FileError("--tls-cert and --tls-key", err)
	}
	var clientCA []byte
	if c.ClientCA != "" {
		var err error
		if clientCA, err = e.ReadFile(c.ClientCA); err != nil {
			return nil, fmt.Errorf("--client-ca: %w", err)
		}
	}
	config, err := server.TLSConfig(certificate.Get, clientCA)
	if err != nil {
		return nil, cli.Misuse("--client-ca: %s: %v", c.ClientCA, err)
	}
	return config, nil
}

// acme returns a TLS configuration that gets the certificates for --acme from an authority, by ACME
// (RFC 8555).
func (c Certificates) acme(e *cli.Env) (*tls.Config, error) {
	folder := e.Path(c.ACMEState)
	if folder == "" {
		state := e.StateDir()
		if state == "" {
			return nil, &cli.Hinted{Err: errors.New("there is no user folder for certificates"), Hint: "name a folder with --acme-state DIR"}
		}
		folder = filepath.Join(state, "acme")
	}
	return certs.ACME{Hosts: c.ACME, Folder: folder, Directory: c.ACMEDirectory}.TLS()
}
