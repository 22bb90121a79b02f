package locus

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// A bomb is an Engine that panics in the method that its URL names.
type bomb struct{}

func (bomb) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	switch req.URL.Path() {
	case "/do":
		panic("in Do")
	case "/fine":
		return text(&access.Request{URL: req.URL})
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody}
	switch req.URL.Path() {
	case "/read":
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader("ab"), bomb{}))
	case "/list":
		r.List = bomb{}
	}
	return r, nil
}

func (bomb) Read([]byte) (int, error)    { panic("in Read") }
func (bomb) Next() (access.Entry, error) { panic("in Next") }

var bombs = access.Table{"x": bomb{}, "ftp": bomb{}}

// A panic of an engine is the error of one request. The next one works.
func TestClientPanic(t *testing.T) {
	engines := func(Dial) map[string]Scheme { return bombs.Schemes() }
	testPanics(t, &Client{Engines: engines})
	testPanics(t, &Client{Engines: engines, Limiter: &limit.Limiter{PerServer: 1}, Limits: Limits{Bytes: 1 << 20}})
}

// testPanics tests a Client of bombs.
func testPanics(t *testing.T, c *Client) {
	t.Helper()
	for _, u := range []string{"x://h/do", "ftp://h/do", "x://h/read", "ftp://h/read", "x://h/list", "ftp://h/list"} {
		err := exhaust(t, c, u)
		panicked, ok := errors.AsType[*access.PanicError](err)
		if !ok || !strings.Contains(string(panicked.Stack), "bomb") || strings.Contains(err.Error(), "goroutine") {
			t.Errorf("a panic at %q = %v, want an *access.PanicError with its stack", u, err)
		}
		if failed, ok := errors.AsType[*access.Error](err); !ok || failed.URL.String() != u {
			t.Errorf("a panic at %q = %v, want an *access.Error of that URL", u, err)
		}
	}
	for _, op := range access.Ops() {
		_, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("ftp://h/do")})
		if _, ok := errors.AsType[*access.PanicError](err); !ok {
			t.Errorf("a panic of %v = %v, want an *access.PanicError", op, err)
		}
	}
	if resp, err := c.HTTP().Get("ftp://h/do"); err == nil {
		resp.Body.Close()
		t.Errorf("a panic = %v over HTTP, want an error", resp.Status)
	}
	if err := exhaust(t, c, "ftp://h/fine"); err != nil {
		t.Errorf("after the panics: %v", err)
	}
}

// exhaust opens u, and reads its listing or its body to the end.
func exhaust(t *testing.T, c *Client, u string) error {
	t.Helper()
	r, err := c.Open(t.Context(), u)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.List != nil {
		return access.Entries(r.List, func(access.Entry) error { return nil })
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err
}
