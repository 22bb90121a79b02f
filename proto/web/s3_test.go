package web

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/url"
)

// A bucket is a server like S3: it lists its keys in pages, with both versions of ListObjects.
type bucket struct {
	keys     []string // in order
	pageSize int
	noMarker bool // the first version gives NextMarker only with a delimiter, as S3 does
	requests atomic.Int32
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.requests.Add(1)
	q := r.URL.Query()
	prefix, delimiter, after := q.Get("prefix"), q.Get("delimiter"), q.Get("marker")
	isSecond := q.Get("list-type") == "2"
	if token := q.Get("continuation-token"); token != "" {
		text, err := base64.StdEncoding.DecodeString(token)
		if err != nil || !isSecond {
			http.Error(w, "InvalidArgument", http.StatusBadRequest)
			return
		}
		after = string(text)
	}
	var page strings.Builder
	count, last, truncated := 0, "", false
	for _, key := range b.keys {
		if !strings.HasPrefix(key, prefix) || key <= after || delimiter != "" && strings.HasSuffix(after, delimiter) && strings.HasPrefix(key, after) {
			continue
		}
		name, isFolder := key, false
		if cut := strings.Index(key[len(prefix):], "/"); delimiter != "" && cut >= 0 {
			name, isFolder = key[:len(prefix)+cut+1], true
		}
		if name == last {
			continue
		}
		if truncated = count == b.pageSize; truncated {
			break
		}
		count, last = count+1, name
		if isFolder {
			fmt.Fprintf(&page, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", escaped(name))
		} else {
			fmt.Fprintf(&page, "<Contents><Key>%s</Key><LastModified>2026-03-04T05:06:07.000Z</LastModified><Size>%d</Size></Contents>", escaped(name), len(name))
		}
	}
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>%s</Prefix><IsTruncated>%t</IsTruncated>`, escaped(prefix), truncated)
	switch {
	case truncated && isSecond:
		fmt.Fprintf(w, "<KeyCount>%d</KeyCount><NextContinuationToken>%s</NextContinuationToken>", count, base64.StdEncoding.EncodeToString([]byte(last)))
	case truncated && (delimiter != "" || !b.noMarker):
		fmt.Fprintf(w, "<NextMarker>%s</NextMarker>", escaped(last))
	}
	io.WriteString(w, page.String()+"</ListBucketResult>")
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a Builder never fails
	return b.String()
}

// lister returns a Lister for a new server that runs h, and the URL of the server.
func lister(t *testing.T, h http.Handler) (*Lister, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := &Client{Dial: new(net.Dialer).DialContext}
	return &Lister{Engine: c}, s.URL
}

// titlesOf returns the titles in the listing of a URL.
func titlesOf(t *testing.T, l *Lister, text string) ([]string, error) {
	t.Helper()
	r, err := l.Do(t.Context(), &access.Request{URL: url.MustParse(text), List: true})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.List == nil {
		t.Fatalf("%s is not a listing", text)
	}
	var titles []string
	err = access.Entries(r.List, func(e access.Entry) error {
		titles = append(titles, e.Title)
		return nil
	})
	return titles, err
}

// A bucket of several pages is listed to its end, by token, by marker and by the last key.
func TestBucketPages(t *testing.T) {
	var keys, all, top []string
	for i := range 250 {
		keys = append(keys, fmt.Sprintf("a&b %04d+ü", i))
	}
	for i := range 30 {
		keys = append(keys, fmt.Sprintf("sub%02d/x", i), fmt.Sprintf("sub%02d/y", i))
		top = append(top, fmt.Sprintf("sub%02d", i))
	}
	slices.Sort(keys)
	all = slices.Clone(keys)
	top = append(slices.Clone(keys[:250]), top...)
	for _, pageSize := range []int{100, 7} {
		b := &bucket{keys: keys, pageSize: pageSize}
		l, at := lister(t, b)
		for _, noMarker := range []bool{false, true} {
			b.noMarker = noMarker
			for query, want := range map[string][]string{
				"":            all,
				"list-type=2": all,
				"delimiter=/": top,
				"list-type=2&delimiter=%2F&max-keys=1000":                                                            top,
				"list-type=2&prefix=sub0&continuation-token=" + base64.StdEncoding.EncodeToString([]byte("sub04/x")): nil,
			} {
				b.requests.Store(0)
				got, err := titlesOf(t, l, at+"/?"+query)
				if want == nil {
					want = []string{"4/y", "5/x", "5/y", "6/x", "6/y", "7/x", "7/y", "8/x", "8/y", "9/x", "9/y"}
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%q in pages of %d: %d entries, %v, want %d", query, pageSize, len(got), err, len(want))
				}
				if pages := (len(want) + pageSize - 1) / pageSize; int(b.requests.Load()) != pages {
					t.Errorf("%q in pages of %d: %d requests, want %d", query, pageSize, b.requests.Load(), pages)
				}
			}
		}
	}
}

// Pages that never end, break off, or are not listings are errors.
func TestBucketHostilePages(t *testing.T) {
	const start = "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated>"
	for _, test := range []struct {
		name string
		page func(n int32) string
		want error
		most int32 // requests
	}{
		{"the same marker", func(int32) string { return start + "<Contents><Key>a</Key></Contents></ListBucketResult>" }, access.ErrProtocol, 2},
		{"the same token", func(int32) string {
			return start + "<NextContinuationToken>x</NextContinuationToken></ListBucketResult>"
		}, access.ErrProtocol, 2},
		{"empty pages", func(n int32) string {
			return start + fmt.Sprintf("<NextContinuationToken>%d</NextContinuationToken></ListBucketResult>", n)
		}, access.ErrProtocol, maxEmptyPages + 1},
		{"no key and no marker", func(int32) string { return start + "</ListBucketResult>" }, io.ErrUnexpectedEOF, 1},
		{"a page that breaks off", func(n int32) string {
			return start + fmt.Sprintf("<Contents><Key>%d</Key></Contents>", n) + map[bool]string{true: "</ListBucketResult>"}[n == 1]
		}, io.ErrUnexpectedEOF, 2},
		{"another document", func(n int32) string {
			return map[bool]string{true: start + "<Contents><Key>a</Key></Contents></ListBucketResult>", false: "<html></html>"}[n == 1]
		}, access.ErrProtocol, 2},
		{"no second page", func(n int32) string {
			return map[bool]string{true: start + "<Contents><Key>a</Key></Contents></ListBucketResult>"}[n == 1]
		}, access.ErrTemporary, 2},
	} {
		var count atomic.Int32
		l, at := lister(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			text := test.page(count.Add(1))
			if text == "" {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			w.Header().Set("Content-Type", "application/xml")
			io.WriteString(w, text)
		}))
		if _, err := titlesOf(t, l, at+"/"); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if count.Load() > test.most {
			t.Errorf("%s: %d requests, want at most %d", test.name, count.Load(), test.most)
		}
	}
}

// The List closes each page before it opens the next. The caller closes the last page.
func TestBucketClosesPages(t *testing.T) {
	b := &bucket{keys: []string{"a", "b", "c", "d", "e"}, pageSize: 2}
	l, at := lister(t, b)
	inner := l.Engine
	open := 0
	l.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if open > 0 {
			t.Error("a page is opened while another one is open")
		}
		r, err := inner.Do(ctx, req)
		if err == nil {
			open++
			r.OnClose(func() { open-- })
		}
		return r, err
	})
	if got, err := titlesOf(t, l, at+"/"); err != nil || len(got) != 5 || open != 0 {
		t.Errorf("%q, %v; %d pages are open", got, err, open)
	}
}
