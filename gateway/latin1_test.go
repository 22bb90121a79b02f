package gateway_test

import (
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
)

// Titles of a menu that are not UTF-8 are decoded from Latin-1, or from Charset.
func TestTitlesInCharset(t *testing.T) {
	entries := []access.Entry{
		entry(access.Object, "Caf\xe9", "gopher://h/0a"), entry(access.Directory, "Café", "gopher://h/1b"),
		{Title: "\xe9nea", Kind: access.Info, Size: -1},
	}
	for charset, want := range map[string][]string{
		"":       {">Café</a>", ">Café</a>", ">énea</li>"},
		"KOI8-R": {">CafИ</a>", ">Café</a>", ">Иnea</li>"},
	} {
		g := &gateway.Gateway{Engine: resources{"gopher://h/1": menu(io.EOF, entries...)}, Charset: charset}
		body := listAt(g, t, "/gopher://h/1")
		if !hasInOrder(body, want...) || strings.Contains(body, "\ufffd") {
			t.Errorf("with the charset %q the page lacks %q:\n%s", charset, want, body)
		}
	}
}
