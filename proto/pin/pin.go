// Package pin remembers the certificates of servers (trust on first use), because servers of Gemini sign their own
// certificates.
//
// The first certificate of a server is pinned. Later the server must have the same certificate, until that certificate
// expires. An attacker at the first connection is not detected.
//
// Notable divergences: none; it implements no document.
package pin

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"sync"
	"time"
)

// A Pin is the certificate of a server.
type Pin struct {
	Fingerprint string    // the SHA-256 digest of the certificate in DER, in hexadecimal
	Since       time.Time // when it was pinned
	Expires     time.Time // the end of the certificate's validity
}

// Pins are the pins of servers. The zero Pins has none. Use it by pointer. Several goroutines may use it at once.
type Pins struct {
	// Load returns the stored pins by the addresses of the servers, host:port. It is called before the first
	// certificate is verified. If it fails, the connection fails, and the next connection calls it again. Nil means
	// that no pins are stored.
	Load func() (map[string]Pin, error)

	// Store is called with each new pin, before the connection is used. If it fails, the connection fails. The calls do
	// not overlap. Nil keeps the pins in memory only.
	Store func(address string, p Pin) error

	// Now returns the current time; nil means time.Now.
	Now func() time.Time

	mu    sync.Mutex
	known map[string]Pin // nil before Load
}

// Verify compares the certificate of a connection with the pin of the server at address. It pins the certificate if the
// server has no pin, or if the certificate of the pin has expired. For any other certificate the error is a
// [*ChangedError].
func (p *Pins) Verify(address string, state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return fmt.Errorf("the server has no certificate: %w", fs.ErrPermission)
	}
	now := time.Now()
	if p.Now != nil {
		now = p.Now()
	}
	seen := of(state.PeerCertificates[0], now)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(); err != nil {
		return fmt.Errorf("read the certificates of servers: %w", err)
	}
	pinned, ok := p.known[address]
	switch {
	case ok && pinned.Fingerprint == seen.Fingerprint:
		return nil
	case ok && now.Before(pinned.Expires):
		return &ChangedError{Address: address, Pinned: pinned, Seen: seen}
	case p.Store != nil:
		if err := p.Store(address, seen); err != nil {
			return fmt.Errorf("store the certificate of %s: %w", address, err)
		}
	}
	p.known[address] = seen
	return nil
}

// load sets known to the result of Load, unless a call before has set it. After an error of
// Load, the next call tries again. The caller holds mu.
func (p *Pins) load() error {
	if p.known != nil {
		return nil
	}
	known := make(map[string]Pin)
	if p.Load != nil {
		stored, err := p.Load()
		if err != nil {
			return err
		}
		maps.Copy(known, stored)
	}
	p.known = known
	return nil
}

// of returns the pin of a certificate.
func of(cert *x509.Certificate, now time.Time) Pin {
	digest := sha256.Sum256(cert.Raw)
	return Pin{Fingerprint: hex.EncodeToString(digest[:]), Since: now, Expires: cert.NotAfter}
}

// A ChangedError reports that a server has another certificate than the pinned one. It wraps fs.ErrPermission.
type ChangedError struct {
	Address string // host:port
	Pinned  Pin
	Seen    Pin
}

// Error names both fingerprints and the end of the pinned certificate's validity.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the certificate of %s has changed: it was %s (since %s, valid until %s) and is %s",
		e.Address, e.Pinned.Fingerprint, e.Pinned.Since.Format(time.DateOnly), e.Pinned.Expires.Format(time.DateOnly), e.Seen.Fingerprint)
}

// Unwrap returns fs.ErrPermission.
func (e *ChangedError) Unwrap() error { return fs.ErrPermission }
