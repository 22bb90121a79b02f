package accesstest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/url"
)

// put tests that a Put stores its body, also if the resource exists or the body is empty, and then
// runs putTime.
func (s *suite) put() {
	for _, content := range []string{"first", "second, and longer", ""} {
		req := &access.Request{Op: access.Put, URL: s.Changing, Body: strings.NewReader(content), Size: int64(len(content))}
		_, err := s.engine.Do(s.t.Context(), req)
		if s.NoEmpty && content == "" {
			if !errors.Is(err, errors.ErrUnsupported) {
				s.t.Errorf("Put(%q) of an empty body = %v, want errors.ErrUnsupported", s.Changing, err)
			}
			continue
		}
		if err != nil {
			s.t.Fatalf("Put(%q) = %v, want it stored", s.Changing, s.checkError(err))
		}
		s.holds(content)
	}
	s.putTime()
}

// putTime tests that a Put returns the time that it stored: the time of the Request, or the
// zero time if the server decided.
func (s *suite) putTime() {
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	req := &access.Request{Op: access.Put, URL: s.Changing, Body: strings.NewReader("x"), Size: 1, ModTime: when}
	r, err := s.engine.Do(s.t.Context(), req)
	if err != nil || !r.ModTime.IsZero() && !r.ModTime.Equal(when) {
		s.t.Fatalf("Put(%q) with a time = %+v, %v, want that time or the zero time", s.Changing, r, err)
	}
	found, err := s.engine.Do(s.t.Context(), &access.Request{Op: access.Stat, URL: s.Changing})
	if !r.ModTime.IsZero() && (err != nil || !found.ModTime.Equal(when)) {
		s.t.Errorf("Stat(%q) after a Put that stored %v = %+v, %v", s.Changing, when, found, err)
	}
}

// putBroken tests that a Put leaves the resource unchanged if the body fails or the context
// is cancelled.
func (s *suite) putBroken() {
	const old = "the old content"
	s.store(old)
	broken := errors.New("the source has failed")
	body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	if err := s.send(s.t.Context(), access.Put, s.Changing, body); !errors.Is(err, broken) {
		s.t.Errorf("Put of a source that fails = %v, want its error", err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	leaving := io.MultiReader(strings.NewReader("half"), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, ctx.Err()
	}))
	if err := s.send(ctx, access.Put, s.Changing, leaving); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Put after cancel = %v, want context.Canceled", err)
	}
	if s.InPlace {
		s.t.Log("skipped: whether the old content stays, which the protocol cannot promise")
		return
	}
	s.holds(old)
}

// A readerFunc is an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// add tests that Append adds its body to the end of the resource. It is skipped if the server
// cannot append.
func (s *suite) add() {
	s.store("one ")
	err := s.send(s.t.Context(), access.Append, s.Changing, strings.NewReader("two"))
	if errors.Is(err, errors.ErrUnsupported) {
		s.t.Log("skipped: the server cannot append")
		return
	}
	if err != nil {
		s.t.Fatalf("Append(%q) = %v, want it appended", s.Changing, s.checkError(err))
	}
	s.holds("one two")
}

// remove tests that Delete removes the resource, and that a second Delete returns fs.ErrNotExist.
func (s *suite) remove() {
	s.store("to be gone")
	if err := s.send(s.t.Context(), access.Delete, s.Changing, nil); err != nil {
		s.t.Fatalf("Delete(%q) = %v, want it gone", s.Changing, s.checkError(err))
	}
	if err := s.fails(s.t.Context(), s.Changing); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Open(%q) after Delete = %v, want fs.ErrNotExist", s.Changing, err)
	}
	if err := s.send(s.t.Context(), access.Delete, s.Changing, nil); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Delete(%q) again = %v, want fs.ErrNotExist", s.Changing, err)
	}
}

// hostileChanges tests that the engine refuses to change hostile URLs before it dials.
func (s *suite) hostileChanges() {
	for _, u := range s.Hostile {
		if err := s.send(s.t.Context(), access.Put, u, strings.NewReader("x")); err == nil {
			s.t.Errorf("Put(%q) gives no error", u)
		}
		if err := s.send(s.t.Context(), access.Delete, u, nil); err == nil {
			s.t.Errorf("Delete(%q) gives no error", u)
		}
	}
	s.dialsNothing()
}

// store puts content, of unknown size, into Config.Changing. It ends the test if that fails.
func (s *suite) store(content string) {
	s.t.Helper()
	if err := s.send(s.t.Context(), access.Put, s.Changing, strings.NewReader(content)); err != nil {
		s.t.Fatalf("Put(%q) = %v, want it stored", s.Changing, s.checkError(err))
	}
}

// send does op, which changes u, with a body of unknown size, which may be nil. It returns the
// error of the engine.
func (s *suite) send(ctx context.Context, op access.Op, u url.URL, body io.Reader) error {
	return Change(ctx, s.engine, op, &access.Request{URL: u}, body)
}

// holds fails the test unless a Get of Config.Changing returns the bytes want.
func (s *suite) holds(want string) {
	s.t.Helper()
	r := s.open(s.t.Context(), &access.Request{URL: s.Changing})
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want {
		s.t.Errorf("%q has %q, %v, want %q", s.Changing, clip(got), err, want)
	}
}
