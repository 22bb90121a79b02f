package cache_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/cache"
	"locus/url"
)

// A clock is set by hand.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(784_000_000+c.Load(), 0).UTC() }

func (c *clock) pass(d time.Duration) { c.Add(int64(d / time.Second)) }

func (c *clock) http(ago time.Duration) string {
	return c.now().Add(-ago).Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

// fields are the header of a resource of the web.
type fields map[string]string

func (f fields) header() (h access.Header) {
	for name, value := range f {
		h = append(h, access.Field{Name: name, Value: value, Hidden: true})
	}
	return h
}

// origin is an Engine that counts how often it is asked.
type origin struct {
	open  func(ctx context.Context, req *access.Request) (*access.Resource, error)
	asked atomic.Int64
}

func (o *origin) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, engine.Unsupported(req)
	}
	o.asked.Add(1)
	return o.open(ctx, req)
}

// text opens as a text with the fields.
func text(content string, f fields) func(context.Context, *access.Request) (*access.Resource, error) {
	return func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: int64(len(content))}, Body: io.NopCloser(strings.NewReader(content))}
		if f != nil {
			r.Header, r.HTTPStatus, r.ETag = f.header(), 200, f["ETag"]
			if f["ETag"] != "" && req.IfChanged.ETag == f["ETag"] {
				return nil, access.ErrNotModified
			}
		}
		return r, nil
	}
}

func newCache(t *testing.T, o access.Engine, most int64) (*cache.Cache, *clock) {
	t.Helper()
	now := new(clock)
	return &cache.Cache{Engine: o, Folder: folder(t, t.TempDir(), most), Now: now.now}, now
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

func get(t *testing.T, o access.Engine, u string) (string, error) {
	t.Helper()
	r, err := o.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

// A resource whose request has a user or a password is not stored.
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
		answer, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: "h"})
		if err != nil {
			return nil, err
		}
		return text("for "+answer.Password, nil)(ctx, req)
	}
	for _, who := range []string{"a", "b"} {
		r, err := c.Do(t.Context(), &access.Request{
			URL: url.MustParse("http://h/secret"), Login: password(who),
		})
		if err != nil {
			t.Fatalf("%q: %v", who, err)
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

// A part of a stored resource comes from the folder. A part of another resource comes from
// the origin.
func TestRange(t *testing.T) {
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		const content = "0123456789"
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Size: 10}, Offset: req.Offset, Body: io.NopCloser(strings.NewReader(content[req.Offset:])),
		}, nil
	}}
	c, _ := newCache(t, o, 0)
	part := func() string {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/x"), Offset: 7})
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
		t.Errorf("a part of the stored resource = %q, asked %d times, want \"789\", 2", got, o.asked.Load())
	}
}

// The conditions of a request are answered from the stored resource.
func TestConditions(t *testing.T) {
	o := &origin{open: text("x", fields{"ETag": `"1"`, "Cache-Control": "max-age=100"})}
	c, _ := newCache(t, o, 0)
	get(t, c, "http://h/x")
	u := url.MustParse("http://h/x")
	if _, err := c.Do(t.Context(), &access.Request{URL: u, IfChanged: access.Validator{ETag: `"1"`}}); !errors.Is(err, access.ErrNotModified) {
		t.Errorf("IfChanged: %v, want not modified", err)
	}
	if _, err := c.Do(t.Context(), &access.Request{URL: u, Offset: 1, IfMatch: access.Validator{ETag: `"2"`}}); !errors.Is(err, access.ErrChanged) && o.asked.Load() == 1 {
		t.Errorf("IfMatch: %v, want changed, or the origin to be asked", err)
	}
}

// A change goes to the Engine, and removes the stored resource.
func TestChange(t *testing.T) {
	o := &storing{origin: origin{open: text("old", nil)}}
	c, _ := newCache(t, o, 0)
	get(t, c, "ftp://h/x")
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("new"), Size: -1, URL: url.MustParse("ftp://h/x")}); err != nil {
		t.Fatal(err)
	}
	if got, _ := get(t, c, "ftp://h/x"); got != "new" {
		t.Errorf("after Put, Get = %q, want \"new\"", got)
	}
}

// A change removes the stored resource that the Engine names, too: an upload by titan changes a page of gemini.
func TestChangeElsewhere(t *testing.T) {
	o := &storing{origin: origin{open: text("old", nil)}, stored: url.MustParse("gemini://h/x")}
	c, _ := newCache(t, o, 0)
	get(t, c, "gemini://h/x")
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("new"), Size: 3, URL: url.MustParse("titan://h/x")}); err != nil {
		t.Fatal(err)
	}
	if got, _ := get(t, c, "gemini://h/x"); got != "new" {
		t.Errorf("after Put, Get = %q, want \"new\"", got)
	}
}

// storing is an origin with Put.
type storing struct {
	origin
	stored url.URL // the URL that Put returns; zero: the URL of the request
}

func (s *storing) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Put {
		return s.origin.Do(ctx, req)
	}
	b, err := io.ReadAll(req.Body)
	s.open = text(string(b), nil)
	return engine.Done(cmp.Or(s.stored, req.URL), err)
}

// password returns a Login that gives the password.
func password(password string) access.Login {
	return func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: password}, nil
	}
}
