package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// coded returns text in a coding: gzip, zlib or raw.
func coded(t testing.TB, coding, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	default:
		w, _ = flate.NewWriter(&b, flate.BestSpeed)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A content coding that the client has not asked for is removed from a body, unless the resource is a compressed file.
func TestContentCoding(t *testing.T) {
	const text = "<a href=x>some text</a>"
	packed := coded(t, "gzip", text)
	for _, test := range []struct {
		name, coding, media, body string
		want                      string
		isCoded                   bool // the Content-Encoding stays
		err                       error
	}{
		{"page", "gzip", "text/html", packed, text, false, nil},
		{"page", "x-gzip", "text/html", packed, text, false, nil},
		{"page", " GZIP ", "text/html", packed, text, false, nil},
		{"page", "deflate", "text/html", coded(t, "zlib", text), text, false, nil},
		{"page", "deflate", "text/html", coded(t, "raw", text), text, false, nil},
		{"page", "gzip", "text/html", packed + packed, text + text, false, nil},
		{"page", "gzip", "text/html", packed + "\r\n", text, false, nil}, // browsers ignore the bytes after the end
		{"page", "gzip", "text/html", packed + "<!-- made in 0.1 s -->", text, false, nil},
		{"page", "gzip", "text/html", packed + packed + strings.Repeat("\x00", 512), text + text, false, nil},
		{"page", "gzip, gzip", "text/html", coded(t, "gzip", packed+"x") + "\n", text, false, nil},
		{"page", "gzip", "text/html", packed + packed[:5], text, false, io.ErrUnexpectedEOF},
		{"page", "gzip", "text/html", text, text, false, nil}, // it is plain
		{"page", "gzip", "text/html", "", "", false, nil},
		{"page", "gzip", "text/html", "x", "x", false, nil},
		{"page", "gzip, x-gzip", "text/html", coded(t, "gzip", packed), text, false, nil},
		{"page", "deflate,gzip", "text/html", coded(t, "gzip", coded(t, "zlib", text)), text, false, nil},
		{"page", "identity, gzip", "text/html", packed, text, false, nil},
		{"page", "gzip,", "text/html", packed, text, false, nil},
		{"page", "gzip, gzip", "text/html", packed, text, false, nil}, // it was compressed once
		{"page", "gzip, gzip", "text/html", coded(t, "gzip", packed[:len(packed)-9]), text, false, io.ErrUnexpectedEOF},
		{"page", "gzip, gzip, gzip", "text/html", packed, packed, true, nil}, // more than servers send
		{"page", "br", "text/html", packed, packed, true, nil},
		{"page", "gzip, br", "text/html", packed, packed, true, nil},
		{"page", "identity", "text/html", text, text, true, nil},
		{"x.tar.gz", "x-gzip", "application/x-tar", packed, packed, true, nil},
		{"x.t%67z", "gzip", "application/x-tar", packed, packed, true, nil},
		{"page", "gzip", "application/x-gzip", packed, packed, true, nil},
		{"page", "gzip", "text/html", packed[:len(packed)-9], text, false, io.ErrUnexpectedEOF},
		{"page", "gzip", "text/html", packed[:5], "", false, io.ErrUnexpectedEOF},
		{"page", "deflate", "text/html", coded(t, "zlib", text)[:9], text, false, io.ErrUnexpectedEOF},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", test.coding)
			w.Header().Set("Content-Type", test.media)
			w.Header().Set("Content-Length", strconv.Itoa(len(test.body)))
			io.WriteString(w, test.body)
		}))
		c := &web.Client{Dial: new(net.Dialer).DialContext}
		at := url.MustParse(s.URL + "/" + test.name)
		for _, op := range []access.Op{access.Get, access.Stat} {
			r, err := c.Do(t.Context(), &access.Request{Op: op, URL: at})
			if err != nil {
				t.Errorf("%v %s in %q = %v", op, test.name, test.coding, err)
				continue
			}
			got, err := io.ReadAll(r.Body)
			r.Body.Close()
			wantSize := int64(-1)
			if test.isCoded {
				wantSize = int64(len(test.body))
			}
			hasField := r.Header.Get("Content-Encoding") != "" || web.ReplyOf(r).Header.Get("Content-Encoding") != ""
			if r.Size != wantSize || hasField != test.isCoded {
				t.Errorf("%v %s in %q has the size %d and the header %v, want %d, Content-Encoding: %v", op, test.name, test.coding, r.Size, r.Header, wantSize, test.isCoded)
			}
			if op == access.Get && (!errors.Is(err, test.err) || !strings.HasPrefix(test.want, string(got)) || test.err == nil && string(got) != test.want) {
				t.Errorf("%s in %q has the body %q, %v, want %q, %v", test.name, test.coding, got, err, test.want, test.err)
			}
		}
		c.CloseIdleConnections()
		s.Close()
	}
}

// A part of a coded body cannot be decoded.
func TestCodedPart(t *testing.T) {
	packed := coded(t, "gzip", strings.Repeat("text ", 100))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(packed))
	}))
	defer s.Close()
	c := &web.Client{Dial: new(net.Dialer).DialContext}
	defer c.CloseIdleConnections()
	if r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(s.URL + "/x"), Offset: 5}); !errors.Is(err, access.ErrRange) {
		t.Errorf("Get from 5 = %v, %v, want %v", r, err, access.ErrRange)
	}
}

// A small body cannot fill the disk.
func TestCodedBomb(t *testing.T) {
	once := coded(t, "gzip", strings.Repeat("\x00", 100<<20))
	for coding, packed := range map[string]string{"gzip": once, "gzip, gzip": coded(t, "gzip", once)} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			io.WriteString(w, packed)
		}))
		defer s.Close()
		c := &web.Client{Dial: new(net.Dialer).DialContext}
		defer c.CloseIdleConnections()
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(s.URL + "/x")})
		if err != nil {
			t.Errorf("Get of a body in %q = %v", coding, err)
			continue
		}
		defer r.Body.Close()
		if n, err := io.Copy(io.Discard, r.Body); !errors.Is(err, access.ErrTooLong) || n > 128<<20 {
			t.Errorf("a body in %q of %d bytes grows to %d, %v, want %v", coding, len(packed), n, err, access.ErrTooLong)
		}
	}
}

// Servers write Last-Modified in more forms than RFC 9110 §5.6.7 allows.
func TestLastModified(t *testing.T) {
	want := time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC)
	for _, test := range []struct {
		field string
		want  time.Time
	}{
		{"Sun, 06 Nov 1994 08:49:37 GMT", want},
		{"Sunday, 06-Nov-94 08:49:37 GMT", want},
		{"Sun Nov  6 08:49:37 1994", want},
		{"Sun, 06 Nov 1994 08:49:37 UTC", want},
		{"Sun, 06 Nov 1994 08:49:37 +0000", want},
		{"Sun, 06 Nov 1994 09:49:37 +0100", want},
		{"Sun, 6 Nov 1994 08:49:37 GMT", want},
		{"Sun, 6 Nov 1994 08:49:37 UTC", want},
		{"Sun, 6 Nov 1994 08:49:37 +0000", want},
		{"Sun, 06 Nov 1994 08:49:37 EST", time.Time{}},
		{"06 Nov 1994", time.Time{}},
		{"", time.Time{}},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Last-Modified", test.field) }))
		c := &web.Client{Dial: new(net.Dialer).DialContext}
		r, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(s.URL + "/x")})
		if err != nil || !r.ModTime.Equal(test.want) {
			t.Errorf("Last-Modified: %q gives %v, %v, want %v", test.field, r, err, test.want)
		}
		c.CloseIdleConnections()
		s.Close()
	}
}
