package whatwg

import (
	"encoding/json"
	"testing"

	"locus/url"
)

// A URL that browsers read is resolved, edited, compared and marshalled as they
// do.
func TestStandard(t *testing.T) {
	u, err := Standard.Parse(`HTTP:\\Example.ORG\a b`)
	if err != nil || u.String() != "http://example.org/a%20b" || u.Standard() != Standard {
		t.Fatalf("Parse = %q, %v by %v", u, err, u.Standard())
	}
	if got, err := u.Resolve(`..\x?'`); err != nil || got.String() != "http://example.org/x?%27" {
		t.Errorf("Resolve = %q, %v", got, err)
	}
	for _, test := range []struct {
		part  url.PartName
		value url.Part
		want  string // "": an error
	}{
		{url.Host, url.Some("B\u00fccher.example"), "http://xn--bcher-kva.example/a%20b"},
		{url.Host, url.Some("EXAMPLE.org"), "http://example.org/a%20b"},
		{url.Host, url.Some(""), ""},
		{url.Host, url.Part{}, ""},
		{url.Host, url.Some("a b"), ""},
		{url.Port, url.Some("80"), "http://example.org/a%20b"},
		{url.Port, url.Some("8080"), "http://example.org:8080/a%20b"},
		{url.Port, url.Some("x"), ""},
		{url.Path, url.Some("c/../d"), "http://example.org/d"},
		{url.Path, url.Some("a b"), "http://example.org/a%20b"},
		{url.Scheme, url.Some("mailto"), ""},
		{url.Query, url.Some("q"), "http://example.org/a%20b?q"},
		{url.Fragment, url.Part{}, "http://example.org/a%20b"},
		{url.Password, url.Some("p"), "http://:p@example.org/a%20b"},
	} {
		got, err := u.With(test.part, test.value)
		if (err == nil) != (test.want != "") || got.String() != test.want {
			t.Errorf("With(%v, %q) = %q, %v; want %q", test.part, test.value.Text, got, err, test.want)
		}
	}
	text, err := json.Marshal(u)
	v := mustParse(t, "x:")
	if err != nil || json.Unmarshal(text, &v) != nil || v != u {
		t.Errorf("%q marshals to %s, %v, which is read as %q by %v", u, text, err, v, v.Standard())
	}
	if w, err := Standard.Build(u.Parts()); err != nil || w != u {
		t.Errorf("Build = %q, %v", w, err)
	}
	if w, err := Standard.Build(url.Parts{Scheme: url.Some("http"), Host: url.Some("h\\e"), Path: "/"}); err == nil {
		t.Errorf("Build = %q, want an error", w)
	}
}
