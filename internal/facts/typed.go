package facts

import "strings"

// A Meaning is a possible meaning of a text without a scheme. The text replaces "%s".
type Meaning struct {
	Title string // for people
	URL   string
}

// Meanings returns the possible meanings of a text without a scheme that a person typed, in the
// order in which to offer them. The caller replaces "%s" by the text.
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

// Likely returns the schemes that a person who types a host most often means, the most likely
// first.
func Likely() []string { return []string{"https", "http"} }

// Newsgroup returns the news URL that a person may have meant by a host such as comp.lang.c, if
// the host begins with the name of a hierarchy of newsgroups. scheme is the scheme of the URL
// that was guessed. Newsgroup returns "" for any other host, and if scheme is not the most
// likely one.
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

// Greeted returns the scheme of the server that began a connection or a response with text:
// "ftp", "news" or "http". It returns "" if the text does not tell.
func Greeted(text string) string {
	for _, g := range []struct{ start, scheme string }{{"220", "ftp"}, {"200", "news"}, {"201", "news"}, {"HTTP/", "http"}} {
		if strings.HasPrefix(text, g.start) {
			return g.scheme
		}
	}
	return ""
}

// Clear returns the scheme that uses the same protocol without TLS, such as "ftp" for "ftps".
// It returns "" if the table has no such scheme.
func Clear(name string) string {
	for s := range All() {
		if s.Secure == name && name != "" {
			return s.Name
		}
	}
	return ""
}

// Handled returns the schemes of the table for which a browser lets a page register as the
// handler (HTML Standard §8.9.1.1). It leaves out mailto, because the gateway's page of an
// address links to the address itself, which a handler would send back to the page.
func Handled() []string { return []string{"ftp", "ftps", "news", "nntp", "urn"} }
