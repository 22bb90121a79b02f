package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// A keeper is an Engine that keeps the bytes that it gets. It fails as many times as fails says, in
// the middle of the body.
type keeper struct {
	fails int
	asked []access.Op
	got   []string // the bodies, also of those that failed
	last  access.Request
	exist error // of Stat
}

func (s *keeper) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	s.asked = append(s.asked, req.Op)
	s.last = *req
	if req.Op == access.Stat {
		return &access.Resource{Body: access.NoBody}, s.exist
	}
	if s.fails > 0 {
		b := make([]byte, 2)
		n, err := req.Body.Read(b)
		s.got = append(s.got, string(b[:n]))
		if err != nil {
			return nil, err
		}
		s.fails--
		return nil, &access.Error{Op: "put", URL: req.URL, Err: access.ErrTemporary}
	}
	body, err := io.ReadAll(req.Body)
	s.got = append(s.got, string(body))
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody}, nil
}

// newUpload returns an Upload to s, with up to three retries.
func newUpload(s *keeper, to string) Upload {
	return Upload{Engine: s, Op: access.Put, To: url.MustParse(to), Retry: retry.Policy{Retries: 3, Wait: time.Millisecond}}
}

// textSource is a source of a text. It can be opened again unless once is set.
func textSource(text string, once bool) (s *Source, opened *int) {
	opened = new(int)
	var open func(context.Context) (*Source, error)
	open = func(context.Context) (*Source, error) {
		*opened++
		s := &Source{Body: io.NopCloser(strings.NewReader(text)), Size: int64(len(text)), Name: "a b.txt", ModTime: time.Unix(1, 0)}
		if !once {
			s.Again = open
		}
		return s, nil
	}
	s, _ = open(context.Background()) // it does not fail
	return s, opened
}

// A failure that may pass is retried from the start of the source. It is not retried if the
// source cannot be opened again, or if the request has a condition: the first try may have made
// that untrue.
func TestUploadRetries(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*Upload)
		once    bool
		fails   int
		want    []string
		isError bool
	}{
		{"at once", func(*Upload) {}, false, 0, []string{"text"}, false},
		{"twice", func(*Upload) {}, false, 2, []string{"te", "te", "text"}, false},
		{"too often", func(*Upload) {}, false, 9, []string{"te", "te", "te", "te"}, true},
		{"a pipe", func(*Upload) {}, true, 1, []string{"te"}, true},
		{"IfMatch", func(u *Upload) { u.IfMatch.ETag = `"1"` }, false, 1, []string{"te"}, true},
		{"IfAbsent", func(u *Upload) { u.IfAbsent = true }, false, 1, []string{"te"}, true},
		{"an Append", func(u *Upload) { u.Op = access.Append }, false, 1, []string{"te"}, true},
	} {
		s := &keeper{fails: test.fails, exist: fs.ErrNotExist}
		u := newUpload(s, "http://h/x")
		notes := 0
		u.Note = func(url.URL, error, time.Duration) { notes++ }
		test.change(&u)
		from, opened := textSource("text", test.once)
		done, err := u.Do(t.Context(), from)
		if (err != nil) != test.isError || fmt.Sprint(s.got) != fmt.Sprint(test.want) || *opened != len(test.want) || notes != len(test.want)-1 {
			t.Errorf("%s: %v, the server got %q, the source was opened %d times, %d notes; want %q", test.name, err, s.got, *opened, notes, test.want)
		}
		if want := int64(len(test.want[len(test.want)-1])); done.Bytes != want {
			t.Errorf("%s: %d bytes, want %d", test.name, done.Bytes, want)
		}
	}
}

// A source that fails is not read again by the retries of the upload: it may have retried.
func TestUploadBrokenSource(t *testing.T) {
	u := newUpload(&keeper{}, "http://h/x")
	broken := &access.Error{Op: "get", URL: url.MustParse("http://from/"), Err: access.ErrTemporary}
	from, opened := textSource("", false)
	from.Body = io.NopCloser(io.MultiReader(strings.NewReader("te"), failing{broken}))
	if done, err := u.Do(t.Context(), from); !errors.Is(err, broken) || *opened != 1 || done.Bytes != 2 {
		t.Errorf("%+v, %v, after the source was opened %d times", done, err, *opened)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A source that cannot be opened again ends the upload with the reason.
func TestUploadGoneSource(t *testing.T) {
	u := newUpload(&keeper{fails: 9}, "http://h/x")
	from, _ := textSource("text", false)
	from.Again = func(context.Context) (*Source, error) { return nil, fs.ErrNotExist }
	if _, err := u.Do(t.Context(), from); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Do with a source that is gone = %v, want %v", err, fs.ErrNotExist)
	}
}

// With IfAbsent no bytes are sent if the resource exists, or if Stat fails.
func TestUploadIfAbsent(t *testing.T) {
	refused := errors.New("refused")
	for want, exist := range map[error]error{fs.ErrExist: nil, refused: refused} {
		s := &keeper{exist: exist}
		u := newUpload(s, "ftp://h/x")
		u.IfAbsent = true
		from, _ := textSource("text", false)
		if _, err := u.Do(t.Context(), from); !errors.Is(err, want) || len(s.got) > 0 {
			t.Errorf("%v, the server got %q, want %v", err, s.got, want)
		}
	}
}

// A URL of titan cannot be asked with Stat, so the engine decides what IfAbsent means.
func TestUploadIfAbsentTitan(t *testing.T) {
	s := &keeper{}
	u := newUpload(s, "titan://h/x")
	u.IfAbsent = true
	from, _ := textSource("text", false)
	if _, err := u.Do(t.Context(), from); err != nil || len(s.asked) != 1 || !s.last.IfAbsent {
		t.Errorf("Do = %v, and the engine is asked for %v with IfAbsent %v, want a Put with it", err, s.asked, s.last.IfAbsent)
	}
}

// The request has the options of the Upload. The bytes are shown, and the source is closed.
func TestUploadRequest(t *testing.T) {
	s := &keeper{}
	u := newUpload(s, "http://h/x")
	u.Preserve, u.IfMatch.ETag = true, `"1"`
	var shown strings.Builder
	ended, closed := false, false
	u.Progress = func(size int64) (io.Writer, func()) {
		fmt.Fprint(&shown, size, " ")
		return &shown, func() { ended = true }
	}
	from, _ := textSource("text", false)
	from.Body = closing{from.Body, &closed}
	if _, err := u.Do(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if got := s.last; got.Size != 4 || !got.ModTime.Equal(time.Unix(1, 0)) || got.IfMatch.ETag != `"1"` || got.IfAbsent {
		t.Errorf("the request has %d bytes, %v, %q", got.Size, got.ModTime, got.IfMatch.ETag)
	}
	if shown.String() != "4 text" || !ended || !closed {
		t.Errorf("shown %q, ended: %v, closed: %v", &shown, ended, closed)
	}
}

type closing struct {
	io.Reader
	closed *bool
}

func (c closing) Close() error {
	*c.closed = true
	return nil
}

// A body that can seek is given to the engine as one.
func TestUploadSeeker(t *testing.T) {
	for _, canSeek := range []bool{true, false} {
		got := false
		u := Upload{Engine: engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			_, got = req.Body.(io.Seeker)
			return &access.Resource{Body: access.NoBody}, nil
		}), Op: access.Put, To: url.MustParse("http://h/x")}
		text := strings.NewReader("text")
		from := &Source{Body: io.NopCloser(struct{ io.Reader }{text})}
		if canSeek {
			from.Body = seeking{text}
		}
		if _, err := u.Do(t.Context(), from); err != nil || got != canSeek {
			t.Errorf("seeks: %v, want %v; %v", got, canSeek, err)
		}
	}
}

type seeking struct{ io.ReadSeeker }

func (seeking) Close() error { return nil }

// An appended message has a URL.
func TestUploadAppend(t *testing.T) {
	u := newUpload(&keeper{}, "file:///log")
	u.Op = access.Append
	from, _ := textSource("text", false)
	if done, err := u.Do(t.Context(), from); err != nil || done.URL.String() != "file:///log" || done.Bytes != 4 {
		t.Errorf("%+v, %v", done, err)
	}
}

// In a folder the file gets the name of its source. Type codes stay behind it.
func TestFileIn(t *testing.T) {
	for _, test := range []struct{ to, name, want string }{
		{"http://h/x", "a", "http://h/x"},
		{"http://h/x/", "a b%?#/é", "http://h/x/a%20b%25%3F%23%2F%C3%A9"},
		{"ftp://h/x/;type=a", "a;b", "ftp://h/x/a%3Bb;type=a"},
		{"http://h/x/?q", "a", "http://h/x/a?q"},
		{"http://h/x", "", "http://h/x"},
		{"http://h/x/", "", ""},
		{"news:x/", "a", "news:x/"},
	} {
		got, err := FileIn(url.MustParse(test.to), test.name)
		if got.String() != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q into %s: %s, %v, want %s", test.name, test.to, got, err, test.want)
		}
		if err != nil && access.Hint(err) != "end the URL with a name" {
			t.Errorf("%q into %s: the hint is %q", test.name, test.to, access.Hint(err))
		}
	}
}
