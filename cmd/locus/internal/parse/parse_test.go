package parse

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

func TestParse(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{
			Args: []string{"http://u@h/a?q#f"},
			Stdout: "http://u@h/a?q#f\n  scheme    http\n  user      u\n  host      h\n  port      80, by default\n" +
				"  path      /a\n  query     q\n  fragment  f\n  means     {\"path\":\"a\",\"search\":\"q\"}\n",
		},
		{Args: []string{"news:a", "x"}, Stdout: "news:a\n  scheme    news\n  path      a\n  means     {\"kind\":\"group\",\"group\":\"a\",\"message_id\":null}\n\nx\n  path      x\n  problem   a relative reference: no view of its URLs\n"},
		// Control characters are never written to the terminal.
		{Args: []string{"http://h/\x1b[2J"}, Status: 1, Stdout: "http://h/\\x1b[2J\n         ^ want a byte that may stand in a path, or an escape\n  offset 9, RFC 3986 §3.3\n", Stderr: "invalid by RFC 3986: 1 of 1"},
		// A URL that does not fit its scheme is valid by RFC 3986, and invalid by RFC 1738.
		{Args: []string{"ftp://h/a;type=q"}, Stdout: "ftp://h/a;type=q\n  scheme    ftp\n  host      h\n  port      21, by default\n  path      /a;type=q\n  problem   offset 15: found 'q', want a type code: \"a\", \"i\" or \"d\" (RFC 1738 §3.2.2)\n"},
		{Args: []string{"--as", "rfc1738", "ftp://h/a;type=q"}, Status: 1, Stdout: "ftp://h/a;type=q\n               ^ want a type code: \"a\", \"i\" or \"d\"\n  offset 15, RFC 1738 §5\n", Stderr: "invalid by RFC 1738: 1 of 1"},
		{Stdin: ":\nx\n:", Status: 1, Stdout: ":\n^ want a scheme before the \":\"\n  offset 0, RFC 3986 §3.1\n\nx\n  path      x\n  problem   a relative reference: no view of its URLs\n\n:\n^ want a scheme before the \":\"\n  offset 0, RFC 3986 §3.1\n", Stderr: "invalid by RFC 3986: 2 of 3"},
		{Args: []string{"--guess", "--as", "whatwg", "--parts", "{scheme}:{host}", "example.org"}, Stdout: "https:example.org\n"},
		{Args: []string{"--base", "http://h/", "x"}, Status: 2, Stderr: "--base needs --as whatwg"},
		{Args: []string{"--as", "whatwg", "--base", "x", "y"}, Status: 1, Stderr: "want a scheme"},
		{Args: []string{"--as", "whatwg", "--base", "http://u:secret@[", "y"}, Status: 1, Stderr: "http://u:xxxxx@["},
		{Args: []string{"--guess", "--as", "whatwg", "http://["}, Status: 1, Stdout: "http://[\n       ^ want the \"]\" that ends the address\n  offset 7, URL Standard, IPv6-unclosed\n", Stderr: "invalid by the URL Standard: 1 of 1"},
		{Args: []string{"--json"}, Stdin: "", Stdout: ""},
		{Args: []string{"--as", "rfc2396", "x"}, Status: 2, Stderr: "--as must be"},
		{Args: []string{"--json", "--parts", "x", "y"}, Status: 2, Stderr: "--parts and --json cannot be combined"},
	})
}

func TestParseParts(t *testing.T) {
	for _, test := range []struct{ format, in, want string }{
		{"{host}:{port}", "https://h/", "h:443"},
		{"{host}:{port}", "https://h:1/", "h:1"},
		{"{host}:{port}", "mailto:a@h", ":"},
		{"{scheme} {user} {password} {path} {query} {fragment}", "HTTP://u:p@h/%41?q#f", "HTTP u p /%41 q f"},
		{"{query:a}{query:b}", "http://h/?a=1+2%263&b=x&a=4", "1+2&3x"},
		{"{query:none}", "http://h/?a", ""},
		{"{ftp.type}{gopher.selector}", "ftp://h/a;type=i", "i"},
		{"{ftp.dirs}", "ftp://h/a/b%2Fc/d", `["a","b/c"]`},
		{"{ftp.type}", "ftp://h/a", ""},
		{"{url}", "http://h/ü", ""}, // invalid, so there is only an error
		{"plain", "x", "plain"},
		{"}", "x", "}"},
	} {
		status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{}, "--parts", test.format, test.in)
		isInvalid := strings.Contains(test.in, "ü")
		if strings.TrimSuffix(stdout, "\n") != test.want || (status != 0) != isInvalid || (stderr != "") != isInvalid {
			t.Errorf("parse --parts %q %q = %d, %q, %q, want %q", test.format, test.in, status, stdout, stderr, test.want)
		}
	}
	clitest.Table(t, Verb(), []clitest.Case{
		{Args: []string{"--parts", "{host", "x"}, Status: 2, Stderr: "--parts needs a } after {host"},
		{Args: []string{"--parts", "{nope}", "x"}, Status: 2, Stderr: "the part {nope} is unknown"},
		{Args: []string{"--parts", "{http2.path}", "x"}, Status: 2, Stderr: "the part {http2.path} is unknown"},
		{Args: []string{"--parts", "{}", "x"}, Status: 2, Stderr: "the part {} is unknown"},
	})
}

func TestParseAsBrowser(t *testing.T) {
	clitest.Table(t, Verb(), []clitest.Case{
		{
			Args: []string{"--as", "whatwg", `HTTP://h\x y`},
			Stdout: "HTTP://h\\x y\n  href      http://h/x%20y\n  origin    http://h\n  protocol  http:\n  host      h\n  hostname  h\n" +
				"  port      80, by default\n  pathname  /x%20y\n  means     {\"path\":\"x y\",\"search\":null}\n" +
				"  warning   invalid-reverse-solidus at offset 8\n  warning   invalid-URL-unit at offset 10\n",
		},
		{Args: []string{"--as", "whatwg", "--base", "http://h/a/b", "--parts", "{url}", "../c"}, Stdout: "http://h/c\n"},
		{Args: []string{"--as", "whatwg", "http://[::1"}, Status: 1, Stdout: "http://[::1\n       ^ want the \"]\" that ends the address\n  offset 7, URL Standard, IPv6-unclosed\n", Stderr: "invalid by the URL Standard: 1 of 1"},
	})
}

// TestJSONSchema tests the members of the objects. This tests their values.
func TestParseJSON(t *testing.T) {
	for in, want := range map[string][]string{
		"http://h:080/":       {`"port":80`, `"default_port":80`, `"valid":true`, `"error":null`},
		"http://h/%":          {`"valid":false`, `"offset":9`, `"rule":"RFC 3986`},
		"FTP://h/":            {`"scheme":"ftp"`, `"view":{`},
		"ftp://h/;type=q":     {`"valid":true`, `"view":null`, `"view_error":"offset 14`},
		"http://h/\xff":       {`"valid":false`, `"url":{"base64":`},
		"x:y":                 {`"view":null`, `"default_port":null`, `"host":null`},
		"http://h:99999999/x": {`"port":99999999`},
	} {
		if _, stdout, _ := clitest.Run(t, Verb(), clitest.Input{}, "--json", in); strings.Count(stdout, "\n") != 1 || !containsAll(stdout, want) {
			t.Errorf("parse --json %q = %s, want %q in it", in, stdout, want)
		}
	}
}

// Every URL gets an object, and the exit status tells whether one is invalid.
func TestParseJSONOfMany(t *testing.T) {
	status, stdout, stderr := clitest.Run(t, Verb(), clitest.Input{Stdin: "http://h/\nhttp://h/%\nx:y\n"}, "--json")
	var valid []string
	for line := range strings.Lines(stdout) {
		var object struct{ Valid bool }
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Errorf("the line %q: %v", line, err)
		}
		valid = append(valid, strconv.FormatBool(object.Valid))
	}
	if got, want := strings.Join(valid, " "), "true false true"; got != want || status != 1 || stderr != "locus: invalid by RFC 3986: 1 of 3\n" {
		t.Errorf("parse --json of three lines = %d, %q, %q, want 1, %q", status, got, stderr, want)
	}
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
