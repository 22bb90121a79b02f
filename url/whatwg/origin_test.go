package whatwg

import (
	"encoding/json"
	"strings"
	"testing"

	"locus/url"
)

func TestOrigin(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"http://h/", "http://h"},
		{"http://u:p@H:80/a?q#f", "http://h"},
		{"https://h:80/", "https://h:80"},
		{"https://h:0/", "https://h:0"},
		{"ws://h/", "ws://h"},
		{"wss://h:80/", "wss://h:80"},
		{"ftp://h:21/a", "ftp://h"},
		{"http://[::0:1]:8080/", "http://[::1]:8080"},
		{"http://bücher.example/", "http://xn--bcher-kva.example"},
		{"file:///a", "null"},
		{"file://h/a", "null"},
		{"x://h/", "null"},
		{"gopher://h/", "null"},
		{"mailto:a@b", "null"},
		{"data:,", "null"},
		{"javascript:0", "null"},
		{"blob:https://h:8/a?b", "https://h:8"},
		{"blob:http://h/", "http://h"},
		{"blob:ftp://h/", "null"},
		{"blob:ws://h/", "null"},
		{"blob:file:///a", "null"},
		{"blob:blob:http://h/", "null"},
		{"blob:http://a b/", "null"},
		{"blob:d3958f5c", "null"},
		{"blob:", "null"},
	} {
		if got := Origin(mustParse(t, test.in)); got != test.want {
			t.Errorf("Origin(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestFieldsOf(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Fields
	}{
		{"http://u:p@h:8/a?q#f", Fields{
			Href: "http://u:p@h:8/a?q#f", Origin: "http://h:8", Protocol: "http:", Username: "u", Password: "p",
			Host: "h:8", Hostname: "h", Port: "8", Pathname: "/a", Search: "?q", Hash: "#f",
		}},
		{"http://h?#", Fields{Href: "http://h/?#", Origin: "http://h", Protocol: "http:", Host: "h", Hostname: "h", Pathname: "/"}}, // an empty query or fragment looks like an absent one
		{"x:/.//a", Fields{Href: "x:/.//a", Origin: "null", Protocol: "x:", Pathname: "//a"}},
		{"x:", Fields{Href: "x:", Origin: "null", Protocol: "x:"}},
		{"x:a b?", Fields{Href: "x:a b?", Origin: "null", Protocol: "x:", Pathname: "a b"}},
		{"x://", Fields{Href: "x://", Origin: "null", Protocol: "x:"}},
		{"file:///C|/", Fields{Href: "file:///C:/", Origin: "null", Protocol: "file:", Pathname: "/C:/"}},
	} {
		if got := FieldsOf(mustParse(t, test.in)); got != test.want {
			t.Errorf("FieldsOf(%q) = %+v, want %+v", test.in, got, test.want)
		}
	}
	text, err := json.Marshal(FieldsOf(mustParse(t, "http://h/")))
	const want = `{"href":"http://h/","origin":"http://h","protocol":"http:","username":"","password":"","host":"h","hostname":"h","port":"","pathname":"/","search":"","hash":""}`
	if err != nil || string(text) != want {
		t.Errorf("Marshal = %s, %v, want %s", text, err, want)
	}
}

// The result of Parse is a url.URL of the WHATWG standard, with the parts of its href.
func TestResultsAreURLs(t *testing.T) {
	u := mustParse(t, " HTTP://u:p@H:80/a b?q#f ")
	if u.Standard() != Standard || u.String() != "http://u:p@h/a%20b?q#f" {
		t.Errorf("Parse = %q by %v, want http://u:p@h/a%%20b?q#f by the URL Standard", u, u.Standard())
	}
	for n, want := range map[url.PartName]url.Part{
		url.Scheme: url.Some("http"), url.User: url.Some("u"), url.Password: url.Some("p"), url.Host: url.Some("h"), url.Port: {},
		url.Path: url.Some("/a%20b"), url.Query: url.Some("q"), url.Fragment: url.Some("f"),
	} {
		if got := u.Part(n); got != want {
			t.Errorf("%v of %q = %+v, want %+v", n, u, got, want)
		}
	}
	if again := mustParse(t, u.String()); again != u {
		t.Errorf("Parse(%q) = %#v, want the same value", u, again)
	}
}

func TestErrorText(t *testing.T) {
	_, err := Parse("http://user:S3CRET@h:99999/")
	if want := "port-out-of-range at offset 21 (URL Standard)"; err == nil || err.Error() != want {
		t.Errorf("Parse = %v, want %s", err, want)
	}
	var failures int
	p := Parser{Report: func(e Error) {
		if e.Failure {
			failures++
		}
		if strings.Contains(e.Error(), "S3CRET") {
			t.Errorf("Report shows the password: %v", &e)
		}
	}}
	if _, err := p.Parse("http://user:S3CRET@[:/"); err == nil || failures != 1 {
		t.Errorf("Parse = %v with %d failures reported, want one failure", err, failures)
	}
}
