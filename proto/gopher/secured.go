package gopher

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
)

// tlsConfig returns the TLS configuration for the server at address (host:port). The server's
// certificate must be its pin in c.Pins, or a certificate that c.TLS trusts. Without Pins, or if
// c.TLS accepts every certificate, the result is c.TLS itself, so it must not be changed.
func (c Client) tlsConfig(address string) *tls.Config {
	if c.Pins == nil || c.TLS != nil && c.TLS.InsecureSkipVerify {
		return c.TLS
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLS != nil {
		config = c.TLS.Clone()
	}
	if config.ServerName == "" {
		host, _, _ := net.SplitHostPort(address)
		config.ServerName, _, _ = strings.Cut(host, "%") // certificates have no zones
	}
	config.InsecureSkipVerify = true // because VerifyConnection verifies the certificate instead
	further := config.VerifyConnection
	config.VerifyConnection = func(state tls.ConnectionState) error {
		err := c.Pins.VerifyOr(strings.ToLower(address), state, func() error { return verifySigned(state.PeerCertificates, config) })
		if err != nil || further == nil {
			return err
		}
		return further(state)
	}
	return config
}

// verifySigned returns nil if an authority of config has signed the first certificate in sent
// for config.ServerName. The other certificates may connect it to the authority. The checks
// are the same as in package tls.
func verifySigned(sent []*x509.Certificate, config *tls.Config) error {
	options := x509.VerifyOptions{Roots: config.RootCAs, DNSName: config.ServerName, Intermediates: x509.NewCertPool()}
	if config.Time != nil {
		options.CurrentTime = config.Time()
	}
	for _, signer := range sent[1:] {
		options.Intermediates.AddCert(signer)
	}
	if _, err := sent[0].Verify(options); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: sent, Err: err}
	}
	return nil
}
