package gateway

import (
	"maps"
	"mime"
	"net/http"
	"strings"
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

// always are the fields of every answer. Their values are shared: a field is set
// anew and never added to.
var always = http.Header{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
}

func setPolicy(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	maps.Copy(h, always)
}

// contain sets what content of other servers of a media type may do, and whether
// a browser shows it or keeps it in a file called name.
func contain(h http.Header, mediaType, name string) {
	base, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	switch base = strings.TrimSpace(base); {
	case base == "application/pdf": // no browser shows it in a sandbox
		setPolicy(h, documentPolicy)
	case base == "text/plain", base == "text/html", base == "application/xhtml+xml", base == "text/css", base == "text/uri-list",
		strings.HasPrefix(base, "image/"), strings.HasPrefix(base, "audio/"), strings.HasPrefix(base, "video/"):
		setPolicy(h, contentPolicy)
	case base == "": // only until its octets are looked at
		setPolicy(h, contentPolicy)
	default:
		setPolicy(h, contentPolicy)
		h.Set("Content-Disposition", disposition(name))
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
