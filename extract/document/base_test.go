package document_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

// A short document cannot stand for URLs of any length. The first relative reference to a long base becomes an error,
// and the later ones are left out. Other references are found.
func TestLongBase(t *testing.T) {
	// attack: A page has a long base, or a long URL, and many relative links | the URLs of its links have at most 1 MiB and 16 times its size; it is reported once
	long := "http://h.example/" + strings.Repeat("b", 60<<10) + "/"
	many := strings.Repeat("<a href=p>", 2000)
	for _, test := range []struct {
		name, text, base string
		mode             document.Mode
		isBounded        bool
	}{
		{"a long base in HTML", "<base href=" + long + ">" + many, "", document.HTML, true},
		{"a long base in XML", `<x xml:base="` + long + `">` + strings.ReplaceAll(many, ">", "/>") + "</x>", "", document.XML, true},
		{"a page with a long URL", many, long, document.HTML, true},
		{"a part of a page", `<base href=` + long + `><iframe srcdoc="` + many + `"></iframe>`, "", document.HTML, true},
		{"a base of 5 KiB and many links", strings.Repeat("<a href=p>", 100_000), long[:5<<10] + "/", document.HTML, true},
		{"a base of 5 KiB", "<a href=p>", long[:5<<10] + "/", document.HTML, false},
		{"a usual base", strings.Repeat(many, 100), "http://h.example/a/folder/of/a/site/", document.HTML, false},
		{"absolute links", "<base href=" + long + ">" + strings.ReplaceAll(many, "p", "http://h.example/"), "", document.HTML, false},
	} {
		var base url.URL
		if test.base != "" {
			base = url.MustParse(test.base)
		}
		length, errs, after := 0, 0, 0
		for m, err := range test.mode.All(bytes.NewBufferString(test.text), document.Options{URL: base, References: true}) {
			switch {
			case errors.Is(err, extract.ErrTooLong):
				errs++
				if !strings.HasPrefix(long, m.Text) || len(m.Text) != 256 || m.Line != 1 {
					t.Errorf("%s: the error has %q in line %d", test.name, m.Text, m.Line)
				}
				continue
			case err != nil:
				t.Errorf("%s: %v", test.name, err)
			case errs > 0:
				after++
			}
			if m.Place == "base href" {
				continue
			}
			u, err := m.URL()
			if err != nil || !u.IsAbs() {
				t.Errorf("%s: the URL of %q is %q, %v", test.name, m.Text, u, err)
			}
			length += len(u.String())
		}
		if most := 1<<20 + 17*len(test.text); length > most || errs > 1 || (errs == 1) != test.isBounded || after > 0 {
			t.Errorf("%s: %d bytes of URLs, want at most %d; %d errors, and %d links after them", test.name, length, most, errs, after)
		}
	}
}

// Links with a scheme are found under a long base, too.
func TestLongBaseAbsolute(t *testing.T) {
	text := "<base href=http://h/" + strings.Repeat("b", 60<<10) + "/><a href=p><a href=q:r><a href=http://h/x><a href=/y>"
	var got []string
	for m, err := range document.HTML.All(strings.NewReader(text), document.Options{References: true}) {
		if m.Place != "base href" {
			got = append(got, fmt.Sprintf("%.8s %v", m.Text, err != nil))
		}
	}
	if want := "http://h true, q:r false, http://h false"; strings.Join(got, ", ") != want {
		t.Errorf("found %q, want %q", got, want)
	}
}
