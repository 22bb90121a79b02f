package mail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/mail"
	"locus/url"
)

// related is a message with a picture, and its decoded parts.
const related = `Return-Path: <ada@example.org>
From: =?utf-8?q?Ad=C3=A9?= <ada@example.org>
To: bob@example.net
Message-ID:
 <related@example.org>
Subject: A =?iso-8859-1?q?pict=FCre?=
Date: Tue, 20 Dec 1994 09:30:15 +0000
MIME-Version: 1.0
Content-Type: multipart/related; boundary="=outer"

For readers without MIME.
--=outer
Content-Type: multipart/alternative; boundary="=inner"

--=inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

See the pict=FCre.
=46rom here.

--=inner
Content-Type: text/html
Content-ID: <page@example.org>

<img src="cid:pic%25ture@example.org">
--=inner--
--=outer
Content-Type: image/gif; name="p.gif"
Content-ID: <pic%ture@example.org>
Content-Transfer-Encoding: base64

R0lG
ODlh!

--=outer--
`

const simple = "From: bob@example.net\r\nMessage-Id: <simple@example.net>\r\nSubject: simple\r\n\r\nJust text.\r\n"

// makeMaildir makes a Maildir of messages by their file names, and returns its
// path.
func makeMaildir(t testing.TB, messages map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatalf("%q: %v", sub, err)
		}
	}
	for name, text := range messages {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func root(t testing.TB, dir string) *os.Root {
	t.Helper()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func client(t testing.TB, messages map[string]string) mail.Client {
	t.Helper()
	return mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, makeMaildir(t, messages))}}}
}

func both(t testing.TB) mail.Client {
	t.Helper()
	return client(t, map[string]string{"cur/1.h:2,S": related, "new/2.h": simple})
}

// read opens and reads u.
func read(ctx context.Context, o access.Engine, u string) (*access.Resource, string, error) {
	r, err := o.Do(ctx, &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r, string(text), err
}

// req: 1630-mid-1
func TestOpen(t *testing.T) {
	c := both(t)
	for _, test := range []struct {
		url, mediaType, want string
	}{
		{"mid:related@example.org", "message/rfc822", related},
		{"mid:simple@example.net", "message/rfc822", simple},
		{"mid:related@example.org/pic%25ture@example.org", `image/gif; name=p.gif`, "GIF89a"},
		{"cid:pic%25ture@example.org", `image/gif; name=p.gif`, "GIF89a"},
		{"cid:page@example.org#top", "text/html", "<img src=\"cid:pic%25ture@example.org\">"},
	} {
		r, got, err := read(t.Context(), c, test.url)
		if err != nil || got != test.want || r.Type != test.mediaType {
			t.Errorf("Open(%q) = %+v, %q, %v, want %s, %q", test.url, r, got, err, test.mediaType, test.want)
		}
	}
}

func TestOpenFails(t *testing.T) {
	c := both(t)
	for _, test := range []struct {
		url  string
		want error
	}{
		{"mid:nothing@example.org", fs.ErrNotExist},
		{"mid:RELATED@example.org", fs.ErrNotExist},
		{"mid:elated@example.org", fs.ErrNotExist},
		{"mid:related@example.org/nothing", fs.ErrNotExist},
		{"mid:simple@example.net/pic%25ture@example.org", fs.ErrNotExist},
		{"cid:nothing", fs.ErrNotExist},
		{"cid:related@example.org", fs.ErrNotExist},
		{"http://related@example.org/", access.ErrNoScheme},
	} {
		_, _, err := read(t.Context(), c, test.url)
		if e, ok := errors.AsType[*access.Error](err); !errors.Is(err, test.want) || !ok || e.URL.String() != test.url {
			t.Errorf("Open(%q) = %v, want %v", test.url, err, test.want)
		}
	}
	_, _, err := read(t.Context(), mail.Client{}, "mid:a@b")
	if !errors.Is(err, mail.ErrNoMail) || access.RemedyFor(err) != access.Remedy(access.NeedMail) {
		t.Errorf("Open without sources = %v, hint %q", err, access.Hint(err))
	}
}

// find returns the error of a source only if no other source has the message.
func TestSourcesInOrder(t *testing.T) {
	broken := errors.New("broken")
	c := mail.Client{Sources: []mail.Source{
		sourceFunc(func() (*mail.Message, error) { return nil, broken }),
		both(t).Sources[0],
	}}
	if _, got, err := read(t.Context(), c, "mid:simple@example.net"); err != nil || got != simple {
		t.Errorf("Open = %q, %v", got, err)
	}
	if _, _, err := read(t.Context(), c, "mid:a@b"); !errors.Is(err, broken) {
		t.Errorf("Open of a message in no source = %v, want %v", err, broken)
	}
}

type sourceFunc func() (*mail.Message, error)

func (f sourceFunc) Find(context.Context, mail.Query) (*mail.Message, error) { return f() }

// A message is a listing of the lines and parts that a mail reader shows, with links to its parts.
func TestListing(t *testing.T) {
	c := both(t)
	for _, test := range []struct{ url, want string }{
		{"mid:related@example.org", `info "From: Adé <ada@example.org>"
info "To: bob@example.net"
info "Date: Tue, 20 Dec 1994 09:30:15 +0000"
info "Subject: A pictüre"
info ""
info "See the pictüre."
info "From here."
object "text/html" mid:related@example.org/page@example.org text/html
object "p.gif" mid:related@example.org/pic%25ture@example.org image/gif; name=p.gif
`},
		{"mid:simple@example.net", `info "From: bob@example.net"
info "Subject: simple"
info ""
info "Just text."
`},
	} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("%q: %v", test.url, err)
		}
		defer r.Body.Close()
		if got := list(t, r); got != test.want {
			t.Errorf("listing of %q:\n%s\nwant\n%s", test.url, got, test.want)
		}
	}
}

func list(t *testing.T, r *access.Resource) string {
	t.Helper()
	l, ok := r.List, r.List != nil
	if !ok {
		t.Fatalf("%q is not a listing", r.URL)
	}
	var b strings.Builder
	err := access.Entries(l, func(e access.Entry) error {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%v %q %v %s", e.Kind, e.Title, e.URL, e.Type)))
		return nil
	})
	if err != nil {
		t.Errorf("listing %q: %v", r.URL, err)
	}
	return b.String()
}

func TestStat(t *testing.T) {
	c := both(t)
	for _, test := range []struct {
		url, title string
		size       int64
	}{
		{"mid:related@example.org", "A pictüre", int64(len(related))},
		{"cid:pic%25ture@example.org", "p.gif", -1},
		{"cid:page@example.org", "", -1},
	} {
		e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("Stat(%q) = %v, want %q, %d", test.url, err, test.title, test.size)
		}
		if e.Title != test.title || e.Size != test.size || e.URL.String() != test.url {
			t.Errorf("Stat(%q) = %+v, want %q, %d", test.url, e, test.title, test.size)
		}
	}
}

// req: 1738-6-2, 1630-mid-1
func TestContract(t *testing.T) {
	dir := makeMaildir(t, map[string]string{"cur/1:2,": related, "new/2": simple})
	accesstest.Test(t, accesstest.Config{
		Ops: []access.Op{access.Stat},
		New: func(proto.Dial) access.Engine {
			return mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir)}}}
		},
		Object:   url.MustParse("mid:related@example.org"),
		Content:  related,
		Missing:  url.MustParse("mid:nothing@example.org"),
		Listing:  url.MustParse("mid:simple@example.net"),
		Titles:   []string{"From: bob@example.net", "Subject: simple", "", "Just text."},
		NoOffset: true,
		Hostile: []url.URL{
			url.MustParse("mid:a%0D%0Ab@c"), url.MustParse("mid:a%00@c"), url.MustParse("mid:a@c/x%0Ay"),
			url.MustParse("cid:a%0D%0Ab"), url.MustParse("cid:%00"),
		},
	})
}

// Opening an address is an error.
//
// req: 1738-3.5-2, 1738-6-2
func TestMailtoIsRefused(t *testing.T) {
	for _, test := range []struct {
		url  string
		want error
		hint bool
	}{
		{"mailto:a@b.example", mail.ErrAddress, true},
		{"mailto:a@b.example?subject=x", errors.ErrUnsupported, true},
		{"mailserver:a@b.example/x/y", mail.ErrAddress, true},
		{"http://a@b.example/", access.ErrNoScheme, false},
	} {
		req := &access.Request{URL: url.MustParse(test.url)}
		_, err := mail.Address{}.Do(t.Context(), req)
		_, statErr := mail.Address{}.Do(t.Context(), req.WithOp(access.Stat))
		for _, err := range []error{err, statErr} {
			hint := access.RemedyFor(err)
			if !errors.Is(err, test.want) || (hint == access.Remedy(access.WriteMail)) != test.hint {
				t.Errorf("Open(%q) = %v, remedy %v, want %v", test.url, err, hint, test.want)
			}
		}
	}
	for _, name := range []string{"mailto", "mailserver"} {
		_, err := mail.Address{}.Do(t.Context(), &access.Request{URL: url.MustParse(name + ":a%0D%0Ab@c")})
		if err == nil || errors.Is(err, mail.ErrAddress) || errors.Is(err, access.ErrNoScheme) {
			t.Errorf("an address of %s with a line end: %v, want a syntax error", name, err)
		}
	}
}

// longMessage returns a message of about size bytes.
func longMessage(size int64) io.Reader {
	const (
		head = "Message-ID: <long@example.org>\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <c@d>\nContent-Transfer-Encoding: base64\n\n"
		line = "0123456789012345678901234567890123456789012345678901234567890123456789012345\n"
	)
	return strings.NewReader(head + strings.Repeat(line, int(size)/len(line)) + "\n--b--\n")
}

// A long message is read in constant memory.
func TestLongMessage(t *testing.T) {
	const size = 5 << 20 // far more than the memory it may take
	dir := makeMaildir(t, nil)
	f, err := os.Create(filepath.Join(dir, "cur", "1:2,"))
	if err != nil {
		t.Fatal(err)
	}
	total, err := io.Copy(f, longMessage(size))
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	c := mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir)}}}
	for _, test := range []struct {
		url  string
		want int64
	}{{"mid:long@example.org", total}, {"cid:c@d", size / 77 * 57}} {
		var n int64
		used := allocated(func() {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
			if err != nil {
				t.Fatalf("%q: %v", test.url, err)
			}
			defer r.Body.Close()
			if n, err = io.Copy(io.Discard, r.Body); err != nil {
				t.Errorf("%q: %v", test.url, err)
			}
		})
		if n < test.want-100 || n > test.want+100 || used > 2<<20 {
			t.Errorf("%s: %d bytes with %d of memory, want about %d with less than 2 MiB", test.url, n, used, test.want)
		}
	}
}

// allocated returns the memory that do allocates in total.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
