package answer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/answer"
	"locus/url"
)

var changed = time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)

const (
	date  = "Thu, 01 Dec 1994 00:00:00 GMT"
	later = "Fri, 02 Dec 1994 00:00:00 GMT"
)

func TestStatus(t *testing.T) {
	_, syntax := url.Parse("ftp://h/ x")
	refused := func(u string, code int, err error) error {
		return &access.Error{Op: "open", URL: url.MustParse(u), Reply: &access.Reply{Code: code}, Err: err}
	}
	answered := func(u string, code int, err error) error {
		return &access.Error{Op: "open", URL: url.MustParse(u), Reply: &access.Reply{Code: code}, HTTPStatus: code, Err: err}
	}
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 200},
		{syntax, 400},
		{access.ErrNotModified, 304},
		{access.ErrChanged, 412},
		{fs.ErrExist, 412},
		{access.ErrRange, 416},
		{access.ErrPassword, 401},
		{fs.ErrNotExist, 404},
		{fs.ErrPermission, 403},
		{fmt.Errorf("not a file name: %w", fs.ErrInvalid), 400},
		{access.ErrNoScheme, 501},
		{access.ErrTemporary, 503},
		{context.DeadlineExceeded, 504},
		{silent{}, 504},
		{access.ErrProtocol, 502},
		{fmt.Errorf("%w: a redirect to no URL: %w", access.ErrProtocol, syntax), 502},
		{io.ErrUnexpectedEOF, 502},
		{answered("http://h/", 410, fs.ErrNotExist), 410},
		{answered("http://h/", 407, errors.New("a proxy's")), 502},
		{answered("http://h/", 302, access.ErrRedirect), 502},
		{answered("ftp://h/", 410, fs.ErrNotExist), 410}, // by way of an HTTP proxy
		{refused("ftp://h/", 550, fs.ErrNotExist), 404},
		{refused("news:g", 411, fs.ErrNotExist), 404}, // a reply code of NNTP, although it looks like a status of HTTP
		{fmt.Errorf("wrapped: %w", fs.ErrNotExist), 404},
	} {
		if got := answer.Status(test.err); got != test.want {
			t.Errorf("Status(%v) = %d, want %d", test.err, got, test.want)
		}
	}
}

// silent is a timeout that is also temporary.
type silent struct{}

func (silent) Error() string { return "the server sent nothing for 1m0s" }
func (silent) Unwrap() error { return access.ErrTemporary }
func (silent) Timeout() bool { return true }

func TestParseRange(t *testing.T) {
	for _, test := range []struct {
		field string
		want  answer.Range
	}{
		{"bytes=0-", answer.Range{}},
		{"bytes=5-", answer.Range{Offset: 5}},
		{"bytes=5-9", answer.Range{Offset: 5, Length: 5}},
		{"bytes=0-0", answer.Range{Length: 1}},
		{"bytes=9-5", answer.Range{}},
		{"bytes=-5", answer.Range{Offset: -5}},
		{"Bytes= -5", answer.Range{Offset: -5}},
		{"bytes=-0", answer.Range{}},
		{"bytes=--5", answer.Range{}},
		{"bytes=-", answer.Range{}},
		{"bytes=-1,-2", answer.Range{}},
		{"bytes=0-1,3-4", answer.Range{}},
		{"bytes=0-99999999999999999999", answer.Range{}},
		{"bytes=99999999999999999999-", answer.Range{}},
		{"lines=5-9", answer.Range{}},
		{"bytes", answer.Range{}},
		{"", answer.Range{}},
	} {
		if got := answer.ParseRange(test.field); got != test.want {
			t.Errorf("ParseRange(%q) = %+v, want %+v", test.field, got, test.want)
		}
	}
}

// ParseRange returns a valid Range for any text.
func FuzzParseRange(f *testing.F) {
	for _, seed := range []string{"bytes=0-", "bytes=5-9", "bytes=-5", "bytes=4611686018427387903-4611686018427387903"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		r := answer.ParseRange(field)
		if r = r.Of(1000); r.Offset < 0 || r.Length < 0 || r.Offset+r.Length < 0 {
			t.Errorf("ParseRange(%q) = %+v", field, r)
		}
	})
}

// A source opens as text. Like real engines, it may ignore conditions and ranges.
type source struct {
	text    string
	etag    string
	size    bool // whether it tells its size
	parts   bool // whether it can begin anywhere
	refuses bool // whether it refuses an Offset that it cannot obey
	grows   int  // how many bytes it grows by after Stat
	opened  int
}

func (s *source) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, engine.Unsupported(req)
	}
	s.opened++
	if s.refuses && req.Offset > 0 {
		return nil, errors.ErrUnsupported
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, ModTime: changed}, ETag: s.etag}
	if s.size {
		r.Size = int64(len(s.text))
	}
	if s.parts {
		r.Offset = min(req.Offset, int64(len(s.text)))
	}
	r.Body = io.NopCloser(strings.NewReader(s.text[r.Offset:]))
	return r, nil
}

// A stated is a source with Stat, if its size is known.
type stated struct{ *source }

func (s stated) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Stat || !s.size {
		return s.source.Do(ctx, req)
	}
	return engine.Found(access.Entry{URL: req.URL, Kind: access.Object, Size: int64(len(s.text) - s.grows)}, nil)
}

func TestOpen(t *testing.T) {
	parts := source{text: "0123456789", etag: `"a"`, size: true, parts: true}
	plain := source{text: "0123456789", size: true, parts: true}
	for _, test := range []struct {
		from   source
		fields string
		want   string // the body, before Length is applied
		status int
		header string // Content-Range
	}{
		{parts, "", "0123456789", 200, ""},
		{parts, "Range: bytes=4-", "456789", 206, "bytes 4-9/10"},
		{parts, "Range: bytes=4-5", "456789", 206, "bytes 4-5/10"},
		{parts, "Range: bytes=4-50", "456789", 206, "bytes 4-9/10"},
		{parts, "Range: bytes=0-0", "0123456789", 206, "bytes 0-0/10"},
		{parts, "Range: bytes=10-", "", 416, ""},
		{parts, "Range: bytes=11-12", "", 416, ""},
		{source{size: true, parts: true}, "Range: bytes=0-1", "", 416, ""},
		{parts, "Range: bytes=-4", "6789", 206, "bytes 6-9/10"},
		{source{text: "0123", size: true, parts: true, grows: 1}, "Range: bytes=-2", "0123", 200, ""},
		{parts, "Range: bytes=-10", "0123456789", 200, ""},
		{parts, "Range: bytes=-99", "0123456789", 200, ""},
		{parts, "Range: bytes=-4\nIf-Range: \"a\"", "6789", 206, "bytes 6-9/10"},
		{parts, "Range: bytes=-4\nIf-Range: \"b\"", "0123456789", 200, ""},
		{source{text: "0123", parts: true}, "Range: bytes=-2", "0123", 200, ""},
		{source{text: "0123", size: true, refuses: true}, "Range: bytes=-2", "0123", 200, ""},
		{source{text: "0123", size: true}, "Range: bytes=-2", "0123", 200, ""},
		{source{text: "0123", parts: true}, "Range: bytes=2-", "0123", 200, ""}, // no Content-Range without a size
		{source{text: "0123", parts: true}, "Range: bytes=2-9999999", "0123", 200, ""},
		{source{text: "0123", parts: true}, "Range: bytes=1-2", "12", 206, "bytes 1-2/*"},
		{source{text: "0123", parts: true}, "Range: bytes=2-9", "23", 206, "bytes 2-3/*"},
		{source{text: "0123", parts: true}, "Range: bytes=0-0", "0", 206, "bytes 0-0/*"},
		{source{text: "0123", parts: true}, "Range: bytes=4-9", "", 416, ""},
		{source{text: "0123"}, "Range: bytes=1-2", "0123", 200, ""},
		{source{text: "0123", refuses: true}, "Range: bytes=1-2", "0123", 200, ""},
		{source{text: "0123", size: true}, "Range: bytes=2-", "0123", 200, ""},
		{source{text: "0123", size: true, refuses: true}, "Range: bytes=2-", "0123", 200, ""},

		{parts, "Range: bytes=4-\nIf-Range: \"a\"", "456789", 206, "bytes 4-9/10"},
		{parts, "Range: bytes=4-\nIf-Range: \"b\"", "0123456789", 200, ""},
		{source{text: "0123", etag: `W/"a"`, size: true, parts: true}, "Range: bytes=2-\nIf-Range: W/\"a\"", "0123", 200, ""},
		{plain, "Range: bytes=4-\nIf-Range: " + date, "456789", 206, "bytes 4-9/10"},
		{plain, "Range: bytes=4-\nIf-Range: " + later, "0123456789", 200, ""},

		{parts, "If-None-Match: \"a\"", "", 304, ""},
		{parts, "If-None-Match: W/\"a\"", "", 304, ""},
		{parts, "If-None-Match: \"b\", \"a\"", "", 304, ""},
		{parts, "If-None-Match: *", "", 304, ""},
		{parts, "If-None-Match: \"b\"", "0123456789", 200, ""},
		{parts, "If-None-Match: \"b\"\nIf-Modified-Since: " + date, "0123456789", 200, ""},
		{plain, "If-None-Match: \"\"", "0123456789", 200, ""},
		{plain, "If-Modified-Since: " + date, "", 304, ""},
		{plain, "If-Modified-Since: " + later, "", 304, ""},
		{plain, "If-Modified-Since: Wed, 30 Nov 1994 00:00:00 GMT", "0123456789", 200, ""},
		{plain, "If-Modified-Since: yesterday", "0123456789", 200, ""},
		{source{text: "0123", size: true, refuses: true}, "Range: bytes=2-\nIf-Modified-Since: " + date, "", 304, ""},
		{source{text: "0123", etag: `"a"`, size: true, refuses: true}, "Range: bytes=2-\nIf-None-Match: \"a\"", "", 304, ""},
		{source{text: "0123", parts: true}, "Range: bytes=1-2\nIf-Modified-Since: " + date, "", 304, ""},
		{source{text: "0123", size: true, parts: true}, "Range: bytes=-2\nIf-Modified-Since: " + date, "", 304, ""},
	} {
		h := make(http.Header)
		for field := range strings.SplitSeq(test.fields, "\n") {
			if name, value, ok := strings.Cut(field, ": "); ok {
				h.Add(name, value)
			}
		}
		req := answer.Request(url.MustParse("x:y"), h)
		before := *req
		r, part, err := answer.Open(t.Context(), stated{&test.from}, req)
		if !reflect.DeepEqual(*req, before) {
			t.Errorf("%q: Open changes its request from %+v to %+v", test.fields, before, *req)
		}
		status, text := answer.Status(err), ""
		given := make(http.Header)
		if err == nil {
			status, _ = answer.Describe(given, r, !part.Whole(), part.Length)
			all, _ := io.ReadAll(r.Body)
			text = string(all)
		}
		if status != test.status || text != test.want || given.Get("Content-Range") != test.header {
			t.Errorf("%q = %d, %q, %q, want %d, %q, %q", test.fields, status, text, given.Get("Content-Range"), test.status, test.want, test.header)
		}
	}
}

// A doer is an Engine that calls itself.
type doer func(context.Context, *access.Request) (*access.Resource, error)

func (d doer) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return d(ctx, req)
}

// Every request that Open sends is as public as the one that it got.
func TestOpenPublicOnly(t *testing.T) {
	engine := doer(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if !req.PublicOnly {
			t.Errorf("%v is sent without PublicOnly", req.Op)
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Kind: access.Object, Size: 9}, Body: access.NoBody}, nil
	})
	for _, offset := range []int64{-5, 0, 5} {
		r, _, err := answer.Open(t.Context(), engine, &access.Request{URL: url.MustParse("x:y"), Offset: offset, PublicOnly: true})
		if err != nil {
			t.Fatalf("offset %d: %v", offset, err)
		}
		r.Body.Close()
	}
}

// Head uses Stat. It opens a resource only if the engine lacks Stat.
func TestHead(t *testing.T) {
	s := &source{text: "text", size: true}
	r, err := answer.Head(t.Context(), s, &access.Request{})
	if err != nil || r.Size != 4 || s.opened != 1 {
		t.Errorf("Head = %+v, %v, opened %d times", r, err, s.opened)
	}
	req := &access.Request{IfChanged: access.Validator{ModTime: changed}}
	if _, err := answer.Head(t.Context(), s, req); !errors.Is(err, access.ErrNotModified) {
		t.Errorf("Head of an unchanged resource = %v, want %v", err, access.ErrNotModified)
	}
	dir := stater{access.Entry{Kind: access.Directory, Size: 4096, Header: access.Header{{Name: "ETag", Value: `"d"`}}}}
	r, err = answer.Head(t.Context(), dir, &access.Request{})
	if err != nil || r.Size != -1 || r.ETag != `"d"` {
		t.Fatalf("Head of a directory = %+v, %v", r, err)
	}
	if r.List == nil {
		t.Error("Head of a directory is no listing")
	}
}

// A stater has only Stat.
type stater struct{ entry access.Entry }

func (s stater) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Stat {
		return nil, errors.New("opened")
	}
	return engine.Found(s.entry, nil)
}

func ExampleStatus() {
	fmt.Println(answer.Status(&access.Error{Op: "open", URL: url.MustParse("ftp://h/x"), Err: fs.ErrNotExist}))
	// Output: 404
}
