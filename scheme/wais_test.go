package scheme_test

import (
	"reflect"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.9-1, 1630-wais-1
func TestWAIS(t *testing.T) {
	const doc = `{"kind":"document","database":"db","search":null,"wtype":"TEXT","wpath":`
	testViews(t, []viewCase{
		{"wais://h/", `{"kind":"database","database":"","search":null,"wtype":null,"wpath":null}`, ""},
		{"wais://h/db", `{"kind":"database","database":"db","search":null,"wtype":null,"wpath":null}`, ""},
		{"wais://h:210/a%2Fb", `{"kind":"database","database":"a/b","search":null,"wtype":null,"wpath":null}`, ""},
		{"wais://h/db?", `{"kind":"search","database":"db","search":"","wtype":null,"wpath":null}`, ""},
		{"wais://h/db?a%20b", `{"kind":"search","database":"db","search":"a b","wtype":null,"wpath":null}`, ""},
		{"wais://h/db?a+b%2Bc/d?e", `{"kind":"search","database":"db","search":"a b+c/d?e","wtype":null,"wpath":null}`, "wais://h/db?a%20b%2Bc%2Fd%3Fe"},
		{"wais://h/db/TEXT/x", doc + `"x"}`, ""},
		{"wais://h/db//", `{"kind":"document","database":"db","search":null,"wtype":"","wpath":""}`, ""},
		{"wais://h/db/TEXT/%01%03a%2Fb%07%01%00", doc + `"\u0001\u0003a/b\u0007\u0001\u0000"}`, ""},
		{"wais://h/db/TEXT/a/b", doc + `"a/b"}`, "wais://h/db/TEXT/a%2Fb"},
		{"wais://h/db/TEXT/1=h%3A210;2=/x;", doc + `"1=h:210;2=/x;"}`, "wais://h/db/TEXT/1=h%3A210;2=%2Fx;"},
		{"wais://h/db/TEXT/99/1=h;", doc + `"99/1=h;"}`, ""},
		{"wais://h/db/TEXT/01=h;", doc + `"01=h;"}`, "wais://h/db/TEXT/01%3Dh%3B"},
		{"wais://h/db/TEXT/1=h", doc + `"1=h"}`, "wais://h/db/TEXT/1%3Dh"},
		{text: "wais:/‸db"},
		{text: "wais://‸/db"},
		{text: "wais://h‸"},
		{text: "wais://h‸?a"},
		{text: "wais://u‸@h/db"},
		{text: "wais://h:‸0/db"},
		{text: "wais://h/db/T‸"},
		{text: "wais://h/db/T/a‸?b"},
		{text: "wais://h/db/T?b‸"},
	})
}

// The three notations of one document-id, which is an example from a guide.
//
// req: 1630-wais-1
func TestWAISNotations(t *testing.T) {
	id := "\x01\x0ewais.think.com\x02\x06/x/y=z\x03\x81\x14" + strings.Repeat("p", 148) + "\x07\x01\x00"
	fields := []scheme.WAISField{{1, "wais.think.com"}, {2, "/x/y=z"}, {3, strings.Repeat("p", 148)}, {7, "\x00"}}
	const written = "1=wais.think.com;2=/x/y%3Dz;3="
	rest := strings.Repeat("p", 148) + ";7=%00;"
	for _, test := range []struct {
		wpath  string
		fields []scheme.WAISField
		length string
	}{
		{url.Escape(id, url.Set{}), nil, ""},
		{written + rest, fields, ""},
		{"4711/" + written + rest, fields, "4711"},
	} {
		u := url.MustParse("wais://h/db/TEXT,WSRC/" + test.wpath)
		v, err := scheme.ParseWAIS(u)
		if err != nil || v.DocID != id || !reflect.DeepEqual(v.Fields, test.fields) || v.Length != test.length || v.WType != "TEXT,WSRC" {
			t.Errorf("ParseWAIS(%q) = %+v, %v; want the document-id %q, the fields %+v and the length %q", u, v, err, id, test.fields, test.length)
		}
		checkLaws(t, u.String())
	}
}

// req: 1630-syn-2
func TestWAISSearch(t *testing.T) {
	const text = "wais://h/db?a+b%2Bc%20d"
	for _, test := range []struct {
		std  url.Standard
		want string
	}{{url.RFC3986, "a b+c d"}, {url.RFC1738, "a b+c d"}, {url.RFC1630, "a b+c d"}} {
		u, err := test.std.Parse(text)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		v, err := scheme.ParseWAIS(u)
		if err != nil || v.Search != test.want {
			t.Errorf("ParseWAIS(%q) (%v) = %+v, %v; want the search %q", text, test.std, v, err, test.want)
		}
	}
}
