package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// A clock is set by hand.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(784_000_000+c.Load(), 0).UTC() }
func (c *clock) pass(d time.Duration) { c.Add(int64(d / time.Second)) }
func (c *clock) http(ago time.Duration) string {
	return c.now().Add(-ago).Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

// fields are the Sys of a resource of the web.
type fields map[string]string

func (f fields) Field(name string) string { return f[name] }

// origin is an Opener that counts how often it is asked.
type origin struct {
	open  func(ctx context.Context, req *access.Request) (*access.Resource, error)
	asked atomic.Int64
}

func (o *origin) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o.asked.Add(1)
	return o.open(ctx, req)
}

// text opens as a text with the fields.
func text(content string, f fields) func(context.Context, *access.Request) (*access.Resource, error) {
	return func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r := &access.Resource{URL: req.URL, Type: "text/plain", Size: int64(len(content)), Body: io.NopCloser(strings.NewReader(content))}
		if f != nil {
			r.Sys, r.ETag = f, f["ETag"]
			if f["ETag"] != "" && req.IfChanged.ETag == f["ETag"] {
				return nil, access.ErrNotModified
			}
		}
		return r, nil
	}
}

func newCache(t *testing.T, o access.Opener, most int64) (*cache.Cache, *clock) {
	t.Helper()
	now := new(clock)
	return &cache.Cache{Opener: o, Folder: folder(t, t.TempDir(), most), Now: now.now}, now
}

func folder(t *testing.T, dir string, most int64) *cache.Folder {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	f, err := cache.OpenFolder(root, most)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func get(t *testing.T, o access.Opener, u string) (string, error) {
	t.Helper()
	r, err := o.Open(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

// TestFresh opens a resource, waits, and opens it again.
func TestFresh(t *testing.T) {
	start := new(clock)
	for _, tt := range []struct {
		name   string
		fields fields // nil: not of the web
		wait   time.Duration
		asked  int64 // in all
	}{
		{"nothing known", nil, 59 * time.Second, 1},
		{"nothing known, later", nil, 61 * time.Second, 2},
		{"max-age", fields{"Cache-Control": "max-age=100"}, 99 * time.Second, 1},
		{"max-age over", fields{"Cache-Control": "max-age=100"}, 101 * time.Second, 2},
		{"max-age less Age", fields{"Cache-Control": "max-age=100", "Age": "50"}, 51 * time.Second, 2},
		{"s-maxage wins", fields{"Cache-Control": `max-age=1, s-maxage="100"`}, 99 * time.Second, 1},
		{"max-age wins over Expires", fields{"Cache-Control": "max-age=100", "Expires": "0"}, 99 * time.Second, 1},
		{"Expires", fields{"Date": start.http(0), "Expires": start.http(-time.Minute)}, 59 * time.Second, 1},
		{"Expires over", fields{"Date": start.http(0), "Expires": start.http(-time.Minute)}, 61 * time.Second, 2},
		{"Expires is no date", fields{"Expires": "0"}, time.Second, 2},
		{"no-store", fields{"Cache-Control": "no-store"}, 0, 2},
		{"private", fields{"Cache-Control": "Private, max-age=100"}, 0, 2},
		{"no-cache", fields{"Cache-Control": "no-cache"}, 0, 2},
		{"Vary of everything", fields{"Cache-Control": "max-age=100", "Vary": "*"}, 0, 2},
		{"Set-Cookie", fields{"Cache-Control": "max-age=100", "Set-Cookie": "a=b"}, 0, 2},
		{"a huge max-age", fields{"Cache-Control": "max-age=99999999999999999999"}, time.Hour, 1},
		{"max-age is no number", fields{"Cache-Control": "max-age=-5"}, time.Second, 2},
	} {
		o := &origin{open: text("x", tt.fields)}
		c, now := newCache(t, o, 0)
		for i := range int64(2) {
			if remembers := access.Remembers(c, &access.Request{URL: url.MustParse("http://h/x")}); remembers != (i == 1 && tt.asked == 1) {
				t.Errorf("%s: it remembers: %v", tt.name, remembers)
			}
			if got, err := get(t, c, "http://h/x"); got != "x" || err != nil {
				t.Errorf("%s: %q, %v", tt.name, got, err)
			}
			now.pass(tt.wait)
		}
		if o.asked.Load() != tt.asked {
			t.Errorf("%s: the origin was asked %d times, want %d", tt.name, o.asked.Load(), tt.asked)
		}
	}
}

// What was changed long ago is fresh for a tenth of its age.
func TestHeuristic(t *testing.T) {
	o := &origin{}
	c, now := newCache(t, o, 0)
	changed := now.now().Add(-1000 * time.Second)
	o.open = func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.IfChanged.ModTime.Equal(changed) {
			return nil, access.ErrNotModified
		}
		return &access.Resource{URL: req.URL, ModTime: changed, Size: -1, Body: io.NopCloser(strings.NewReader("old"))}, nil
	}
	for i, tt := range []struct {
		wait  time.Duration
		asked int64
	}{{0, 1}, {99 * time.Second, 1}, {2 * time.Second, 2}, {99 * time.Second, 2}, {2 * time.Second, 3}} {
		now.pass(tt.wait)
		if got, err := get(t, c, "ftp://h/x"); got != "old" || err != nil || o.asked.Load() != tt.asked {
			t.Errorf("step %d: %q, %v, asked %d times, want %d", i, got, err, o.asked.Load(), tt.asked)
		}
	}
}

// What is no longer fresh is asked for with its validator.
func TestRevalidate(t *testing.T) {
	o := &origin{open: text("x", fields{"ETag": `"1"`, "Cache-Control": "max-age=10"})}
	c, now := newCache(t, o, 0)
	get(t, c, "http://h/x")
	now.pass(time.Minute)
	if got, err := get(t, c, "http://h/x"); got != "x" || err != nil {
		t.Errorf("after 304: %q, %v", got, err)
	}
	now.pass(9 * time.Second)
	if _, err := get(t, c, "http://h/x"); err != nil || o.asked.Load() != 2 {
		t.Errorf("fresh again after 304: asked %d times, want 2, %v", o.asked.Load(), err)
	}
	o.open = text("y", fields{"ETag": `"2"`})
	now.pass(time.Minute)
	if got, _ := get(t, c, "http://h/x"); got != "y" {
		t.Errorf("after a change: %q, want the new one", got)
	}
}

func TestStale(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules string
		err   error
		wait  time.Duration
		want  string
	}{
		{"unreachable", "max-age=1", errors.New("no route to host"), time.Hour, "x"},
		{"unreachable for long", "max-age=1", errors.New("no route to host"), 30 * time.Hour, ""},
		{"must-revalidate", "max-age=1, must-revalidate", errors.New("no route to host"), time.Hour, ""},
		{"gone", "max-age=1", fs.ErrNotExist, time.Hour, ""},
		{"forbidden", "max-age=1", fs.ErrPermission, time.Hour, ""},
	} {
		o := &origin{open: text("x", fields{"Cache-Control": tt.rules})}
		c, now := newCache(t, o, 0)
		get(t, c, "http://h/x")
		o.open = func(context.Context, *access.Request) (*access.Resource, error) { return nil, tt.err }
		now.pass(tt.wait)
		got, err := get(t, c, "http://h/x")
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// Nothing with a user or a password is kept.
func TestPrivate(t *testing.T) {
	o := &origin{open: text("x", nil)}
	c, _ := newCache(t, o, 0)
	for range 2 {
		get(t, c, "ftp://u@h/x")
	}
	if o.asked.Load() != 2 {
		t.Errorf("with a user: asked %d times, want 2", o.asked.Load())
	}
	o.open = func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.Password == nil {
			return nil, access.ErrPassword
		}
		password, err := req.Password(ctx, "h")
		if err != nil {
			return nil, err
		}
		return text("for "+password, nil)(ctx, req)
	}
	for _, who := range []string{"a", "b"} {
		r, err := c.Open(t.Context(), &access.Request{
			URL: url.MustParse("http://h/secret"), Password: func(context.Context, string) (string, error) { return who, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if string(got) != "for "+who {
			t.Errorf("%s got %q", who, got)
		}
	}
	if _, err := get(t, c, "http://h/secret"); !errors.Is(err, access.ErrPassword) {
		t.Errorf("without a password: %v", err)
	}
}

// What breaks off is not kept, and breaks off for all who read it.
func TestBroken(t *testing.T) {
	o := &origin{}
	c, _ := newCache(t, o, 0)
	o.open = func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &access.Resource{URL: req.URL, Size: -1, Body: io.NopCloser(body)}, nil
	}
	if got, err := get(t, c, "gopher://h/x"); got != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
	o.open = text("whole", nil)
	if got, err := get(t, c, "gopher://h/x"); got != "whole" || err != nil {
		t.Errorf("then %q, %v", got, err)
	}
}

// Many who ask at once are one who asks.
func TestSingleFlight(t *testing.T) {
	const many = 20
	more, all := make(chan struct{}), new(sync.WaitGroup)
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		in, out := io.Pipe()
		go func() {
			fmt.Fprint(out, "first ")
			<-more
			fmt.Fprint(out, "second")
			out.Close()
		}()
		return &access.Resource{URL: req.URL, Size: -1, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	var begun sync.WaitGroup
	begun.Add(many)
	for range many {
		all.Go(func() {
			r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
			if err != nil {
				t.Error(err)
				begun.Done()
				return
			}
			defer r.Body.Close()
			first := make([]byte, 6)
			_, err = io.ReadFull(r.Body, first)
			begun.Done() // it has what has come before the rest comes
			rest, err2 := io.ReadAll(r.Body)
			if got := string(first) + string(rest); got != "first second" || errors.Join(err, err2) != nil {
				t.Errorf("got %q, %v, %v", got, err, err2)
			}
		})
	}
	begun.Wait()
	close(more)
	all.Wait()
	if o.asked.Load() != 1 {
		t.Errorf("the origin was asked %d times, want once", o.asked.Load())
	}
}

// Who goes away ends the access if nobody else waits for it.
func TestLeave(t *testing.T) {
	ended := make(chan struct{})
	o := &origin{open: func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		in, out := io.Pipe()
		context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()); close(ended) })
		return &access.Resource{URL: req.URL, Size: -1, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	<-ended
}

// A resource of unknown size that is too large to be kept comes whole, and takes
// no more room than a window.
func TestOversize(t *testing.T) {
	const most, size = 8 << 20, 40 << 20 // a megabyte is kept at most
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{URL: req.URL, Size: -1, Body: io.NopCloser(io.LimitReader(&counting{}, size))}, nil
	}}
	dir := t.TempDir()
	c := &cache.Cache{Opener: o, Folder: folder(t, dir, most)}
	var readers sync.WaitGroup
	for range 3 {
		r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			defer r.Body.Close()
			want := &counting{}
			n, err := io.Copy(&comparing{t: t, want: want}, r.Body)
			if n != size || err != nil {
				t.Errorf("%d octets, %v, want %d", n, err, size)
			}
		})
	}
	readers.Wait()
	if used := c.Folder.Used(); used != 0 {
		t.Errorf("%d octets are kept, want none", used)
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s is left", path)
		}
		return err
	})
}

// counting gives octets of which no two runs are the same.
type counting struct{ n uint64 }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c.n * 2654435761 >> 24)
		c.n++
	}
	return len(p), nil
}

type comparing struct {
	t    *testing.T
	want io.Reader
}

func (c *comparing) Write(p []byte) (int, error) {
	want := make([]byte, len(p))
	io.ReadFull(c.want, want)
	if !bytes.Equal(p, want) {
		return 0, errors.New("other octets than those that were sent")
	}
	return len(p), nil
}

// A part of what is kept needs no origin; of what is not, the origin gives it.
func TestRange(t *testing.T) {
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		const content = "0123456789"
		return &access.Resource{
			URL: req.URL, Size: 10, Offset: req.Offset, Body: io.NopCloser(strings.NewReader(content[req.Offset:])),
		}, nil
	}}
	c, _ := newCache(t, o, 0)
	part := func() string {
		r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("ftp://h/x"), Offset: 7})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil || r.Offset != 7 || r.Size != 10 {
			t.Errorf("offset %d of %d, %v", r.Offset, r.Size, err)
		}
		return string(b)
	}
	if got := part(); got != "789" || o.asked.Load() != 1 {
		t.Errorf("%q, asked %d times", got, o.asked.Load())
	}
	get(t, c, "ftp://h/x")
	if got := part(); got != "789" || o.asked.Load() != 2 {
		t.Errorf("of what is kept: %q, asked %d times, want 2", got, o.asked.Load())
	}
}

// The conditions of the one who asks are answered from what is kept.
func TestConditions(t *testing.T) {
	o := &origin{open: text("x", fields{"ETag": `"1"`, "Cache-Control": "max-age=100"})}
	c, _ := newCache(t, o, 0)
	get(t, c, "http://h/x")
	u := url.MustParse("http://h/x")
	if _, err := c.Open(t.Context(), &access.Request{URL: u, IfChanged: access.Validator{ETag: `"1"`}}); !errors.Is(err, access.ErrNotModified) {
		t.Errorf("IfChanged: %v, want not modified", err)
	}
	if _, err := c.Open(t.Context(), &access.Request{URL: u, Offset: 1, IfMatch: access.Validator{ETag: `"2"`}}); !errors.Is(err, access.ErrChanged) && o.asked.Load() == 1 {
		t.Errorf("IfMatch: %v, want changed, or the origin to be asked", err)
	}
}

// A listing is kept with its entries once it was read to its end.
func TestListing(t *testing.T) {
	entries := []access.Entry{
		{Title: "caf\xe9", URL: url.MustParse("ftp://h/a"), Kind: access.Object, Size: 5, ModTime: time.Unix(1, 0).UTC()},
		{Title: "text", Kind: access.Info, Size: -1},
		{Title: "hit", URL: url.MustParse("wais://h/b"), Size: -1, Sys: scored{}},
	}
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{URL: req.URL, Size: -1, Body: &listing{Reader: strings.NewReader("raw"), entries: entries}}, nil
	}}
	c, _ := newCache(t, o, 0)
	read := func(most int) []access.Entry {
		r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("ftp://h/")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		l, ok := r.Lister()
		if !ok {
			t.Fatal("no listing")
		}
		var got []access.Entry
		for range most {
			e, err := l.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		return got
	}
	read(1) // not to its end: it is not kept
	read(9)
	got := read(9)
	if o.asked.Load() != 2 {
		t.Errorf("asked %d times, want 2", o.asked.Load())
	}
	for i, e := range got {
		want := entries[i]
		if e.Title != want.Title || e.URL != want.URL || e.Kind != want.Kind || e.Size != want.Size || !e.ModTime.Equal(want.ModTime) {
			t.Errorf("entry %d = %+v, want %+v", i, e, want)
		}
	}
	if f := access.Facts(got[2].Sys); len(f) != 1 || f[0].Value != "900" {
		t.Errorf("facts = %v", f)
	}
	if raw, err := get(t, c, "ftp://h/"); raw != "raw" || err != nil {
		t.Errorf("as octets: %q, %v", raw, err)
	}
}

type scored struct{}

func (scored) Facts() []access.Fact { return []access.Fact{{Name: "Score", Value: "900"}} }

type listing struct {
	io.Reader
	entries []access.Entry
}

func (l *listing) Next() (access.Entry, error) {
	if len(l.entries) == 0 {
		return access.Entry{}, io.EOF
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

func (*listing) Close() error { return nil }

// What does not fit makes what was used least recently go.
func TestEvict(t *testing.T) {
	o := &origin{open: text(strings.Repeat("x", 1000), nil)}
	c, _ := newCache(t, o, 10_000)
	for i := range 8 {
		get(t, c, fmt.Sprint("ftp://h/", i))
		get(t, c, "ftp://h/0")
	}
	if used := c.Folder.Used(); used > 10_000 {
		t.Errorf("%d octets are kept, want at most 10000", used)
	}
	before := o.asked.Load()
	get(t, c, "ftp://h/0")
	get(t, c, "ftp://h/1")
	if asked := o.asked.Load() - before; asked != 1 {
		t.Errorf("asked %d times, want once: for what was not used", asked)
	}
}

// What was kept is known again by the next process; what is damaged is not
// given.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	o := &origin{open: text("kept", fields{"Cache-Control": "max-age=100"})}
	now := new(clock)
	open := func() *cache.Cache { return &cache.Cache{Opener: o, Folder: folder(t, dir, 0), Now: now.now} }
	get(t, open(), "http://h/x")
	if got, err := get(t, open(), "http://h/x"); got != "kept" || err != nil || o.asked.Load() != 1 {
		t.Errorf("%q, %v, asked %d times, want once", got, err, o.asked.Load())
	}
	var file string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			file = path
		}
		return err
	})
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 5 {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0x20
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := get(t, open(), "http://h/x")
		if err == nil && got != "kept" {
			t.Errorf("octet %d damaged: %q", n, got)
		}
	}
	for n := 0; n < len(whole); n += 11 { // cut off
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := get(t, open(), "http://h/x"); got != "kept" || err != nil {
			t.Errorf("cut at %d: %q, %v", n, got, err)
		}
	}
}

// Changes are passed on, and what was remembered is forgotten.
func TestChange(t *testing.T) {
	o := &storing{origin: origin{open: text("old", nil)}}
	c, _ := newCache(t, o, 0)
	get(t, c, "ftp://h/x")
	if err := access.Store(t.Context(), c, &access.Request{URL: url.MustParse("ftp://h/x")}, strings.NewReader("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := get(t, c, "ftp://h/x"); got != "new" {
		t.Errorf("%q, want what was stored", got)
	}
}

type storing struct{ origin }

func (s *storing) Store(_ context.Context, _ *access.Request, body io.Reader) error {
	b, err := io.ReadAll(body)
	s.open = text(string(b), nil)
	return err
}

// What is passed on says how old it is, and how it is coded.
func TestAge(t *testing.T) {
	o := &origin{open: text("text", fields{"Cache-Control": "max-age=100", "Age": "10", "Content-Encoding": "gzip", "ETag": `"1"`})}
	c, clock := newCache(t, o, 1<<20)
	req := &access.Request{URL: url.MustParse("http://h/")}
	open := func() any {
		r, err := c.Open(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
		return r.Sys
	}
	open()
	clock.pass(time.Minute)
	e, err := c.Stat(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, sys := range []any{open(), e.Sys} {
		hit, ok := sys.(*cache.Hit)
		if !ok || hit.Field("Age") != "70" || hit.Field("Content-Encoding") != "gzip" || hit.Field("ETag") != `"1"` {
			t.Errorf("Sys = %+v", sys)
		}
	}
}

// What is small is read from its file once; what is large, each time. Either way
// it is what was kept, from any offset.
func TestHot(t *testing.T) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1} {
		dir := t.TempDir()
		content := strings.Repeat("0123456789", size/10+1)[:size]
		o := &origin{open: text(content, nil)}
		c := &cache.Cache{Opener: o, Folder: folder(t, dir, 0)}
		for i := range 3 {
			if got, err := get(t, c, "ftp://h/x"); got != content || err != nil {
				t.Errorf("%d octets, time %d: %d octets, %v", size, i, len(got), err)
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		r, err := c.Open(t.Context(), &access.Request{URL: url.MustParse("ftp://h/x"), Offset: int64(size / 2)})
		if err != nil {
			if size <= 64<<10 {
				t.Errorf("%d octets: %v, though they are in memory", size, err)
			}
			continue
		}
		got, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if size > 64<<10 && o.asked.Load() == 1 || string(got) != content[r.Offset:] {
			t.Errorf("%d octets from %d: %d octets, asked %d times", size, r.Offset, len(got), o.asked.Load())
		}
	}
}

// The octets in memory are bounded, and go with their file.
func TestHotBound(t *testing.T) {
	o := &origin{open: text(strings.Repeat("x", 60_000), nil)}
	c, _ := newCache(t, o, 400_000) // fits six of them
	for range 3 {
		for i := range 10 {
			if _, err := get(t, c, fmt.Sprint("ftp://h/", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if asked := o.asked.Load(); asked != 30 {
		t.Errorf("asked %d times, want 30: none of them is still there when it is wanted again", asked)
	}
}
