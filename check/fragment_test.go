package check_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/check"
)

// A fragment of a document that is not HTML is looked up in the document, by its media type.
func TestFragmentsByType(t *testing.T) {
	const (
		drawing  = `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="pot"/><view xml:id="big"/></svg>`
		notebook = `{"cells": [{"cell_type": "markdown", "source": ["# The Clay pots\n"]}, {"cell_type": "code", "source": ["# not a heading"]}], "nbformat": 4}`
	)
	pages := map[string]struct{ mediaType, text string }{
		"/a.md":     {"text/markdown; charset=utf-8", "# Clay pots\n\n<a id=lid></a>\n"},
		"/raw.md":   {"text/plain", "# Clay pots\n"},
		"/a.ipynb":  {"application/x-ipynb+json", notebook},
		"/s":        {"image/svg+xml", drawing},
		"/s.svg":    {"text/xml", drawing},
		"/feed.xml": {"text/xml", `<x id="a"/>`},
		"/app.xml":  {"text/xml", `<x><script/></x>`},
		"/font.svg": {"image/svg+xml", `<svg><defs><font id="Tea"/></defs></svg>`},
		"/app.svg":  {"image/svg+xml", `<svg><script/></svg>`},
	}
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		page := pages[r.URL.Path]
		w.Header().Set("Content-Type", page.mediaType)
		_, _ = io.WriteString(w, page.text)
	})
	const none = ` the page has no anchor named "none"`
	for _, test := range []struct{ link, want string }{
		{"/a.md#clay-pots", "good"},
		{"/a.md#lid", "good"},
		{"/a.md#none", "dead:" + none},
		{"/raw.md#none", "good"},
		{"/a.ipynb#The-Clay-pots", "good"},
		{"/a.ipynb#the-clay-pots", "good"}, // in editors
		{"/a.ipynb#none", "dead:" + none},
		{"/s#pot", "good"},
		{"/s#big", "good"},
		{"/s#none", "dead:" + none},
		{"/s#svgView(viewBox(0,0,9,9))", "good"},
		{"/s#xywh=0,0,9,9", "good"},
		{"/s#xyn=percent:1,2,3,4", "good"},
		{"/s.svg#none", "dead:" + none},
		{"/feed.xml#none", "good"},
		{"/app.xml#none", "good"},
		{"/font.svg#none", "unchecked: it is a font, of which browsers need no name"},
		{"/app.svg#none", "unchecked: scripts make the page, and may give it this name"},
	} {
		c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}
		f := findings(links(t, c, "<"+s.URL+test.link+">"))
		got := ""
		for _, one := range f {
			got += strings.TrimSuffix(one.Status.String()+": "+one.Reason, ": ")
		}
		if got != test.want {
			t.Errorf("%s is %q, want %q", test.link, got, test.want)
		}
	}
}
