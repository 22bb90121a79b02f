package nntp_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/proto/nntp"
	"locus/url"
)

// req: 1630-news-1
func TestLinks(t *testing.T) {
	article := "From: Ada <ada@example.org>\r\nNewsgroups: misc.test,misc.other ,\r\n alt.folded\r\nFollowup-To: misc.test, poster\r\n" +
		"References: <one@example.org>\r\n <two@example.org><three@example.org>\r\nin-reply-to: Ada's message <one@example.org> of today\r\n" +
		"Supersedes: <old@example.org>\r\nSubject: about <subject@example.org>\r\n\r\n" +
		"See <four@example.org>, <one@example.org> and <<five@example.org>>.\r\n<not an@id> <> <@x> <x@> <nothing> <http://h/> <six\r\n@example.org>\r\n" +
		"<" + strings.Repeat("x", 300) + "@h>\r\n<seven@example.org"
	for _, test := range []struct{ base, prefix string }{
		{"news:x@y", "news:"},
		{"nntp://h:1119/misc.test/3", "news://h:1119/"},
		{"nntps://h/misc.test/3", "snews://h/"},
		{"news://h/x@y", "news://h/"},
		{"file:///tmp/article", "news:"},
	} {
		got := describeEntries(nntp.Links(strings.NewReader(article), url.MustParse(test.base)))
		want := strings.ReplaceAll(`directory "misc.test" <P:misc.test>
directory "misc.other" <P:misc.other>
directory "alt.folded" <P:alt.folded>
object "one@example.org" <P:one@example.org>
object "two@example.org" <P:two@example.org>
object "three@example.org" <P:three@example.org>
object "old@example.org" <P:old@example.org>
object "four@example.org" <P:four@example.org>
object "five@example.org" <P:five@example.org>
`, "P:", test.prefix)
		if got != want {
			t.Errorf("the links by %q are\n%s\nwant\n%s", test.base, got, want)
		}
	}
}

// Only some names in angle brackets are groups.
//
// req: 1630-news-1
func TestLinksOfGroups(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"<comp.lang.misc>", `directory "comp.lang.misc" <news:comp.lang.misc>`},
		{"<alt.test>", `directory "alt.test" <news:alt.test>`},
		{"<local.talk>", `directory "local.talk" <news:local.talk>`},
		{"<comp.lang.c++>", `directory "comp.lang.c++" <news:comp.lang.c++>`},
		{"<news:comp.lang.misc>", `directory "comp.lang.misc" <news:comp.lang.misc>`},
		{"<URL:news:comp.lang.misc>", `directory "comp.lang.misc" <news:comp.lang.misc>`},
		{"<news:a@b.example>", `object "a@b.example" <news:a@b.example>`},
		{"<url:News:a@b.example>", `object "a@b.example" <news:a@b.example>`},
		{"<a/b+c@d.example>", `object "a/b+c@d.example" <news:a%2Fb+c@d.example>`},
		{"<mailto:ada@example.org>", ""},
		{"<http://ada@example.org/>", ""},
		{"<body>", ""},
		{"</body>", ""},
		{"<br/>", ""},
		{"<stdio.h>", ""},
		{"<www.example.org>", ""},
		{"<other.test>", ""},
		{"<comp>", ""},
		{"<comp.>", ""},
		{"<comp..lang>", ""},
		{"<comp.lang/misc>", ""},
		{"<comp.lang,misc>", ""},
		{"<comp.lang misc>", ""},
		{"<news:*>", ""},
		{"<comp." + strings.Repeat("x", 300) + ">", ""},
	} {
		l := nntp.Links(strings.NewReader("Newsgroups: local.test\n\n"+test.text+"\n"), url.MustParse("news:x@y"))
		got, _ := strings.CutPrefix(describeEntries(l), "directory \"local.test\" <news:local.test>\n")
		if strings.TrimSpace(got) != test.want {
			t.Errorf("the links of %q are %q, want %q", test.text, got, test.want)
		}
	}
}

func TestLinksSays(t *testing.T) {
	l := nntp.Links(strings.NewReader("References: <a@b>\n\n<c@d>"), url.URL{})
	for _, want := range []nntp.Link{"References", ""} {
		if e, err := l.Next(); err != nil || e.Sys != want || e.Type != "message/rfc822" {
			t.Errorf("Next = %+v, %v, want a link of %q", e, err, want)
		}
	}
	if _, err := l.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("past the end Next = %v, want EOF", err)
	}
}

func TestLinksFail(t *testing.T) {
	broken := errors.New("broken")
	for _, article := range []string{"Subject: x\n", "Subject: x\n\nbody <a@b"} {
		l := nntp.Links(io.MultiReader(strings.NewReader(article), iotest.ErrReader(broken)), url.URL{})
		if err := access.Entries(l, func(access.Entry) error { return nil }); !errors.Is(err, broken) {
			t.Errorf("the links of %q, broken off, give %v", article, err)
		}
	}
	for _, header := range []string{strings.Repeat("x", 1<<20), strings.Repeat("X: y\n", 1<<20)} {
		if _, err := nntp.Links(strings.NewReader(header), url.URL{}).Next(); !errors.Is(err, access.ErrTooLong) {
			t.Errorf("the links of the endless header %.10q… give %v, want %v", header, err, access.ErrTooLong)
		}
	}
}

// A long article is not kept in memory.
func TestLinksOfALongArticle(t *testing.T) {
	body := io.LimitReader(&repeatReader{line: "some text and <one@example.org>, and more <of that sort\r\n"}, 4<<20)
	l := nntp.Links(io.MultiReader(strings.NewReader("Subject: x\n\n"), body), url.MustParse("news:a@b"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	err := access.Entries(l, func(access.Entry) error { n++; return nil })
	runtime.GC()
	runtime.ReadMemStats(&after)
	if n != 1 || err != nil || after.HeapAlloc > before.HeapAlloc+1<<20 {
		t.Errorf("%d links, %v, %d KiB more in use, want 1 and less than 1 MiB", n, err, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>10)
	}
}

// Every link that is found can be opened.
func FuzzLinks(f *testing.F) {
	f.Add("Newsgroups: a,b c\nReferences: <a@b>\n\n<c@d> <<e@f>>")
	f.Add("Newsgroups: caf\xe9,\x00,*\nReferences: <a b@c>\n")
	f.Fuzz(func(t *testing.T, article string) {
		l := nntp.Links(strings.NewReader(article), url.MustParse("nntp://h/g/1"))
		_ = access.Entries(l, func(e access.Entry) error {
			again, err := url.Parse(e.URL.String())
			if err != nil || again != e.URL {
				t.Errorf("in %q: the URL %q is %q, %v", article, e.URL, again, err)
			}
			if _, err := (nntp.Client{}).Do(t.Context(), &access.Request{URL: e.URL}); !errors.Is(err, access.ErrNoDial) {
				t.Errorf("in %q: opening %q = %v, want that only the dialler is missing", article, e.URL, err)
			}
			return nil
		})
	})
}
