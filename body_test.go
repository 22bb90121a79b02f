package locus

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A closer counts what is open.
type closer struct {
	io.Reader
	open *int
}

func (c closer) Close() error { *c.open--; return nil }

func TestRenewable(t *testing.T) {
	open := 0
	renew := func() (io.ReadCloser, error) {
		open++
		return closer{strings.NewReader(content), &open}, nil
	}
	first, _ := renew()
	body, closeBody := bodyOf(&http.Request{Body: first, GetBody: renew})
	s, ok := body.(io.Seeker)
	if !ok {
		t.Fatal("the body of a request with GetBody cannot seek")
	}
	for _, test := range []struct {
		offset int64
		whence int
		at     int64
		rest   string // what the next three octets are
		err    error
	}{
		{0, io.SeekCurrent, 0, "abc", nil},
		{0, io.SeekCurrent, 3, "def", nil},
		{0, io.SeekStart, 0, "abc", nil},
		{1, io.SeekStart, 1, "bcd", nil},
		{4, io.SeekStart, 4, "efg", nil},
		{2, io.SeekCurrent, 9, "jkl", nil},
		{-3, io.SeekCurrent, 9, "jkl", nil},
		{0, io.SeekEnd, 12, "mno", errors.ErrUnsupported},
		{26, io.SeekStart, 26, "", nil},
		{27, io.SeekStart, 26, "", io.EOF},
	} {
		at, err := s.Seek(test.offset, test.whence)
		rest, _ := io.ReadAll(io.LimitReader(body, 3))
		if at != test.at || !errors.Is(err, test.err) || string(rest) != test.rest {
			t.Errorf("Seek(%d, %d) = %d, %v and reads %q, want %d, %v and %q", test.offset, test.whence, at, err, rest, test.at, test.err, test.rest)
		}
	}
	closeBody()
	if open != 1 { // the first is the caller's
		t.Errorf("%d bodies are open, want the first alone", open)
	}
}

func TestRenewableFails(t *testing.T) {
	why := errors.New("gone")
	body, closeBody := bodyOf(&http.Request{
		Body:    io.NopCloser(strings.NewReader(content)),
		GetBody: func() (io.ReadCloser, error) { return nil, why },
	})
	defer closeBody()
	_, _ = io.ReadFull(body, make([]byte, 3))
	if at, err := body.(io.Seeker).Seek(0, io.SeekStart); at != 3 || !errors.Is(err, why) {
		t.Errorf("Seek of a body that is gone = %d, %v, want 3, %v", at, err, why)
	}
	if rest, err := io.ReadAll(body); string(rest) != content[3:] || err != nil {
		t.Errorf("after a Seek that failed the body is %q, %v, want %q", rest, err, content[3:])
	}
}

// A file is sent twice by seeking in it, a stream not at all.
func TestClientSendsAgain(t *testing.T) {
	town := newTown(t, signpost)
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("octets"), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	from := "http://a.example" + pointing(307, "http://b.example/x")
	for _, test := range []struct {
		what string
		body io.Reader
		size int64
		want string // of the requests, the last
	}{
		{"a string", strings.NewReader("octets"), 6, "PUT b.example/x octets"},
		{"a file", file, 6, "PUT b.example/x octets"},
		{"a stream", io.MultiReader(strings.NewReader("octets")), 6, "PUT " + from[7:] + " octets"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, from, test.body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = test.size
		resp, err := Client(town.table).Do(r)
		if err == nil {
			resp.Body.Close()
		}
		asked, _, _ := town.heard()
		if len(asked) == 0 || asked[len(asked)-1] != test.want || (err == nil) != (len(asked) == 2) {
			t.Errorf("PUT of %s asks %q, %v, want %q at last", test.what, asked, err, test.want)
		}
	}
}
