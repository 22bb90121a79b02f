package url

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"locus/internal/facts"
)

// req: 1738-6-3
func TestRedact(t *testing.T) {
	for _, test := range []struct{ in, want string }{ // an empty want means that the text must not change
		{in: ""},
		{in: "ftp://u:p@h/x", want: "ftp://u:xxxxx@h/x"},
		{in: "ftp://u:@h", want: "ftp://u:xxxxx@h"},
		{in: "ftp://u@h"},
		{in: "//u:p:q@h#f", want: "//u:xxxxx@h#f"},
		{in: "ftp://u:a@b@h/c@d", want: "ftp://u:xxxxx@h/c@d"},
		{in: "x://h/u:p@i"},
		{in: "http://[::1]:80/@a"},
		{in: "http://u:p@[::1]:80/", want: "http://u:xxxxx@[::1]:80/"},

		// RFC 1738 reads "?" and "#" as part of a password.
		{in: "ftp://u:12?p@h/", want: "ftp://u:xxxxx@h/"},
		{in: "ftp://u:12#p@h/", want: "ftp://u:xxxxx@h/"},
		{in: "http://h?a=b@c"},
		{in: "http://h/?a:b@c"},

		// A URL inside a URL, as in the URL of a gateway.
		{in: "http://127.0.0.1:1738/ftp://u:p@h/", want: "http://127.0.0.1:1738/ftp://u:xxxxx@h/"},
		{in: "http://a:b@h/ftp://u:p@i/?x=//v:q@j#//w:r@k", want: "http://a:xxxxx@h/ftp://u:xxxxx@i/?x=//v:xxxxx@j#//w:xxxxx@k"},
		{in: "http://web.example/http://h:80/@user"},

		// Too few slashes, or too many.
		{in: "ftp:u:p@h/", want: "ftp:xxxxx@h/"},
		{in: "ftp:/u:p@h/", want: "ftp:/u:xxxxx@h/"},
		{in: "ftp:///u:p@h/", want: "ftp:///u:xxxxx@h/"},
		{in: `ftp:\\u:p@h/`, want: `ftp:\\u:xxxxx@h/`},
		{in: "ftp:/\t/u:p@h/", want: "ftp:/\t/u:xxxxx@h/"},
		{in: "ftp: u:p@h/", want: "ftp:xxxxx@h/"},
		{in: "ftp:/u:a/b@h/", want: "ftp:/u:xxxxx@h/"},
		{in: "/u:p@h", want: "/u:xxxxx@h"},
		{in: "ftp:p@h", want: "ftp:xxxxx@h"},

		// No scheme: the user name stands in its place.
		{in: "u:p@h", want: "u:xxxxx@h"},
		{in: "u:p:q@h/c@d", want: "u:xxxxx@h/c@d"},
		{in: "u:a/b@h", want: "u:xxxxx@h"},
		{in: "u.v:p@h:21/x", want: "u.v:xxxxx@h:21/x"},
		{in: "u@x:p@h", want: "u@x:xxxxx@h"},
		{in: "u:12@h", want: "u:xxxxx@h"},

		// A host and a port.
		{in: "localhost:8080"},
		{in: "localhost:8080/@user"},
		{in: "localhost:8080?mail=a@b", want: "localhost:xxxxx@b"}, // RFC 1738 would read a password after "//"
		{in: "//h:80/@a"},

		// An "@" that does not end a login.
		{in: "mailto:a@b"},
		{in: "MAILTO:%22a:b%22@c"},
		{in: "mailto:a@b?cc=c:d@e"},
		{in: "news:a:b@c"},
		{in: "mid:a/b@c"},
		{in: "cid:a:b@c"},
		{in: "urn:x:a:b@c"},
		{in: "xmpp:a@b"},
		{in: "pkg:npm/a@1.2.3"},
		{in: "PKG:golang/example.org/a/b@v1?c=d:e@f#g"},
		{in: "pkg:generic/a@1?download_url=https://u:p@h/", want: "pkg:generic/a@1?download_url=https://u:xxxxx@h/"},
		{in: "sip:a@b"},
		{in: "sip:a:p@b", want: "sip:a:xxxxx@b"},
		{in: "data:text/plain,a:b@c"},
		{in: "file:///c:/a@b"},
		{in: "file:///home/a:b@c"},
		{in: "file:c:a@b"},

		// Relative references.
		{in: "a@b"},
		{in: "?x:y@z"},
		{in: "#x:y@z"},
		{in: "a/b:c@d"},
		{in: "/wiki/User:Bob@x"},

		// The token of a Titan upload. It ends where the next parameter starts.
		{in: "titan://h/x;token=p", want: "titan://h/x;token=xxxxx"},
		{in: "titan://h/x;token=p;mime=text/plain;size=9", want: "titan://h/x;token=xxxxx;mime=text/plain;size=9"},
		{in: "titan://h/x;size=9;token=p;q/r?s#t", want: "titan://h/x;size=9;token=xxxxx"},
		{in: "TITAN://h/x;Token=p;SIZE=9", want: "TITAN://h/x;Token=xxxxx;SIZE=9"},
		{in: "titan://h/x;token=p;token=q", want: "titan://h/x;token=xxxxx"},
		{in: "titan://h/x;token=", want: "titan://h/x;token=xxxxx"},
		{in: "titan://u:p@h/x;token=a@b", want: "titan://u:xxxxx@h/x;token=xxxxx"},
		{in: "titan:u:p;token=a@h/x", want: "titan:xxxxx"},
		{in: "http://127.0.0.1:1738/titan://h/x;token=p", want: "http://127.0.0.1:1738/titan://h/x;token=xxxxx"},
		{in: "view-source:titan://h/x;token=p", want: "view-source:titan://h/x;token=xxxxx"},
		{in: "put titan://h/x;token=p and titan://h/y;token=q r", want: "put titan://h/x;token=xxxxx"},
		{in: "titan://h/x;tokens=p"},
		{in: "titan://h/token=p"},
		{in: "titan://h/x;mime=text/plain;size=9"},

		// Texts that are not URLs.
		{in: " ftp://u:p@h/", want: " ftp://u:xxxxx@h/"},
		{in: "get ftp://u:p@h/ and ftp://v:q r@i/", want: "get ftp://u:xxxxx@h/ and ftp://v:xxxxx@i/"},
		{in: "http//u:p@h", want: "http//u:xxxxx@h"},
		{in: "ftp://u:a/b@h", want: "ftp://u:xxxxx@h"},
		{in: "\xff:p@h", want: "\xff:xxxxx@h"},
	} {
		want := test.want
		if want == "" {
			want = test.in
		}
		if got := Redact(test.in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", test.in, got, want)
		}
		if u, err := Parse(test.in); err == nil && (u.Redacted() != want || u.LogValue().String() != want) {
			t.Errorf("Parse(%q): Redacted = %q, LogValue = %v, want %q", test.in, u.Redacted(), u.LogValue(), want)
		}
	}
}

func TestRedactIsLinear(t *testing.T) {
	for _, unit := range []string{"//", "a:", "@", "//u:p@h/", "//u:", "/\\ ", "//[", "a:b@", ";token=", ";token=a;size="} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		if Redact(text) == "" {
			t.Errorf("Redact of many %q is empty, want a text", unit)
		}
	}
	plain := "http://example.org/a?b#c"
	if n := testing.AllocsPerRun(10, func() { _ = Redact(plain) }); n != 0 {
		t.Errorf("Redact(%q) allocates %v times, want 0", plain, n)
	}
}

const secret = "S3CRET"

// outputs returns every text that this package makes from text: the redacted forms of the URL by each standard, and
// the messages of the errors.
func outputs(text string) string {
	var said strings.Builder
	said.WriteString(Redact(text))
	for _, std := range append(standards, hrefStandard) {
		u, err := std.Parse(text)
		if err != nil {
			said.WriteString(messages(err))
			continue
		}
		said.WriteString("\n" + u.Redacted() + "\n" + u.LogValue().String())
	}
	return said.String()
}

// messages returns every form in which an error may be printed.
func messages(err error) string {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Error("x", "err", err)
	slog.New(slog.NewJSONHandler(&log, nil)).Error("x", "err", err)
	encoded, _ := json.Marshal(err)
	e := err.(*SyntaxError)
	return fmt.Sprintf("%v %+v %#v %s %q %x %v %+v", err, err, err, err, err, "", *e, *e) + e.Mark() + log.String() + string(encoded)
}

// checkSilent checks that this package does not show the secret in text.
func checkSilent(t *testing.T, text string) {
	t.Helper()
	checkSays(t, text, outputs(text))
}

func checkSays(t *testing.T, of, said string) {
	t.Helper()
	if i := strings.Index(said, secret); i >= 0 {
		t.Errorf("the output for %q shows the secret: …%s…", of, said[max(0, i-80):min(len(said), i+80)])
	}
}

func checkSilentError(t *testing.T, what string, err error) {
	t.Helper()
	checkSays(t, what, messages(err))
}

func TestNoPasswordInMessages(t *testing.T) {
	for _, s := range []string{
		"ftp://u:S3CRET/w@h/x", "ftp://u:S3CRET w@h/", "ftp://u:S3CRET@w@h/", "ftp://u:a@S3CRET@h/", "ftp://u:a/S3CRET@h/ x", "ftp:/u:S3CRET @h/",
		"ftp://u:S3CRET%@h", "ftp://u:a#S3CRET@h/ ", "ftp://u:a?S3CRET@h/ ", "//u:S3CRET @h", "ftp:///u:S3CRET @h", "ftp://u:S3CRET@h/ " + strings.Repeat("x", 500),
		"ftp://u:" + strings.Repeat("S3CRET", 100) + " @h/", `ftp:\\u:S3CRET @h/`, "ftp://u:\x00S3CRET@h/", "x:" + strings.Repeat(" ", 200) + "//u:S3CRET@h",
		"u:S3C RET@h", "u:S3CRET @h", `\\u:\S3CRET @h`, `\\u:\S3CRET@h`, "u:a@S3CRET@h/ ", "ftp://a:b@h/ftp://u:S3CRET @h",
		"titan://h/x;token=S3CRET", "titan://h/x;token=S3CRET%", "titan://h/;token=\x00S3CRET", "titan://h:x/;token=S3CRET", "titan://h/;token=" + strings.Repeat("S3CRET", 100) + "[",
	} {
		checkSilent(t, s)
	}
	_, err := MustParse("ftp://u@h/").With(Password, Some("12/S3CRET"))
	checkSilentError(t, "WithPassword", err)
	_, err = Unescape("S3CRET%")
	checkSilentError(t, "Unescape", err)
}

// No output shows the text that any of the standards reads as a password.
func FuzzPassword(f *testing.F) {
	for _, s := range []string{
		"ftp://u:p@h/x", "http://u:p@h?q#f", "ftp://u:p?q@h/", "ftp://u:1#p@h/", "x://u:p@[::1]:8/a@b", "//u:p@h", "ftp://a:p@b@h/", "X://:p@/", "file://u:p@h/c:/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, secret) {
			return
		}
		for _, std := range append(standards, hrefStandard) {
			u, err := std.Parse(text)
			start, end, ok := u.Span(Password)
			if err != nil || !ok {
				continue
			}
			for _, password := range []string{secret, text[start:end] + secret, secret + text[start:end]} {
				checkSilent(t, text[:start]+password+text[end:])
			}
		}
	})
}

// No output shows a password if the slashes before the user are missing or too many, except that a password after a
// port and a slash, or with a slash and an "@" in it, is not recognized. Without slashes before the user, a password that
// begins with a backslash is not recognized either.
func FuzzMistypedPassword(f *testing.F) {
	f.Add("ftp", "ada", "", "", "example.org/x")
	f.Add("http", "u", "a@", "/b", "h:80/?q")
	f.Add("x", "u", "1", "?#", "[::1]/")
	f.Add("telnet", "", " ", "\x00", "h\\")
	f.Fuzz(func(t *testing.T, scheme, user, before, after, host string) {
		if facts.Of(scheme).Has(facts.AtIsData) || facts.Of(user).Has(facts.AtIsData) || strings.Contains(before, "/") || strings.Contains(before, "@") && strings.Contains(after, "/") || strings.ContainsAny(scheme+user, `:/?#@\[] `) || strings.Contains(scheme+user+host, secret) {
			return
		}
		for _, slashes := range []string{"", "/", "//", "///", `\\`, "/\n/"} {
			login := user + ":" + before + secret + after + "@" + host
			if _, isPath := skipSlashes(before, 0); slashes != "" || isPath == 0 {
				checkSilent(t, slashes+login)
			}
			checkSilent(t, scheme+":"+slashes+login)
		}
	})
}
