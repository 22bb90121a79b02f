package render

import (
	"slices"
	"strings"

	"locus/url"
)

// Masked returns the text of u for a log: without its password, and with "xxxxx" instead of
// each value in its query and fragment whose name suggests a secret, such as "token".
func Masked(u url.URL) string {
	text, fragment, hasFragment := strings.Cut(u.Redacted(), "#")
	path, query, hasQuery := strings.Cut(text, "?")
	if hasQuery {
		path += "?" + maskedPairs(query)
	}
	if hasFragment {
		path += "#" + maskedPairs(fragment)
	}
	return path
}

// MaskedText returns a message for a log, with "xxxxx" instead of each value that follows "?", "&",
// ";" or "#" and a name that suggests a secret, such as "token".
func MaskedText(text string) string {
	var b strings.Builder
	for {
		start := strings.IndexAny(text, "?&;#")
		if start < 0 {
			return b.String() + text
		}
		b.WriteString(text[:start+1])
		text = text[start+1:]
		end := strings.IndexAny(text, "?&;#\"'<> \t\r\n")
		if end < 0 {
			end = len(text)
		}
		pair := strings.TrimRight(text[:end], ":,.") // punctuation of the message
		b.WriteString(maskedPairs(pair))
		text = text[len(pair):]
	}
}

// maskedPairs returns a text such as "name=value&name=value" with "xxxxx" for the values of
// secret names.
func maskedPairs(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "&;?")
		pair, separator := text, ""
		if end >= 0 {
			pair, separator = text[:end], text[end:end+1]
		}
		text = text[len(pair)+len(separator):]
		if name, _, ok := strings.Cut(pair, "="); ok && isSecretName(name) {
			pair = name + "=xxxxx"
		}
		b.WriteString(pair + separator)
	}
	return b.String()
}

// isSecretName reports whether a name suggests that its value is secret.
func isSecretName(name string) bool {
	if plain, err := url.Unescape(name); err == nil {
		name = plain
	}
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	if slices.Contains([]string{"key", "sig", "pwd", "pass", "code", "sid", "session", "sessionid", "jwt", "auth"}, name) {
		return true
	}
	return slices.ContainsFunc([]string{"token", "secret", "passw", "signature", "credential", "apikey", "accesskey"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}
