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
	Group string // the heading above it; may be empty
	Title string
	URL   url.URL
	About string // a sentence about it; may be empty
}

// A Start has the links of the front page.
type Start struct {
	Links  []FrontLink // of whoever runs the gateway
	Places []FrontLink // public servers, by their kinds

	Holding *Holding // what the archive holds; nil without an archive
}

// Front returns the front page. It has the links, the user's own places, public servers, and the
// tools.
func Front(l Links, s Start) templ.Component {
	p := frontPage{l.frame("locus"), l.linkGroups(s.Links), l.linkGroups(s.Places), s.Holding}
	p.Focus = true
	return p.html()
}

// A frontPage is the front page.
type frontPage struct {
	frame
	Groups, Places []linkGroup
	Holding        *Holding
}

// A linkGroup has the links below one heading of the front page.
type linkGroup struct {
	Title string // may be empty
	Links []shownLink
}

// A shownLink is a FrontLink with the link that the client needs.
type shownLink struct {
	FrontLink
	Href templ.SafeURL
}

// linkGroups groups links by their headings, in the order in which the headings first occur.
func (l Links) linkGroups(links []FrontLink) []linkGroup {
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

// Schemes returns the page of all schemes.
func Schemes(l Links) templ.Component {
	return schemesPage{l.frame("Schemes"), scheme.All()}.html()
}

// A schemesPage lists schemes.
type schemesPage struct {
	frame
	Schemes []scheme.Scheme
}

// kindOf returns a phrase for the resources of a scheme: "a file or a folder".
func kindOf(s scheme.Scheme) string {
	kind := "a name"
	switch {
	case s.Flags.Has(scheme.Session):
		kind = "a terminal"
	case s.Flags.Has(scheme.Address):
		kind = "an address to write to"
	case s.Flags.Has(scheme.Upload):
		kind = "a page to upload"
	case s.Flags.Has(scheme.Object | scheme.Hierarchical):
		kind = "a file or a folder"
	case s.Flags.Has(scheme.Object):
		kind = "a document or a list"
	}
	if s.Flags.Has(scheme.TLS) {
		kind += ", encrypted"
	}
	return kind
}

// Handlers returns the page that registers the gateway as a handler of links.
func Handlers(l Links) templ.Component { return handlersPage{l.frame("Open links here")}.html() }

// A handlersPage registers the gateway for the schemes that a browser allows.
type handlersPage struct{ frame }

// Tools returns the index of the gateway's own pages. mount is an example of an address that a file
// manager can mount.
func Tools(l Links, mount string) templ.Component { return toolsPage{l.frame("Tools"), mount}.html() }

// A toolsPage is the index of the gateway's own pages.
type toolsPage struct {
	frame
	Mount string
}

// Help returns the page that explains the gateway at address, such as "http://127.0.0.1:1738". If documented is true, it links to the documentation
// below "/-/help/", and otherwise it names the commands that explain locus.
func Help(l Links, address string, documented bool) templ.Component {
	return helpPage{l.frame("Help"), address, documented}.html()
}

// A helpPage explains the gateway.
type helpPage struct {
	frame
	Address    string
	Documented bool // the gateway has the pages of the documentation
}

// Guess returns the page for words that are not a URL. It offers URLs that somebody may mean by
// them. If the words are a host, perhaps with a path, u is the URL of the host. Otherwise u is the
// zero URL. search is the URL of a service that searches for words, or the zero URL.
func Guess(l Links, words string, u, search url.URL) templ.Component {
	p := guessPage{frame: l.frame("“" + render.Clean(words) + "” is not a complete URL")}
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
			u, _ := iri.ToURI(strings.ReplaceAll(meant.URL, "%s", words)) // u is zero if the text is not a URL
			p.add(l, fmt.Sprintf(meant.Title, render.Clean(words)), u)
		}
	}
	return p.html()
}

// add adds a link to u with this title to the page. It ignores a relative u.
func (p *guessPage) add(l Links, title string, u url.URL) {
	if u.IsAbs() {
		p.Guesses = append(p.Guesses, link{Title: title, Href: l.to(u)})
	}
}

// A guessPage offers URLs that somebody may mean by words.
type guessPage struct {
	frame
	Guesses []link
}

// About returns the page about a URL: the parts of the URL, and the attributes in e that the server
// gave. If failed is not "", it says why the server did not give attributes.
func About(l Links, e access.Entry, failed string) templ.Component {
	e.URL = l.URL
	row := l.rowOf(e)
	p := aboutPage{l.frame("Details of " + entry.Name(l.URL)), row.Facts, append(serverParts(l.URL), parts(l.URL)...), row, kindName(e.Kind), whenChanged(e), failed}
	p.About = "" // because it is this page
	return p.html()
}

// An aboutPage is the page about a URL.
type aboutPage struct {
	frame
	Facts, Parts []fact
	Entry        row
	KindName     string
	Changed      string // the time of the last change; "" if unknown
	Failed       string // why the server did not give attributes; may be empty
}

// whenChanged formats the time of the last change for people. It returns "" if the time is unknown.
func whenChanged(e access.Entry) string {
	if e.ModTime.IsZero() {
		return ""
	}
	return dayAndTime(e.ModTime)
}

// kindName returns a noun for a kind of entries, or "" if the kind is unknown.
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

// partNames maps names of parts that only programs use to names for people.
func partNames() map[string]string {
	return map[string]string{"dirs": "folders", "user": "user name", "hsoname": "name at the server"}
}

// mailtoOf returns the mailto URL for the message that the address u asks for, because mail
// programs know only mailto URLs. It returns u if the address does not ask for a message.
func mailtoOf(u url.URL) url.URL {
	view, err := scheme.Parse(u)
	if asks, ok := view.(interface{ Mailto() scheme.Mailto }); ok && err == nil {
		return asks.Mailto().URL()
	}
	return u
}

// Address returns the page of an address, such as a mailto URL.
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

// serverParts returns the scheme, the host and the port of u as facts. It leaves out a part that u
// lacks.
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

// parts returns the parts of u that scheme.Parse finds as facts, without a password. It returns nil
// if u cannot be parsed.
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

// partText formats the value of a part for people. It returns "" for null.
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

// title returns the name of a part, a string, for people: with a capital letter, and translated by
// partNames.
func title(name json.Token) string {
	text, _ := name.(string)
	text = cmp.Or(partNames()[text], text)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fields returns the fields in the query of the address u, decoded (RFC 6068 §2).
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
