package cache_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// secret wants a password although the URL names no user, as a news server may.
func secret(ctx context.Context, req *access.Request) (*access.Resource, error) {
	answer, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: "h"})
	if err != nil || answer.Password != "sesame" {
		return nil, errors.Join(access.ErrPassword, err)
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader("secret"))}, nil
}

// A resource that was opened with a password is not stored, and not shared with requests
// without it (RFC 9111 §3.5).
func TestPasswordAlone(t *testing.T) {
	// attack: A request without a password joins one with a password in the cache | it is asked for the password,
	// too
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		o := &origin{open: func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			<-gate
			return secret(ctx, req)
		}}
		c, _ := newCache(t, o, 0)
		type result struct{ password, got string }
		results := make(chan result)
		ask := func(word string) {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:h"), Login: password(word)})
			if err != nil {
				results <- result{word, ""}
				return
			}
			defer r.Body.Close()
			b, _ := io.ReadAll(r.Body)
			results <- result{word, string(b)}
		}
		for i := range 16 {
			go ask([]string{"sesame", "guess"}[i/8]) // the requests with the right password come first
			synctest.Wait()
		}
		close(gate)
		for range 16 {
			if r := <-results; (r.got == "secret") != (r.password == "sesame") {
				t.Errorf("by the password %q: %q", r.password, r.got)
			}
		}
		if c.Folder.Used() != 0 {
			t.Errorf("%d bytes of a secret are stored", c.Folder.Used())
		}
	})
}

// Many requests validate the same resource at once while others renew its metadata.
func TestRefreshTogether(t *testing.T) {
	o := &origin{open: text("x", fields{"ETag": `"1"`, "Cache-Control": "no-cache"})}
	c, _ := newCache(t, o, 0)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if got, err := get(t, c, "http://h/x"); got != "x" || err != nil {
					t.Errorf("%q, %v", got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// A stale resource is used if the server cannot answer now, and not if it refuses. A
// request without a validator never gets "not modified".
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		code  int
		means error // as the engine for http returns it
		want  string
	}{
		{400, errors.New("the server refused"), ""},
		{429, access.ErrTemporary, "x"}, // not in RFC 5861 §4; see Notable divergences
		{500, access.ErrServer, "x"},
		{503, access.ErrTemporary, "x"},
	} {
		o := &origin{open: text("x", fields{"Cache-Control": "max-age=1"})}
		c, now := newCache(t, o, 0)
		get(t, c, "http://h/x")
		now.pass(time.Minute)
		o.open = func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: test.code}, Err: test.means}
		}
		if got, err := get(t, c, "http://h/x"); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("after %d: %q, %v, want %q", test.code, got, err, test.want)
		}
	}
}

// A resource does not stay fresh for longer because the clock was set back.
func TestClockBack(t *testing.T) {
	o := &origin{open: text("x", fields{"Cache-Control": "max-age=100"})}
	c, now := newCache(t, o, 0)
	get(t, c, "http://h/x")
	now.Add(-3600)
	get(t, c, "http://h/x")
	if o.asked.Load() != 2 {
		t.Errorf("asked %d times, want twice", o.asked.Load())
	}
}

// A Request with a Login bypasses the cache, even if the resource is stored and fresh,
// because the answer may be for this user alone.
func TestLoginBypasses(t *testing.T) {
	o := &origin{open: text("for all", fields{"Cache-Control": "max-age=100"})}
	c, _ := newCache(t, o, 0)
	get(t, c, "http://h/x")
	o.open = func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		who, err := engine.Credentials(ctx, req, access.Challenge{URL: req.URL, Host: "h"})
		if err != nil {
			return nil, err
		}
		return text("for "+who.Password, fields{"Cache-Control": "max-age=100"})(ctx, req)
	}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("http://h/x"), Login: password("ada")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got, _ := io.ReadAll(r.Body); string(got) != "for ada" {
		t.Errorf("with a Login %q, want the answer for ada", got)
	}
	if got, err := get(t, c, "http://h/x"); got != "for all" || err != nil || c.Hits() != 1 {
		t.Errorf("without a Login %q, %v, %d hits, want the stored resource", got, err, c.Hits())
	}
}
