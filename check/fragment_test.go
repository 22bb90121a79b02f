package check_test

import (
	"fmt"
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

// Scripts mark a range of lines of source code. A page of rustdoc has an anchor for each line; a page of GitHub does
// not.
func TestLinesOfSource(t *testing.T) {
	long := strings.Repeat("source ", 100)
	s := newSite(t, pages(map[string]string{
		"/rustdoc": "<script></script><span id=7></span><span id=8></span><span id=9></span><i id=s-1></i><i id=s-3></i>" + long,
		"/forge":   "<script></script><div id=readme></div>" + long,
	}))
	unchecked := "unchecked %s: it names lines of source code, which scripts of the page mark"
	dead := "dead %s: the page has no anchor named %q"
	for _, test := range []struct{ link, want string }{
		{"/rustdoc#8", "good %s"},
		{"/rustdoc#7-9", "good %s"},
		{"/rustdoc#7-10", dead},
		{"/rustdoc#6-9", dead},
		{"/rustdoc#10", dead},
		{"/rustdoc#s-2", dead},
		{"/rustdoc#-7", dead},
		{"/rustdoc#7-", dead},
		{"/rustdoc#7-8-9", dead},
		{"/forge#readme", "good %s"},
		{"/forge#L10", unchecked},
		{"/forge#L10-L20", unchecked},
		{"/forge#L10-20", unchecked},
		{"/forge#L10C3-L20C5", unchecked},
		{"/forge#10-20", dead},
		{"/forge#L", dead},
		{"/forge#Lx", dead},
		{"/forge#L10x", dead},
		{"/forge#L10-x", dead},
		{"/forge#LL10", dead},
	} {
		checkFragment(t, s.URL, test.link, test.want)
	}
}

// checkFragment checks the link of a site, and compares the result with want. In want, %s stands for the link and %q for
// its fragment.
func checkFragment(t *testing.T, site, link, want string) {
	t.Helper()
	_, fragment, _ := strings.Cut(link, "#")
	want = strings.Replace(strings.Replace(want, "%s", link, 1), "%q", fmt.Sprintf("%q", fragment), 1)
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}
	if got := strings.ReplaceAll(one(t, c, site+link), site, ""); got != want {
		t.Errorf("check of %s gives %q, want %q", link, got, want)
	}
}

// GitHub and others put the HTML of a document into data from which a script makes the page. Fragments lead to the names
// in this HTML, and GitHub ignores the case of a fragment.
func TestFragmentsInData(t *testing.T) {
	long := strings.Repeat("source ", 100)
	data := `{"payload": {"blob": {"richText": "\u003ch2\u003eUse\u003ca id=\"user-content-use-\u0026amp;-care\" href=\"#use\"\u003e", "id": "\"", "x": "<i id=spout>"}, ` +
		`"name": "id=lid", "html": "\u003ci id\u003d\u0027escaped\u0027\u003e"}, "<i id=key>": "<a name='handle'></a><!-- <i id=note> --><input name=field>"}`
	s := newSite(t, pages(map[string]string{
		"/blob":    `<script type="application/json" data-target="embedded">` + data + `</script><i id=menu></i>` + long,
		"/broken":  `<script type=" Application/JSON">{"a": "<i id=\"spout\">", "b": "<i id=lid</script><i id=menu></i>` + long,
		"/program": `<script>var s = "<i id=spout>"</script>` + long,
		"/readme":  `<a id="user-content-use"></a><a id="Lid"></a>` + long,
	}))
	dead := "dead %s: the page has no anchor named %q"
	for _, test := range []struct{ link, want string }{
		{"/blob#menu", "good %s"},
		{"/blob#use-&-care", "good %s"},
		{"/blob#Use-&-Care", "good %s"},
		{"/blob#user-content-use-&-care", "good %s"},
		{"/blob#spout", "good %s"},
		{"/blob#handle", "good %s"},
		{"/blob#escaped", "good %s"},
		{"/blob#lid", dead},
		{"/blob#key", dead},
		{"/blob#note", dead},
		{"/blob#field", dead},
		{"/broken#spout", "good %s"},
		{"/broken#menu", "good %s"},
		{"/broken#lid", dead},
		{"/program#spout", dead},
		{"/readme#Use", "good %s"},
		{"/readme#Lid", "good %s"},
		{"/readme#lid", dead},
	} {
		checkFragment(t, s.URL, test.link, test.want)
	}
}

// A script of a page may load comments and changes, and may read values in a fragment.
func TestFragmentsForScripts(t *testing.T) {
	long := strings.Repeat("source ", 100)
	s := newSite(t, pages(map[string]string{
		"/forge": "<script></script><div id=issuecomment-1></div><i id='a=b'></i>" + long,
		"/plain": "<div id=readme></div>" + long,
		"/data":  "<script type=application/ld+json>{}</script><script type=importmap>{}</script>" + long,
		"/short": "<script type=' Application/JSON '>{}</script>a few words",
	}))
	dead := "dead %s: the page has no anchor named %q"
	loaded := "unchecked %s: it names a comment or a change, which a script of the page may load"
	read := "unchecked %s: it has values, which a script of the page may read"
	change := "diff-" + strings.Repeat("0123456789abcdef", 4)
	for _, test := range []struct{ link, want string }{
		{"/forge#issuecomment-1", "good %s"},
		{"/forge#issuecomment-12", loaded},
		{"/plain#issuecomment-12", dead},
		{"/plain#note_1", dead},
		{"/plain#L7", "unchecked %s: it names lines of source code, which scripts of the page mark"},
		{"/forge#discussioncomment-12", loaded},
		{"/forge#commitcomment-12", loaded},
		{"/forge#pullrequestreview-12", loaded},
		{"/forge#event-12", loaded},
		{"/forge#discussion_r12", loaded},
		{"/forge#r123456", loaded},
		{"/forge#note_12", loaded},
		{"/forge#" + change, loaded},
		{"/forge#" + change + "R7", loaded},
		{"/forge#" + change + "L7-R9", loaded},
		{"/forge#issuecomment-", dead},
		{"/forge#issuecomment-x", dead},
		{"/forge#my-issuecomment-1", dead},
		{"/forge#comment-12", dead},
		{"/forge#r1", dead},
		{"/forge#diff-1", dead},
		{"/forge#a=b", "good %s"},
		{"/forge#t=30", read},
		{"/forge#map=5/51.5/-0.1", read},
		{"/forge#heading=h.abc", read},
		{"/forge#?q=x", read},
		{"/forge#a%3Dc", dead},
		{"/forge#==-instance_method", dead},
		{"/forge#a/b=c", dead},
		{"/plain#t=30", dead},
		{"/data#t=30", dead},
		{"/data#note_1", dead},
		{"/short#x", dead},
		{"/forge#%00scripted", "dead %s: the page has no anchor named %q"},
		{"/forge#file-a-py-L7", "unchecked %s: it names lines of source code, which scripts of the page mark"},
		{"/forge#file-a-py-L7-L9", "unchecked %s: it names lines of source code, which scripts of the page mark"},
		{"/forge#lines-7:9", "unchecked %s: it names lines of source code, which scripts of the page mark"},
		{"/forge#lines-x", dead},
		{"/forge#profile-L7", dead},
	} {
		checkFragment(t, s.URL, test.link, test.want)
	}
}
