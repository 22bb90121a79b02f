// Package pin remembers the certificates of servers that sign their certificates themselves, such as servers of Gemini.
//
// A pin is the certificate that a server must have until the certificate expires. [Pins.Verify] pins the first
// certificate of a server itself (trust on first use), so it does not detect an attacker at the first connection.
// [Pins.VerifyOr] trusts only pins that exist, and certificates that another proof covers. Both pin a certificate that
// the user has accepted.
package pin

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"locus/access"
)

// A Pin is the certificate of a server.
type Pin struct {
	Fingerprint string    // the SHA-256 digest of the certificate in DER, in hexadecimal
	Since       time.Time // when it was pinned
	Expires     time.Time // the end of the certificate's validity
}

// Pins are the pins of servers. The zero Pins has none. Use it by pointer. Several goroutines may use it at once.
// If it has 100 000 pins in memory, a server that was not among them is pinned only by Store, and the pins in memory
// still count.
type Pins struct {
	// Load returns the stored pins by the addresses of the servers, host:port. It is called for each certificate that
	// is not a pin in memory, because another process may have stored a pin since the last call. If it fails, the
	// connection fails. Nil means that no pins are stored.
	Load func() (map[string]Pin, error)

	// Store is called with each new pin, before the connection is used, to store it in place of old (zero for a server
	// without a pin). It returns the pin that the server has now: p, or another pin that another process has stored in
	// place of old since Load. If Store fails, the connection fails, unless the error wraps ErrFull: then the server
	// gets no pin. The calls do not overlap. Nil keeps the pins in memory only.
	Store func(address string, old, p Pin) (Pin, error)

	// Accepted has the fingerprints of certificates that the user has checked. A server with such a certificate gets
	// it as its pin, in place of the pin that it has. Accepted may be nil.
	Accepted []string

	// Now returns the current time; nil means time.Now.
	Now func() time.Time

	storing sync.Mutex // held while Load and Store run, which may wait for the disk; locked before mu

	mu    sync.Mutex
	known map[string]Pin // the pins in memory; may be nil
}

// Verify returns nil if the certificate of a connection is the pin of the server at address (host:port). It also
// returns nil, and pins the certificate, if the server has no pin, if the pin has expired, or if p.Accepted has the
// certificate. For any other certificate the error is a [*ChangedError].
func (p *Pins) Verify(address string, state tls.ConnectionState) error {
	refused, err := p.accept(address, state, true)
	if err == nil && refused != nil {
		return refused
	}
	return err
}

// VerifyOr is like Verify, but it does not trust the first certificate of a server. If the certificate is neither the
// pin of the server nor in p.Accepted, VerifyOr calls prove. If prove returns nil, VerifyOr returns nil and pins no
// certificate. Otherwise the error is a [*ChangedError] if the server has a pin that has not expired, and an
// [*UnknownError] if it lacks one. prove may run in several goroutines at once.
func (p *Pins) VerifyOr(address string, state tls.ConnectionState, prove func() error) error {
	refused, err := p.accept(address, state, false)
	if err != nil || refused == nil {
		return err
	}
	err = prove()
	switch {
	case err == nil:
		return nil
	case refused.hasValidPin():
		return refused
	}
	return &UnknownError{Seen: refused.Seen, Err: err}
}

// accept returns nil if the certificate of a connection is the pin of the server at address, or becomes its pin. It
// becomes the pin if it is in p.Accepted or, with pinsFirst, if the server lacks a pin that is still valid. For any other
// certificate accept returns refused, whose Pinned is zero for a server without a pin. The error wraps
// fs.ErrPermission if the server has sent no certificate.
func (p *Pins) accept(address string, state tls.ConnectionState, pinsFirst bool) (refused *ChangedError, err error) {
	if len(state.PeerCertificates) == 0 {
		return nil, fmt.Errorf("the server has no certificate: %w", fs.ErrPermission)
	}
	now := time.Now()
	if p.Now != nil {
		now = p.Now()
	}
	seen := newPin(state.PeerCertificates[0], now)
	if p.pinOf(address).Fingerprint == seen.Fingerprint {
		return nil, nil
	}
	p.storing.Lock()
	defer p.storing.Unlock()
	if err := p.load(); err != nil {
		return nil, fmt.Errorf("read the certificates of servers: %w", err)
	}
	refused = &ChangedError{Address: address, Pinned: p.pinOf(address), Seen: seen}
	switch {
	case refused.Pinned.Fingerprint == seen.Fingerprint:
		return nil, nil
	case slices.Contains(p.Accepted, seen.Fingerprint), pinsFirst && !refused.hasValidPin():
		return nil, p.pin(address, refused.Pinned, seen)
	}
	return refused, nil
}

// pinOf returns the pin in memory of the server at address, or the zero Pin.
func (p *Pins) pinOf(address string) Pin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[address]
}

// maxKnown is how many pins are kept in memory, so that the clients of a gateway cannot fill it.
const maxKnown = 100_000

// ErrFull is the error of a Store that cannot keep more pins. A gateway needs such a limit, because a client may open
// very many servers. The pins that exist still count until they expire.
var ErrFull = errors.New("more pins cannot be stored")

// pin makes seen the pin of the server at address, in place of old, in memory and with Store. If Store fails, the pin in
// memory is unchanged. If the error of Store wraps ErrFull, pin returns nil. The error is a *ChangedError if another
// process has stored another pin meanwhile. The caller holds storing.
func (p *Pins) pin(address string, old, seen Pin) error {
	stored := seen
	if p.Store != nil {
		var err error
		stored, err = p.Store(address, old, seen)
		switch {
		case errors.Is(err, ErrFull):
			return nil
		case err != nil:
			return fmt.Errorf("store the certificate of %s: %w", address, err)
		}
	}
	p.mu.Lock()
	if _, has := p.known[address]; has || len(p.known) < maxKnown {
		p.known[address] = stored
	}
	p.mu.Unlock()
	if stored.Fingerprint != seen.Fingerprint {
		return &ChangedError{Address: address, Pinned: stored, Seen: seen}
	}
	return nil
}

// load adds the pins that Load returns to known. If a server has a pin in memory, the stored pin replaces it only if
// Store is set, because without Store the pin in memory is the newer one. The caller holds storing.
func (p *Pins) load() error {
	var stored map[string]Pin
	if p.Load != nil {
		var err error
		if stored, err = p.Load(); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[string]Pin)
	}
	for address, pin := range stored {
		if _, has := p.known[address]; !has || p.Store != nil {
			p.known[address] = pin
		}
	}
	return nil
}

// newPin returns the pin of cert, pinned at the time now. The pin is not stored yet.
func newPin(cert *x509.Certificate, now time.Time) Pin {
	digest := sha256.Sum256(cert.Raw)
	return Pin{Fingerprint: hex.EncodeToString(digest[:]), Since: now, Expires: cert.NotAfter}
}

// A ChangedError reports that a server has another certificate than the pinned one. It wraps fs.ErrPermission.
type ChangedError struct {
	Address string // host:port
	Pinned  Pin
	Seen    Pin
}

// hasValidPin reports whether the server has a pin that had not expired when the certificate was seen.
func (e *ChangedError) hasValidPin() bool { return e.Pinned.Expires.After(e.Seen.Since) }

// Error names both fingerprints and the end of the pinned certificate's validity.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the certificate of %s has changed: it was %s (since %s, valid until %s) and is %s",
		e.Address, e.Pinned.Fingerprint, e.Pinned.Since.Format(time.DateOnly), e.Pinned.Expires.Format(time.DateOnly), e.Seen.Fingerprint)
}

// Unwrap returns fs.ErrPermission.
func (e *ChangedError) Unwrap() error { return fs.ErrPermission }

// Suggest proposes to accept the certificate that the server has now.
func (e *ChangedError) Suggest() access.Remedy {
	return access.AcceptCertificate{Fingerprint: e.Seen.Fingerprint}
}

// An UnknownError reports that neither a pin nor another proof covers the certificate of a server.
type UnknownError struct {
	Seen Pin
	Err  error // why the proof failed
}

// Error returns the text of Err with the fingerprint of the certificate.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%v (the certificate is %s)", e.Err, e.Seen.Fingerprint)
}

// Unwrap returns Err.
func (e *UnknownError) Unwrap() error { return e.Err }

// Suggest proposes to accept the certificate of the server.
func (e *UnknownError) Suggest() access.Remedy {
	return access.AcceptCertificate{Fingerprint: e.Seen.Fingerprint}
}
