package describe_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"locus/cmd/locus/internal/describe"
	"locus/url"
)

// Each part that is present has a row, even an empty one.
func TestWriteText(t *testing.T) {
	for text, want := range map[string]string{
		"http://u:@h:/?#": "http://u:@h:/?#\n  scheme    http\n  user      u\n  password  \n  host      h\n  port      \n  path      /\n  query     \n  fragment  \n",
		"mailto:a@h":      "mailto:a@h\n  scheme    mailto\n  path      a@h\n",
		"x-unknown://h/":  "x-unknown://h/\n  scheme    x-unknown\n  host      h\n  path      /\n  problem   ",
		"ftp://h/a;type=q": "ftp://h/a;type=q\n  scheme    ftp\n  host      h\n  port      21, by default\n  path      /a;type=q\n" +
			"  problem   ",
	} {
		var b strings.Builder
		if err := read(url.RFC3986, text).WriteText(&b); err != nil {
			t.Fatalf("WriteText of %q: %v", text, err)
		}
		got, _, _ := strings.Cut(b.String(), "  means ") // which package scheme tests
		if !strings.HasPrefix(got, want) || !strings.Contains(want, "problem") && got != want {
			t.Errorf("%s is described as\n%swant\n%s", text, got, want)
		}
	}
}

// By the URL Standard the rows are the attributes of the API, and each validation error is a warning.
func TestWriteTextOfBrowser(t *testing.T) {
	const want = `http:\\H\a?b#c
  href      http://h/a?b#c
  origin    http://h
  protocol  http:
  host      h
  hostname  h
  port      80, by default
  pathname  /a
  search    ?b
  hash      #c
  means     {"path":"a","search":"b"}
`
	var b strings.Builder
	if err := describe.Browser(url.URL{}, `http:\\H\a?b#c`).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(b.String(), "  warning   ")
	if before != want {
		t.Errorf("the text is\n%swant\n%s", before, want)
	}
	if !strings.HasSuffix(after, "  warning   invalid-reverse-solidus at offset 8\n") {
		t.Errorf("the warnings are %q, want the backslash in the path as the last one", after)
	}
}

// WriteText returns the error of its writer.
func TestWriteTextFails(t *testing.T) {
	broken := errors.New("broken")
	if err := read(url.RFC3986, "http://h/").WriteText(failing{broken}); err != broken {
		t.Errorf("WriteText = %v, want %v", err, broken)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// The JSON of an invalid text has the error and the parts that were read.
func TestJSON(t *testing.T) {
	for _, test := range []struct {
		text string
		want map[string]any // some keys
	}{
		{"FTP://h/a;type=i", map[string]any{"valid": true, "scheme": "ftp", "default_port": 21.0, "error": nil, "view_error": nil}},
		{"http://h:81/?q", map[string]any{"port": 81.0, "query": "q", "fragment": nil}},
		{"x-unknown:a", map[string]any{"valid": true, "default_port": nil, "view": nil, "host": nil}},
		{"ftp://h/;type=q", map[string]any{"valid": true, "view": nil}},
		{"http://h/ ", map[string]any{"valid": false, "host": "h", "url": "http://h/ "}},
	} {
		written, err := json.Marshal(read(url.RFC3986, test.text).JSON("rfc3986"))
		if err != nil {
			t.Fatalf("the JSON of %q: %v", test.text, err)
		}
		var got map[string]any
		if err := json.Unmarshal(written, &got); err != nil {
			t.Fatalf("Unmarshal of the JSON of %q: %v", test.text, err)
		}
		for key, want := range test.want {
			if value, ok := got[key]; !ok || value != want {
				t.Errorf("the JSON of %q has %q: %v, want %v", test.text, key, value, want)
			}
		}
		if got["standard"] != "rfc3986" {
			t.Errorf("the JSON of %q has the standard %v", test.text, got["standard"])
		}
		problem, isInvalid := got["error"].(map[string]any)
		if isInvalid == (got["valid"] == true) || isInvalid && (problem["offset"] != 9.0 || problem["rule"] == "" || problem["want"] == "") {
			t.Errorf("the JSON of %q has the error %v", test.text, got["error"])
		}
		if text := "ftp://h/;type=q"; test.text == text && got["view_error"] == nil {
			t.Errorf("the JSON of %q does not say why it does not fit its scheme", text)
		}
	}
}
