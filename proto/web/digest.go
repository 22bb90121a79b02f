package web

import (
	"crypto/md5" //nolint:gosec // many servers support only MD5
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"

	"locus/url"
)

// A digest is a Digest challenge (RFC 7616). The response to it proves knowledge of the password,
// for one request.
type digest struct {
	realm, nonce, opaque string

	algorithm string // as received; "" if absent
	hash      func() hash.Hash
	perNonce  bool // the algorithm ends in "-sess": its secret depends on the nonces

	qopAuth  bool // the server offers the qop "auth"
	hashUser bool // the user name is sent as a hash
}

// digestOf returns the first challenge that this package can answer with Digest; nil if there is no
// such challenge.
func digestOf(all []challenge) *digest {
	for _, c := range all {
		if c.scheme != "digest" {
			continue
		}
		d := &digest{
			realm: c.parameters["realm"], nonce: c.parameters["nonce"], opaque: c.parameters["opaque"],
			algorithm: c.parameters["algorithm"], hashUser: strings.EqualFold(c.parameters["userhash"], "true"),
		}
		for word := range strings.SplitSeq(c.parameters["qop"], ",") {
			d.qopAuth = d.qopAuth || strings.EqualFold(strings.TrimSpace(word), "auth")
		}
		name, perNonce := strings.CutSuffix(strings.ToLower(d.algorithm), "-sess")
		d.hash, d.perNonce = hashes()[name], perNonce
		if d.hash != nil && d.nonce != "" && (d.qopAuth || c.parameters["qop"] == "" && !d.perNonce) {
			return d
		}
	}
	return nil
}

// hashes returns the hash functions by the names of their algorithms in lower case.
func hashes() map[string]func() hash.Hash {
	return map[string]func() hash.Hash{"": md5.New, "md5": md5.New, "sha-256": sha256.New, "sha-512-256": sha512.New512_256}
}

// authorization returns the value of the field Authorization for a request with that method and
// target (RFC 7616 §3.4). cnonce must be unpredictable.
//
// QUIRK: an RFC 2069 server sends no qop, and accepts no qop, count or cnonce.
func (d *digest) authorization(user, password, method, target, cnonce string) string {
	const count = "00000001" // each request has a new challenge
	secret := d.sum(user, d.realm, password)
	if d.perNonce {
		secret = d.sum(secret, d.nonce, cnonce)
	}
	requested := d.sum(method, target)
	response := d.sum(secret, d.nonce, requested)
	if d.qopAuth {
		response = d.sum(secret, d.nonce, count, cnonce, "auth", requested)
	}
	fields := []string{
		d.userField(user), "realm=" + quoted(d.realm), "nonce=" + quoted(d.nonce), "uri=" + quoted(target),
		"response=" + quoted(response),
	}
	if d.algorithm != "" {
		fields = append(fields, "algorithm="+d.algorithm)
	}
	if d.qopAuth {
		fields = append(fields, "qop=auth", "nc="+count, "cnonce="+quoted(cnonce))
	}
	if d.opaque != "" {
		fields = append(fields, "opaque="+quoted(d.opaque))
	}
	if d.hashUser {
		fields = append(fields, "userhash=true")
	}
	return "Digest " + strings.Join(fields, ", ")
}

// userField returns the parameter for the user name: hashed if the server asks for that, encoded if
// it is not ASCII.
func (d *digest) userField(user string) string {
	switch {
	case d.hashUser:
		return "username=" + quoted(d.sum(user, d.realm))
	case strings.ContainsFunc(user, func(r rune) bool { return r < ' ' || r > '~' }):
		return "username*=UTF-8''" + url.Escape(user, url.RFC3986.Unreserved())
	}
	return "username=" + quoted(user)
}

// sum returns the hash of texts joined by colons, in hexadecimal.
func (d *digest) sum(texts ...string) string {
	h := d.hash()
	h.Write([]byte(strings.Join(texts, ":")))
	return fmt.Sprintf("%x", h.Sum(nil))
}
