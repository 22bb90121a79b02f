package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"locus/url"
)

const letters = "abcdefghijklmnopqrstuvwxyz"

// An alphabet is an Engine of one resource. It counts its open bodies.
type alphabet struct {
	starts   bool  // whether it can start anywhere
	refuses  bool  // whether it refuses to, if it cannot
	size     int64 // as it tells; -1 if it does not
	etag     string
	breaks   bool // whether a body ends early, after 5 bytes
	requests []Request
	open     int
}

func (o *alphabet) Do(_ context.Context, req *Request) (*Resource, error) {
	o.requests = append(o.requests, *req)
	if !req.IfMatch.IsZero() && req.IfMatch.ETag != o.etag {
		return nil, ErrChanged
	}
	r := &Resource{Entry: Entry{URL: req.URL, Size: o.size}, ETag: o.etag}
	text := letters
	switch {
	case req.Offset > 0 && o.starts && req.Offset > int64(len(letters)):
		return nil, ErrRange
	case req.Offset > 0 && o.starts:
		r.Offset, text = req.Offset, letters[req.Offset:]
	case req.Offset > 0 && o.refuses:
		return nil, &Error{Op: "open", URL: req.URL, Err: errors.ErrUnsupported}
	}
	body := io.Reader(strings.NewReader(text))
	if o.breaks {
		body = iotest.DataErrReader(io.MultiReader(strings.NewReader(text[:5]), iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	o.open++
	r.Body = &alphabetBody{body, o}
	return r, nil
}

type alphabetBody struct {
	io.Reader
	alphabet *alphabet
}

func (b *alphabetBody) Close() error {
	if b.alphabet != nil {
		b.alphabet.open--
	}
	b.Reader, b.alphabet = iotest.ErrReader(fs.ErrClosed), nil
	return nil
}

func openAlphabet(t *testing.T, o *alphabet) fs.File {
	t.Helper()
	f, err := FS(t.Context(), o, url.MustParse("x://h/")).Open("alphabet")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Seek and ReadAt give the same bytes, whether or not the protocol can start anywhere.
func TestFileSeeks(t *testing.T) {
	for name, o := range map[string]*alphabet{
		"one that starts anywhere":          {starts: true, size: 26, etag: `"1"`},
		"one that starts at the start":      {size: 26},
		"one that refuses to":               {refuses: true, size: 26},
		"one of unknown size":               {starts: true, size: -1},
		"one of unknown size, from a start": {size: -1},
	} {
		f := openAlphabet(t, o)
		if err := iotest.TestReader(f, []byte(letters)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		seeker, at := f.(io.Seeker), f.(io.ReaderAt)
		for _, test := range []struct {
			offset int64
			whence int
			want   int64
			next   string
		}{
			{3, io.SeekStart, 3, "def"},
			{2, io.SeekCurrent, 8, "ijk"},
			{-2, io.SeekEnd, 24, "yz"},
			{0, io.SeekCurrent, 26, ""},
			{100, io.SeekStart, 100, ""},
			{-99, io.SeekCurrent, 1, "bcd"},
			{0, io.SeekEnd, 26, ""},
			{0, io.SeekStart, 0, "abc"},
		} {
			got, err := seeker.Seek(test.offset, test.whence)
			next, readErr := io.ReadAll(io.LimitReader(f, 3))
			if got != test.want || err != nil || string(next) != test.next || readErr != nil {
				t.Errorf("%s: Seek(%d, %d) = %d, %v and reads %q, %v, want %d and %q", name, test.offset, test.whence, got, err, next, readErr, test.want, test.next)
			}
			part := make([]byte, 3)
			if n, err := at.ReadAt(part, test.want); string(part[:n]) != test.next || (err == nil) != (n == 3) || err != nil && err != io.EOF {
				t.Errorf("%s: ReadAt(%d) = %q, %v, want %q", name, test.want, part[:n], err, test.next)
			}
		}
		if _, err := seeker.Seek(-1, io.SeekStart); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: Seek before the start = %v, want fs.ErrInvalid", name, err)
		}
		for _, whence := range []int{-1, 3} {
			if _, err := seeker.Seek(0, whence); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: Seek with whence %d = %v, want fs.ErrInvalid", name, whence, err)
			}
		}
		if _, err := at.ReadAt(make([]byte, 1), -1); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: ReadAt before the start = %v, want fs.ErrInvalid", name, err)
		}
		if o.open != 1 {
			t.Errorf("%s: %d bodies are open, want one", name, o.open)
		}
		f.Close()
		if _, err := at.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: ReadAt after Close = %v, want fs.ErrClosed", name, err)
		}
		_, seekErr := seeker.Seek(9, io.SeekStart)
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: Read after Close and a Seek (%v) = %v, want fs.ErrClosed", name, seekErr, err)
		}
		if o.open != 0 {
			t.Errorf("%s: %d bodies are left open", name, o.open)
		}
	}
}

// A Seek alone sends no request.
func TestFileAsks(t *testing.T) {
	o := &alphabet{starts: true, size: 26, etag: `"1"`}
	f := openAlphabet(t, o)
	defer f.Close()
	seeker := f.(io.Seeker)
	text, err := io.ReadAll(io.LimitReader(f, 5))
	for _, whence := range []int{io.SeekEnd, io.SeekStart, io.SeekCurrent} {
		if _, err := seeker.Seek(5, whence); err != nil {
			t.Errorf("whence %d: %v", whence, err)
		}
	}
	if _, err := seeker.Seek(5, io.SeekStart); err != nil {
		t.Error(err)
	}
	rest, restErr := io.ReadAll(f)
	if len(o.requests) != 1 || string(text)+string(rest) != letters || err != nil || restErr != nil {
		t.Errorf("a file read from its start to its end asks %d times and is %q, %v, %v", len(o.requests), string(text)+string(rest), err, restErr)
	}
	if n, err := f.(io.ReaderAt).ReadAt(nil, 5); n != 0 || err != nil || len(o.requests) != 1 {
		t.Errorf("ReadAt of 0 bytes = %d, %v after %d requests", n, err, len(o.requests))
	}
	if n, err := f.(io.ReaderAt).ReadAt(make([]byte, 4), 5); n != 4 || err != nil {
		t.Errorf("ReadAt = %d, %v", n, err)
	}
	want := Request{URL: url.MustParse("x://h/alphabet"), Offset: 5, Length: 4, IfMatch: Validator{ETag: `"1"`}}
	if got := o.requests[1]; got.URL != want.URL || got.Offset != want.Offset || got.Length != want.Length || got.IfMatch != want.IfMatch {
		t.Errorf("ReadAt asks for %+v, want %+v", got, want)
	}
}

// A file is one version of the resource. An early end is an error.
func TestFileFails(t *testing.T) {
	o := &alphabet{starts: true, size: -1, etag: `"1"`}
	f := openAlphabet(t, o)
	defer f.Close()
	o.etag = `"2"`
	seeker, at := f.(io.Seeker), f.(io.ReaderAt)
	if n, err := at.ReadAt(make([]byte, 1), 3); n != 0 || !errors.Is(err, ErrChanged) {
		t.Errorf("ReadAt of another version = %d, %v, want ErrChanged", n, err)
	}
	if _, err := seeker.Seek(0, io.SeekEnd); !errors.Is(err, ErrChanged) {
		t.Errorf("Seek in another version = %v, want ErrChanged", err)
	}
	if _, err := seeker.Seek(3, io.SeekStart); err != nil {
		t.Error(err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 0 || !errors.Is(err, ErrChanged) {
		t.Errorf("Read in another version = %d, %v, want ErrChanged", n, err)
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		t.Error(err)
	}
	if n, err := f.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("Read at the offset before Seek = %d, %v, want a byte of the open body", n, err)
	}

	for _, o := range []*alphabet{{breaks: true, size: -1}, {breaks: true, size: -1, refuses: true}} {
		f := openAlphabet(t, o)
		seeker, at := f.(io.Seeker), f.(io.ReaderAt)
		if n, err := at.ReadAt(make([]byte, 9), 0); n != 5 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("refuses %v: ReadAt of 9 bytes from a body that ends after 5 = %d, %v, want 5, io.ErrUnexpectedEOF", o.refuses, n, err)
		}
		if n, err := at.ReadAt(make([]byte, 5), 0); n != 5 || err != nil {
			t.Errorf("refuses %v: ReadAt of 5 bytes from a body that ends after 5 = %d, %v, want 5, nil", o.refuses, n, err)
		}
		if n, err := at.ReadAt(make([]byte, 9), 9); n != 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("refuses %v: ReadAt behind an early end = %d, %v, want io.ErrUnexpectedEOF", o.refuses, n, err)
		}
		if _, err := seeker.Seek(0, io.SeekEnd); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("refuses %v: Seek to the end of a body that ends early = %v, want io.ErrUnexpectedEOF", o.refuses, err)
		}
		f.Close()
		if o.open != 0 {
			t.Errorf("%d bodies are left open", o.open)
		}
	}
}
