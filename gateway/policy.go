package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"strings"

	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/internal/facts"
	"locus/internal/lazy"
	"locus/internal/render"
	"locus/url"
)

// The values of Content-Security-Policy for the gateway's pages, for the documentation, for content of
// other servers, for mail, and for PDF. Content may not run a script or send a form, and it loads only from the
// gateway. It keeps the gateway's origin, so that it may load its pictures and styles. Mail loads nothing, because a
// picture at a server of its sender would tell when and where it is read. The documentation
// runs its scripts without the gateway's origin, so that they cannot read or confirm anything there. The
// browser gives its forms to its scripts only. Do not append to these slices, because responses share them.
var (
	pagePolicy = []string{"default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; script-src 'self'; " +
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"}
	helpPolicy = []string{"sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'self'; " +
		"img-src 'self'; script-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"}
	contentPolicy = []string{"sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; media-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	mailPolicy = []string{"sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
		"img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
	documentPolicy = []string{"default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'"}
)

// inlinePolicy returns the policy of an error page for a client that cannot load the gateway's
// style. It allows the style inside the page, and forms that are sent to target, an origin or
// 'none'.
func inlinePolicy(target string) []string {
	return []string{"default-src 'none'; style-src " + styleHash.Get() + "; form-action " + target + "; base-uri 'none'; frame-ancestors 'none'"}
}

// styleHash is the hash by which a policy allows the style inside a page (CSP 3 §2.3.1).
var styleHash = lazy.Value[string]{Make: func() string {
	hash := sha256.Sum256([]byte(page.Style()))
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}}

// acceptsBytes is the value of Accept-Ranges. Responses share it too.
var acceptsBytes = []string{"bytes"}

// commonFields are the fields of every response. ownFields are more fields of the responses that
// have the gateway's origin. Do not append to their values, because responses share them.
var (
	commonFields = []responseField{
		{"X-Content-Type-Options", []string{"nosniff"}},
		{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
	}
	ownFields = []responseField{
		{"Referrer-Policy", []string{"same-origin"}}, // see isOfSameHost
		{"Cross-Origin-Opener-Policy", []string{"same-origin"}},
	}
)

// A responseField is a header field of responses.
type responseField struct {
	name   string
	values []string
}

// setPolicy sets Content-Security-Policy and, at the first call, the other security fields of the
// response. It leaves ownFields out for the client of a proxy, because a header of more than 8
// fields costs twice as much.
func (w *reply) setPolicy(policy []string) {
	h := w.Header()
	h["Content-Security-Policy"] = policy
	if h["X-Content-Type-Options"] != nil { // an earlier call has set the other fields
		return
	}
	for _, f := range commonFields {
		h[f.name] = f.values
	}
	if w.r.isProxied() {
		return
	}
	for _, f := range ownFields {
		h[f.name] = f.values
	}
}

// setContentPolicy sets the policy for the content at u of a media type. If a browser at the gateway should not show
// the type, the response makes the browser store the content in a file. A PDF is always shown, by documentPolicy.
func (w *reply) setContentPolicy(u url.URL, mediaType string) {
	base := entry.BaseType(mediaType)
	switch {
	case base == "application/pdf": // browsers do not show PDF in a sandbox
		w.setPolicy(documentPolicy)
		return
	case facts.Of(u.Scheme()).Has(facts.Mail) && !isMedia(base): // the document that a browser makes around media loads them
		w.setPolicy(mailPolicy)
	default:
		w.setPolicy(contentPolicy)
	}
	if !w.r.isProxied() && !content.IsShown(base) {
		w.Header().Set("Content-Disposition", disposition(render.Title(u)))
	}
}

// isMedia reports whether content of a media type is sound or film, which cannot load anything else.
func isMedia(mediaType string) bool {
	kind := content.Viewer(mediaType)
	return kind == "audio" || kind == "video"
}

// disposition returns the Content-Disposition that makes a browser store the content in a file
// with this name. It replaces characters that a file name must not have.
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
