package accesstest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// EndsEarly tests that a wrapper passes on an early end. The Body and the listing of the Engine
// end with an error that wraps io.EOF, such as "connection closed: EOF". The wrapper must
// return it as an error, because only io.EOF itself is the end. wrap returns the wrapper around
// an Engine. Each resource is opened twice, so that a cache fails the test if it stores the
// half and then answers with it.
func EndsEarly(t *testing.T, wrap func(access.Engine) access.Engine) {
	t.Helper()
	engine := wrap(access.GetFunc(half))
	for _, test := range []struct {
		name string
		url  url.URL
		read func(*access.Resource) error
	}{
		{"a Body", url.MustParse("gopher://h/0half"), func(r *access.Resource) error {
			_, err := io.Copy(io.Discard, r.Body)
			return err
		}},
		{"a listing", url.MustParse("gopher://h/1half"), func(r *access.Resource) error {
			if r.List == nil {
				return nil // the replay of a listing has a List
			}
			return access.Entries(r.List, func(access.Entry) error { return nil })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				r, err := engine.Do(t.Context(), &access.Request{URL: test.url})
				if err == nil {
					err = test.read(r)
					r.Body.Close()
				}
				if err == nil {
					t.Errorf("half of %q counts as the whole, want an error", test.url)
				}
			}
		})
	}
}

// half is a GetFunc. It returns a listing for URLs that begin with "gopher://h/1", and a text for
// all others. Both break off with errHalf.
func half(_ context.Context, req *access.Request) (*access.Resource, error) {
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Kind: access.Object, Size: -1}}
	body := &halfBody{Reader: strings.NewReader("half"), entry: access.Entry{Title: "first", URL: url.MustParse("gopher://h/0first"), Size: -1}}
	r.Body = body
	if strings.HasPrefix(req.URL.String(), "gopher://h/1") {
		r.Kind, r.List = access.Directory, body
	}
	return r, nil
}

// A halfBody is a Body and a List that break off.
type halfBody struct {
	io.Reader
	entry    access.Entry
	isListed bool
}

var errHalf = fmt.Errorf("connection closed: %w", io.EOF)

// Read reads from the Reader. It returns errHalf instead of every error of the Reader, which
// includes io.EOF.
func (b *halfBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		err = errHalf
	}
	return n, err
}

// Next returns one entry, and then errHalf.
func (b *halfBody) Next() (access.Entry, error) {
	if b.isListed {
		return access.Entry{}, errHalf
	}
	b.isListed = true
	return b.entry, nil
}

func (b *halfBody) Close() error { return nil }
