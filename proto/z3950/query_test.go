package z3950

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"locus/internal/ber"
)

// A query is parsed from PQF and formatted again; want is the canonical form.
func TestPQF(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"sea", ""},
		{`"sea charts"`, ""},
		{`  @attr   1=4 sea `, "@attr 1=4 sea"},
		{`@attr 1=4 @attr 4=1 "sea charts"`, ""},
		{`@attr 1=4 @and sea @or charts @attr 1=1003 cook`, "@and @attr 1=4 sea @or @attr 1=4 charts @attr 1=1003 cook"},
		{`@not a b`, ""},
		{`@and "@attr" ""`, `@and "@attr" ""`},
		{`"a \"quoted\" \\ word"`, ""},
		{`@attrset exp-1 @attr 1=1 DatabaseInfo`, ""},
		{`@attrset 1.2.840.10003.3.99 a`, ""},
		{`@attr exp-1 1=1 @attr 1=4 a`, ""},
		{`@attr BIB-1 1=dc:title a`, "@attr bib-1 1=dc:title a"},
		{`@prox 0 3 1 2 k 2 a b`, ""},
		{`@prox void 3 0 2 private 2 a b`, "@prox void 3 0 2 p 2 a b"},
		{`@prox 1 3 0 2 known 2 a b`, "@prox 1 3 0 2 k 2 a b"},
		{`@set default`, ""},
		{`@and @set 1 @term numeric 12`, ""},
		{`@term oid 1.2.3`, ""},
		{`@term string x`, ""},
		{`@term null x`, `@term null ""`},
		{`@attr 1=-3 a`, ""},
	} {
		want := test.want
		if want == "" {
			want = test.in
		}
		q, err := parsePQF(test.in)
		if err != nil {
			t.Errorf("parsePQF(%q): %v", test.in, err)
			continue
		}
		if got := q.String(); got != want {
			t.Errorf("parsePQF(%q) = %q, want %q", test.in, got, want)
		}
	}
}

func TestPQFErrors(t *testing.T) {
	for _, marked := range []string{
		"‸", "  ‸", "a ‸b", "@and a‸", "@and‸", "‸@nosuch a", "@attr ‸x a", "@attr ‸1= a", "@attr ‸", "@attr nosuch‸ 1=4 a"[:len("@attr ")] + "‸nosuch 1=4 a",
		`@attr 1=4 "a‸`, "@attrset ‸nosuch a", "@set ‸", "@term ‸nosuch a", "@term numeric ‸x", "@term oid ‸1.99", "@prox ‸2 1 1 1 k 1 a b",
		"@prox 0 1 ‸x 1 k 1 a b", "@prox 0 1 1 1 ‸x 1 a b",
	} {
		text, rest, _ := strings.Cut(marked, "‸")
		offset := len(text)
		text += rest
		_, err := parsePQF(text)
		bad, ok := errors.AsType[*QueryError](err)
		if !ok || bad.Offset < offset || bad.Offset > offset+1 {
			t.Errorf("parsePQF(%q) = %v, want an error at byte %d", text, err, offset)
		}
	}
	deep := strings.Repeat("@and a ", maxOperators+2) + "a"
	if _, err := parsePQF(deep); err == nil {
		t.Error("a query that is nested too deep is read")
	}
}

// A record must have all words. Words in quotes are one phrase.
func TestWords(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"sea", "@attr 1=1016 sea"},
		{" sea  charts ", "@and @attr 1=1016 sea @attr 1=1016 charts"},
		{`old "sea  charts" b`, `@and @and @attr 1=1016 old @attr 4=1 @attr 1=1016 "sea charts" @attr 1=1016 b`},
		{`"sea`, "@attr 1=1016 sea"},
	} {
		if got := wordsQuery(test.in, attr(useAttribute, useAny)).String(); got != test.want {
			t.Errorf("words %q are %q, want %q", test.in, got, test.want)
		}
	}
	for _, text := range []string{"", "  ", `""`, `" " ""`} {
		if q := wordsQuery(text); q != nil {
			t.Errorf("words %q are %q, want nothing", text, q)
		}
	}
}

// A short text cannot become a large or a deep query.
func TestQueriesAreBounded(t *testing.T) {
	attributes := func(n int) (text string) {
		for i := range n {
			text += "@attr " + strconv.Itoa(i+1) + "=1 "
		}
		return text
	}
	terms := func(n int) string { return strings.Repeat("@or ", n-1) + strings.Repeat("a ", n) }
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"100 words":                      {strings.Repeat("a ", 100), true},
		"101 words":                      {strings.Repeat("a ", 101), false},
		"32768 words":                    {strings.Repeat("a ", 32<<10), false},
		"50 attributes":                  {attributes(50) + "a", true},
		"51 attributes":                  {attributes(51) + "a", false},
		"a long attribute of 100 terms":  {"@attr 1=" + strings.Repeat("x", 30<<10) + " " + terms(100), false},
		"a long attribute of one term":   {"@attr 1=" + strings.Repeat("x", 30<<10) + " a", true},
		"many attributes of 100 terms":   {attributes(50) + terms(100), true},
		"one attribute replaced by next": {strings.Repeat("@attr 1=4 ", 1000) + "a", true},
	} {
		queries, err := queriesFor(test.text, useAny)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err != nil {
			continue
		}
		var b ber.Builder
		if queries[0].write(&b); len(b.Bytes()) > 512<<10 {
			t.Errorf("%s: a query of %d bytes", name, len(b.Bytes()))
		}
	}
}

// A query is encoded as Z39.50 defines it.
func TestQueryBytes(t *testing.T) {
	q, _ := parsePQF("@and @attr 1=4 a @set b")
	var b ber.Builder
	q.write(&b)
	const want = "\xb5\x2e\xa1\x2c" + "\x06\x07\x2a\x86\x48\xce\x13\x03\x01" + "\xa1\x21" +
		"\xa0\x14\xbf\x66\x11\xbf\x2c\x0a\x30\x08\x9f\x78\x01\x01\x9f\x79\x01\x04\x9f\x2d\x01a" +
		"\xa0\x04\x9f\x1f\x01b" + "\xbf\x2e\x02\x80\x00"
	if got := string(b.Bytes()); got != want {
		t.Errorf("the query is\n%q, want\n%q", got, want)
	}
}

// Parsing the formatted query gives the same query.
func FuzzPQF(f *testing.F) {
	for _, s := range []string{"a", `@attr 1=4 @and "b c" @set d`, "@prox 0 3 1 2 k 2 a b", "@attrset gils @term oid 1.2 @attr 2.1 3=x y", `"\"`, "@or @term null a @term numeric 7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parsePQF(text)
		if err != nil {
			if bad, ok := errors.AsType[*QueryError](err); !ok || bad.Offset < 0 || bad.Offset > len(text) {
				t.Fatalf("parsePQF(%q) = %#v", text, err)
			}
			return
		}
		again, err := parsePQF(q.String())
		if err != nil || !reflect.DeepEqual(again, q) {
			t.Errorf("parsePQF(%q) is %q, which is %v, %v", text, q, again, err)
		}
		var b ber.Builder
		q.write(&b)
		if _, rest, err := ber.Parse(b.Bytes()); err != nil || len(rest) > 0 {
			t.Errorf("the bytes of %q: %v, and %d more", text, err, len(rest))
		}
	})
}
