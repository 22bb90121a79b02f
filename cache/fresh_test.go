package cache_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// TestFresh opens a resource, waits, and opens it again.
func TestFresh(t *testing.T) {
	start := new(clock)
	for _, test := range []struct {
		name   string
		fields fields // nil: the resource does not come over HTTP
		wait   time.Duration
		asked  int64 // the number of all requests to the server
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
		o := &origin{open: text("x", test.fields)}
		c, now := newCache(t, o, 0)
		for i := range int64(2) {
			if got, err := get(t, c, "http://h/x"); got != "x" || err != nil {
				t.Errorf("%s: %q, %v", test.name, got, err)
			}
			if hit := c.Hits() == 1; hit != (i == 1 && test.asked == 1) {
				t.Errorf("%s: it was a hit: %v", test.name, hit)
			}
			now.pass(test.wait)
		}
		if o.asked.Load() != test.asked {
			t.Errorf("%s: the origin was asked %d times, want %d", test.name, o.asked.Load(), test.asked)
		}
	}
}

// A resource that was changed long ago is fresh for a tenth of its age.
func TestHeuristic(t *testing.T) {
	o := &origin{}
	c, now := newCache(t, o, 0)
	changed := now.now().Add(-1000 * time.Second)
	o.open = func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.IfChanged.ModTime.Equal(changed) {
			return nil, access.ErrNotModified
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, ModTime: changed, Size: -1}, Body: io.NopCloser(strings.NewReader("old"))}, nil
	}
	for i, test := range []struct {
		wait  time.Duration
		asked int64
	}{{0, 1}, {99 * time.Second, 1}, {2 * time.Second, 2}, {99 * time.Second, 2}, {2 * time.Second, 3}} {
		now.pass(test.wait)
		if got, err := get(t, c, "ftp://h/x"); got != "old" || err != nil || o.asked.Load() != test.asked {
			t.Errorf("step %d: %q, %v, asked %d times, want %d", i, got, err, o.asked.Load(), test.asked)
		}
	}
}

// A stale resource is validated.
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
	for _, test := range []struct {
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
		o := &origin{open: text("x", fields{"Cache-Control": test.rules})}
		c, now := newCache(t, o, 0)
		get(t, c, "http://h/x")
		o.open = func(context.Context, *access.Request) (*access.Resource, error) { return nil, test.err }
		now.pass(test.wait)
		got, err := get(t, c, "http://h/x")
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// A hit has its Age and its content coding.
func TestAge(t *testing.T) {
	o := &origin{open: text("text", fields{"Cache-Control": "max-age=100", "Age": "10", "Content-Encoding": "gzip", "ETag": `"1"`})}
	c, clock := newCache(t, o, 1<<20)
	req := &access.Request{URL: url.MustParse("http://h/")}
	open := func() *access.Resource {
		r, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
		return r
	}
	open()
	clock.pass(time.Minute)
	e, err := c.Do(t.Context(), req.WithOp(access.Stat))
	if err != nil {
		t.Fatal(err)
	}
	if hit := open(); !isHit(hit) {
		t.Errorf("the Sys of a hit is %T, want a *cache.Hit", hit.Sys)
	}
	for _, hit := range []*access.Resource{open(), e} {
		if h := hit.Header; h.Get("Age") != "70" || h.Get("Content-Encoding") != "gzip" || hit.ETag != `"1"` {
			t.Errorf("Header = %+v, ETag = %s", h, hit.ETag)
		}
	}
}

func isHit(r *access.Resource) bool {
	_, ok := r.Sys.(*cache.Hit)
	return ok
}
