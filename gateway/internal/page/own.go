package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/facts"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// A FrontLink is a link on the front page.
type FrontLink struct {
	Group string // the heading above it; "" for none
	Title string
	URL   url.URL
	About string // a sentence; "" for none
}

// Front is the front page, with links below its field for any URL.
func Front(l Links, links []FrontLink) templ.Component {
	p := frontPage{l.frame("locus"), l.grouped(links)}
	p.Focus = true
	return p.html()
}

// A frontPage is the front page.
type frontPage struct {
	frame
	Groups []linkGroup
}

// A linkGroup has the links below one heading of the front page.
type linkGroup struct {
	Title string // "" for none
	Links []shownLink
}

// A shownLink is a FrontLink with the link for the client.
type shownLink struct {
	FrontLink
	Href templ.SafeURL
}

// grouped returns the links by their headings, in the order in which the headings first occur.
func (l Links) grouped(links []FrontLink) []linkGroup {
	var groups []linkGroup
	for _, one := range links {
		i := slices.IndexFunc(groups, func(g linkGroup) bool { return g.Title == one.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, linkGroup{Title: one.Group})
		}
		groups[i].Links = append(groups[i].Links, shownLink{one, l.to(one.URL)})
	}
	return groups
}

// Schemes is the page of all schemes.
func Schemes(l Links) templ.Component {
	return schemesPage{l.frame("Schemes"), scheme.All()}.html()
}

// A schemesPage lists schemes.
type schemesPage struct {
	frame
	Schemes []scheme.Scheme
}

// kindOf says in words what the URLs of a scheme lead to.
func kindOf(s scheme.Scheme) string {
	what := "a name"
	switch {
	case s.Flags.Has(scheme.Session):
		what = "a terminal"
	case s.Flags.Has(scheme.Address):
		what = "an address to write to"
	case s.Flags.Has(scheme.Object | scheme.Hierarchical):
		what = "a file or a folder"
	case s.Flags.Has(scheme.Object):
		what = "a document or a list"
	}
	if s.Flags.Has(scheme.TLS) {
		what += ", encrypted"
	}
	return what
}

// Handlers is the page that registers the gateway as a handler of links.
func Handlers(l Links) templ.Component { return handlersPage{l.frame("Open links here")}.html() }

// A handlersPage registers the gateway for the schemes that a browser allows.
type handlersPage struct{ frame }

// Tools is the index of the gateway's own pages. mount is an address for a file manager.
func Tools(l Links, mount string) templ.Component { return toolsPage{l.frame("Tools"), mount}.html() }

// A toolsPage is the index of the gateway's own pages.
type toolsPage struct {
	frame
	Mount string
}

// Guess is the page of what words could be that are no URL. If they are a host, perhaps with
// a path, u is the URL of the host; otherwise u is the zero URL. search is a search for words;
// zero for none.
func Guess(l Links, words string, u, search url.URL) templ.Component {
	p := guessPage{frame: l.frame("“" + render.Clean(words) + "” is not a whole URL")}
	p.Focus = true
	if result, ok := scheme.SearchURL(search, words); ok && u.IsZero() {
		p.add(l, "Search gopher for “"+render.Clean(words)+"”", result)
	}
	if !u.IsZero() {
		p.add(l, "Open "+u.Redacted(), u)
		return p.html()
	}
	for _, meant := range facts.Meanings(words) {
		if !strings.ContainsAny(words, " \t") {
			u, _ := iri.ToURI(strings.ReplaceAll(meant.URL, "%s", words)) // a text that is no URL is zero
			p.add(l, fmt.Sprintf(meant.Title, render.Clean(words)), u)
		}
	}
	return p.html()
}

func (p *guessPage) add(l Links, title string, u url.URL) {
	if u.IsAbs() {
		p.Guesses = append(p.Guesses, link{Title: title, Href: l.to(u)})
	}
}

// A guessPage has what words could be.
type guessPage struct {
	frame
	Guesses []link
}

// About is the page about a URL: its parts, and its attributes at the server. failed is why
// the server gave none; "" if it did.
func About(l Links, e access.Entry, failed string) templ.Component {
	e.URL = l.URL
	row := l.rowOf(e)
	p := aboutPage{l.frame("Details of " + entry.Name(l.URL)), row.Facts, append(serverParts(l.URL), parts(l.URL)...), row, kindName(e.Kind), whenChanged(e), failed}
	p.About = "" // it is this page
	return p.html()
}

// An aboutPage is the page about a URL.
type aboutPage struct {
	frame
	Facts, Parts []fact
	Entry        row
	KindName     string
	Changed      string // when; "" if that is not known
	Failed       string // why the server gave no attributes; "" if it did
}

// whenChanged returns when an entry was changed, for people; "" if that is not known.
func whenChanged(e access.Entry) string {
	if e.ModTime.IsZero() {
		return ""
	}
	return e.ModTime.UTC().Format("2 January 2006, 15:04") + " UTC"
}

// kindName returns a kind of entries for people; "" if it is not known.
func kindName(k access.Kind) string {
	switch k {
	case access.Unknown:
		return ""
	case access.Object:
		return "file"
	case access.Directory:
		return "folder"
	}
	return k.String()
}

// partNames returns the names of parts that people would not say, and what they say.
func partNames() map[string]string {
	return map[string]string{"dirs": "folders", "user": "user name", "hsoname": "name at the server"}
}

// mailtoOf returns the mailto URL for the message that an address asks for; u if its view makes
// none. Mail programs know mailto URLs alone.
func mailtoOf(u url.URL) url.URL {
	view, err := scheme.Parse(u)
	if asks, ok := view.(interface{ Mailto() scheme.Mailto }); ok && err == nil {
		return asks.Mailto().URL()
	}
	return u
}

// Address is the page of an address, such as a mailto URL.
func Address(l Links) templ.Component {
	u := mailtoOf(l.URL)
	return addressPage{l.frame(entry.Name(u)), append(parts(u), fields(u)...), ownLink(u)}.html()
}

// An addressPage is the page of an address.
type addressPage struct {
	frame
	Facts []fact
	Link  templ.SafeURL // the URL itself, for a program of the user
}

// serverParts returns the scheme of u and its server.
func serverParts(u url.URL) []fact {
	var facts []fact
	if s, ok := scheme.Lookup(u.Scheme()); ok {
		facts = append(facts, fact{Name: "Scheme", Value: s.Name + ", " + s.Spec})
	}
	if host, ok := u.Host(); ok && host != "" {
		facts = append(facts, fact{Name: "Host", Value: render.Clean(host)})
	}
	if port, ok := u.Port(); ok && port != "" {
		facts = append(facts, fact{Name: "Port", Value: render.Clean(port)})
	}
	return facts
}

// parts returns the parts of u, as scheme.Parse finds them.
func parts(u url.URL) []fact {
	view, err := scheme.Parse(u)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(scheme.JSON(view))
	if err != nil {
		return nil
	}
	var facts []fact
	in := json.NewDecoder(bytes.NewReader(text))
	in.Token() //nolint:errcheck // "{": a view is an object
	for in.More() {
		name, _ := in.Token()
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
		if shown := partText(value); shown != "" && name != "password" {
			facts = append(facts, fact{Name: title(name), Value: shown})
		}
	}
	return facts
}

// partText returns the value of a part for people; "" if there is none.
func partText(value json.RawMessage) string {
	var one string
	var list []string
	switch {
	case json.Unmarshal(value, &one) == nil:
		return render.Clean(one)
	case json.Unmarshal(value, &list) == nil:
		return render.Clean(strings.Join(list, " / "))
	case string(value) == "null":
		return ""
	}
	return render.Clean(string(value))
}

func title(name json.Token) string {
	text, _ := name.(string)
	text = cmp.Or(partNames()[text], text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fields returns the fields in the query of an address (RFC 6068 §2).
func fields(u url.URL) []fact {
	query, has := u.Query()
	if !has {
		return nil
	}
	var facts []fact
	for field := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(field, "=")
		n, err := url.Unescape(name)
		text, err2 := url.Unescape(value)
		if err == nil && err2 == nil && n != "" {
			facts = append(facts, fact{Name: title(render.Clean(n)), Value: cleanText(text)})
		}
	}
	return facts
}
