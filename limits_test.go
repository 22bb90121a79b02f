package locus

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

// only returns a Client that opens x URLs by an engine.
func only(e access.Engine) *Client {
	return &Client{Engines: func(Dial) map[string]Scheme { return access.Table{"x": e}.Schemes() }}
}

// A Body gives as many bytes as Limits allows, and then an error. It never ends early.
func TestLimitsBytes(t *testing.T) {
	for _, test := range []struct {
		body   string
		size   int64 // that the engine announces; -1 if unknown
		offset int64
		length int64
		limit  int64
		want   string
		fails  string // "open", "read", or "" for a success
	}{
		{body: "abcd", size: -1, limit: 0, want: "abcd"},
		{body: "abcd", size: -1, limit: 4, want: "abcd"},
		{body: "abcd", size: -1, limit: 5, want: "abcd"},
		{body: "abcd", size: -1, limit: math.MaxInt64, want: "abcd"},
		{body: "abcd", size: -1, limit: 3, want: "abc", fails: "read"},
		{body: "abcd", size: -1, limit: 1, want: "a", fails: "read"},
		{body: "", size: -1, limit: 1, want: ""},
		{body: "abcd", size: 4, limit: 4, want: "abcd"},
		{body: "abcd", size: 4, limit: 3, fails: "open"},
		{body: "abcd", size: 3, limit: 3, want: "abc", fails: "read"},     // the announced size is too small
		{body: "abcd", size: 1 << 40, limit: 1 << 30, fails: "open"},      // the announced size is too large
		{body: "cd", size: 4, offset: 2, limit: 2, want: "cd"},            // the rest
		{body: "cd", size: 4, offset: 2, limit: 1, fails: "open"},         // the rest
		{body: "bc", size: 4, offset: 1, length: 2, limit: 2, want: "bc"}, // a part
		{body: "bcd", size: 4, offset: 1, length: 2, limit: 2, want: "bc", fails: "read"},
		{body: "bc", size: 4, offset: 1, length: 2, limit: 1, fails: "open"},
	} {
		closed := false
		c := only(access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: test.size}, Offset: req.Offset, Body: io.NopCloser(strings.NewReader(test.body))}
			r.OnClose(func() { closed = true })
			return r, nil
		}))
		c.Limits.Bytes = test.limit
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("x:y"), Offset: test.offset, Length: test.length})
		if err != nil {
			if test.fails != "open" || !errors.Is(err, ErrTooLarge) || !closed {
				t.Errorf("%+v: Open = %v, closed: %v", test, err, closed)
			}
			continue
		}
		got, err := io.ReadAll(r.Body)
		if string(got) != test.want || errors.Is(err, ErrTooLarge) != (test.fails == "read") || (err == nil) != (test.fails == "") {
			t.Errorf("%+v: it reads as %q, %v", test, got, err)
		}
		if n, again := r.Body.Read(make([]byte, 9)); n > 0 || err != nil && !errors.Is(again, ErrTooLarge) {
			t.Errorf("%+v: after that Read = %d, %v", test, n, again)
		}
		if r.Body.Close(); !closed {
			t.Errorf("%+v: the body is not closed", test)
		}
	}
}

// An endless listing is too large.
func TestLimitsList(t *testing.T) {
	c := only(access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody, List: endless{}}, nil
	}))
	c.Limits.Bytes = 1000
	n := 0
	for _, err := range c.List(t.Context(), "x:y") {
		if err != nil {
			if !errors.Is(err, ErrTooLarge) {
				t.Errorf("List ends with %v, want ErrTooLarge", err)
			}
			break
		}
		n++
	}
	if n != 100 { // of ten bytes
		t.Errorf("List gives %d entries, want 100", n)
	}
}

type endless struct{}

func (endless) Next() (access.Entry, error) {
	return access.Entry{Title: "title", URL: url.MustParse("x:abc")}, nil
}

// silent accepts every connection, reads, and sends nothing.
func silent(_ context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		_, _ = io.Copy(io.Discard, server)
		server.Close()
	}()
	return client, nil
}

// A request fails after Total, even while its Body is read.
func TestLimitsTotal(t *testing.T) {
	var ended <-chan struct{}
	slowly := func(_ context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			_, _ = server.Read(make([]byte, 100))
			for {
				select {
				case <-time.After(time.Second):
				case <-ended:
					return
				}
				if _, err := io.WriteString(server, "x"); err != nil {
					return
				}
			}
		}()
		return client, nil
	}
	for name, dial := range map[string]Dial{"silent": silent, "slow": slowly} {
		synctest.Test(t, func(t *testing.T) {
			ended = t.Context().Done()
			c := &Client{Dial: dial, Limits: Limits{Total: 10 * time.Second}}
			defer c.Close()
			began := time.Now()
			r, err := c.Open(t.Context(), "gopher://h.example/9x")
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			late, ok := errors.AsType[net.Error](err)
			if !errors.Is(err, context.DeadlineExceeded) || !ok || !late.Timeout() || !strings.Contains(err.Error(), "timed out after 10s") {
				t.Errorf("%s: an access that takes too long = %v, want a timeout that says so", name, err)
			}
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("%s: it took %v, want 10s", name, took)
			}
		})
	}
}

// If a server is silent for Idle, every engine fails.
func TestClientSilent(t *testing.T) {
	isLocal := func(scheme string) bool {
		return slices.Contains([]string{"file", "afs", "mid", "cid", "mailto", "mailserver", "data"}, scheme)
	}
	schemes := slices.DeleteFunc(new(Client).Schemes(), isLocal)
	for _, scheme := range schemes {
		for _, op := range access.Ops() {
			synctest.Test(t, func(t *testing.T) {
				c := &Client{Dial: silent, Idle: 2 * time.Second, Retries: -1}
				defer c.Close()
				began := time.Now()
				req := &access.Request{Op: op, URL: url.MustParse(scheme + "://" + hostAndPath(scheme))}
				r, err := c.Do(t.Context(), req)
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
				took := time.Since(began)
				waits := op == access.Get && scheme != "titan" || took > 0 // a titan URL is never read
				if waits && (!errors.Is(err, os.ErrDeadlineExceeded) && !isTimeout(err) || took > 5*time.Second) {
					t.Errorf("%v by %s of a silent server = %v after %v, want a timeout after 2s", op, scheme, err, took)
				}
			})
		}
	}
}

func isTimeout(err error) bool {
	late, ok := errors.AsType[net.Error](err)
	return ok && late.Timeout()
}

func hostAndPath(scheme string) string {
	switch scheme {
	case "news", "snews":
		return "h.example/comp.lang.c"
	case "nntp", "nntps":
		return "h.example/comp.lang.c/1"
	case "wais":
		return "h.example/db?word"
	case "z39.50r":
		return "h.example/db?docid"
	case "telnet", "tn3270":
		return "h.example/"
	case "dict":
		return "h.example/d:x"
	case "cso":
		return "h.example/?x"
	case "rlogin":
		return "me@h.example/"
	case "sftp":
		return "me@h.example/x"
	}
	return "h.example/x"
}
