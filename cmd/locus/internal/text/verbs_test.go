package text

import (
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/cmd/locus/internal/command"
	"locus/scheme"
	"locus/url"
)

// awkward returns texts that are difficult to parse as URLs: empty, cut, and hostile texts.
func awkward() []string {
	return []string{
		"", "a", "-", "?", "#", "//", "///", "/", ".", "..", "./b:c", "a/../..", ":", "%", "%0", "%00", "//h:", "//@", "//u:@h",
		"http://h", "http://h:/", "http://h:00080/", "HTTP://H.Example./%7e%2F/../a//b", "http://h/a?", "http://h/a#", "http://h/a?#",
		"http://h/;a=b;c/./x", "http://[::FFFF:1.2.3.4]:80/", "http://%C3%A9/", "http://h//a/..//b", "http://h/%2e%2E/a", "http:a", "http:",
		"ftp://u@h/%2Fetc;type=A", "ftp://:@h/", "file:", "file:/a", "file:///C:/a/../b", "file://localhost", "gopher://h", "gopher://h/1",
		"mailto:a@B?subject=%C3%A9", "mailto:", "news:A@B", "news:*", "urn:ISBN:X", "data:,%41%00", "wais://h/d?a+b%2B", "telnet://h/",
		"javascript:%41", "x-None://H:80/A", "mid:a%25b@c", "URL:http://h/", "<http://h/>", " http://h/ ", "http://h/a b", "http://h/\x00",
		"http://h/\u202egpj.exe", "http://h/\xff", `http:\\h\a\..\b`, "http://é.example/ü", "http://1.2.3/", "http://0x7f.1/", strings.Repeat("a/", 9000),
	}
}

// The output of normalize is normal, and means the same by the standard that read the text.
func TestNormalizeLaw(t *testing.T) {
	t.Parallel()
	for _, as := range All() {
		var texts, want []string
		for _, text := range awkward() {
			u, err := (By{As: as}).Read(text)
			if err == nil {
				texts, want = append(texts, text), append(want, scheme.Normalize(u, url.AllRewrites).String())
			}
		}
		if len(texts) < 20 {
			t.Errorf("normalize --as %s reads only %d of the texts", as, len(texts))
		}
		once := lines(t, Normalize(), append([]string{"--as", as, "--"}, texts...)...)
		twice := lines(t, Normalize(), append([]string{"--as", as, "--"}, once...)...)
		for i, text := range texts {
			if once[i] != want[i] || twice[i] != once[i] {
				t.Errorf("--as %s: normalize %q = %q, then %q, want %q", as, text, once[i], twice[i], want[i])
			}
		}
	}
}

// The output of relative resolves to the URL again, on the command line as in Go. relative refuses
// URLs to which no reference resolves.
func TestRelativeLaw(t *testing.T) {
	t.Parallel()
	for _, as := range All() {
		by := By{As: as}
		for _, base := range []string{"http://h/a/b?q", "file:///a/b", "mailto:a@b"} {
			if as == "rfc1738" && base == "mailto:a@b" {
				continue // RFC 1808 §4: a base has "//"
			}
			from, err := by.Read(base)
			if err != nil {
				t.Fatalf("Read(%q) as %v: %v", base, as, err)
			}
			var texts []string
			refused := 0
			for _, text := range awkward() {
				u, err := by.Read(text)
				if err != nil || !u.IsAbs() {
					continue
				}
				if _, err := from.Relative(u); err != nil {
					refused++
					continue
				}
				texts = append(texts, u.String())
			}
			relative := lines(t, Relative(), append([]string{"--as", as, "--", base}, texts...)...)
			back := lines(t, Resolve(), append([]string{"--as", as, "--", base}, relative...)...)
			if !slices.Equal(back, texts) || refused > 6 || len(texts) < 15 {
				t.Errorf("--as %s: %q relative to %s is %q, which resolves to %q; %d refused", as, texts, base, relative, back, refused)
			}
		}
	}
}

// lines runs a verb that must succeed, and returns the lines of its output.
func lines(t *testing.T, v *command.Verb, args ...string) []string {
	t.Helper()
	status, stdout, stderr := clitest.Run(t, v, clitest.Input{}, args...)
	if status != 0 || stderr != "" {
		t.Fatalf("%s %.200q: status %d, %s", v.Name, args, status, stderr)
	}
	return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
}

// stdin is read to its end, with any line ends. A line that is not a URL is reported, and the
// others are converted.
func TestStdin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verb   *command.Verb
		args   []string
		stdin  string
		status int
		stdout string
		stderr string
	}{
		{Normalize(), nil, "", 0, "", ""},
		{Normalize(), nil, "\n", 0, "\n", ""},
		{Normalize(), nil, "HTTP://H\r\nHTTP://I", 0, "http://h/\nhttp://i/\n", ""},
		{Normalize(), nil, "a\rb\nHTTP://I", 1, "http://i/\n", `parse "a\rb": offset 1`},
		{Normalize(), nil, "http://h/\x1b[2J\nx\n", 1, "x\n", `"http://h/\x1b[2J"`},
		{Normalize(), []string{"--guess"}, "http://[\nh.example\n", 1, "https://h.example/\n", "parse "},
		{Resolve(), []string{"http://h/a"}, "\n\r\n%\nb", 1, "http://h/a\nhttp://h/a\nhttp://h/b\n", "found a bad escape"},
		{Relative(), []string{"http://h/a/b"}, "http://h/a/c\nx\nhttp://h/", 1, "c\n/\n", `parse "x": offset 0`},
		{Equal(), []string{"http://h/"}, "", 0, "", ""},
		{Equal(), []string{"http://h/"}, "HTTP://H:80\r\nhttp://h", 0, "", ""},
		{Equal(), []string{"http://h/"}, "http://h/ \nhttp://h/a\n", 1, "http://h/a: path: nothing at offset 9, \"a\" at offset 9\n", "offset 9: found ' '"},
		{Equal(), []string{"ftp://u:one@h/"}, "ftp://u:two@h/\nftp://u:one@h/", 1, "ftp://u:xxxxx@h/: password: they differ\n", ""},
	} {
		status, stdout, stderr := clitest.Run(t, test.verb, clitest.Input{Stdin: test.stdin}, test.args...)
		if status != test.status || stdout != test.stdout || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
			t.Errorf("%s %q of %q = %d, %q, %q, want %d, %q, %q", test.verb.Name, test.args, test.stdin, status, stdout, stderr, test.status, test.stdout, test.stderr)
		}
	}
}

// equal gives the same result for A and B as for B and A, and shows no password.
func TestEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ a, b, want string }{
		{"", "", ""},
		{"http://h", "HTTP://H:80/", ""},
		{"ftp://h/%41;type=A", "FTP://h:21/A;type=a", ""},
		{"http://h/", "http://h:81/", "port: none, \"81\" at offset 9"},
		{"http://h/%E2%80%AE", "http://h/x", "path: \"%E2%80%AE\" at offset 9, \"x\" at offset 9"},
		{"http://h/a", "", "scheme: \"http\" at offset 0, none"},
		{"http://u:hush@h/", "http://u@h/", "password: they differ"},
		{"http://u:hush@h/", "http://u:hosh@h/", "password: they differ"},
		{"http://u:12345?x@h/", "http://u:12346?x@h/", "port: they differ"},
		{"http://u:hush@h/", "http://h/", "user: \"u\" at offset 7, none"},
		{"http://u:hush@h/a", "http://u:hush@h/b", "path: \"a\" at offset 16, \"b\" at offset 16"},
		{"ftp:u:hush@h", "ftp:u:hosh@h", "path: they differ"},
		{"ftp:u:hush@h", "ftp:v", "path: they differ"},
		{"http:/u:hush@h", "http:/u:hu", "path: they differ"},
		{"mailto:a@b", "mailto:a@c", "path: \"b\" at offset 9, \"c\" at offset 9"},
	} {
		for _, args := range [][]string{{test.a, test.b}, {test.b, test.a}} {
			status, stdout, stderr := clitest.Run(t, Equal(), clitest.Input{}, args...)
			want := test.want
			if part, values, ok := strings.Cut(want, ": "); ok && args[0] != test.a {
				if first, second, ok := strings.Cut(values, ", "); ok {
					want = part + ": " + second + ", " + first
				}
			}
			if (status == 0) != (want == "") || strings.TrimSuffix(stdout, "\n") != want || stderr != "" || strings.Contains(stdout, "ush") {
				t.Errorf("equal %q = %d, %q, %q, want %q", args, status, stdout, stderr, want)
			}
		}
	}
}

// Invalid URLs and invalid arguments are refused, with the status 1 or 2.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, v := range []*command.Verb{Resolve(), Relative(), Normalize(), Equal()} {
		clitest.Table(t, v, []clitest.Case{
			{Args: []string{"--as", "klingon", "http://h/", "x"}, Status: 2, Stderr: "--as must be rfc3986, rfc1738, rfc1630 or whatwg"},
			{Args: []string{"--as", "", "http://h/", "x"}, Status: 2, Stderr: "--as must be"},
			{Args: []string{"http://h/%zz", "http://u:hush@h:x/"}, Status: 1, Stderr: "offset 9: found a bad escape"},
			{Args: []string{"--nope", "x"}, Status: 2, Stderr: "nope"},
		})
	}
	clitest.Table(t, Resolve(), []clitest.Case{
		{Args: []string{"", "x"}, Status: 1, Stderr: "want a scheme in the base"},
		{Args: []string{"http://h/", "//u:hush@[::"}, Status: 1, Stderr: `parse "//u:xxxxx@[::"`},
		{Args: []string{"--as", "whatwg", "http://h/", "http://u:hush@i:99999/", "b"}, Status: 1, Stdout: "http://h/b\n", Stderr: `"http://u:xxxxx@i:99999/"`},
	})
}
