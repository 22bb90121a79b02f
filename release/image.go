package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"os"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image writes the files that the Containerfile copies, for each processor of Linux: the
// program, the certificates of authorities that Mozilla trusts, and an empty folder for the
// cache.
func (r *release) image(context.Context) error {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return err
		}
	}
	for _, p := range r.platforms {
		if p.os != "linux" {
			continue
		}
		folder := filepath.Join(r.out, "image", p.arch)
		program, err := os.ReadFile(r.binary(p))
		if err != nil {
			return err
		}
		if err := write(filepath.Join(folder, "usr/bin/locus"), program, 0o755); err != nil {
			return err
		}
		if err := write(filepath.Join(folder, "etc/ssl/certs/ca-certificates.crt"), roots.Bytes(), 0o644); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(folder, "cache"), 0o755); err != nil {
			return err
		}
	}
	return nil
}
