package nntp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/peers"
	"locus/proto/nntp"
	"locus/url"
)

// The real servers are sn 0.3.8 and INN 2.7.1. sn is as old as RFC 977: it has no
// CAPABILITIES, XOVER only, and replies 430 to an unknown number. INN starts in transit
// mode, and has STARTTLS and AUTHINFO.

// testArticles are the articles of the real servers: 20 in two groups, the last one
// in both.
func testArticles() []string {
	var all []string
	for i := 1; i <= 20; i++ {
		groups := "local.test"
		switch {
		case i == 20:
			groups = "local.test,local.talk"
		case i > 12:
			groups = "local.talk"
		}
		text := fmt.Sprintf("From: Tester <tester@example.org>\nNewsgroups: %s\nSubject: Article number %d\nMessage-ID: <a%d@example.org>\n", groups, i, i)
		if i > 1 {
			text += "References: <a1@example.org>\n"
		}
		all = append(all, text+fmt.Sprintf("\nBody of article %d.\n.leading dot\n..two dots\n.\nlast line\n", i))
	}
	return all
}

// A liveServer is a real server with a client for it.
type liveServer struct {
	t *testing.T
	s *peers.Server
	c nntp.Client
}

func newLive(t *testing.T, s *peers.Server) liveServer {
	return liveServer{t, s, nntp.Client{Dial: new(net.Dialer).DialContext, Server: s.Addr, TLS: &tls.Config{RootCAs: s.Roots}}}
}

// get describes the result of opening u, in which "h" stands for the server.
func (l liveServer) get(u string) string {
	l.t.Helper()
	u = strings.Replace(u, "//h", "//"+l.s.Addr, 1)
	return strings.ReplaceAll(describe(l.t, l.c, u), l.s.Addr, "h")
}

func (l liveServer) checkGet(u string, want ...string) {
	l.t.Helper()
	got := l.get(u)
	for _, w := range want {
		if !strings.Contains(got, w) {
			l.t.Errorf("opening %q gives\n%s\nwant in it %q", u, got, w)
		}
	}
}

// checkReads checks the results that both servers must give. first is the number of
// their first article.
func (l liveServer) checkReads(first int) {
	l.t.Helper()
	l.checkGet("news:*", `directory "local.test" <news:local.test>`, `directory "local.talk" <news:local.talk>`)
	l.checkGet("news:local.test", `object "Article number 20" <news:a20@example.org>`, `object "Article number 1" <news:a1@example.org>`)
	if got := l.get("news:local.test"); !strings.HasPrefix(got, `object "Article number 20"`) || strings.Count(got, "\n") != 13 {
		l.t.Errorf("local.test is\n%s\nwant 13 articles, 20 first", got)
	}
	l.checkGet("nntp://h/local.talk", fmt.Sprintf(`object "Article number 13" <nntp://h/local.talk/%d>`, first))
	l.checkGet(fmt.Sprintf("nntp://h/local.test/%d", first+1), "Subject: Article number 2\r\n", body(2))
	l.checkGet("news:a2@example.org", "Subject: Article number 2\r\n", body(2))
	l.checkGet("news://h/a13@example.org", body(13))
	l.checkGet("news:nope@example.org", "[file does not exist]")
	l.checkGet("nntp://h/local.test/4711", "[file does not exist]")
	l.checkGet("news:no.such", "[file does not exist]")
	l.c.Window = 5
	l.checkGet("nntp://h/local.test", fmt.Sprintf("<nntp://h/local.test/%d-%d>", first, first+7))
	l.checkGet(fmt.Sprintf("nntp://h/local.test/%d-%d", first, first+7), `object "Article number 8"`, fmt.Sprintf("<nntp://h/local.test/%d-%d>", first, first+2))
	l.checkGet(fmt.Sprintf("nntp://h/local.test/%d-%d", first, first+2), `object "Article number 3"`, `object "Article number 1"`)
	e, err := l.c.Do(l.t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("news:a2@example.org")})
	if err != nil {
		l.t.Fatalf("Stat = %v", err)
	}
	if e.Title != "Article number 2" || e.ModTime.IsZero() || len(e.Sys.(nntp.Overview).References) != 1 {
		l.t.Errorf("Stat = %+v", e)
	}
}

// body returns the body of article i.
func body(i int) string {
	return fmt.Sprintf("\r\n\r\nBody of article %d.\r\n.leading dot\r\n..two dots\r\n.\r\nlast line\r\n", i)
}

// checkPosts posts an article and reads it back.
func (l liveServer) checkPosts() {
	l.t.Helper()
	const text = ".one\n..two\n.\nno end"
	draft := "From: Ada <ada@example.org>\nSubject: posted\nMessage-ID: <posted@example.org>\n\n" + text
	u, err := accesstest.Add(l.t.Context(), l.c, access.Append, &access.Request{URL: url.MustParse("news:local.test")}, strings.NewReader(draft))
	if err != nil || u.String() != "news:posted@example.org" {
		l.t.Fatalf("Append = %q, %v", u, err)
	}
	l.checkGet(u.String(), "Newsgroups: local.test\r\n", "\r\n\r\n"+strings.ReplaceAll(text, "\n", "\r\n")+"\r\n")
	l.checkGet("news:local.test", `object "posted" <news:posted@example.org>`)
}

// req: 1738-3.6-3
// req: 1738-3.7-2
func TestSN(t *testing.T) {
	l := newLive(t, peers.SN(t, []string{"local.test", "local.talk"}, testArticles()...))
	l.checkReads(10)
	l.checkPosts()
}

// req: 1738-3.6-3
// req: 1738-3.7-2
func TestINN(t *testing.T) {
	l := newLive(t, peers.INN(t, []string{"local.test", "local.talk", "private.test"}, testArticles()...))
	l.checkReads(1)
	l.checkPosts()

	err := accesstest.Change(t.Context(), l.c, access.Append, &access.Request{URL: url.MustParse("news:local.test")}, strings.NewReader("Subject: nobody's\n\nx\n"))
	if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil {
		t.Errorf("Append of an article without an author = %v, want the server's refusal", err)
	}

	l.checkGet("news:private.test", "480", "[permission denied]")
	l.c.User = "alice"
	for password, want := range map[string]error{"secret": nil, "guess": fs.ErrPermission} {
		ask := func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{Password: password}, nil
		}
		r, err := l.c.Do(t.Context(), &access.Request{URL: url.MustParse("news:private.test"), Login: ask})
		if !errors.Is(err, want) {
			t.Errorf("with the password %q Open = %v, want %v", password, err, want)
		}
		if err == nil {
			r.Body.Close()
		}
	}
	l.c.TLS = nil
	if _, err := l.c.Do(t.Context(), &access.Request{URL: url.MustParse("news:private.test")}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("with an untrusted certificate Open = %v", err)
	}
}

// A long article from a real server arrives unchanged, and in constant memory.
func TestSNLongArticle(t *testing.T) {
	const line = ".a line of an article, as long as they usually are, and no longer\r\n"
	const size = int64(12 << 20 / len(line) * len(line)) // far more than the memory it may take
	header := "From: ada@example.org\nNewsgroups: local.test\nSubject: long\nMessage-ID: <long@example.org>\n\n"
	l := newLive(t, peers.SN(t, []string{"local.test"}, header+strings.Repeat(line, int(size)/len(line))))
	r, err := l.c.Do(t.Context(), &access.Request{URL: url.MustParse("news:long@example.org")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	before := heap()
	got := &compareWriter{want: &repeatReader{line: line}, found: []byte("\r\n\r\n")}
	for part := 1; part <= 5; part++ {
		n, err := io.CopyN(got, r.Body, size/4)
		if part < 5 && err != nil || part == 5 && !errors.Is(err, io.EOF) {
			t.Fatalf("part %d: read %d bytes, %v", part, n, err)
		}
		if now := heap(); now > before+1<<20 {
			t.Errorf("part %d: %d KiB more are in use", part, (now-before)>>10)
		}
	}
	if got.bytes != size || got.differ {
		t.Errorf("read %d bytes of body, differing %v, want %d", got.bytes, got.differ, size)
	}
}

// A long article is posted to a real server and read back unchanged.
func TestINNLongArticle(t *testing.T) {
	const line = ".a line of an article, as long as they usually are, and no longer\r\n"
	l := newLive(t, peers.INN(t, []string{"local.test"}))
	size := int64(4<<20/len(line)) * int64(len(line))
	draft := io.MultiReader(
		strings.NewReader("From: ada@example.org\nSubject: long\nMessage-ID: <long@example.org>\n\n"),
		io.LimitReader(&repeatReader{line: line}, size),
	)
	if err := accesstest.Change(t.Context(), l.c, access.Append, &access.Request{URL: url.MustParse("news:local.test")}, draft); err != nil {
		t.Fatal(err)
	}
	r, err := l.c.Do(t.Context(), &access.Request{URL: url.MustParse("news:long@example.org")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	before := heap()
	got := &compareWriter{want: &repeatReader{line: line}, found: []byte("\r\n\r\n")}
	n, err := io.Copy(got, r.Body)
	if err != nil || got.bytes != size || got.differ {
		t.Errorf("read %d bytes, %d of them body, differing %v, %v, want %d", n, got.bytes, got.differ, err, size)
	}
	if now := heap(); now > before+1<<20 {
		t.Errorf("%d KiB more are in use", (now-before)>>10)
	}
}

// A repeatReader is a Reader that repeats a line.
type repeatReader struct {
	line string
	at   int
}

func (e *repeatReader) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		part := copy(p[n:], e.line[e.at:])
		n, e.at = n+part, (e.at+part)%len(e.line)
	}
	return len(p), nil
}

// A compareWriter is a Writer that compares the bytes after a mark.
type compareWriter struct {
	want   io.Reader
	found  []byte // rest of the mark that is still expected
	bytes  int64
	differ bool
	buf    []byte
	tail   string
}

func (c *compareWriter) Write(p []byte) (int, error) {
	whole := len(p)
	if len(c.found) > 0 {
		c.tail += string(p)
		_, after, ok := strings.Cut(c.tail, string(c.found))
		if !ok {
			return whole, nil
		}
		p, c.found = []byte(after), nil
	}
	if cap(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	want := c.buf[:len(p)]
	c.want.Read(want)
	c.differ = c.differ || string(want) != string(p)
	c.bytes += int64(len(p))
	return whole, nil
}
