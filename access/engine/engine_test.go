package engine_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// Found and Done make a resource with a body that can be read and closed, because callers do both
// without asking for the Op.
func TestFound(t *testing.T) {
	u := url.MustParse("ftp://h/x")
	e := access.Entry{Title: "x", URL: u, Kind: access.Object, Size: 3}
	for _, test := range []struct {
		name string
		give func(err error) (*access.Resource, error)
		want access.Entry
	}{
		{"Found", func(err error) (*access.Resource, error) { return engine.Found(e, err) }, e},
		{"Done", func(err error) (*access.Resource, error) { return engine.Done(u, err) }, access.Entry{URL: u, Size: -1}},
	} {
		got, err := test.give(nil)
		if err != nil || !reflect.DeepEqual(got.Entry, test.want) || got.List != nil {
			t.Fatalf("%s = %+v, %v, want %+v", test.name, got, err, test.want)
		}
		if body, err := io.ReadAll(got.Body); len(body) > 0 || err != nil {
			t.Errorf("the body of %s = %q, %v, want an empty one", test.name, body, err)
		}
		if err := got.Body.Close(); err != nil {
			t.Errorf("%s: Close = %v", test.name, err)
		}
		if got, err := test.give(fs.ErrNotExist); got != nil || err != fs.ErrNotExist {
			t.Errorf("%s of an error = %v, %v, want the error alone", test.name, got, err)
		}
	}
}

// Unsupported names the Op and the URL, without the password in it.
func TestUnsupported(t *testing.T) {
	for _, test := range []struct {
		req  access.Request
		want string
	}{
		{access.Request{}, "open ftp://u:xxxxx@h/x: unsupported operation"},
		{access.Request{Answers: []access.Answer{}}, "answer ftp://u:xxxxx@h/x: unsupported operation"},
		{access.Request{Op: access.Stat}, "stat ftp://u:xxxxx@h/x: unsupported operation"},
		{access.Request{Op: access.Put}, "put ftp://u:xxxxx@h/x: unsupported operation"},
	} {
		test.req.URL = url.MustParse("ftp://u:sesame@h/x")
		err := engine.Unsupported(&test.req)
		if err.Error() != test.want || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Unsupported(%s) = %q, want %q", test.req.Verb(), err, test.want)
		}
		if e, ok := errors.AsType[*access.Error](err); !ok || e.URL != test.req.URL {
			t.Errorf("Unsupported(%s) = %#v, want an *access.Error with the URL", test.req.Verb(), err)
		}
	}
}

// Reason shows its own text and hides the texts of the kinds that it wraps.
func TestReason(t *testing.T) {
	kind := errors.New("the text of a kind")
	for _, test := range []struct {
		kinds []error
	}{{nil}, {[]error{kind}}, {[]error{fs.ErrPermission, kind}}} {
		err := engine.Reason("the door is closed", test.kinds...)
		if err.Error() != "the door is closed" {
			t.Errorf("Reason(%v) = %q", test.kinds, err)
		}
		for _, k := range test.kinds {
			if !errors.Is(err, k) {
				t.Errorf("Reason(%v) is not %v", test.kinds, k)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Reason(%v) is %v", test.kinds, fs.ErrNotExist)
		}
	}
}

// Content fails unless the body has exactly Size bytes, because a server must not keep a part of a
// body, or more than it was promised.
func TestContent(t *testing.T) {
	for _, test := range []struct {
		body string
		size int64
		want string
		err  error // nil: success, or an error that is not in this list
		ok   bool
	}{
		{"text", 4, "text", nil, true},
		{"text", -1, "text", nil, true},
		{"", 0, "", nil, true},
		{"text", 5, "text", io.ErrUnexpectedEOF, false},
		{"", 1, "", io.ErrUnexpectedEOF, false},
		{"text", 3, "", nil, false},
		{"text", 0, "", nil, false},
	} {
		got, err := io.ReadAll(engine.Content(&access.Request{Body: strings.NewReader(test.body), Size: test.size}))
		if string(got) != test.want || (err == nil) != test.ok || test.err != nil && !errors.Is(err, test.err) {
			t.Errorf("Content(%q with Size %d) = %q, %v, want %q, %v", test.body, test.size, got, err, test.want, test.err)
		}
	}
	if got, err := io.ReadAll(engine.Content(&access.Request{Size: 5})); len(got) > 0 || err != nil {
		t.Errorf("Content without a Body = %q, %v, want an empty body", got, err)
	}
}

// A body of unknown size with a seeker gets its size, and can be sent twice from the position where
// it was. A body without a seeker can be sent twice only if it was not read.
func TestRewindable(t *testing.T) {
	sought := strings.NewReader("skipped text")
	if _, err := io.CopyN(io.Discard, sought, int64(len("skipped "))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		body  io.Reader
		size  int64
		read  int64 // bytes that are sent before the body is wanted again
		again bool
	}{
		{"a seeker", strings.NewReader("text"), 4, 2, true},
		{"a seeker behind its start", sought, 4, 4, true},
		{"a stream that was not read", io.MultiReader(strings.NewReader("text")), -1, 0, true},
		{"a stream that was read", io.MultiReader(strings.NewReader("text")), -1, 1, false},
	} {
		given := &access.Request{Body: test.body, Size: -1}
		req := engine.Rewindable(given)
		if given.GetBody != nil || given.Body != test.body || req.GetBody == nil || req.Size != test.size {
			t.Fatalf("%s: Rewindable = %+v of %+v, want a copy with GetBody and Size %d", test.name, req, given, test.size)
		}
		if _, err := io.CopyN(io.Discard, req.Body, test.read); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		body, err := req.GetBody()
		if (err == nil) != test.again {
			t.Errorf("%s: GetBody after %d bytes = %v, want success: %v", test.name, test.read, err, test.again)
		}
		if err != nil {
			continue
		}
		if text, err := io.ReadAll(body); string(text) != "text" || err != nil {
			t.Errorf("%s: the second body = %q, %v, want %q", test.name, text, err, "text")
		}
	}
	for name, req := range map[string]*access.Request{
		"without a body": {},
		"with GetBody":   {Body: strings.NewReader("x"), GetBody: func() (io.Reader, error) { return nil, fs.ErrClosed }},
	} {
		if got := engine.Rewindable(req); got != req {
			t.Errorf("Rewindable of a request %s = %+v, want the request itself", name, got)
		}
	}
}

func TestCredentials(t *testing.T) {
	gives := func(c access.Credentials, err error) access.Login {
		return func(context.Context, access.Challenge) (access.Credentials, error) { return c, err }
	}
	for _, test := range []struct {
		name     string
		login    access.Login
		optional bool
		want     access.Credentials
		err      error
	}{
		{"no Login", nil, false, access.Credentials{}, access.ErrPassword},
		{"no Login, and it is optional", nil, true, access.Credentials{}, nil},
		{"a password", gives(access.Credentials{Password: "sesame"}, nil), false, access.Credentials{User: "ada", Password: "sesame"}, nil},
		{"another user", gives(access.Credentials{User: "bob", Password: "sesame"}, nil), false, access.Credentials{User: "bob", Password: "sesame"}, nil},
		{"an error", gives(access.Credentials{Password: "sesame"}, fs.ErrPermission), true, access.Credentials{}, fs.ErrPermission},
	} {
		got, err := engine.Credentials(t.Context(), &access.Request{Login: test.login}, access.Challenge{User: "ada", Optional: test.optional})
		if got != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: Credentials = %+v, %v, want %+v, %v", test.name, got, err, test.want, test.err)
		}
	}
}

func TestCatchPanic(t *testing.T) {
	do := func(f func() error) (err error) {
		defer engine.CatchPanic(&err)
		return f()
	}
	for _, test := range []error{nil, fs.ErrClosed} {
		if err := do(func() error { return test }); err != test {
			t.Errorf("CatchPanic without a panic changes %v to %v", test, err)
		}
	}
	for _, value := range []any{"broken", fs.ErrClosed, 5} {
		err := do(func() error { panic(value) })
		p, ok := errors.AsType[*access.PanicError](err)
		if !ok || p.Value != value || !strings.Contains(string(p.Stack), "TestCatchPanic") {
			t.Errorf("CatchPanic after panic(%v) = %#v, want a PanicError with the value and the stack", value, err)
		}
	}
}

// A panicking is a body and a listing whose methods panic.
type panicking struct{}

func (panicking) Read([]byte) (int, error)    { panic("read") }
func (panicking) Close() error                { panic("close") }
func (panicking) Next() (access.Entry, error) { panic("next") }

// Recover turns a panic in Do, and in each method of the resource, into an error with the URL.
func TestRecover(t *testing.T) {
	req := &access.Request{URL: url.MustParse("ftp://u:sesame@h/x")}
	do := func(f func() (*access.Resource, error)) (*access.Resource, error) {
		return engine.Recover{Engine: access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) { return f() })}.Do(t.Context(), req)
	}
	r, err := do(func() (*access.Resource, error) { return &access.Resource{Body: panicking{}, List: panicking{}}, nil })
	if err != nil {
		t.Fatal(err)
	}
	_, inDo := do(func() (*access.Resource, error) { panic("do") })
	_, inRead := r.Body.Read(make([]byte, 1))
	_, inNext := r.List.Next()
	for value, err := range map[string]error{"do": inDo, "read": inRead, "next": inNext, "close": r.Body.Close()} {
		p, ok := errors.AsType[*access.PanicError](err)
		if !ok || p.Value != value {
			t.Errorf("a panic(%q) becomes %v", value, err)
		}
		if e, ok := errors.AsType[*access.Error](err); !ok || e.URL != req.URL {
			t.Errorf("a panic(%q) becomes %v, want an *access.Error with the URL", value, err)
		}
	}
	if _, err := do(func() (*access.Resource, error) { return nil, fs.ErrNotExist }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Recover changes %v to %v", fs.ErrNotExist, err)
	}
	r, err = do(func() (*access.Resource, error) {
		return &access.Resource{Body: io.NopCloser(strings.NewReader("text"))}, nil
	})
	if err != nil || r.List != nil {
		t.Fatalf("Recover = %+v, %v, want a resource without a List", r, err)
	}
	if text, err := io.ReadAll(r.Body); string(text) != "text" || err != nil {
		t.Errorf("the body = %q, %v, want %q", text, err, "text")
	}
	if _, err := (engine.Recover{}).Do(t.Context(), req); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Recover without an Engine = %v, want %v", err, access.ErrNoScheme)
	}
}

// A silentTap ignores the bytes that it sees.
type silentTap struct{ _ int }

func (silentTap) Sent([]byte)               {}
func (silentTap) Received([]byte)           {}
func (silentTap) Hide(...string)            {}
func (silentTap) Exchange() engine.Exchange { return nil }

func TestTapOf(t *testing.T) {
	if got := engine.TapOf(t.Context()); got != nil {
		t.Errorf("TapOf a context without a Tap = %v", got)
	}
	outer, inner := &silentTap{}, &silentTap{}
	ctx := engine.WithTap(t.Context(), outer)
	if got := engine.TapOf(engine.WithTap(ctx, inner)); got != inner {
		t.Errorf("TapOf = %p, want the inner Tap %p", got, inner)
	}
	if got := engine.TapOf(ctx); got != outer {
		t.Errorf("TapOf the outer context = %p, want %p", got, outer)
	}
	if got := engine.TapOf(engine.WithTap(ctx, nil)); got != nil {
		t.Errorf("TapOf a context with WithTap(nil) = %v, want nil", got)
	}
}
