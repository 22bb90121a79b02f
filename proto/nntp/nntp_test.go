package nntp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/nntp"
	"locus/url"
)

// req: 1738-6-2
// req: 1738-6-3
func TestContract(t *testing.T) {
	server := accesstest.ServeAll(t, modern.with(answers{
		"ARTICLE <cut@example.org>":   "220 0 <cut@example.org>\r\nSubject: cut\r\n\r\nhalf",
		"ARTICLE <stall@example.org>": "220 0 <stall@example.org>\r\nSubject: stall\r\n\r\nhalf\r\n",
	}).script())
	parse := url.MustParse
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat, access.Append},
		New:       func(dial proto.Dial) access.Engine { return nntp.Client{Dial: dial, Server: "own.example"} },
		Dial:      server.Dial,
		Object:    parse("news:one@example.org"),
		Content:   text,
		Missing:   parse("news:none@example.org"),
		Listing:   parse("nntp://h/misc.test"),
		Titles:    []string{"café", "First"},
		Truncated: parse("news:cut@example.org"),
		Stalled:   parse("news:stall@example.org"),
		Hostile: []url.URL{
			parse("news:a%0D%0APOST@h"), parse("news:a%0AQUIT@h"), parse("news:a%00@h"), parse("news:a%0D@h"),
			parse("news:a%3E%20b@h"), parse("news:%3Ca@h%3E"), parse("news:a%20b@h"), parse("news:a%09b@h"),
			parse("news:misc.test%0D%0AQUIT"), parse("nntp://h/misc.test%0D%0AQUIT/3"), parse("nntp://h/misc.test%20x"),
			parse("nntp://h/misc.test/3%0D%0AQUIT"), parse("nntp://h/misc.test/1-3%0D%0AQUIT"), parse("nntp://h/misc.test%0A/1-3"),
			parse("nntp://h/%C3%A9%0Aa"), parse("nntp://h/%C3%A9%00a"),
			parse("news:" + strings.Repeat("a", 300) + "@h"),
		},
		NoOffset: true,
	})
}

// Each URL sends these commands.
//
// req: 1738-3.6-3
// req: 1738-3.7-2
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		url    string
		dialed string
		want   []string
	}{
		{"news:*", "own.example:119", []string{"LIST"}},
		{"news://h/*", "h:119", []string{"LIST"}},
		{"news://h:1119/", "h:1119", []string{"LIST"}},
		{"news:misc.test", "own.example:119", []string{"GROUP misc.test", "OVER 1-3"}},
		{"news:misc.test/1-3", "own.example:119", []string{"GROUP misc.test", "OVER 1-3"}},
		{"news:misc.test/0-9", "own.example:119", []string{"GROUP misc.test", "OVER 1-3"}},
		{"news:misc.test/7-9", "own.example:119", []string{"GROUP misc.test"}},
		{"news:one@example.org", "own.example:119", []string{"ARTICLE <one@example.org>"}},
		{"news:one%40example.org", "own.example:119", []string{"ARTICLE <one@example.org>"}},
		{"news:one@example.org#part", "own.example:119", []string{"ARTICLE <one@example.org>"}},
		{"news://h/one@example.org", "h:119", []string{"ARTICLE <one@example.org>"}},
		{"nntp://h/misc.test", "h:119", []string{"GROUP misc.test", "OVER 1-3"}},
		{"nntp://h:1119/misc.test/1-3", "h:1119", []string{"GROUP misc.test", "OVER 1-3"}},
		{"nntp://h/misc.test/3", "h:119", []string{"GROUP misc.test", "ARTICLE 3"}},
		{"nntp://[::1]/misc.test/3", "[::1]:119", []string{"GROUP misc.test", "ARTICLE 3"}},
		{"nntp:misc.test/3", "own.example:119", []string{"GROUP misc.test", "ARTICLE 3"}},
	} {
		s := accesstest.ServeAll(t, modern.script())
		if got := describe(t, newClient(s), test.url); strings.HasPrefix(got, "error") {
			t.Errorf("Open(%q) = %s", test.url, got)
		}
		if got := sent(s); !slices.Equal(got, test.want) {
			t.Errorf("Open(%q) sends %q, want %q", test.url, got, test.want)
		}
		if got := s.Dialed(); !slices.Equal(got, []string{test.dialed}) {
			t.Errorf("Open(%q) dials %q, want %q", test.url, got, test.dialed)
		}
	}
}

// req: 1738-3.6-3
// req: 1738-3.7-2
func TestOpen(t *testing.T) {
	newest := `object "café" <news:one@example.org> 310 2026-11-20` + "\n"
	for _, test := range []struct{ url, want string }{
		{"news:one@example.org", text},
		{"nntp://h/misc.test/3", text},
		{"news:none@example.org", "error: open news:none@example.org: 430 no such article [file does not exist]"},
		{"nntp://h/misc.test/2", "error: open nntp://h/misc.test/2: 430 no such article [file does not exist]"},
		{"news:no.such", "error: open news:no.such: 411 no such group [file does not exist]"},
		{"nntp://h/no.such/3", "error: open nntp://h/no.such/3: 411 no such group [file does not exist]"},
		{"news:misc.test", newest + `object "First" <news:zero@example.org> 100 2026-11-19` + "\n"},
		{
			"nntp://h:1119/misc.test",
			`object "café" <nntp://h:1119/misc.test/3> 310 2026-11-20` + "\n" + `object "First" <nntp://h:1119/misc.test/1> 100 2026-11-19` + "\n",
		},
		{"news://h/misc.test", strings.ReplaceAll(newest, "news:", "news://h/") + `object "First" <news://h/zero@example.org> 100 2026-11-19` + "\n"},
		{"news:*", "directory \"misc.test\" <news:misc.test>\ndirectory \"misc.other\" <news:misc.other>\ndirectory \"no\" <news:no>\n"},
		{"news://h/*", "directory \"misc.test\" <news://h/misc.test>\ndirectory \"misc.other\" <news://h/misc.other>\ndirectory \"no\" <news://h/no>\n"},
	} {
		s := accesstest.ServeAll(t, modern.script())
		if got := describe(t, newClient(s), test.url); got != test.want {
			t.Errorf("Open(%q) finds\n%s\nwant\n%s", test.url, got, test.want)
		}
	}
}

// The entries of a listing have these Overviews.
//
// req: 1630-news-1
func TestOverview(t *testing.T) {
	for _, test := range []struct{ url, references, newsgroups string }{
		{"news:misc.test", "[news:zero@example.org]", "[news:misc.test news:misc.other]"},
		{"nntp://h/misc.test", "[news://h/zero@example.org]", "[news://h/misc.test news://h/misc.other]"},
	} {
		s := accesstest.ServeAll(t, modern.script())
		r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("%q: %v", test.url, err)
		}
		defer r.Body.Close()
		if g, ok := r.Sys.(nntp.Group); !ok || g != (nntp.Group{Name: "misc.test", Low: 1, High: 3}) {
			t.Errorf("the Sys of %q = %+v", test.url, r.Sys)
		}
		l := r.List
		e, err := l.Next()
		o, ok := e.Sys.(nntp.Overview)
		if err != nil || !ok || o.Number != 3 || o.MessageID != "one@example.org" || o.From != "Ada <ada@example.org>" || o.Lines != 4 {
			t.Errorf("the newest of %q is %+v, %v", test.url, e, err)
		}
		if got := list(o.References); got != test.references {
			t.Errorf("the references in %q are %s, want %s", test.url, got, test.references)
		}
		if got := list(o.Newsgroups); got != test.newsgroups {
			t.Errorf("the groups in %q are %s, want %s", test.url, got, test.newsgroups)
		}
	}
}

func list(urls []url.URL) string {
	var texts []string
	for _, u := range urls {
		texts = append(texts, u.String())
	}
	return "[" + strings.Join(texts, " ") + "]"
}

// The bytes of a listing are the lines of the wire.
func TestListingBytes(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"news:*", "misc.test 3 1 y\r\nmisc.other 0000000009 0000000009 m\r\nno name@all 1 1 y\r\n"},
		{
			"news:misc.test", "3\t=?utf-8?q?caf=C3=A9?=\tAda <ada@example.org>\tFri, 20 Nov 2026 09:15:00 +0000\t<one@example.org>\t<zero@example.org>\t310\t4\r\n" +
				"1\tFirst\ta@h\tThu, 19 Nov 2026 09:15:00 +0000\t<zero@example.org>\t\t100\t3\r\n",
		},
	} {
		s := accesstest.ServeAll(t, modern.script())
		r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("%q: %v", test.url, err)
		}
		defer r.Body.Close()
		if got, err := io.ReadAll(r.Body); string(got) != test.want || err != nil {
			t.Errorf("the bytes of %q are %q, %v, want %q", test.url, got, err, test.want)
		}
	}
}

// A listing is in UTF-8, whatever charset a header has.
func TestListingCharsets(t *testing.T) {
	line := "3\t=?koi8-r?B?8NLJ18XU?=\t=?gb2312?B?1tDOxA==?= <z@h>\t\t<a@b>\t\t\t\r\n1\tcaf\xe9\ta@h\t\t<c@d>\t\t\t\r\n.\r\n"
	s := accesstest.ServeAll(t, modern.with(answers{"OVER 1-3": "224 x\r\n" + line}).script())
	r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("news:misc.test")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	for _, step := range []struct{ title, from string }{{"Привет", "中文 <z@h>"}, {"café", "a@h"}} {
		e, err := l.Next()
		if err != nil || e.Title != step.title || e.Sys.(nntp.Overview).From != step.from {
			t.Errorf("Next = %+v, %v, want %+v", e, err, step)
		}
	}
}

func TestStat(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"news:one@example.org", `object "café" <news:one@example.org> 2026-11-20`},
		{"news:misc.test", `directory "misc.test" <news:misc.test>`},
		{"nntp://h/misc.test", `directory "misc.test" <nntp://h/misc.test>`},
		{"news:*", `directory "*" <news:*>`},
		{"nntp://h/misc.test/2", "error: stat nntp://h/misc.test/2: 430 no such article [file does not exist]"},
		{"news:no.such", "error: stat news:no.such: 411 no such group [file does not exist]"},
	} {
		s := accesstest.ServeAll(t, modern.script())
		r, err := newClient(s).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)})
		var got string
		if err != nil {
			got = describeError(err)
		} else {
			got = strings.TrimSpace(describeEntries(&oneEntry{r.Entry, false}))
		}
		if got != test.want {
			t.Errorf("Stat(%q) = %s, want %s", test.url, got, test.want)
		}
	}
}

// A oneEntry is a Lister of one entry.
type oneEntry struct {
	e    access.Entry
	done bool
}

func (o *oneEntry) Next() (access.Entry, error) {
	if o.done {
		return access.Entry{}, io.EOF
	}
	o.done = true
	return o.e, nil
}

// req: 1738-3.6-2
func TestServer(t *testing.T) {
	for _, test := range []struct{ url, server, dialed string }{
		{"news:misc.test", "h.example", "h.example:119"},
		{"news:misc.test", "h.example:1119", "h.example:1119"},
		{"news:misc.test", "[::1]:1119", "[::1]:1119"},
		{"news:misc.test", "::1", "[::1]:119"},
		{"news:misc.test", "[::1]", "[::1]:119"},
		{"snews:misc.test", "h.example", "h.example:563"},
		{"nntps://other/misc.test", "h.example", "other:563"},
		{"nntp://other/misc.test", "", "other:119"},
	} {
		var dialed string
		c := nntp.Client{Server: test.server, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialed = address
			return nil, io.ErrClosedPipe
		}}
		if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Open(%q) = %v, want the dialler's error", test.url, err)
		}
		if dialed != test.dialed {
			t.Errorf("Open(%q) with the server %q dials %q, want %q", test.url, test.server, dialed, test.dialed)
		}
	}
}

// req: 1738-3.6-2
func TestNoServer(t *testing.T) {
	s := accesstest.Serve(t)
	for _, u := range []string{"news:misc.test", "news:*", "news:a@b", "nntp:misc.test/3", "snews:misc.test"} {
		_, err := nntp.Client{Dial: s.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
		if err == nil || !strings.Contains(err.Error(), "no news server is configured") || access.RemedyFor(err) != access.Remedy(access.NeedNewsServer) {
			t.Errorf("Open(%q) without a server = %v, hint %q", u, err, access.Hint(err))
		}
	}
}

// A long article is read in constant memory, whatever its lines are.
func TestLongArticle(t *testing.T) {
	const size = 4 << 20 // far more than the memory it may take
	for name, unit := range map[string]string{
		"lines":         "a line of an article, as long as they usually are, and no longer\r\n",
		"stuffed lines": "..\r\n",
		"no lines":      strings.Repeat("x", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			script := accesstest.Script{
				accesstest.Send("200 hi\r\n"), accesstest.Expect("CAPABILITIES\r\n"), accesstest.Send("500 no\r\n"),
				accesstest.Expect("MODE READER\r\n"), accesstest.Send("200 hi\r\n"),
				accesstest.Expect("ARTICLE <a@b>\r\n"), accesstest.Send("220 0 <a@b>\r\n"),
				func(c *accesstest.Conn) error {
					chunk := []byte(strings.Repeat(unit, 1+1<<16/len(unit)))
					for n := 0; n < size; n += len(chunk) {
						if _, err := c.Write(chunk); err != nil {
							return err
						}
					}
					_, err := io.WriteString(c, "\r\n.\r\n")
					return err
				},
			}
			r, err := newClient(accesstest.Serve(t, script)).Do(t.Context(), &access.Request{URL: url.MustParse("news:a@b")})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n, err := io.Copy(io.Discard, r.Body)
			runtime.ReadMemStats(&after)
			if n < size*3/4 || err != nil {
				t.Errorf("read %d bytes, %v, want about %d", n, err, size)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
				t.Errorf("reading takes %d KiB of memory, want less than 1 MiB", used>>10)
			}
		})
	}
}

// A listing of all groups is not kept in memory.
func TestLongListOfGroups(t *testing.T) {
	const groups = 100_000
	var b strings.Builder
	b.WriteString("215 list\r\n")
	for range groups {
		b.WriteString("comp.lang.misc 0000012345 0000000007 y\r\n")
	}
	b.WriteString(".\r\n")
	s := accesstest.ServeAll(t, modern.with(answers{"LIST": b.String()}).script())
	r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("news:*")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	n, before := 0, heap()
	err = access.Entries(l, func(e access.Entry) error {
		if n++; n%(groups/2) == 0 && heap() > before+1<<20 {
			t.Errorf("after %d entries there are %d KiB more in use", n, (heap()-before)>>10)
		}
		if e.Sys.(nntp.Group) != (nntp.Group{Name: "comp.lang.misc", Low: 7, High: 12345, Status: "y"}) {
			t.Fatalf("entry %d is %+v", n, e)
		}
		return nil
	})
	if n != groups || err != nil {
		t.Errorf("the listing has %d entries, %v, want %d", n, err, groups)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
