package gateway_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"locus/access"
	"locus/gateway"
	"locus/internal/marc"
	"locus/url"
)

// hostileTexts are what servers and other sites may send in place of a word.
var hostileTexts = []string{
	`"><script>alert(1)</script>`,
	`'><img src=x onerror=alert(1)>`,
	`x" onmouseover="alert(1)" y="`,
	`x' onmouseover='alert(1)' y='`,
	"`><svg/onload=alert(1)>`",
	`</title></pre></textarea></select></a><iframe src=javascript:alert(1)>`,
	`--><!--<base href=//evil/>`,
	`javascript:alert(1)`,
	` JaVaScript&colon;alert(1)`,
	"java\tscript:alert(1)",
	`data:text/html,<script>alert(1)</script>`,
	`//evil/`,
	`\\evil\x`,
	"a\x00b<\x00script>",
	"a\xffb\xc0\xbcscript\xc0\xbe\xf0\x90",
	"\u2028\u202e\ufeff<b>\u00a0",
	`{{.}}{%s x %}{ x }${x}&lt;&#34;&quot;&amp;`,
	"+ADw-script+AD4-",
	"line\r\n\r\n<script>alert(1)</script>",
}

// A pageWith is a page that shows a text of others.
type pageWith struct {
	name   string
	engine access.Engine
	path   string
	fields []string // the header of the request; nil means a navigation
	edit   func(*gateway.Gateway)
	hides  bool // the text may be left out
}

// pagesWith returns a page of every kind, with a text everywhere where a page shows text of others.
func pagesWith(t *testing.T, text string) []pageWith {
	t.Helper()
	at := func(prefix string) url.URL { // a URL with the text, escaped only if necessary
		for _, tail := range []string{text, strings.Map(printable, text), neturl.PathEscape(text)} {
			if u, err := url.Parse(prefix + tail); err == nil {
				return u
			}
		}
		t.Fatalf("no URL can have %q", text)
		return url.URL{}
	}
	about := fields("Score: 1", "From: "+text, text+": value", "Note: "+text)
	script := at("javascript:")
	dated := time.Date(1994, 12, 1, 1, 2, 3, 0, time.UTC)
	row := func(kind access.Kind, mediaType string, u url.URL, size int64) access.Entry {
		return access.Entry{Title: text, URL: u, Kind: kind, Type: mediaType, Size: size, ModTime: dated, Header: about}
	}
	entries := []access.Entry{
		row(access.Object, "text/plain", at("ftp://h/d/"), 10), row(access.Object, "image/png", at("ftp://h/d/p"), 10),
		row(access.Object, "audio/mpeg", at("ftp://h/d/a"), 10), row(access.Object, text, at("ftp://h/d/t"), 10),
		row(access.Directory, "", at("ftp://h/d/d"), -1), row(access.Object, "text/html", script, 2000), row(access.Failure, "", url.URL{}, -1),
		{Title: "README", URL: url.MustParse("ftp://h/d/README"), Kind: access.Object, Size: 9},
		row(access.Object, "image/png", script, 10),
	}
	entries = append(entries, slices.Repeat(entries[:1], 10)...)
	lines := []access.Entry{
		row(access.Info, "", url.URL{}, -1), row(access.Search, "", at("gopher://h/7"), -1), row(access.Object, "audio/x", at("gopher://h/s"), -1),
		row(access.Object, "image/gif", at("gopher://h/g"), -1), row(access.Terminal, "", at("telnet://h/"), -1), row(access.Object, "", script, -1),
	}
	lines[1].ModTime = time.Time{}
	news := []access.Entry{article("1@h", text), article("2@h", text, "References: 1@h", text+": x", "To: "+text), article("3@h", text, "References: "+text)}
	r := marc.Record{Fields: []marc.Field{
		{Tag: "001", Value: "x1"},
		{Tag: "245", Indicators: "00", Subfields: []marc.Subfield{{Code: "a", Value: strings.ToValidUTF8(text, "?")}}},
		{Tag: "856", Indicators: "40", Subfields: []marc.Subfield{{Code: "u", Value: "javascript:" + strings.ToValidUTF8(text, "?")}}},
	}}
	record, err := r.ISO2709()
	if err != nil { // the text has a separator of fields
		r.Fields = r.Fields[:1]
		record, err = r.ISO2709()
	}
	if err != nil {
		t.Fatal(err)
	}
	header := strings.Map(printable, text)
	mail := "From: " + header + " <a@b>\r\nSubject: " + header + "\r\nNewsgroups: g, " + header + "\r\nReferences: <" + header + ">\r\nOrganization: =?utf-8?b?" +
		base64.StdEncoding.EncodeToString([]byte(text)) + "?=\r\n\r\nsee <" + header + "> and http://x/" + text
	var all []access.Question
	for kind := access.AskLine; kind <= access.AskNote; kind++ {
		all = append(all, access.Question{Name: fmt.Sprint("n", kind), Kind: kind, Prompt: text, Default: text, Choices: []string{text, "b"}})
	}
	form := asking{got: new([]string), questions: access.Questions{Title: text, Items: all}}
	refuses := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 550, Text: text}, Err: errors.New(text), Remedy: access.Advice(text)}
	})
	listing := resources{"ftp://h/d/": menu(io.EOF, entries...), "ftp://h/d/README": content("text/plain", text)}
	quoted := neturl.QueryEscape(text)
	inPath := at("ftp://h/d/").String()
	one := func(open func(*access.Request) (*access.Resource, error)) access.Engine {
		return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) { return open(req) })
	}
	list := "/-/list?url=ftp://h/d/&"
	shown := func(g *gateway.Gateway) {
		g.FrontLinks = []gateway.FrontLink{{Group: text, Title: text, URL: at("ftp://h/"), About: text}, {Title: text, URL: script}}
		g.Archive = "https://archive/{url}"
		g.GopherSearch = url.MustParse("gopher://h/7s")
	}
	pages := []pageWith{
		{name: "front", path: "/", edit: shown},
		{name: "schemes", path: "/-/schemes", hides: true},
		{name: "handlers", path: "/-/handlers", hides: true},
		{name: "tools", path: "/-/", hides: true},
		{name: "compare", path: "/-/compare?url=" + quoted},
		{name: "compare in a URL", path: "/-/compare?url=http://h/" + quoted},
		{name: "guess", path: "/-/open?url=" + quoted, edit: shown, hides: true},
		{name: "error", engine: refuses, path: "/-/list?url=" + neturl.QueryEscape(inPath), edit: shown},
		{name: "error of a path", engine: refuses, path: "/" + inPath, edit: shown},
		{name: "error of a scheme", path: "/-/open?url=" + quoted + ":x", hides: true},
		{name: "table", engine: listing, path: "/ftp://h/d/"},
		{name: "sorted", engine: listing, path: list + "sort=-name&folders=first"},
		{name: "filtered", engine: listing, path: list + "filter=" + quoted, hides: true},
		{name: "grid", engine: listing, path: list + "view=grid"},
		{name: "second page", engine: listing, path: list + "from=4", edit: func(g *gateway.Gateway) { g.MaxEntries = 4 }},
		{name: "broken table", engine: one(menu(errors.New(text), entries...)), path: "/ftp://h/d/"},
		{name: "menu", engine: one(menu(io.EOF, lines...)), path: "/gopher://h/1"},
		{name: "searched", engine: one(menu(io.EOF, lines...)), path: "/" + at("gopher://h/7s%09").String()},
		{name: "group", engine: one(menu(io.EOF, news...)), path: "/news:g"},
		{name: "thread", engine: one(menu(io.EOF, news...)), path: "/-/beside?step=thread&in=news:g&id=2@h&url=news:2@h"},
		{name: "message", engine: one(content("message/rfc822", mail)), path: "/news:1@h"},
		{name: "message of a parser", engine: one(parsed("message/rfc822", "Subject: "+text, "From: "+text, "", text)), path: "/mid:1@h", hides: true},
		{name: "records", engine: one(content("application/marc", string(record)+"00010")), path: "/ftp://h/d/x.mrc", hides: true},
		{name: "text", engine: one(content("text/plain", text+" http://x/"+text+" <news:"+text+">")), path: "/" + inPath},
		{name: "picture", engine: one(content("image/png", "")), path: "/" + inPath},
		{name: "sound", engine: one(content("audio/mpeg", "")), path: "/" + inPath},
		{name: "video", engine: one(content("video/mp4", "")), path: "/" + inPath},
		{name: "type", engine: one(content("text/x; charset=\""+header+"\"", text)), path: "/ftp://h/d/x"},
		{name: "about", engine: one(content(text, "")), path: "/-/about?url=" + neturl.QueryEscape(inPath), hides: true},
		{name: "address", engine: refusing(errors.ErrUnsupported), path: "/" + at("mailto:a@b?subject=").String(), hides: true},
		{name: "form", engine: form, path: "/gopher://h/0ask"},
		{name: "confirm", path: "/-/open?url=" + neturl.QueryEscape(inPath), fields: []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html"}},
		{name: "session", engine: refuses, path: "/" + at("telnet://u:p@h/").String(), hides: true},
		{name: "session of a user", engine: refuses, path: "/telnet://" + neturl.PathEscape(text) + "@h/"},
	}
	proxied := func(p pageWith, target string) pageWith {
		p.name, p.path = p.name+" through a proxy", target
		return p
	}
	for _, p := range pages {
		switch p.name {
		case "error of a path":
			pages = append(pages, proxied(p, inPath))
		case "table":
			pages = append(pages, proxied(p, "ftp://h/d/"))
		case "menu":
			pages = append(pages, proxied(p, "gopher://h/1"))
		case "group":
			pages = append(pages, proxied(p, "news:g"))
		case "message":
			pages = append(pages, proxied(p, "news:1@h"))
		case "form":
			pages = append(pages, proxied(p, "gopher://h/0ask"))
		}
	}
	return pages
}

// parsed returns a function that opens as a message that its engine has parsed.
func parsed(mediaType string, lines ...string) func(*access.Request) (*access.Resource, error) {
	var entries []access.Entry
	for _, l := range lines {
		entries = append(entries, access.Entry{Title: l, Kind: access.Info, Size: -1})
	}
	return func(req *access.Request) (*access.Resource, error) {
		r, err := menu(io.EOF, entries...)(req)
		r.Type = mediaType
		return r, err
	}
}

// refusing is an Engine that fails with an error.
func refusing(err error) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	})
}

// printable drops the characters that a header or a URL cannot have.
func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// body returns the page, or the beginning of a page that is broken off.
func (p pageWith) body() (page string) {
	g := &gateway.Gateway{Engine: p.engine, Harmless: isHere}
	if p.edit != nil {
		p.edit(g)
	}
	fields := p.fields
	if fields == nil {
		fields = strings.Split(navigating, "\n")
	}
	r := httptest.NewRequest("GET", "http://localhost/", nil)
	r.Host, r.RequestURI = "localhost", p.path
	if at, err := neturl.Parse(p.path); err == nil {
		r.URL = at
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	defer func() {
		if broken := recover(); broken != nil && broken != http.ErrAbortHandler {
			panic(broken)
		}
		page = w.Body.String()
	}()
	g.ServeHTTP(w, r)
	return ""
}

// An element is an element of a page with its attributes, as a browser parses it.
type element struct {
	name  string
	attrs []html.Attribute
}

func elements(t *testing.T, page string) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []element
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			all = append(all, element{n.Data, n.Attr})
		case html.CommentNode:
			all = append(all, element{name: "!--"})
		}
	}
	return all
}

// shape returns the name of an element and the names of its attributes.
func (e element) shape() []string {
	all := []string{e.name}
	for _, a := range e.attrs {
		all = append(all, e.name+" "+a.Key)
	}
	return all
}

// linkAttributes are the attributes that a browser opens, or sends a form to.
var linkAttributes = []string{"href", "src", "action", "formaction", "srcset", "data", "poster", "cite", "ping", "background"}

// isSafeLink reports whether a browser at the gateway, or one that uses it as a proxy, may
// follow a link that a page has. Session pages and pages of addresses have links for other
// programs of the user.
func isSafeLink(p pageWith, link string) bool {
	if strings.IndexFunc(link, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 || strings.ContainsAny(link, "\"<>`\\") {
		return false
	}
	if link == "#main" || strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") {
		return true
	}
	scheme, _, ok := strings.Cut(link, ":")
	switch {
	case !ok:
		return false
	case p.name == "address":
		return scheme == "mailto"
	case strings.HasPrefix(p.name, "session"):
		return scheme == "telnet"
	}
	return strings.HasSuffix(p.name, "through a proxy") && slices.Contains([]string{"http", "https", "ftp", "gopher", "news", "telnet", "mailto"}, scheme)
}

// Text of others cannot make an element or an attribute on a page, or a link that a browser would
// run. pagesWith has every page that shows text of others.
func TestHostileText(t *testing.T) {
	known := map[string]bool{}
	for _, word := range []string{"word", "http://x/word"} {
		for _, p := range pagesWith(t, word) {
			page := p.body()
			for _, e := range elements(t, page) {
				for _, s := range e.shape() {
					known[s] = true
				}
				checkElement(t, p, word, e)
			}
			if !p.hides && !strings.Contains(page, "word") {
				t.Errorf("%s does not show the text:\n%s", p.name, page)
			}
		}
	}
	for _, text := range hostileTexts {
		for _, p := range pagesWith(t, text) {
			checkPage(t, p, text, known)
		}
	}
}

func checkPage(t *testing.T, p pageWith, text string, known map[string]bool) {
	t.Helper()
	page := p.body()
	all := elements(t, page)
	if len(all) < 20 && !p.hides {
		t.Errorf("%s with %q is no page: %q", p.name, text, page)
	}
	for _, e := range all {
		for _, s := range e.shape() {
			if !known[s] {
				t.Errorf("%s with %q has <%s>", p.name, text, s)
			}
		}
		checkElement(t, p, text, e)
	}
	if strings.ContainsRune(page, 0) {
		t.Errorf("%s with %q has a NUL", p.name, text)
	}
}

func checkElement(t *testing.T, p pageWith, text string, e element) {
	t.Helper()
	for _, a := range e.attrs {
		if slices.Contains(linkAttributes, a.Key) && !isSafeLink(p, a.Val) {
			t.Errorf("%s with %q has <%s %s=%q>", p.name, text, e.name, a.Key, a.Val)
		}
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
			t.Errorf("%s with %q has the attribute %s", p.name, text, a.Key)
		}
	}
}
