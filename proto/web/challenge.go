package web

import "strings"

// A challenge is one authentication scheme that a server offers, with its parameters (RFC 9110
// §11.6.1):
//
//	Digest realm="x", qop="auth", nonce="…"
//	scheme parameters, by their names in lower case
type challenge struct {
	scheme     string // in lower case
	parameters map[string]string
}

// parseChallenges parses WWW-Authenticate fields. It returns the challenges in order, and skips
// malformed parts.
func parseChallenges(fields []string) []challenge {
	var all []challenge
	for _, field := range fields {
		for element := range listElements(field) {
			name := element[:tokenEnd(element)]
			rest := strings.TrimLeft(element[len(name):], " \t")
			if !strings.HasPrefix(rest, "=") {
				all = append(all, challenge{strings.ToLower(name), make(map[string]string)})
				element = rest
			}
			if key, value, ok := strings.Cut(element, "="); ok && len(all) > 0 {
				key = strings.ToLower(strings.TrimSpace(key))
				all[len(all)-1].parameters[key] = unquote(strings.TrimSpace(value))
			}
		}
	}
	return all
}

// listElements yields the elements of a comma-separated list, without white space around them. A
// comma in quotes does not separate elements. It skips empty elements.
func listElements(field string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for field != "" {
			end, quoted := 0, false
			for ; end < len(field) && (quoted || field[end] != ','); end++ {
				switch {
				case field[end] == '"':
					quoted = !quoted
				case field[end] == '\\' && quoted && end+1 < len(field):
					end++
				}
			}
			element := strings.TrimSpace(field[:end])
			if element != "" && !yield(element) {
				return
			}
			field = field[min(end+1, len(field)):]
		}
	}
}

// tokenEnd returns the length of the token at the start of s, which ends before a space, a tab or
// "=".
func tokenEnd(s string) int {
	if end := strings.IndexAny(s, " \t="); end >= 0 {
		return end
	}
	return len(s)
}

// unquote returns the value of a quoted-string (RFC 9110 §5.6.4). It returns other text unchanged.
func unquote(s string) string {
	s, ok := strings.CutPrefix(s, `"`)
	if !ok {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// quoted returns s as a quoted-string, with its quotation marks (RFC 9110 §5.6.4).
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
