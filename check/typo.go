package check

import (
	"strings"

	"locus/extract"
	"locus/internal/typo"
)

// noteTypo adds the URL that the author probably meant to the reason of a link that could not be opened. A link whose
// scheme is surely a mistake, such as htp://h/, is dead.
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

// meantBy returns the URL that the author of a link probably meant. In a document at http://h/, the link ftp//x/ is the
// URL http://h/ftp//x/.
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

// isMisspelt reports whether the scheme of u is no scheme, but the scheme of meant with a mistake. Both begin with the
// same letter, or u lacks letters at the beginning. Package extract knows the schemes that are registered.
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
