package cache_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

// inside opens a resource at a private address. It refuses a request that is PublicOnly.
func inside(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.PublicOnly {
		return nil, access.ErrNotPublic
	}
	return text("inside", fields{"Cache-Control": "max-age=60"})(ctx, req)
}

// openPublic opens u with a request that is PublicOnly.
func openPublic(t *testing.T, e access.Engine, op access.Op, u string) (string, error) {
	t.Helper()
	r, err := e.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse(u), PublicOnly: true})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

// A PublicOnly request does not get a resource that was fetched from a private address: not
// from the folder, not while its server is down, and not its attributes.
func TestPublicOnlyStored(t *testing.T) {
	o := &origin{open: inside}
	c, now := newCache(t, o, 0)
	for _, pause := range []time.Duration{0, 2 * time.Minute} {
		if got, err := get(t, c, "http://h/x"); got != "inside" || err != nil {
			t.Fatalf("before a pause of %v: Get = %q, %v, want \"inside\"", pause, got, err)
		}
		now.pass(pause)
		for _, op := range []access.Op{access.Get, access.Stat} {
			if got, err := openPublic(t, c, op, "http://h/x"); err == nil {
				t.Errorf("%v after %v: %q, want an error", op, pause, got)
			}
		}
		o.open = func(context.Context, *access.Request) (*access.Resource, error) { return nil, access.ErrTemporary }
		if got, err := openPublic(t, c, access.Get, "http://h/x"); err == nil {
			t.Errorf("after %v, without a server: %q, want an error", pause, got)
		}
		o.open = inside
	}
}

// A PublicOnly request does not join a pending fetch that may reach a private address.
func TestPublicOnlyPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		o := &origin{open: func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			<-gate
			return inside(ctx, req)
		}}
		c, _ := newCache(t, o, 0)
		done := make(chan error, 2)
		go func() {
			got, err := get(t, c, "http://h/x")
			if got != "inside" {
				err = errors.Join(err, os.ErrInvalid)
			}
			done <- err
		}()
		synctest.Wait()
		go func() {
			if _, err := openPublic(t, c, access.Get, "http://h/x"); !errors.Is(err, access.ErrNotPublic) {
				done <- errors.Join(err, errors.New("want access.ErrNotPublic"))
				return
			}
			done <- nil
		}()
		synctest.Wait()
		close(gate)
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// A resource from a public address answers every request.
func TestPublicOnlyShared(t *testing.T) {
	o := &origin{open: text("public", fields{"Cache-Control": "max-age=60", "ETag": `"1"`})}
	c, now := newCache(t, o, 0)
	for i := range 4 {
		got, err := openPublic(t, c, access.Get, "http://h/x")
		if i%2 > 0 {
			got, err = get(t, c, "http://h/x")
		}
		if got != "public" || err != nil || o.asked.Load() != 1 {
			t.Errorf("%d: %q, %v, asked %d times, want once", i, got, err, o.asked.Load())
		}
	}
	now.pass(2 * time.Minute)
	get(t, c, "http://h/x") // validates it
	if got, err := openPublic(t, c, access.Get, "http://h/x"); got != "public" || err != nil || o.asked.Load() != 2 {
		t.Errorf("validated: %q, %v, asked %d times, want twice", got, err, o.asked.Load())
	}
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("http://h/x")}); err == nil {
		t.Error("the origin deletes")
	}
	if openPublic(t, c, access.Get, "http://h/x"); o.asked.Load() != 3 {
		t.Errorf("changed: asked %d times, want three times", o.asked.Load())
	}
}

// A PublicOnly request does not get a listing from a private address. A listing from a
// public address answers every request.
func TestPublicOnlyListing(t *testing.T) {
	u := url.MustParse("ftp://h/")
	var private bool
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if private && req.PublicOnly {
			return nil, access.ErrNotPublic
		}
		l := &listing{Reader: strings.NewReader(""), entries: []access.Entry{{Title: "a", URL: u, Size: -1}}}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
	}}
	for _, private = range []bool{false, true} {
		c, _ := newCache(t, o, 0)
		before := o.asked.Load()
		for i, publicOnly := range []bool{!private, false, true} {
			r, err := c.Do(t.Context(), &access.Request{URL: u, PublicOnly: publicOnly})
			if private && publicOnly {
				if !errors.Is(err, access.ErrNotPublic) {
					t.Errorf("private, %d: %v, want %v", i, err, access.ErrNotPublic)
				}
				continue
			}
			if err != nil {
				t.Fatalf("publicOnly %t: %v", publicOnly, err)
			}
			for err == nil { // it is stored when it was read to its end
				_, err = r.List.Next()
			}
			r.Body.Close()
		}
		if n := o.asked.Load() - before; n != map[bool]int64{false: 1, true: 2}[private] {
			t.Errorf("private %v: asked %d times", private, n)
		}
	}
}
