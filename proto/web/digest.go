package web

import (
	"crypto/md5" //nolint:gosec // servers know no other
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"

	"locus/url"
)

// A digest is what a server wants to be answered with in the scheme Digest (RFC
// 7616): a proof that the password is known, good for one request.
type digest struct {
	realm, nonce, opaque string

	algorithm string // as it was written; "" if it was not
	hash      func() hash.Hash
	session   bool // the algorithm ends in "-sess"

	qop      bool // the octets of the request line are what is vouched for ("auth")
	hashUser bool // the user name is not to be read
}

// digestOf returns the first challenge in the scheme Digest that can be answered;
// nil if there is none.
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
			d.qop = d.qop || strings.EqualFold(strings.TrimSpace(word), "auth")
		}
		if d.choose() && d.nonce != "" && (d.qop || c.parameters["qop"] == "" && !d.session) {
			return d
		}
	}
	return nil
}

// choose finds the hash of the algorithm, and reports whether it is known.
func (d *digest) choose() bool {
	name, session := strings.CutSuffix(strings.ToLower(d.algorithm), "-sess")
	d.session = session
	switch name {
	case "", "md5":
		d.hash = md5.New
	case "sha-256":
		d.hash = sha256.New
	case "sha-512-256":
		d.hash = sha512.New512_256
	default:
		return false
	}
	return true
}

// answer returns the credentials for a request (RFC 7616 §3.4). cnonce is a text
// that nobody can guess.
//
// QUIRK: a server of RFC 2069 names no qop, and wants neither that nor a count
// and a cnonce.
func (d *digest) answer(user, password, method, target, cnonce string) string {
	const count = "00000001" // each request has a challenge of its own
	secret := d.sum(user, d.realm, password)
	if d.session {
		secret = d.sum(secret, d.nonce, cnonce)
	}
	what := d.sum(method, target)
	response := d.sum(secret, d.nonce, what)
	if d.qop {
		response = d.sum(secret, d.nonce, count, cnonce, "auth", what)
	}
	fields := []string{
		d.userField(user), "realm=" + quoted(d.realm), "nonce=" + quoted(d.nonce), "uri=" + quoted(target),
		"response=" + quoted(response),
	}
	if d.algorithm != "" {
		fields = append(fields, "algorithm="+d.algorithm)
	}
	if d.qop {
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

// userField names the user as the server wants it and the field allows.
func (d *digest) userField(user string) string {
	switch {
	case d.hashUser:
		return "username=" + quoted(d.sum(user, d.realm))
	case strings.ContainsFunc(user, func(r rune) bool { return r < ' ' || r > '~' }):
		return "username*=UTF-8''" + url.Escape(user, url.RFC3986.Unreserved())
	}
	return "username=" + quoted(user)
}

// sum returns the hash of texts with colons between them, in hexadecimal digits.
func (d *digest) sum(texts ...string) string {
	h := d.hash()
	h.Write([]byte(strings.Join(texts, ":")))
	return fmt.Sprintf("%x", h.Sum(nil))
}
