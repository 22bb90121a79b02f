package cache_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/access/engine"
	"locus/url"
)

// versions is an Engine whose Get returns the last Put. Its first version arrives in two
// pieces, the second when the test sends it.
type versions struct {
	text string
	more chan string
}

func (s *versions) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Put:
		put, err := io.ReadAll(req.Body)
		s.text = string(put)
		return engine.Done(req.URL, err)
	case req.Op != access.Get:
		return nil, engine.Unsupported(req)
	case s.text != "":
		return text(s.text, nil)(nil, req)
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: slowly(s.more)}, nil
}

// slowly returns a body of the texts that come over a channel. It ends when the channel is
// closed.
func slowly(more chan string) io.ReadCloser {
	in, out := io.Pipe()
	go func() {
		for piece := range more {
			io.WriteString(out, piece)
		}
		out.Close()
	}()
	return in
}

// If a resource is replaced while it is fetched, the fetch is not stored and later
// requests do not join it.
func TestForgetComing(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		s := &versions{more: make(chan string)}
		c, _ := newCache(t, s, 0)
		req := &access.Request{URL: url.MustParse("ftp://h/x")}
		r, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		s.more <- "old "
		if err := accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("new")); err != nil {
			t.Fatal(err)
		}
		if meanwhile {
			if got, err := get(t, c, "ftp://h/x"); got != "new" || err != nil {
				t.Errorf("while the old one comes: %q, %v", got, err)
			}
		}
		s.more <- "and older"
		close(s.more)
		if got, err := io.ReadAll(r.Body); string(got) != "old and older" || err != nil {
			t.Errorf("who came before reads %q, %v", got, err)
		}
		r.Body.Close()
		if got, err := get(t, c, "ftp://h/x"); got != "new" || err != nil {
			t.Errorf("asked meanwhile %v: then %q, %v", meanwhile, got, err)
		}
	}
}

// The same for the web, with responses that vary.
func TestWebForgetComing(t *testing.T) {
	const keep = "Cache-Control: max-age=60"
	for _, test := range []struct {
		header    string
		meanwhile bool
	}{
		{keep, false},
		{keep, true},
		{keep + "\nVary: Accept", false},
		{keep + "\nVary: Accept", true},
	} {
		more := make(chan string)
		var changed bool
		w, _ := newWeb(t, func(r *http.Request) (*http.Response, error) {
			resp := says(200, test.header, "new")
			if r.Method == http.MethodPut {
				changed = true
			}
			if !changed {
				resp.Body, resp.ContentLength = slowly(more), -1
			}
			return resp, nil
		})
		old, err := w.RoundTrip(request(t, "GET http://h/x\nAccept: text/plain"))
		if err != nil {
			t.Fatal(err)
		}
		defer old.Body.Close()
		more <- "old"
		send(t, w, "PUT http://h/x")
		if test.meanwhile {
			if got := send(t, w, "GET http://h/x\nAccept: text/plain"); got.body != "new" {
				t.Errorf("meanwhile %q, %v", got.body, got.err)
			}
		}
		close(more)
		if got, err := io.ReadAll(old.Body); string(got) != "old" || err != nil {
			t.Errorf("who came before reads %q, %v", got, err)
		}
		if got := send(t, w, "GET http://h/x\nAccept: text/plain"); got.body != "new" {
			t.Errorf("%q, asked meanwhile %v: then %q, %v", test.header, test.meanwhile, got.body, got.err)
		}
	}
}
