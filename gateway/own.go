package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"locus/access"
	"locus/extract"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// front answers with the front page.
func (x *exchange) front() {
	x.w.Header().Set("Cache-Control", "no-cache")
	p := frontPage{x.page("locus"), x.groups()}
	p.Focus = true
	x.write(http.StatusOK, p.html())
}

// A frontPage has links to places.
type frontPage struct {
	page
	Groups []placeGroup
}

// A placeGroup is places under one heading.
type placeGroup struct {
	Title  string
	Places []place
}

type place struct {
	Place
	Href templ.SafeURL
}

// groups returns the places by their headings, in the order in which these first occur.
func (x *exchange) groups() []placeGroup {
	var groups []placeGroup
	for _, at := range x.Places {
		i := slices.IndexFunc(groups, func(g placeGroup) bool { return g.Title == at.Group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, placeGroup{Title: at.Group})
		}
		groups[i].Places = append(groups[i].Places, place{at, x.link(at.URL)})
	}
	return groups
}

// schemes answers with the page of all schemes.
func (x *exchange) schemes() {
	x.write(http.StatusOK, schemesPage{x.page("Schemes"), scheme.All()}.html())
}

// A schemesPage lists schemes.
type schemesPage struct {
	page
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

// safelisted are the schemes for which a page may be a handler (HTML Standard
// §8.9.1.1), as far as locus knows them.
var safelisted = []string{"ftp", "ftps", "mailto", "news", "nntp", "urn"}

// handlers answers with the page that registers the gateway as a handler of links.
func (x *exchange) handlers() {
	x.w.Header().Set("Cache-Control", "no-cache")
	x.write(http.StatusOK, handlersPage{x.page("Open links here")}.html())
}

// A handlersPage registers the gateway for the schemes in safelisted.
type handlersPage struct{ page }

// openTyped opens the URL that somebody typed into the field, perhaps with brackets around
// it. It redirects the browser to the path of the URL. If a browser would rewrite that
// path, it opens the URL here. Words that are no URL get a page of what they could be.
func (x *exchange) openTyped() error {
	x.typed = x.query("url")
	text := scheme.Unprefix(extract.Unwrap(strings.TrimSpace(x.typed)))
	if text == "" {
		x.redirect(x.origin() + "/")
		return nil
	}
	u, err := iri.ParseTyped(text)
	if (err != nil || !u.IsAbs()) && isWords(text) {
		x.guess(text, url.URL{})
		return nil
	}
	if err := x.setURL(u, err); err != nil {
		return err
	}
	if hasDots(x.url.Path()) {
		return x.open()
	}
	x.redirect(x.href(x.url))
	return nil
}

// isWords reports whether a text may be words, and not a URL with a mistake in it.
func isWords(text string) bool { return text != "" && !strings.ContainsAny(text, ":/?#[]\\") }

// guessPath answers a path that is no URL with a page of what it could be. It returns false
// if there is no guess.
func (x *exchange) guessPath(path string) bool {
	words, err := url.Unescape(path)
	if err != nil || x.r.Method != http.MethodGet {
		return false
	}
	if u, err := iri.ParseTyped(path); err == nil && u.IsAbs() {
		x.typed = words
		x.guess(words, u)
		return true
	}
	if !isWords(words) {
		return false
	}
	x.typed = words
	x.guess(words, url.URL{})
	return true
}

// guess answers with the page of what words could be. If they are a host, perhaps with a path,
// u is the URL of that; otherwise u is the zero URL.
func (x *exchange) guess(words string, u url.URL) {
	var guesses []link
	add := func(title string, u url.URL, err error) {
		if err == nil && u.IsAbs() {
			guesses = append(guesses, link{Title: title, Href: x.link(u)})
		}
	}
	if !x.GopherSearch.IsZero() && u.IsZero() {
		if u, ok := scheme.SearchURL(x.GopherSearch, words); ok {
			add("Search gopher for “"+render.Clean(words)+"”", u, nil)
		}
	}
	switch {
	case !u.IsZero():
		add("Open "+u.Redacted(), u, nil)
	case strings.ContainsAny(words, " \t"):
	case strings.Contains(words, "@"):
		u, err := iri.ToURI("mailto:" + words)
		add("Write to "+render.Clean(words), u, err)
		u, err = iri.ToURI("news:" + words)
		add("Open the article "+render.Clean(words), u, err)
	default:
		for _, name := range []string{"https", "ftp", "gopher"} {
			u, err := iri.ToURI(name + "://" + words + "/")
			add("Open "+name+"://"+render.Clean(words)+"/", u, err)
		}
		u, err := iri.ToURI("news:" + words)
		add("Open the newsgroup "+render.Clean(words), u, err)
	}
	p := x.page("“" + render.Clean(words) + "” is not a whole URL")
	p.Focus = true
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(http.StatusBadRequest, guessPage{p, guesses}.html())
}

// A guessPage has what words could be.
type guessPage struct {
	page
	Guesses []link
}

// search redirects the browser to the result of a search.
func (x *exchange) search() error {
	u, err := url.Parse(x.query("url"))
	if err != nil {
		return err
	}
	x.url = u // for an error page: nothing is opened here
	result, ok := scheme.SearchURL(x.url, x.query("words"))
	if !ok {
		return errNoSearch
	}
	x.redirect(x.href(result))
	return nil
}

// redirect is http.Redirect, but does not clean the path.
func (x *exchange) redirect(path string) {
	x.w.Header().Set("Location", path)
	x.w.WriteHeader(http.StatusSeeOther)
}

// about answers with the page about a URL: its parts, and its attributes at the server.
func (x *exchange) about() error {
	if err := x.readURL(); err != nil {
		return err
	}
	e := access.Entry{Size: -1}
	failed := "" // why the server gave no attributes
	found, err := x.do(x.request(access.Stat))
	switch {
	case isPanic(err):
		return err
	case err != nil:
		failed = translateBusy(err).Error()
	default:
		e = found.Entry
	}
	e.URL = x.url
	entry := x.rowOf(e)
	facts := entry.Facts
	x.w.Header().Set("Cache-Control", "no-cache")
	p := aboutPage{x.page("Details of " + nameOf(x.url)), facts, append(serverParts(x.url), parts(x.url)...), entry, kindName(e.Kind), whenChanged(e), failed}
	p.About = "" // it is this page
	x.write(http.StatusOK, p.html())
	return nil
}

// An aboutPage is the page about a URL.
type aboutPage struct {
	page
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

// mailtoOf returns the mailto URL for the message that an address asks for. Mail programs
// know no other.
func mailtoOf(u url.URL) url.URL {
	if v, err := scheme.ParseMailserver(u); err == nil {
		return v.Mailto().URL()
	}
	return u
}

// address answers with the page of an address, such as a mailto URL.
func (x *exchange) address() {
	u := mailtoOf(x.url)
	x.write(http.StatusOK, addressPage{x.page(nameOf(u)), append(parts(u), fields(u)...), ownLink(u)}.html())
}

// An addressPage is the page of an address.
type addressPage struct {
	page
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
