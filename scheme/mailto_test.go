package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.5-1
func TestMailto(t *testing.T) {
	testViews(t, []viewCase{
		{"mailto:a@b", `{"address":"a@b"}`, ""},
		{"MAILTO:a@b#c", `{"address":"a@b"}`, "mailto:a@b"},
		{"mailto:user%25gateway@host.dom", `{"address":"user%gateway@host.dom"}`, ""},
		{"mailto:a%40b", `{"address":"a@b"}`, "mailto:a@b"},
		{"mailto:a+b@c", `{"address":"a+b@c"}`, ""},
		{"mailto:%22a%20%5C%22b%22@c", `{"address":"\"a \\\"b\"@c"}`, ""},
		{"mailto:a@%5B1.2.3.4%5D", `{"address":"a@[1.2.3.4]"}`, ""},
		{"mailto:%C3%A9@h", `{"address":"é@h"}`, ""},
		{"mailto:a@b,c@d", `{"address":"a@b,c@d"}`, ""},
		{"mailto:a@b?subject=x%20y", `{"address":"a@b"}`, ""},
		{"mailto:?to=a@b", `{"address":""}`, ""},
		{"mailto:a%3Fb@c", `{"address":"a?b@c"}`, ""},
		{text: "mailto:‸"},
		{text: "mailto:a‸"},
		{text: "mailto:a@b,‸"},
		{text: "mailto:a@b,c‸"},
		{text: "mailto:‸@b"},
		{text: "mailto:a‸%20b@c"},
		{text: "mailto:a@b‸%0D%0A"},
		{text: "mailto:%22a‸%0D%22@b"},
		{text: "mailto:%22a%5C‸"},
		{text: "mailto:/‸/a@b"},
	})
}

// By RFC 1738 and RFC 1630, "?" is part of the address. By RFC 6068, it starts the header fields.
func TestMailtoFields(t *testing.T) {
	const text = "mailto:a@b?subject=x"
	for _, test := range []struct {
		std  url.Standard
		want scheme.Mailto
	}{
		{url.RFC3986, scheme.Mailto{Address: "a@b", Fields: url.Some("subject=x")}},
		{url.RFC1738, scheme.Mailto{Address: "a@b?subject=x"}},
	} {
		u, err := test.std.Parse(text)
		if err != nil {
			t.Fatalf("%v: %v", test.std, err)
		}
		if got, err := scheme.ParseMailto(u); err != nil || got != test.want {
			t.Errorf("ParseMailto(%q) (%v) = %+v, %v; want %+v", text, test.std, got, err, test.want)
		}
	}
}
