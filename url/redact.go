package url

import (
	"log/slog"
	"sort"
	"strings"

	"locus/internal/facts"
)

// hidden replaces a password in a text that is shown.
const hidden = "xxxxx"

// Redacted returns the text with everything that may be a password replaced by "xxxxx". Use it wherever a URL is
// shown. See [Redact].
func (u URL) Redacted() string { return Redact(u.text) }

// LogValue returns the redacted text, so that logging a URL does not show its password.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.Redacted()) }

// Redact replaces everything in text that may be a password by "xxxxx". The text need not be a URL. When in doubt,
// Redact hides more.
//
//   - After each "//", it hides the text that any of the standards reads as a password.
//     The login runs to the last "@" before the next slash, because RFC 1738 lets "?"
//     and "#" stand in it. The password follows the first colon of the login.
//   - The text, or the part behind its scheme, can start with more than two slashes. A
//     password after them may contain slashes: it runs to the last "@" of the text,
//     unless the colon starts a port.
//   - A scheme without slashes after it may really be a user name, so all text after
//     its colon up to an "@" is hidden. This does not apply to schemes whose URLs have
//     an "@" without a login, such as mailto, news and urn.
//   - The value of a parameter ";token=" is the secret of a titan URL, wherever it stands. It
//     runs to the parameter ";mime=" or ";size=", or to the end of the text.
//
// Two kinds of passwords are shown: a password that begins with one to five digits and a slash, as in
// "http://host:80/@user", because it looks exactly like a port and a path, and a password that begins with a slash or a
// backslash, as in "user:/password@host", because it looks exactly like a scheme and a path.
func Redact(text string) string {
	spans := secrets(text)
	if len(spans) == 0 {
		return text
	}
	return hide(text, 0, len(text), spans)
}

// A span is a piece of a text: text[start:end].
type span struct{ start, end int }

// secrets returns the spans of everything in text that may be a password, in order and without overlaps.
func secrets(text string) []span {
	return merge(appendTokens(passwords(text), text))
}

// passwords returns the spans of the passwords of logins in text. The spans may overlap.
func passwords(text string) []span {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var spans []span
	after := 0 // the end of the scheme's colon
	if i := strings.IndexAny(text, `:/\?#`); i >= 0 && text[i] == ':' {
		after = i + 1
	}
	known := facts.Of(text[:max(0, after-1)])
	i, slashes := skipSlashes(text, after)
	switch {
	case slashes > 0:
		spans = appendLogin(spans, text, i, !known.Has(facts.EmptyHost))
	case known.Has(facts.Login):
		spans = appendLogin(spans, text, after, true)
	case after > 0 && !known.Has(facts.AtIsData):
		spans = appendPassword(spans, text, after, true)
	}
	for ; i < len(text); i++ {
		if !isSlash(text[i]) {
			continue
		}
		if i, slashes = skipSlashes(text, i); slashes > 1 {
			spans = appendLogin(spans, text, i, false)
		}
	}
	return spans
}

// appendTokens appends the spans of the tokens in text.
func appendTokens(spans []span, text string) []span {
	for i := strings.IndexByte(text, ';'); i >= 0; {
		start := i
		if hasParameter(text[i:], "token") {
			start += len(";token=")
			i = start + tokenLen(text[start:])
			spans = append(spans, span{start, i})
		} else {
			i++
		}
		next := strings.IndexByte(text[i:], ';')
		if next < 0 {
			break
		}
		i += next
	}
	return spans
}

// tokenLen returns the length of the token with which text starts.
func tokenLen(text string) int {
	for i := range len(text) {
		if hasParameter(text[i:], "mime") || hasParameter(text[i:], "size") {
			return i
		}
	}
	return len(text)
}

// hasParameter reports whether text starts with the parameter name, in any case: ";name=".
func hasParameter(text, name string) bool {
	n := len(";=") + len(name)
	return len(text) >= n && text[0] == ';' && text[n-1] == '=' && strings.EqualFold(text[1:n-1], name)
}

// appendLogin appends to spans the password of the login that starts at text[i]. The password follows the colon that
// ends the user name. spans is returned unchanged if there is no password. If toLast is true, a password with a slash
// may run to the last "@" of the text.
func appendLogin(spans []span, text string, i int, toLast bool) []span {
	if login, _, _ := strings.Cut(text[i:], "/"); strings.HasPrefix(login, "[") && !strings.Contains(login, "@") {
		i += max(0, strings.IndexByte(login, ']')) // the colons of an address
	}
	colon := strings.IndexAny(text[i:], ":/")
	if colon < 0 || text[i+colon] == '/' {
		return spans
	}
	return appendPassword(spans, text, i+colon+1, toLast)
}

// appendPassword appends to spans the password that starts at text[start], after a colon. The password ends at the last
// "@" before a slash. If there is no such "@", and toLast is true, and the colon does not start a port, the password
// ends at the last "@" of the text. Otherwise there is no password, and spans is returned unchanged.
func appendPassword(spans []span, text string, start int, toLast bool) []span {
	login, _, _ := strings.Cut(text[start:], "/")
	if at := strings.LastIndexByte(login, '@'); at >= 0 {
		return append(spans, span{start, start + at})
	}
	port, _, _ := strings.Cut(login, "?")
	if !toLast || len(port) > 0 && len(port) <= len("65535") && strings.Trim(port, digit) == "" {
		return spans
	}
	if at := strings.LastIndexByte(text, '@'); at >= start {
		return append(spans, span{start, at})
	}
	return spans
}

// skipSlashes skips slashes, backslashes and white space at text[i:]. It returns the offset after them, and the number
// of slashes and backslashes.
func skipSlashes(text string, i int) (end, slashes int) {
	for ; i < len(text) && (isSlash(text[i]) || text[i] <= ' '); i++ {
		if isSlash(text[i]) {
			slashes++
		}
	}
	return i, slashes
}

// isSlash reports whether browsers read c as a slash.
func isSlash(c byte) bool { return c == '/' || c == '\\' }

// merge sorts the spans by their starts, and joins spans that overlap or touch. It reuses the memory of its argument.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	kept := spans[:0]
	for _, p := range spans {
		if n := len(kept); n > 0 && p.start <= kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, p.end)
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}

// hide returns text[start:end] with each of the spans replaced by "xxxxx". The spans are offsets in text, in order. A
// span that only partly lies in text[start:end] is replaced in that part.
func hide(text string, start, end int, spans []span) string {
	var b strings.Builder
	for _, p := range spans {
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
