package nntp_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

const hello = `< 200 hi
	> CAPABILITIES
	< 101 these
	< READER
	< .
`

func TestAppend(t *testing.T) {
	for _, test := range []struct {
		name, url, article string
		script             string
		added              string
		want               string // part of the error; "" means none
	}{
		{"plain", "news:misc.test", "From: a@h\nSubject: x\n\n.dot\n..\nend", hello + `> POST
			< 340 go
			> From: a@h
			> Subject: x
			> Newsgroups: misc.test
			> 
			> ..dot
			> ...
			> end
			> .
			< 240 thanks
			> QUIT`, "", ""},
		{"CR LF", "nntp://h/misc.test", "Newsgroups: misc.other,\r\n misc.test\r\nMessage-ID: <a@h>\r\n\r\nx\r\n", hello + `> POST
			< 340 go
			> Newsgroups: misc.other,
			>  misc.test
			> Message-ID: <a@h>
			> 
			> x
			> .
			< 240 thanks
			> QUIT`, "news://h/a@h", ""},
		{"the id that the server makes", "news:misc.test", "Subject: x\n", hello + `> POST
			< 340 go
			> Subject: x
			> Newsgroups: misc.test
			> 
			> .
			< 240 Article received <made@h>
			> QUIT`, "news:made@h", ""},
		{"posting not allowed", "news:misc.test", "Subject: x\n\n", hello + `> POST
			< 440 read only`, "", "append news:misc.test: 440 read only"},
		{"refused", "news:misc.test", "Subject: x\n\n", hello + `> POST
			< 340 go
			> Subject: x
			> Newsgroups: misc.test
			> 
			> .
			< 441 no From line`, "", "append news:misc.test: 441 no From line"},
		{"a login too late", "news:misc.test", "Subject: x\n\n", hello + `> POST
			< 340 go
			> Subject: x
			> Newsgroups: misc.test
			> 
			> .
			< 480 who are you`, "", "append news:misc.test: 480 who are you: permission denied"},
		{"gone", "news:misc.test", "Subject: x\n\n", hello + `> POST
			< 340 go`, "", "append news:misc.test:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(accesstest.Serve(t, parseDialogue(test.script)))
			u, err := accesstest.Add(t.Context(), c, access.Append, &access.Request{URL: url.MustParse(test.url)}, strings.NewReader(test.article))
			if u.String() != test.added || (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("Append = %q, %v, want %q, %s", u, err, test.added, test.want)
			}
		})
	}
}

// The client logs in before it sends an article, which it sends once.
func TestAppendAfterLogin(t *testing.T) {
	const posts = `> POST
		< 340 go
		> Subject: x
		> Newsgroups: misc.test
		> 
		> y
		> .
		< 240 thanks
		> QUIT`
	for name, login := range map[string]string{
		"a login": `> AUTHINFO USER ada
			< 281 hello
			> CAPABILITIES
			< 101 these
			< .
			`,
		"no login": `> AUTHINFO USER ada
			< 500 what
			`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(accesstest.Serve(t, parseDialogue(hello+login+posts)))
			c.User, c.Security = "ada", access.NeverTLS
			if err := accesstest.Change(t.Context(), c, access.Append, &access.Request{URL: url.MustParse("news:misc.test")}, strings.NewReader("Subject: x\n\ny\n")); err != nil {
				t.Errorf("Append = %v", err)
			}
		})
	}
	c := newClient(accesstest.Serve(t, parseDialogue(hello+`> AUTHINFO USER ada
		< 481 not you`)))
	c.User, c.Security = "ada", access.NeverTLS
	if err := accesstest.Change(t.Context(), c, access.Append, &access.Request{URL: url.MustParse("news:misc.test")}, strings.NewReader("Subject: x\n\ny\n")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Append = %v, want %v", err, fs.ErrPermission)
	}
}

// An invalid article, or one for another group, is refused before dialing.
func TestAppendRefuses(t *testing.T) {
	for _, test := range []struct{ url, article, want string }{
		{"news:misc.test", "", "the article is empty"},
		{"news:misc.test", "\n\n", "is not a header line"},
		{"news:misc.test", "hello\n", `"hello" is not a header line`},
		{"news:misc.test", " folded: x\n\n", "is not a header line"},
		{"news:misc.test", "From ada Fri\n", "is not a header line"},
		{"news:misc.test", "Sub ject: x\n", "is not a header line"},
		{"news:misc.test", "Subject: x\x00\n", "is not a header line"},
		{"news:misc.test", "Subject: x\rEvil: y\n", "is not a header line"},
		{"news:misc.test", "Newsgroups: misc.other\n\n", `Newsgroups field has ["misc.other"], not "misc.test"`},
		{"news:misc.test", "Subject: " + strings.Repeat("x", 1<<20), "a line of more than 32768 bytes"},
		{"news:misc.test", strings.Repeat("X: y\n", 1<<18), "header of more than 262144 bytes"},
		{"news:*", "Subject: x\n\n", "articles can be posted to newsgroups only"},
		{"news:a@h", "Subject: x\n\n", "articles can be posted to newsgroups only"},
		{"nntp://h/misc.test/3", "Subject: x\n\n", "articles can be posted to newsgroups only"},
		{"news:misc.test/1-3", "Subject: x\n\n", "articles can be posted to newsgroups only"},
		{"news:misc.test%0D%0A", "Subject: x\n\n", "misc.test"},
		{"x-other:misc.test", "Subject: x\n\n", "no access to this scheme"},
	} {
		c := newClient(accesstest.Serve(t))
		err := accesstest.Change(t.Context(), c, access.Append, &access.Request{URL: url.MustParse(test.url)}, strings.NewReader(test.article))
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 300 {
			t.Errorf("Append(%q, %.40q) = %v, want %q", test.url, test.article, err, test.want)
		}
	}
}

// An article whose body fails is not posted.
func TestAppendBreaksOff(t *testing.T) {
	broken := errors.New("broken")
	for name, body := range map[string]io.Reader{
		"error":   io.MultiReader(strings.NewReader("half\n"), iotest.ErrReader(broken)),
		"NUL":     strings.NewReader("half\n\x00"),
		"CR":      strings.NewReader("half\rEvil\n"),
		"last CR": strings.NewReader("half\r"),
	} {
		s := accesstest.ServeAll(t, modern.with(answers{"POST": "340 go\r\n"}).script())
		err := accesstest.Change(t.Context(), newClient(s), access.Append, &access.Request{URL: url.MustParse("news:misc.test")}, io.MultiReader(strings.NewReader("Subject: x\n\n"), body))
		s.Wait()
		if err == nil || strings.Contains(s.Received(0), "\r\n.\r\n") {
			t.Errorf("%s: Append = %v after %q, want an error and no end", name, err, s.Received(0))
		}
	}
}

// A server may refuse an article, and close the connection, before it has read the whole article. The error is then the
// refusal. A positive reply does not count.
func TestPostAnsweredEarly(t *testing.T) {
	article := "Subject: x\n\n" + strings.Repeat("a line of the article\n", 10_000)
	for _, test := range []struct {
		reply string
		want  string // the end of the error
	}{
		{"441 too large\r\n", "441 too large"},
		{"240 thanks\r\n", "connection reset by peer"},
		{"", "connection reset by peer"},
	} {
		s := accesstest.ServeAll(t, accesstest.Script{
			accesstest.Send("200 hi\r\n"), accesstest.Expect("CAPABILITIES\r\n"), accesstest.Send("101 these\r\nREADER\r\n.\r\n"),
			accesstest.Expect("POST\r\n"), accesstest.Send("340 go\r\n" + test.reply),
		})
		c := newClient(s)
		c.Dial, _ = wiretest.FailWrites(s.Dial, 10_000)
		err := accesstest.Change(t.Context(), c, access.Append, &access.Request{URL: url.MustParse("nntp://h/misc.test")}, strings.NewReader(article))
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("Append answered %q before the end of the article = %v, want %q", test.reply, err, test.want)
		}
	}
}
