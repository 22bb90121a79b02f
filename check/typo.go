package check

import (
	"strings"

	"locus/extract"
	"locus/internal/typo"
)

// noteTypo adds a question to the Reason of r if its URL is probably a typing mistake: "did you mean …?". If the scheme
// is surely a mistake, as in htp://h/, noteTypo also makes r Dead.
func (r *Result) noteTypo() {
	meant, ok := meantBy(r.URL)
	if !ok {
		return
	}
	r.Reason += "; did you mean " + display(meant) + "?"
	if r.Class == ClassScheme && isMisspelt(r.URL, meant) {
		r.Status, r.Class = Dead, ClassSyntax
	}
}

// meantBy returns the URL that the author of the link u probably meant. ok is false if u does not look like a mistake.
// u may be resolved already: in a document at http://h/, the link ftp//x/ is the URL http://h/ftp//x/.
func meantBy(u string) (meant string, ok bool) {
	if meant, ok := typo.URL(u); ok {
		return meant, true
	}
	slashes := strings.LastIndex(u, "//")
	if slashes < 0 {
		return "", false
	}
	return typo.URL(u[strings.LastIndexByte(u[:slashes], '/')+1:])
}

// isMisspelt reports whether the scheme of u is unknown, and is the scheme of meant with a mistake: both begin with the
// same letter, or u lacks letters at the beginning. Package extract knows the registered schemes.
func isMisspelt(u, meant string) bool {
	scheme, right := strings.ToLower(schemeOf(u)), schemeOf(meant)
	if scheme[0] != right[0] && !strings.HasSuffix(right, scheme) {
		return false
	}
	for range extract.All(strings.NewReader(u), extract.Options{}) { //nolint:errcheck // a Reader of a string has no errors
		return false
	}
	return true
}
