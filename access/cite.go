package access

import "locus/url"

// A Citer knows names that the texts of a resource cite: within an article, a
// message-id or the name of a newsgroup is a partial URL (RFC 1630, News). It
// connects to nothing.
type Citer interface {
	// Cite returns the URL of what a text found at base calls name, without the
	// brackets that it may stand in. ok is false if that names nothing there.
	Cite(base url.URL, name string) (u url.URL, ok bool)
}

// Cite returns the URL of what a text found at base calls name; ok is false if o
// knows of none.
func Cite(o Opener, base url.URL, name string) (u url.URL, ok bool) {
	if c, is := o.(Citer); is {
		return c.Cite(base, name)
	}
	return url.URL{}, false
}

// Cite asks the Opener of base's scheme.
func (t Table) Cite(base url.URL, name string) (u url.URL, ok bool) {
	o, err := t.opener("cite", base)
	if err != nil {
		return url.URL{}, false
	}
	return Cite(o, base, name)
}

// Cite asks the Opener.
func (f Follow) Cite(base url.URL, name string) (u url.URL, ok bool) {
	return Cite(f.opener(), base, name)
}
