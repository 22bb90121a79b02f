package page_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"locus/access"
	"locus/gateway/internal/page"
	"locus/url"
)

// ticket returns the value of page.Links.Ticket.
func ticket() string { return "T" }

// at returns the links of a page about a URL for a browser at the gateway.
func at(u string) page.Links { return page.Links{URL: url.MustParse(u), Ticket: ticket} }

// parsed returns the elements of a page as a browser parses them.
func parsed(t *testing.T, c templ.Component) *html.Node {
	t.Helper()
	var text strings.Builder
	if err := c.Render(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// attr returns the value of an attribute.
func attr(n *html.Node, key string) string {
	value, _ := lookup(n, key)
	return value
}

func lookup(n *html.Node, key string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// textOf returns the text in an element, with one blank for each run of blanks.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// find returns the elements below n that a selector names: "a", "p.note", "#main", "input[name=url]".
func find(n *html.Node, selector string) []*html.Node {
	selector, condition, _ := strings.Cut(strings.TrimSuffix(selector, "]"), "[")
	key, value, hasValue := strings.Cut(condition, "=")
	name, id, hasID := strings.Cut(selector, "#")
	name, class, hasClass := strings.Cut(name, ".")
	var all []*html.Node
	for d := range n.Descendants() {
		if d.Type != html.ElementNode || name != "" && d.Data != name || hasID && attr(d, "id") != id {
			continue
		}
		if hasClass && !strings.Contains(" "+attr(d, "class")+" ", " "+class+" ") {
			continue
		}
		if got, ok := lookup(d, key); key != "" && (!ok || hasValue && got != value) {
			continue
		}
		all = append(all, d)
	}
	return all
}

// one returns the only element that a selector names.
func one(t *testing.T, n *html.Node, selector string) *html.Node {
	t.Helper()
	all := find(n, selector)
	if len(all) != 1 {
		t.Fatalf("the page has %d elements %s, want 1:\n%s", len(all), selector, outline(n))
	}
	return all[0]
}

// texts returns the texts of the elements that a selector names.
func texts(n *html.Node, selector string) []string {
	all := []string{}
	for _, e := range find(n, selector) {
		all = append(all, textOf(e))
	}
	return all
}

// links returns "text → href" of each link below n.
func links(n *html.Node) []string {
	all := []string{}
	for _, a := range find(n, "a") {
		all = append(all, textOf(a)+" → "+attr(a, "href"))
	}
	return all
}

// outline returns the HTML of the main part of a page, for messages.
func outline(n *html.Node) string {
	if all := find(n, "main"); len(all) > 0 {
		n = all[0]
	}
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		return err.Error()
	}
	return b.String()
}

// list is a listing of entries that ends with end.
type list struct {
	entries []access.Entry
	end     error
}

func (l *list) Next() (access.Entry, error) {
	if len(l.entries) == 0 {
		return access.Entry{}, l.end
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

// entry returns an entry of unknown size.
func entry(kind access.Kind, title, target, mediaType string) access.Entry {
	e := access.Entry{Title: title, Kind: kind, Type: mediaType, Size: -1}
	if target != "" {
		e.URL = url.MustParse(target)
	}
	return e
}

// free is a budget without a limit.
func free(int) error { return nil }
