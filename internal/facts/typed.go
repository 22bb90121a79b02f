package facts

import "strings"

// A Meaning is a possible meaning of a text without a scheme. The text replaces "%s".
type Meaning struct {
	Title string // for people
	URL   string
}

// Meanings returns the possible meanings of a text that a person typed instead of a URL.
func Meanings(text string) []Meaning {
	if strings.Contains(text, "@") {
		return []Meaning{{"Write to %s", "mailto:%s"}, {"Open the article %s", "news:%s"}}
	}
	return []Meaning{
		{"Open https://%s/", "https://%s/"},
		{"Open ftp://%s/", "ftp://%s/"},
		{"Open gopher://%s/", "gopher://%s/"},
		{"Open the newsgroup %s", "news:%s"},
	}
}

// Likely returns the schemes that a person means most often, the most likely first.
func Likely() []string { return []string{"https", "http"} }

// Newsgroup returns the URL of a newsgroup whose name looks like a host, such as
// comp.lang.c, which a person typed without a scheme so that it became https://comp.lang.c.
// It returns "" for any other host.
func Newsgroup(scheme, host string) string {
	first, _, _ := strings.Cut(host, ".")
	if scheme != Likely()[0] {
		return ""
	}
	switch first {
	case "alt", "comp", "humanities", "misc", "news", "rec", "sci", "soc", "talk": // the hierarchies of most newsgroups
		return "news:" + host
	}
	return ""
}

// Greeted returns the scheme of a server that begins a connection or a reply with a text; ""
// if the text does not tell.
func Greeted(text string) string {
	for _, g := range []struct{ start, scheme string }{{"220", "ftp"}, {"200", "news"}, {"201", "news"}, {"HTTP/", "http"}} {
		if strings.HasPrefix(text, g.start) {
			return g.scheme
		}
	}
	return ""
}

// Clear returns the scheme of the same protocol without TLS; "" if the table lacks it.
func Clear(name string) string {
	for s := range All() {
		if s.Secure == name && name != "" {
			return s.Name
		}
	}
	return ""
}

// Handled returns the schemes for which a page may be a handler (HTML Standard §8.9.1.1),
// if they have rows. It leaves out mailto, because the gateway's page of an address links to
// the address itself, which a handler would send back to the page.
func Handled() []string { return []string{"ftp", "ftps", "news", "nntp", "urn"} }
