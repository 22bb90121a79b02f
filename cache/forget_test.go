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
	"locus/cache"
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
			t.Fatalf("meanwhile %t: %v", meanwhile, err)
		}
		s.more <- "old "
		if err := accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("new")); err != nil {
			t.Fatalf("meanwhile %t: %v", meanwhile, err)
		}
		if meanwhile {
			if got, err := get(t, c, "ftp://h/x"); got != "new" || err != nil {
				t.Errorf("meanwhile %t: while the old one comes, Do reads %q, %v, want \"new\"", meanwhile, got, err)
			}
		}
		s.more <- "and older"
		close(s.more)
		if got, err := io.ReadAll(r.Body); string(got) != "old and older" || err != nil {
			t.Errorf("meanwhile %t: who came before reads %q, %v", meanwhile, got, err)
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
			t.Fatalf("%q: %v", test.header, err)
		}
		defer old.Body.Close()
		more <- "old"
		send(t, w, "PUT http://h/x")
		if test.meanwhile {
			if got := send(t, w, "GET http://h/x\nAccept: text/plain"); got.body != "new" {
				t.Errorf("%q: GET reads %q, %v while the old response comes, want \"new\"", test.header, got.body, got.err)
			}
		}
		close(more)
		if got, err := io.ReadAll(old.Body); string(got) != "old" || err != nil {
			t.Errorf("%q, asked meanwhile %v: who came before reads %q, %v, want \"old\"", test.header, test.meanwhile, got, err)
		}
		if got := send(t, w, "GET http://h/x\nAccept: text/plain"); got.body != "new" {
			t.Errorf("%q, asked meanwhile %v: then %q, %v", test.header, test.meanwhile, got.body, got.err)
		}
	}
}

// If a listing is changed while a request reads its entries, its entries are not stored.
func TestForgetListing(t *testing.T) {
	for _, test := range []struct {
		op      access.Op
		changed string // the URL that is changed
		read    int    // how many entries are read before that
		asked   int64  // how often the Engine is asked for the listing then
	}{
		{access.Delete, "ftp://h/d/", 0, 2},
		{access.Delete, "ftp://h/d/", 1, 2},
		{access.Delete, "ftp://h/d/", 2, 2},
		{access.Delete, "ftp://h/d/", 3, 2},
		{access.Put, "ftp://h/d/", 1, 2},
		{access.Put, "ftp://h/other", 1, 1},
	} {
		opened := int64(0)
		c, _ := newCache(t, changing{func(_ context.Context, req *access.Request) (*access.Resource, error) {
			opened++
			l := &listing{Reader: strings.NewReader("raw"), entries: []access.Entry{{Title: "a", Size: -1}, {Title: "b", Size: -1}}}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: l, List: l}, nil
		}}, 0)
		req := &access.Request{URL: url.MustParse("ftp://h/d/")}
		r, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("%v: %v", test.op, err)
		}
		for i := range 3 { // two entries and the end
			if i == test.read {
				change(t, c, test.op, test.changed)
			}
			if _, err := r.List.Next(); err != nil && !access.IsEnd(err) {
				t.Fatalf("%v: %v", test.op, err)
			}
		}
		if test.read == 3 {
			change(t, c, test.op, test.changed)
		}
		if err := r.Body.Close(); err != nil {
			t.Fatalf("%v: %v", test.op, err)
		}
		again, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("%v: %v", test.op, err)
		}
		again.Body.Close()
		if opened != test.asked {
			t.Errorf("after %v of %s when %d entries were read, the listing is asked for %d times, want %d", test.op, test.changed, test.read, opened, test.asked)
		}
	}
}

// A change that fails may have reached the server, so it removes the resources at all URLs that read the changed resource.
func TestForgetUnknown(t *testing.T) {
	for _, test := range []struct {
		op            access.Op
		changed, read string
		asked         int64 // how often the Engine is asked for read
	}{
		{access.Put, "titan://h/tea/pot.gmi;mime=text/gemini;token=sesame", "gemini://h/tea/pot.gmi", 2},
		{access.Delete, "titan://h/tea/pot.gmi", "gemini://h/tea/pot.gmi", 2},
		{access.Put, "titan://h:1966/", "gemini://h:1966/", 2},
		{access.Put, "titan://h/~ada/x.gmi;mime=text/gemini", "gemini://h/~ada/x.gmi", 2}, // as it is written
		{access.Put, "titan://h/tea/other.gmi", "gemini://h/tea/pot.gmi", 1},
		{access.Put, "ftp://h/x", "ftp://h/x", 2},
		{access.Append, "ftp://h/x", "ftp://h/x", 2},
		{access.Put, "ftp://h/x;type=a", "ftp://h/x", 2}, // the same file
		{access.Put, "ftp://h/x", "ftp://h/x;type=i", 2},
		{access.Delete, "ftps://u@h/d/x;type=i", "ftps://h/d/x;type=a", 2},
		{access.Put, "ftp://u;type=a@h/x;TYPE=I", "ftp://h/x", 2},
		{access.Put, "ftp://h/x;type=a", "ftp://h/y", 1},
		{access.MakeDir, "sftp://h/x/", "sftp://h/x/", 2},
		{access.Put, "http://u:pw@h/x", "http://h/x", 2},
		{access.Delete, "ftp://u@h/x", "ftp://h/x", 2},
		{access.Put, "ftp://u@h/y", "ftp://h/x", 1},
		{access.Put, "ftp://h/d/x", "ftp://h/d/", 2}, // the listing of its folder
		{access.Put, "ftp://h/d/x", "ftp://h/d", 2},
		{access.Delete, "ftp://u@h/d/x;type=i", "ftp://h/d/;type=d", 2},
		{access.MakeDir, "sftp://h/d/x/", "sftp://h/d/", 2},
		{access.Delete, "nfs://h/d//x//", "nfs://h/d//", 2},
		{access.Put, "http://h/d/x?y", "http://h/d/", 2},
		{access.Put, "ftp://h/x", "ftp://h/", 2},
		{access.Put, "ftp://h/x", "ftp://h", 2},
		{access.Put, "ftp://h/d/x", "ftp://h/", 1},
		{access.Put, "ftp://h/d/x", "ftp://h/e/", 1},
		{access.Append, "nntp://h/comp.lang.c", "nntp://h/comp.lang.c", 2},
	} {
		o := &origin{open: text("old", nil)} // its changes fail
		c, _ := newCache(t, o, 0)
		if _, err := get(t, c, test.read); err != nil {
			t.Errorf("get %q: %v", test.read, err)
		}
		err := accesstest.Change(t.Context(), c, test.op, &access.Request{URL: url.MustParse(test.changed)}, strings.NewReader("new"))
		if err == nil {
			t.Errorf("%v of %q does not fail", test.op, test.changed)
		}
		if _, err := get(t, c, test.read); err != nil {
			t.Errorf("get %q again: %v", test.read, err)
		}
		if asked := o.asked.Load(); asked != test.asked {
			t.Errorf("after a failed %v of %q, %q is asked for %d times, want %d", test.op, test.changed, test.read, asked, test.asked)
		}
	}
}

// changing is an Engine for a Get, which accepts every change.
type changing struct{ access.GetFunc }

func (c changing) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Changes() {
		return engine.Done(req.URL, nil)
	}
	return c.GetFunc.Do(ctx, req)
}

// change does op with a URL.
func change(t *testing.T, c *cache.Cache, op access.Op, text string) {
	t.Helper()
	if err := accesstest.Change(t.Context(), c, op, &access.Request{URL: url.MustParse(text)}, strings.NewReader("new")); err != nil {
		t.Fatal(err)
	}
}
