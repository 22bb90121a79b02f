package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Gopher is the view of a gopher URL, or of a gophers URL, which is opened over TLS.
//
//	gopher://host:70/7/find%09words%09+
//	                 |\___/   \___/   |
//	              Type Selector Search Plus
//
// RFC 1738 §5:
//
//	gopherurl      = "gopher://" hostport [ "/" [ gtype [ selector
//	                 [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
//	gtype          = xchar
//	selector       = *xchar
//	gopher+_string = *xchar
//
// Only the tabs are reserved in the path. Every other byte means the same with and without an escape.
type Gopher struct {
	Scheme string // "gopher" or "gophers"; "" means "gopher"
	Host
	Type     byte     // the item's type, '1' if the URL does not name one; 0 means '1'
	Selector string   // any bytes but TAB, CR and LF
	Search   url.Part // any bytes but TAB; the engine refuses CR and LF
	Plus     url.Part // the Gopher+ string; see [Gopher.Meaning]. If Plus is present, so is Search.
}

const gopherRule = "RFC 1738 §3.4.1"

// ParseGopher returns the view of a gopher or gophers URL. It refuses a user.
func ParseGopher(u url.URL) (Gopher, error) {
	host, err := plainHost(u, gopherRule, "gopher", "gophers")
	if err != nil {
		return Gopher{}, err
	}
	v := Gopher{Scheme: u.Scheme(), Host: host, Type: '1'}
	if n, rule, want := v.path(u.PathAndQuery()); want != "" {
		return Gopher{}, pathFail(u, n, rule, want)
	}
	if v.Type == 0 { // §5 allows any byte, but a zero Type means '1'
		return Gopher{}, pathFail(u, 1, gopherRule, "a gopher type")
	}
	return v, nil
}

// path sets Type, Selector, Search and Plus from the encoded text after the host. If the text is wrong, it returns the
// offset of the first error, the rule that the text breaks, and the text that is wanted there. want is "" if the text
// is correct; offset and rule then have no meaning.
func (v *Gopher) path(path string) (offset int, rule, want string) {
	if path == "" || path == "/" {
		return 0, "", ""
	}
	if path[0] != '/' {
		return 0, gopherRule, `a "/" before the type`
	}
	typed := 1 + escapeLen(path[1:])
	v.Type = ascii.Unescape(path[1:typed])[0]
	if strings.IndexByte("\t\r\n", v.Type) >= 0 {
		return 1, gopherRule, "a gopher type"
	}
	selector, rest, searches := strings.Cut(path[typed:], tab)
	v.Selector = ascii.Unescape(selector)
	if i := strings.IndexAny(v.Selector, "\r\n"); i >= 0 {
		return typed + encodedOffset(selector, i), gopherRule, "a byte of a selector, which has no CR or LF"
	}
	if !searches {
		return 0, "", ""
	}
	search, plus, isPlus := strings.Cut(rest, tab)
	v.Search = decoded(search, true)
	v.Plus = decoded(plus, isPlus)
	n, want := checkPlus(v.Plus.Text)
	return len(path) - len(plus) + encodedOffset(plus, n), "RFC 1738 §3.4.9", want
}

// tab separates the parts of a gopher path.
const tab = "%09"

// URL returns the URL whose view is v.
func (v Gopher) URL() url.URL {
	var b builder
	b.Grow(len("gophers://:65535/T%09%09") + len(v.Name) + len(v.Selector) + len(v.Search.Text) + len(v.Plus.Text))
	b.scheme(v.Scheme, "gopher")
	b.server(v.Host)
	b.escape(v.gtype(), inPath)
	b.escape(v.Selector, inName)
	if v.Search.Present || v.Plus.Present {
		b.WriteString(tab)
		b.escape(v.Search.Text, inPath)
	}
	if v.Plus.Present {
		b.WriteString(tab)
		b.escape(v.Plus.Text, inName)
	}
	return b.url()
}

// gtype returns the type as a string of one byte, which is "1" if Type is 0.
func (v Gopher) gtype() string {
	if v.Type == 0 {
		return "1"
	}
	return string([]byte{v.Type})
}
