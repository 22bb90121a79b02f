package sftp

import (
	"bytes"
	"crypto/ed25519"
	"crypto/md5" //nolint:gosec // the draft has fingerprints with MD5
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/access"
)

// A HostKey is the key of a server.
type HostKey struct {
	Address string // host:port
	Key     ssh.PublicKey
}

// String returns the type and the fingerprint of the key, as ssh-keygen shows them: "ssh-ed25519 SHA256:…".
func (k HostKey) String() string { return describeKey(k.Key) }

// Parameter returns the fingerprint of the key as the value of ";fingerprint=" in a URL.
func (k HostKey) Parameter() string { return fingerprintParameter(k.Key) }

// describeKey returns the type and the SHA-256 fingerprint of key: "ssh-ed25519 SHA256:…".
func describeKey(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// fingerprintParameter returns the type and the SHA-256 fingerprint of key as the value of ";fingerprint="
// in a URL: "ssh-ed25519-TsWXkm8…".
func fingerprintParameter(key ssh.PublicKey) string {
	digest := sha256.Sum256(key.Marshal())
	return key.Type() + "-" + base64.RawURLEncoding.EncodeToString(digest[:])
}

// A HostKeyError reports that the key of a server is not trusted. It wraps fs.ErrPermission.
type HostKeyError struct {
	Address string   // host:port
	Seen    string   // the type and the fingerprint of the server's key
	Known   []string // the keys that were expected, in the same form, each perhaps with its file and line; empty if the server is unknown
	Revoked bool     // the key is revoked

	remedy access.Remedy
}

// Error says whether the key is unknown, has changed or is revoked, and shows the fingerprints.
func (e *HostKeyError) Error() string {
	switch {
	case e.Revoked:
		return fmt.Sprintf("the key of %s is revoked: %s", e.Address, e.Seen)
	case len(e.Known) > 0:
		return fmt.Sprintf("the key of %s has changed: it was %s and is %s", e.Address, strings.Join(e.Known, ", "), e.Seen)
	}
	return fmt.Sprintf("the key of %s is unknown: %s", e.Address, e.Seen)
}

// Unwrap returns fs.ErrPermission.
func (e *HostKeyError) Unwrap() error { return fs.ErrPermission }

// Suggest returns the steps that a person can take, or nil. See [access.RemedyFor].
func (e *HostKeyError) Suggest() access.Remedy { return e.remedy }

// unknownKey returns the error for the key k of a server that is not known.
func unknownKey(k HostKey) *HostKeyError {
	return &HostKeyError{
		Address: k.Address, Seen: k.String(),
		remedy: access.Advice("compare the fingerprint with the server's, and then open the URL once on a terminal, or put ;fingerprint=" + k.Parameter() + " after the user in the URL"),
	}
}

// changedKey returns the error for a server whose key k differs from the known keys. known has the texts
// that describe them.
func changedKey(k HostKey, known []string) *HostKeyError {
	host := knownhosts.Normalize(k.Address)
	return &HostKeyError{
		Address: k.Address, Seen: k.String(), Known: known,
		remedy: access.Advice("somebody may be intercepting the connection. If the owner of the server confirms the new key, remove the old one with: ssh-keygen -R '" + host + "'"),
	}
}

const wrongFingerprint = access.Advice("somebody may be intercepting the connection, or the fingerprint in the URL is wrong. Ask the owner of the server for the right one")

// A hostCheck verifies the key of the server of one operation.
type hostCheck struct {
	*operation
	known ssh.HostKeyCallback // never nil
}

// newHostCheck returns the check of the server's key, with the keys that Client.KnownHosts knows at this
// time.
func (o *operation) newHostCheck() (hostCheck, error) {
	h := hostCheck{o, func(string, net.Addr, ssh.PublicKey) error { return &knownhosts.KeyError{} }}
	if o.client.KnownHosts == nil {
		return h, nil
	}
	known, err := o.client.KnownHosts()
	if err != nil {
		return h, fmt.Errorf("read the known hosts: %w", err)
	}
	if known != nil {
		h.known = known
	}
	return h, nil
}

// verify returns nil if key, which the server at address shows, is trusted: because it is known, because
// the URL has its fingerprint, or because Client.Trust trusts it. Otherwise it returns a *HostKeyError or
// the error of Trust. Package ssh calls it during the key exchange.
func (h hostCheck) verify(address string, _ net.Addr, key ssh.PublicKey) error {
	plain := key
	err := h.lookUp(address, key)
	if cert, ok := key.(*ssh.Certificate); ok {
		plain = cert.Key
		if err != nil && !isRevoked(err) { // no trusted authority has signed the certificate
			err = h.lookUp(address, plain)
		}
		if authority := h.lookUp(address, cert.SignatureKey); isRevoked(authority) {
			err = authority
		}
	}
	k := HostKey{Address: address, Key: plain}
	if want := h.login.fingerprint; want != "" && !hasFingerprint(plain, want) {
		return &HostKeyError{Address: address, Seen: k.String(), Known: []string{want + " in the URL"}, remedy: wrongFingerprint}
	}
	unknown, ok := errors.AsType[*knownhosts.KeyError](err)
	switch {
	case err == nil:
		return nil
	case isRevoked(err):
		return &HostKeyError{Address: address, Seen: k.String(), Revoked: true}
	case !ok:
		return err
	case len(unknown.Want) > 0:
		return changedKey(k, describeKnown(unknown.Want))
	case h.login.fingerprint != "":
		return nil
	case h.client.Trust == nil:
		return unknownKey(k)
	}
	return h.conn.link.paused(func() error { return h.client.Trust(h.ctx, k) })
}

// checkSameKey returns an error unless key equals trusted, the key that the server has shown before on this
// connection.
func checkSameKey(trusted, key ssh.PublicKey) error {
	if !bytes.Equal(trusted.Marshal(), key.Marshal()) {
		return fmt.Errorf("%w: the server changes its key during the connection", access.ErrProtocol)
	}
	return nil
}

// lookUp returns nil if key is a known key of the server at address, which is host:port of the URL.
// Otherwise it returns the error of package knownhosts, without the keys of authorities, because a
// server that lacks a certificate of an authority is unknown, and not changed.
func (h hostCheck) lookUp(address string, key ssh.PublicKey) error {
	err := h.isKnown(address, key)
	unknown, ok := errors.AsType[*knownhosts.KeyError](err)
	if !ok {
		return err
	}
	isAuthority := func(k knownhosts.KnownKey) bool { return h.isAuthority(address, k.Key) }
	return &knownhosts.KeyError{Want: slices.DeleteFunc(slices.Clone(unknown.Want), isAuthority)}
}

// isKnown calls known for the server at address. The address of the connection does not count, because
// it may be the address of a proxy.
func (h hostCheck) isKnown(address string, key ssh.PublicKey) error {
	return h.known(address, &net.TCPAddr{IP: net.IPv4zero, Port: defaultPort}, key)
}

// isAuthority reports whether the known hosts accept certificates that key signs for the server at
// address. It tries a certificate whose signature always verifies, because a KnownKey lacks the marker
// of its line. Therefore a key that is the key of the host and of an authority counts as an authority.
func (h hostCheck) isAuthority(address string, key ssh.PublicKey) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	return h.isKnown(address, &ssh.Certificate{
		Key: key, CertType: ssh.HostCert, ValidPrincipals: []string{host}, ValidBefore: ssh.CertTimeInfinity,
		SignatureKey: unverified{key}, Signature: new(ssh.Signature),
	}) == nil
}

// unverified is a key that accepts every signature. Only isAuthority may use it.
type unverified struct{ ssh.PublicKey }

// Verify returns nil.
func (unverified) Verify([]byte, *ssh.Signature) error { return nil }

// isRevoked reports whether err says that a key is revoked.
func isRevoked(err error) bool {
	_, ok := errors.AsType[*knownhosts.RevokedError](err)
	return ok
}

// describeKnown returns the fingerprints of known keys, with their files and lines.
func describeKnown(keys []knownhosts.KnownKey) []string {
	var all []string
	for _, k := range keys {
		text := describeKey(k.Key)
		if k.Filename != "" {
			text += fmt.Sprintf(" (%s:%d)", k.Filename, k.Line)
		}
		all = append(all, text)
	}
	return all
}

// algorithms returns the algorithms for the server's key in the order of preference. The algorithms of
// known keys, and of the fingerprint in the URL, come first, because a server that has several keys must
// show a known key.
func (h hostCheck) algorithms(address string) []string {
	all := ssh.SupportedAlgorithms().HostKeys
	var types []string
	if i := strings.LastIndexByte(h.login.fingerprint, '-'); i > 0 {
		for _, known := range all {
			if strings.HasPrefix(h.login.fingerprint, known+"-") {
				types = append(types, known)
			}
		}
		if strings.HasPrefix(h.login.fingerprint, ssh.KeyAlgoRSA+"-") {
			types = append(types, ssh.KeyAlgoRSA)
		}
	}
	if unknown, ok := errors.AsType[*knownhosts.KeyError](h.lookUp(address, probeKey())); ok {
		for _, k := range unknown.Want {
			types = append(types, k.Key.Type())
		}
	}
	rank := func(algorithm string) int {
		if slices.Contains(types, keyType(algorithm)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	return all
}

// probeKey returns a key that no server has. A look-up of this key fails with an error that lists the
// known keys of a server.
func probeKey() ssh.PublicKey {
	key, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		panic(err) // the type of the key is supported
	}
	return key
}

// keyType returns the type of the keys that an algorithm uses: "ssh-rsa" for
// "rsa-sha2-256-cert-v01@openssh.com".
func keyType(algorithm string) string {
	algorithm = strings.TrimSuffix(algorithm, "-cert-v01@openssh.com")
	if strings.HasPrefix(algorithm, "rsa-sha2-") {
		return ssh.KeyAlgoRSA
	}
	return algorithm
}

// hasFingerprint reports whether key has the fingerprint text. Its forms are
//
//	ssh-ed25519-c1-b1-30-29-…     MD5 in hexadecimal; the type of the key may be missing, and ":" may separate bytes
//	ssh-ed25519-TsWXkm8…          SHA-256 in base64, of URLs or not
//	SHA256:TsWXkm8…, MD5:c1:b1…   as ssh-keygen shows it
func hasFingerprint(key ssh.PublicKey, text string) bool {
	text = strings.TrimPrefix(text, key.Type()+"-")
	blob := key.Marshal()
	digest := sha256.Sum256(blob)
	if plain, ok := strings.CutPrefix(text, "SHA256:"); ok {
		text = plain
	}
	plain := strings.TrimRight(text, "=")
	if plain == base64.RawStdEncoding.EncodeToString(digest[:]) || plain == base64.RawURLEncoding.EncodeToString(digest[:]) {
		return true
	}
	text = strings.ToLower(strings.NewReplacer("-", "", ":", "").Replace(strings.TrimPrefix(text, "MD5:")))
	short := md5.Sum(blob) //nolint:gosec // see above
	return text == hex.EncodeToString(short[:]) || text == hex.EncodeToString(digest[:])
}
