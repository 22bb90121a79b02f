package main

import (
	"crypto/tls"
	"os"

	"github.com/urfave/cli/v3"

	"locus/server"
)

// tlsOf returns the TLS configuration that the flags of c name; nil for no TLS.
func tlsOf(c *cli.Command) (*tls.Config, error) {
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
	var authorities []byte
	if ca != "" {
		if authorities, err = os.ReadFile(ca); err != nil {
			return nil, err
		}
	}
	config, err := server.TLSConfig(pair, authorities)
	if err != nil {
		return nil, misuse("--client-ca: %s: %v", ca, err)
	}
	return config, nil
}
