package gopher

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
)

// config returns the TLS configuration for the server at address. The certificate of the server must be its pin in
// c.Pins, or be one that c.TLS trusts.
func (c Client) config(address string) *tls.Config {
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

// verifySigned verifies the certificates of a server, as package tls does for the configuration.
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
