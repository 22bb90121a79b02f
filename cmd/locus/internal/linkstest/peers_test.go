package linkstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document"
	"locus/extract/document/dialect"
	"locus/internal/peers"
)

// A reading is a document as a program reads it.
type reading struct {
	links map[string]bool // the targets outside of the document
	lost  map[string]bool // the targets in the document that are not there
	names map[string]bool
}

// read reads a document as check does.
func read(t *testing.T, mode document.Mode, text string, o document.Options) reading {
	t.Helper()
	r := reading{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	inside := map[string]bool{}
	o.SkipCode, o.Find, o.Anchor = true, extract.Options{Mail: true}, func(name string) { r.names[name] = true }
	for m, err := range mode.All(strings.NewReader(text), o) {
		if err != nil {
			t.Fatalf("%v of %.80q: %v", mode, text, err)
		}
		target := m.Text
		if m.Kind == extract.Address {
			target = "mailto:" + target
		}
		target = strings.Join(strings.Fields(strings.ReplaceAll(target, "%20", " ")), " ")
		if name, ok := strings.CutPrefix(target, "#"); ok {
			inside[name] = true
			continue
		}
		r.links[strings.Replace(target, ".adoc", ".html", 1)] = true
	}
	for name := range inside {
		if !r.names[name] {
			r.lost[name] = true
		}
	}
	return r
}

// differences returns the entries that only one of two sets has, after "+" if it is the first, and "-" if it is the second.
func differences(ours, theirs map[string]bool) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if !theirs[name] {
			all = append(all, "+"+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if !ours[name] {
			all = append(all, "-"+name)
		}
	}
	return all
}

// A difference is a difference from a program that is meant. Each must occur.
type difference struct{ start, reason string }

// hold reports the differences that are not in a list, and the entries of the list that do not occur.
func hold(t *testing.T, known []difference, found map[string][]string) {
	t.Helper()
	used := make([]bool, len(known))
	for _, document := range slices.Sorted(maps.Keys(found)) {
		for _, text := range found[document] {
			at := slices.IndexFunc(known, func(d difference) bool { return strings.HasPrefix(text, d.start) })
			if at < 0 {
				t.Errorf("%s: %s is not in the list of differences", document, text)
				continue
			}
			used[at] = true
		}
	}
	for i, d := range known {
		if !used[i] {
			t.Errorf("the difference %q (%s) does not occur: delete it", d.start, d.reason)
		}
	}
}

// asciidoctorDifferences are the differences from Asciidoctor in its own documents. doc/extract-differences.md explains them.
var asciidoctorDifferences = []difference{
	{"+https://asciidoctor.org/docs", "a branch of a condition that Asciidoctor does not take"},
	{"+https://asciidoctor.org/news", "a branch of a condition that Asciidoctor does not take"},
	{"+https://github.com/asciidoctor/asciidoctor/actions", "a branch of a condition that Asciidoctor does not take"},
	{"+https://github.com/asciidoctor/asciidoctor/workflows/", "a branch of a condition that Asciidoctor does not take"},
	{"+https://img.shields.io/", "a branch of a condition that Asciidoctor does not take"},
	{"+https://www.rubydoc.info/gems/asciidoctor/2.0.", "a branch of a condition that Asciidoctor does not take"},
	{"-https://player.vimeo.com/", "the number of a video is not a URL"},
	{"-https://www.youtube.com/embed/", "the number of a video is not a URL"},
	{"+movie.mp4", "the part of a video that is played is not a part of its URL"},
	{"-movie.mp4#t=", "the part of a video that is played is not a part of its URL"},
	{"name _footnote", "only Asciidoctor names footnotes"},
	{"name footnotes", "a part of every page"},
	{"name preamble", "a part of every page"},
	{"name toc", "a part of every page"},
}

// compareAsciidoctor returns the differences between AsciiDoc as check reads it and as Asciidoctor does.
func compareAsciidoctor(t *testing.T, texts map[string]string) map[string][]string {
	t.Helper()
	names := slices.Sorted(maps.Keys(texts))
	var all []string
	for _, name := range names {
		all = append(all, texts[name])
	}
	found := map[string][]string{}
	for i, page := range peers.Asciidoctor(t, all) {
		ours := read(t, document.Asciidoc, all[i], document.Options{})
		theirs := read(t, document.HTML, page, document.Options{References: true})
		list := differences(ours.links, theirs.links)
		for _, d := range differences(ours.lost, theirs.lost) {
			list = append(list, "lost "+d)
		}
		for _, name := range slices.Sorted(maps.Keys(theirs.names)) {
			if !ours.names[name] {
				list = append(list, "name "+name)
			}
		}
		found[names[i]] = list
	}
	return found
}

// The links of Asciidoctor's own documents, and their names, are the links and names that Asciidoctor writes.
func TestAsciidoctorDocuments(t *testing.T) {
	texts := map[string]string{}
	for _, name := range peers.Documents(t, "asciidoctor", "usr/share/doc/asciidoctor/README*.adoc.gz", "usr/share/ruby-asciidoctor/reference/*.adoc") {
		texts[name] = peers.Document(t, "asciidoctor", name)
	}
	if len(texts) < 5 {
		t.Fatalf("asciidoctor has %d documents, want at least 5", len(texts))
	}
	hold(t, asciidoctorDifferences, compareAsciidoctor(t, texts))
}

// docutilsDifferences are the differences from docutils in its own documents. doc/extract-differences.md explains them.
var docutilsDifferences = []difference{
	{"+mailto:", "docutils divides a list of authors, and drops their addresses"},
	{"-https://peps.python.org/", "the role pep is read in manuals of Sphinx"},
	{"-https://tools.ietf.org/", "the role rfc is read in manuals of Sphinx"},
	{"+https://www.python.org/", "docutils makes no links in emphasised text"},
	{"+https://example.org/", "docutils makes no links in emphasised text"},
	{"+https://sourceforge.net/p/docutils/mailman/search/", "a form in raw HTML"},
	{"-images/biohazard.png", "a directive in a cell of a table"},
	{"name target-", "docutils names every anonymous target"},
	{"name ", "a title whose id a target has already gets a number"},
}

// compareDocutils returns the differences between reStructuredText as check reads it and as docutils does.
func compareDocutils(t *testing.T, texts map[string]string) map[string][]string {
	t.Helper()
	names := slices.Sorted(maps.Keys(texts))
	var all []string
	for _, name := range names {
		all = append(all, texts[name])
	}
	found := map[string][]string{}
	for i, tree := range peers.Docutils(t, all) {
		ours := read(t, document.RST, all[i], document.Options{Dialect: dialect.Dialect{Naming: dialect.Docutils}})
		theirs := map[string]bool{}
		for _, u := range tree.URIs {
			if !strings.HasPrefix(u, "#") {
				theirs[strings.ReplaceAll(u, "%20", " ")] = true
			}
		}
		list := differences(ours.links, theirs)
		for _, name := range tree.IDs {
			if !ours.names[name] {
				list = append(list, "name "+name)
			}
		}
		found[names[i]] = list
	}
	return found
}

// The links of docutils' own documents, and their names, are the links and names that docutils reads.
func TestDocutilsDocuments(t *testing.T) {
	texts := map[string]string{}
	for _, name := range peers.Documents(t, "docutils", "usr/share/doc/docutils-doc/*.txt", "usr/share/doc/docutils-doc/docs/*/*.txt", "usr/share/doc/docutils-doc/docs/*/*/*.txt") {
		texts[name] = peers.Document(t, "docutils", name)
	}
	if len(texts) < 50 {
		t.Fatalf("docutils has %d documents, want at least 50", len(texts))
	}
	hold(t, docutilsDifferences, compareDocutils(t, texts))
}

// generated returns documents that begin with head, and consist of pieces in random order.
func generated(seed uint64, head string, pieces []string) map[string]string {
	random := rand.New(rand.NewPCG(42, seed))
	ends := []string{" ", " ", "\n", "\n\n"}
	texts := map[string]string{}
	for range 1000 {
		var b strings.Builder
		b.WriteString(head)
		for range 1 + random.IntN(6) {
			b.WriteString(strings.ReplaceAll(pieces[random.IntN(len(pieces))], "%d", strconv.Itoa(random.IntN(100))))
			if end := ends[random.IntN(len(ends))]; end != " " || !strings.HasSuffix(b.String(), "\n") {
				b.WriteString(end)
			}
		}
		texts[fmt.Sprintf("%q", b.String())] = b.String()
	}
	return texts
}

// Asciidoctor finds the same links in documents of constructs that are whole, cut off, escaped and nested.
func TestAsciidoctorGenerated(t *testing.T) {
	pieces := []string{
		"word", "link:a%d.html[b]", "link:a%d.html[b\nc]", "link:a%d b[c]", "link:++a %d++[b]", "link:pass:[a__%d__][b]", "link:a\\__%d__b.html[c]",
		"http://h.example/%d", "http://h.example/%d[b]", "\\http://h.example/%d", "<http://h.example/%d>", "(http://h.example/%d)", "http://h.example/%d.", "`link:a%d[b]`",
		"xref:a%d.adoc[b]", "xref:a%d.adoc#c[b]", "xref:a%d#[b]", "<<a%d.adoc#c,d>>", "<<a%d.adoc#,d\ne>>", "<<#t%d>>", "<<t%d,u>>", "\\<<t%d>>", "<<t%d", "[[t%d]]", "a [#t%d]#a#",
		"image:p%d.png[]", "image:p%d q.png[r]", "image:p%d.png[q,link=r%d.html]", "image:p%d.png[link=\"r,%d.html\"]", "\\image:p%d.png[]", "icon:x%d[]",
		"+link:a%d[b]+", "++link:a%d[b]++", "+++<a href=a%d>b</a>+++", "$$link:a%d[b]$$", "pass:[<a href=a%d>]", "`+link:a%d[b]+`", "a+link:a%d[b]+c", "x@h%d.org", "mailto:x%d@h.example[y]",
		"\n\n----\nlink:a%d[b]\n----\n\n", "\n\n....\nlink:a%d[b]\n....\n\n", "\n\n++++\n<a href=a%d>\n++++\n\n", "\n\n////\nlink:a%d[b]\n////\n\n", "\n\n link:a%d[b]\n\n",
		"\n\n[source]\nlink:a%d[b]\n\n", "\n\n[stem]\n++++\n<a href=a%d>\n++++\n\n", "\n\n== Title %d\n\n", "\n\n* link:a%d[b]\n* <<t%d>>\n\n", "\n\n:u: http://h.example/u%d\n\n", "{u}[v]", "link:{u}/%d[v]", "{none}/%d[v]",
		"\n\n|===\n|link:a%d[b] |<<t%d>>\n|===\n\n", "\n\nimage::p%d.png[a,link=b%d]\n\n", "\n\nvideo::v%d.mp4[poster=p%d.png]\n\n", "\n\n====\nlink:a%d[b]\n====\n\n", "\n\nTitle of %d\n-----------\n\n",
	}
	hold(t, nil, compareAsciidoctor(t, generated(1, ":u: http://h.example/u\n\n", pieces)))
}

// docutils finds the same links in documents of constructs that are whole, cut off, escaped and nested.
func TestDocutilsGenerated(t *testing.T) {
	pieces := []string{
		"word", "http://h.example/%d", "(http://h.example/%d)", "<http://h.example/%d>", "http://h.example/%d.", "http://h.example/\\*%d\\*/x", "http://h.example/a\\_%d", "``http://h.example/%d``",
		"`a <b%d.html>`_", "`a\nb <c%d.html>`_", "`a <b\\ %d.html>`__", "`a <b %d>`_", "`a<b%d>`_", "`a <b%d_>`_", "`a <b/%d_>`_", "`a <b%d", "`a <b%d.html\\>`_", "x%d@h.org", "mailto:x%d@h.org",
		"\n\n.. _t%d: u%d.html\n\n", "\n\n.. _t%d: u\\ %d.html\n\n", "\n\n.. _t%d: u\n   v%d.html\n\n", "\n\n.. _`t: %d`: u%d.html\n\n", "\n\n.. _t%d: u%d_\n\n", "\n\n.. _t%d:\n\n", "\n\n__ v%d.html\n\n",
		"\n\n.. image:: p%d.png\n   :target: q%d.html\n\n", "\n\n.. figure:: p\\ %d.png\n\n   text http://h.example/%d\n\n", "\n\n.. |s%d| image:: p%d.png\n\n", "\n\n.. http://h.example/%d\n\n", "\n\n.. note:: http://h.example/%d\n\n",
		"\n\n::\n\n  http://h.example/%d\n\n", "\n\na::\n\n> http://h.example/%d\n\n", "\n\n- b::\n\n    http://h.example/%d\n\n  http://h.example/%d\n\n", "\n\n>>> http://h.example/%d\n\n", "\n\n.. code:: sh\n\n   http://h.example/%d\n\n",
		"\n\nTitle %d\n========\n\n", "_`t%d`", "t%d_", "\n\n:Field: http://h.example/%d\n\n", "\n\n* http://h.example/%d\n\n", "\n\n.. [1] http://h.example/%d\n\n",
	}
	hold(t, []difference{{"name t", "a target whose id another target has gets a number"}}, compareDocutils(t, generated(2, "", pieces)))
}
