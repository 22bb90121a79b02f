// Package text has the verbs resolve, relative, normalize and equal. It also has the flags of other
// verbs that read URLs as text by one of several standards.
package text

import (
	"cmp"
	"errors"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
	"locus/url/whatwg"
)

// All returns the values of --as.
func All() []string { return []string{"rfc3986", "rfc1738", "rfc1630", "whatwg"} }

// standards returns the standards by the values of --as.
func standards() map[string]url.Standard {
	return map[string]url.Standard{
		"rfc3986": url.RFC3986, "rfc1738": url.RFC1738, "rfc1630": url.RFC1630, "whatwg": whatwg.Standard,
	}
}

// By selects the standard by which a verb reads URLs.
type By struct {
	As    string `flag:"as"`
	Guess bool   `flag:"guess"`
}

// Name returns the value of --as; "rfc3986" if the flag is not given.
func (b By) Name() string { return cmp.Or(b.As, "rfc3986") }

// Standard returns the standard that --as names, or else RFC 3986.
func (b By) Standard() url.Standard { return standards()[b.Name()] }

// Read reads a URL. With --guess it reads the URL that a person who typed text probably meant.
// Unless the standard is WHATWG's, the URL must also be valid for its scheme. The hint of an error
// says how to write the URL.
func (b By) Read(text string) (url.URL, error) {
	if b.Guess {
		u, err := iri.ParseTyped(scheme.Unprefix(text))
		if err != nil {
			return url.URL{}, cli.Explain(err)
		}
		text = u.String()
	}
	u, err := scheme.Read(b.Standard(), text)
	if err != nil {
		return u, cli.Explain(Syntax(err, text))
	}
	return u, nil
}

// Syntax returns err with a *whatwg.Error, an error of parsing text, converted to a
// *url.SyntaxError, the error of the other standards. It returns other errors unchanged.
func Syntax(err error, text string) error {
	if e, ok := errors.AsType[*whatwg.Error](err); ok {
		return e.Syntax(text)
	}
	return err
}
