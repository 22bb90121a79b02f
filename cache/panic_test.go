package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// fault is a Body that panics when it is read or closed.
type fault struct {
	io.Reader
	closing bool
}

func (f fault) Read(p []byte) (int, error) {
	if f.Reader != nil {
		return f.Reader.Read(p)
	}
	panic("a fault in Read")
}

func (f fault) Close() error {
	if f.closing {
		panic("a fault in Close")
	}
	return nil
}

// A panic of the engine is the error of the request. The cache calls the engine in its
// own goroutines, where a panic would end the process.
func TestPanic(t *testing.T) {
	resource := func(body io.ReadCloser) func(context.Context, *access.Request) (*access.Resource, error) {
		return func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: body}, nil
		}
	}
	for _, test := range []struct {
		name  string
		open  func(context.Context, *access.Request) (*access.Resource, error)
		stack string // a function in the stack of the error; "" for success
	}{
		{"Do", func(context.Context, *access.Request) (*access.Resource, error) { panic("a fault in Do") }, "TestPanic"},
		{"no resource", func(context.Context, *access.Request) (*access.Resource, error) { return nil, nil }, "cache"},
		{"Read", resource(fault{}), "fault"},
		{"Read later", resource(fault{Reader: io.MultiReader(strings.NewReader("half"), fault{})}), "fault"},
		{"Close", resource(fault{Reader: strings.NewReader("text"), closing: true}), ""},
	} {
		o := &origin{open: test.open}
		c, _ := newCache(t, o, 0)
		_, err := get(t, c, "gopher://h/x")
		p, ok := errors.AsType[*access.PanicError](err)
		switch {
		case test.stack == "" && err == nil:
			continue // the resource was complete before the panic
		case !ok:
			t.Errorf("%s: %v, want a PanicError", test.name, err)
		case !strings.Contains(string(p.Stack), test.stack):
			t.Errorf("%s: the stack does not name %s:\n%s", test.name, test.stack, p.Stack)
		}
		o.open = text("well", nil)
		if got, err := get(t, c, "gopher://h/x"); got != "well" || err != nil {
			t.Errorf("after a panic in %s: %q, %v", test.name, got, err)
		}
	}
}

// All requests that wait for a fetch get its panic as an error.
func TestPanicOfMany(t *testing.T) {
	gate := make(chan struct{})
	o := &origin{open: func(context.Context, *access.Request) (*access.Resource, error) {
		<-gate
		panic("a fault")
	}}
	c, _ := newCache(t, o, 0)
	failed := make(chan error)
	for range 3 {
		go func() {
			_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
			failed <- err
		}()
	}
	close(gate)
	for range 3 {
		if err := <-failed; !isPanic(err) {
			t.Errorf("%v, want a PanicError", err)
		}
	}
}

// The same for a Web.
func TestWebPanic(t *testing.T) {
	for _, inBody := range []bool{false, true} {
		w, _ := newWeb(t, func(*http.Request) (*http.Response, error) {
			if !inBody {
				panic("a fault in RoundTrip")
			}
			resp := says(200, "Cache-Control: max-age=60", "")
			resp.Body, resp.ContentLength = fault{}, -1
			return resp, nil
		})
		resp, err := w.RoundTrip(request(t, "GET http://h/x"))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if !isPanic(err) {
			t.Errorf("in the body %v: %v, want a PanicError", inBody, err)
		}
	}
}

func isPanic(err error) bool {
	_, ok := errors.AsType[*access.PanicError](err)
	return ok
}
