package check

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"locus/internal/ascii"
	"locus/internal/lazy"
)

// variable matches a reference to an environment variable, such as ${NAME}.
var variable = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`) }}

// ExpandField returns a header field for a HostRule. Each ${NAME} in its value is replaced by the result of lookup.
// The field is secret if its value has a variable, or if it is a field for credentials. ExpandField returns an error
// for a name that only the engine may set, for a control character, and for an error of lookup. No error shows the
// value.
func ExpandField(name, value string, lookup func(name string) (string, error)) (Field, error) {
	if !isFieldName(name) || slices.Contains(ownFields, strings.ToLower(name)) {
		return Field{}, fmt.Errorf("the header %q cannot be set", name)
	}
	expanded, err := expand(value, lookup)
	if err != nil {
		return Field{}, fmt.Errorf("the value of %s: %w", name, err)
	}
	if strings.ContainsFunc(expanded, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return Field{}, fmt.Errorf("the value of %s has a control character", name)
	}
	return Field{Name: name, Value: expanded, IsSecret: expanded != value || isCredential(name)}, nil
}

// expand replaces each ${NAME} in text by the result of lookup. If lookup fails, expand returns its first error.
func expand(text string, lookup func(name string) (string, error)) (string, error) {
	var failed error
	expanded := variable.Get().ReplaceAllStringFunc(text, func(reference string) string {
		found, err := lookup(reference[len("${") : len(reference)-len("}")])
		failed = cmp.Or(failed, err)
		return found
	})
	return expanded, failed
}

// Cookies returns the field Cookie for the given cookies, in alphabetical order of their names. It returns the zero
// Field if there are no cookies. Each ${NAME} in a value is replaced by the result of lookup. Cookies returns an
// error for a cookie that would be read as several cookies, for a control character, and for an error of lookup. The
// error names the cookie, but does not show its value.
func Cookies(cookies map[string]string, lookup func(name string) (string, error)) (Field, error) {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(cookies)) {
		value, err := expand(cookies[name], lookup)
		if err != nil {
			return Field{}, fmt.Errorf("the cookie %q: %w", name, err)
		}
		pair := name + "=" + value
		if strings.ContainsFunc(pair, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ';' || r == ',' }) {
			return Field{}, fmt.Errorf("the cookie %q has a space, a comma, a semicolon or a control character", name)
		}
		pairs = append(pairs, pair)
	}
	if pairs == nil {
		return Field{}, nil
	}
	return Field{Name: "Cookie", Value: strings.Join(pairs, "; "), IsSecret: true}, nil
}

// isFieldName reports whether text is a valid name of a header field (RFC 9110 §5.1).
func isFieldName(text string) bool {
	for i := range len(text) {
		if c := text[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && !strings.ContainsRune("!#$%&'*+.^_`|~-", rune(c)) {
			return false
		}
	}
	return text != ""
}

// ownFields are the fields that only the engine sets.
var ownFields = []string{"host", "connection", "content-length", "transfer-encoding", "range", "accept-encoding", "upgrade", "te", "trailer"}

// isCredential reports whether the named header field always holds a secret.
func isCredential(name string) bool {
	return slices.Contains([]string{"authorization", "cookie", "proxy-authorization"}, strings.ToLower(name))
}
