package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"mime"
	"net/http"
	"strings"

	"locus/render"
	"locus/url"
)

// What pages of the gateway may do, and what content of other servers may do:
// that runs no script, sends no form, and loads nothing from beyond the gateway.
// It has the gateway's origin, or its own pictures and styles would be those of a
// stranger to it; without scripts there is nothing that it could do there. What
// it opens in another tab has the policy that comes with it.
const (
	pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; script-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	contentPolicy = "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; media-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	documentPolicy = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'"
)

// proxyPolicy is what the page of an error may do that a proxy's client gets in
// the place of what it asked another server for: have the style that is in it, and
// send its field to the gateway.
func (v *visit) proxyPolicy() string {
	return "default-src 'none'; style-src " + styleHash + "; form-action " + v.origin() + "; base-uri 'none'; frame-ancestors 'none'"
}

// styleHash is the style that is in pages, as a policy names it (CSP 3 §2.3.1).
var styleHash = func() string {
	hash := sha256.Sum256(style)
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}()

// always are the fields of every answer, atHome those of what has the gateway's
// origin besides: who uses it as a proxy finds everything where it is, and sends
// no Referer from there but to the web. Their values are shared: a field is set
// anew and never added to.
var (
	always = http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
	}
	atHome = http.Header{
		"Referrer-Policy":            {"no-referrer"},
		"Cross-Origin-Opener-Policy": {"same-origin"},
	}
)

// setPolicy says what an answer may do. A header of more than 8 fields costs twice
// as much as one of 8, and what a proxy's client asks for has no more.
func (v *visit) setPolicy(policy string) {
	h := v.w.Header()
	h.Set("Content-Security-Policy", policy)
	maps.Copy(h, always)
	if !v.proxied() {
		maps.Copy(h, atHome)
	}
}

// contain sets what content of other servers of a media type may do, and whether
// a browser shows it or keeps it in a file called as u is. That of a proxy's client
// knows the name, and what it shows has the origin of its server.
func (v *visit) contain(mediaType string, u url.URL) {
	base, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch base = strings.TrimSpace(base); {
	case base == "application/pdf": // no browser shows it in a sandbox
		v.setPolicy(documentPolicy)
	case base == "text/plain", base == "text/html", base == "application/xhtml+xml", base == "text/css", base == "text/uri-list",
		strings.HasPrefix(base, "image/"), strings.HasPrefix(base, "audio/"), strings.HasPrefix(base, "video/"):
		v.setPolicy(contentPolicy)
	case base == "": // only until its octets are looked at
		v.setPolicy(contentPolicy)
	default:
		v.setPolicy(contentPolicy)
		if !v.proxied() {
			v.w.Header().Set("Content-Disposition", disposition(render.Title(u)))
		}
	}
}

// disposition is the field that lets a browser keep the content in a file.
func disposition(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:"`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if d := mime.FormatMediaType("attachment", map[string]string{"filename": name}); d != "" && name != "" {
		return d
	}
	return "attachment"
}
