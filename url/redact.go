package url

import (
	"log/slog"
	"sort"
	"strings"

	"locus/internal/facts"
)

// hidden stands where a password stood.
const hidden = "xxxxx"

// Redacted returns the text with the password, if there is one, and all else
// that may be one, replaced by "xxxxx". Use it wherever a URL is shown. See
// [Redact].
func (u URL) Redacted() string { return Redact(u.text) }

// LogValue returns the redacted text, so that a URL may be logged as it is.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.Redacted()) }

// Redact replaces all that may be a password in text by "xxxxx". The text need not be a
// URL. In doubt, Redact hides more.
//
//   - After each "//", it hides what any of the standards reads as a password. A login
//     runs to the last "@" before the next slash, since RFC 1738 lets "?" and "#" stand
//     in it. The password is what follows the first colon of the login.
//   - The slashes at the start of the text, or behind its scheme, can be more than two.
//     After them a password may contain slashes: it runs to the last "@" of the text,
//     unless the colon starts a port.
//   - What looks like a scheme without slashes may be a user name, so all that follows
//     its colon is hidden. This does not apply to schemes whose URLs have an "@"
//     without a login, such as mailto, news and urn.
//
// One password is shown: if it begins with one to five digits and a slash, it cannot be
// told from a port and a path, as in "http://host:80/@user".
func Redact(text string) string {
	places := secrets(text)
	if len(places) == 0 {
		return text
	}
	return hide(text, 0, len(text), places)
}

// A span is a place in a text: text[start:end].
type span struct{ start, end int }

// secrets returns the places of all that may be a password, in their order.
func secrets(text string) []span {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var places []span
	after := 0 // the colon of the scheme
	if i := strings.IndexAny(text, ":/?#"); i >= 0 && text[i] == ':' {
		after = i + 1
	}
	known := facts.Of(text[:max(0, after-1)])
	i, slashes := skipSlashes(text, after)
	switch {
	case slashes > 0:
		places = appendLogin(places, text, i, !known.Has(facts.EmptyHost))
	case known.Has(facts.Login):
		places = appendLogin(places, text, after, true)
	case after > 0 && !known.Has(facts.AtIsData):
		places = appendPassword(places, text, after, true)
	}
	for ; i < len(text); i++ {
		if !isSlash(text[i]) {
			continue
		}
		if i, slashes = skipSlashes(text, i); slashes > 1 {
			places = appendLogin(places, text, i, false)
		}
	}
	return merge(places)
}

// appendLogin adds the password of a login that starts at text[i]. That is what
// follows the colon that ends the user name. See [appendPassword].
func appendLogin(places []span, text string, i int, toLast bool) []span {
	if login, _, _ := strings.Cut(text[i:], "/"); strings.HasPrefix(login, "[") && !strings.Contains(login, "@") {
		i += max(0, strings.IndexByte(login, ']')) // the colons of an address
	}
	colon := strings.IndexAny(text[i:], ":/")
	if colon < 0 || text[i+colon] == '/' {
		return places
	}
	return appendPassword(places, text, i+colon+1, toLast)
}

// appendPassword adds the password that starts at text[start], if one does. It
// runs to the last "@" before a slash; if there is none, the colon starts no
// port, and toLast is true, to the last "@" of all.
func appendPassword(places []span, text string, start int, toLast bool) []span {
	login, _, _ := strings.Cut(text[start:], "/")
	if at := strings.LastIndexByte(login, '@'); at >= 0 {
		return append(places, span{start, start + at})
	}
	port, _, _ := strings.Cut(login, "?")
	if !toLast || len(port) > 0 && len(port) <= len("65535") && strings.Trim(port, digit) == "" {
		return places
	}
	if at := strings.LastIndexByte(text, '@'); at >= start {
		return append(places, span{start, at})
	}
	return places
}

// skipSlashes skips slashes at text[i:], and what white space is among them,
// and counts them.
func skipSlashes(text string, i int) (end, slashes int) {
	for ; i < len(text) && (isSlash(text[i]) || text[i] <= ' '); i++ {
		if isSlash(text[i]) {
			slashes++
		}
	}
	return i, slashes
}

// isSlash reports whether browsers take c for a slash.
func isSlash(c byte) bool { return c == '/' || c == '\\' }

// merge puts places in their order, and makes one of those that overlap.
func merge(places []span) []span {
	sort.Slice(places, func(i, j int) bool { return places[i].start < places[j].start })
	kept := places[:0]
	for _, p := range places {
		if n := len(kept); n > 0 && p.start <= kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, p.end)
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}

// hide returns text[start:end] with what of it lies in places hidden.
func hide(text string, start, end int, places []span) string {
	var b strings.Builder
	for _, p := range places {
		if p.end < start || end < p.start || p.start < p.end && (p.end == start || end == p.start) {
			continue
		}
		b.WriteString(text[start:max(start, p.start)])
		b.WriteString(hidden)
		start = min(p.end, end)
	}
	b.WriteString(text[start:end])
	return b.String()
}
