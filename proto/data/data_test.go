package data_test

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/data"
	"locus/url"
)

func TestSuite(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops:     []access.Op{access.Stat},
		New:     func(proto.Dial) access.Engine { return data.Client{} },
		Object:  url.MustParse("data:,hello%2C%20world"),
		Content: "hello, world",
	})
}

func TestOpen(t *testing.T) {
	for _, test := range []struct{ url, wantType, want string }{
		{"data:,", "text/plain;charset=US-ASCII", ""},
		{"data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"}, // RFC 2397 §4
		{"data:text/plain;charset=iso-8859-7,%be%d3%be", "text/plain;charset=iso-8859-7", "\xbe\xd3\xbe"},
		{"data:;charset=utf-8,%C3%A9", "text/plain;charset=utf-8", "é"},
		{"data:text/html,<", "", ""},
		{"data:text/html,%3Cp%3E?a=b", "text/html", "<p>?a=b"},
		{"data:;base64,aGVsbG8=", "text/plain;charset=US-ASCII", "hello"},
		{"data:image/gif;base64,aGVs%0AbG8", "image/gif", "hello"},
		{"data:a/b;BASE64,aGVsbG8", "a/b", "hello"},
		{"data:,x#y", "text/plain;charset=US-ASCII", "x"},
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			if test.wantType != "" {
				t.Errorf("url.Parse(%q) = %v", test.url, err)
			}
			continue
		}
		r, err := data.Client{}.Do(t.Context(), &access.Request{URL: u})
		if err != nil {
			t.Errorf("Do(%q) = %v", test.url, err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		if string(got) != test.want || err != nil || r.Type != test.wantType || r.Size != int64(len(test.want)) {
			t.Errorf("Do(%q) = %q, %v of type %q and size %d, want %q of type %q", test.url, got, err, r.Type, r.Size, test.want, test.wantType)
		}
		if err := errors.Join(r.Body.Close(), r.Body.Close()); err != nil {
			t.Errorf("Close(%q) = %v", test.url, err)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"data:text/plain", "a comma"},
		{"data:", "a comma"},
		{"data://a/b,c", "a media type"},
		{"data:;base64,a", "base64"},
		{"data:;base64,a-_b", "base64"},
		{"data:;base64,YQ==YQ==", "base64"},
		{"data:;base64,YWI===", "base64"},
	} {
		_, err := data.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if bad, ok := errors.AsType[*url.SyntaxError](err); !ok || !strings.Contains(bad.Want, test.want) {
			t.Errorf("Do(%q) = %v, want a syntax error that wants %s", test.url, err, test.want)
		}
	}
}

func TestOffset(t *testing.T) {
	for _, test := range []struct {
		offset int64
		want   string
		err    error
	}{
		{0, "hello", nil},
		{2, "llo", nil},
		{5, "", nil},
		{6, "", access.ErrRange},
	} {
		r, err := data.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("data:,hello"), Offset: test.offset})
		if !errors.Is(err, test.err) {
			t.Errorf("Do with offset %d = %v, want %v", test.offset, err, test.err)
		}
		if err != nil {
			continue
		}
		if got, err := io.ReadAll(r.Body); string(got) != test.want || err != nil || r.Offset != test.offset {
			t.Errorf("Do with offset %d = %q, %v from %d, want %q", test.offset, got, err, r.Offset, test.want)
		}
	}
}

// A large URL is decoded in a few times its length of memory.
func TestLarge(t *testing.T) {
	content := strings.Repeat("tea", 1<<20)
	u := url.MustParse("data:;base64," + base64.StdEncoding.EncodeToString([]byte(content)))
	r, err := data.Client{}.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r.Body); string(got) != content || err != nil {
		t.Errorf("a URL of %d bytes has %d bytes, %v, want %d", len(u.String()), len(got), err, len(content))
	}
}
