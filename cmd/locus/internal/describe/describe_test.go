package describe_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"locus/cmd/locus/internal/describe"
	"locus/scheme"
	"locus/url"
)

func ExampleDescription() {
	d := read(url.RFC3986, "ftp://ftp.example.org/pub/a;type=i")
	d.WriteText(os.Stdout)
	// Output:
	// ftp://ftp.example.org/pub/a;type=i
	//   scheme    ftp
	//   host      ftp.example.org
	//   port      21, by default
	//   path      /pub/a;type=i
	//   means     {"user":null,"password":null,"dirs":["pub"],"name":"a","type":"i"}
}

func ExampleParseFormat() {
	f, err := describe.ParseFormat("{host}:{port} {query:q}\n")
	if err != nil {
		panic(err)
	}
	text, err := f.Text(read(url.RFC3986, "https://example.org/?q=a%20b"))
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(text)
	// Output: example.org:443 a b
}

// read describes text by a standard.
func read(std url.Standard, text string) describe.Description {
	u, err := scheme.Read(std, text)
	return describe.Of(std, text, u, err)
}

// A URL with escapes is also shown as people read it, without its password.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"http://u:p@xn--bcher-kva.example/gr%C3%BC%C3%9Fe": "  shown as  http://u:xxxxx@bücher.example/grüße\n",
		"http://h/%20": "",
		"http://u:p@h": "",
	} {
		var b strings.Builder
		if err := read(url.RFC3986, text).WriteText(&b); err != nil {
			t.Fatalf("WriteText of %q: %v", text, err)
		}
		if got := b.String(); want == "" && strings.Contains(got, "shown as") || !strings.Contains(got, want) {
			t.Errorf("%s is described as %q, want %q in it", text, got, want)
		}
	}
}

// By RFC 1738 a URL must fit its scheme. By RFC 3986 the view says why it does not fit.
func TestRead(t *testing.T) {
	const text = "ftp://h/a;type=q"
	if d := read(url.RFC1738, text); d.Err == nil || d.View != nil {
		t.Errorf("by RFC 1738 the description has the error %v and the view %v", d.Err, d.View)
	}
	if d := read(url.RFC3986, text); d.Err != nil || d.ViewErr == nil || d.Port != 21 {
		t.Errorf("by RFC 3986 the description has the errors %v and %v and the port %d", d.Err, d.ViewErr, d.Port)
	}
}

// An invalid text is described with the parts that could be read, and without control characters.
func TestInvalid(t *testing.T) {
	d := read(url.RFC3986, "http://h/\x1b[2J")
	if d.Err == nil || d.Parts.Host.Text != "h" || d.URL() != "http://h/\x1b[2J" {
		t.Errorf("Of an invalid text = %+v", d)
	}
	var b strings.Builder
	if err := d.WriteText(&b); err != nil || strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), "offset 9, RFC 3986 §3.3") {
		t.Errorf("WriteText of an invalid text writes %q, %v", b.String(), err)
	}
}

func TestBrowser(t *testing.T) {
	d := describe.Browser(url.MustParse("https://example.org/a/"), `..\b`)
	if d.Err != nil || d.URL() != "https://example.org/b" {
		t.Fatalf("the URL is %q, %v", d.URL(), d.Err)
	}
	got, err := json.Marshal(d.JSON("whatwg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"standard":"whatwg"`, `"href":"https://example.org/b"`, `"validation_errors":[{"name":"invalid-reverse-solidus","offset":2`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the JSON %s does not contain %s", got, want)
		}
	}
	if d := describe.Browser(url.URL{}, "x"); d.Err == nil {
		t.Error("Browser of a reference without a base has no error")
	}
}

func TestParseFormatFails(t *testing.T) {
	for text, want := range map[string]describe.FormatError{
		"{host":         {Part: "host", IsUnclosed: true},
		"{}":            {},
		"{nope}":        {Part: "nope"},
		"{http2.path}x": {Part: "http2.path"},
	} {
		_, err := describe.ParseFormat(text)
		if got, ok := errors.AsType[*describe.FormatError](err); !ok || *got != want {
			t.Errorf("ParseFormat(%q) = %v, want %v", text, err, &want)
		}
	}
}
