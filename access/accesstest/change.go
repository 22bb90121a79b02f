package accesstest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing/iotest"

	"locus/access"
)

// store replaces what Config.Changing names, and wants what was stored to be
// there.
func (s *suite) store() {
	if _, ok := s.o.(access.Storer); !ok {
		s.t.Log("not held to it: the engine cannot do that")
		return
	}
	for _, content := range []string{"first", "second, and longer", ""} {
		req := &access.Request{URL: s.Changing, Length: int64(len(content))}
		if err := access.Store(s.t.Context(), s.o, req, strings.NewReader(content)); err != nil {
			s.t.Fatalf("Store(%q) = %v, want it stored", s.Changing, s.judged(err))
		}
		s.holds(content)
	}
}

// storeBroken stores what cannot be read to its end, or for somebody who goes
// away: what was there stays.
func (s *suite) storeBroken() {
	if _, ok := s.o.(access.Storer); !ok {
		s.t.Log("not held to it: the engine cannot do that")
		return
	}
	const old = "what was there"
	req := &access.Request{URL: s.Changing}
	if err := access.Store(s.t.Context(), s.o, req, strings.NewReader(old)); err != nil {
		s.t.Fatalf("Store(%q) = %v, want it stored", s.Changing, s.judged(err))
	}
	broken := errors.New("the source has failed")
	body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
	if err := access.Store(s.t.Context(), s.o, req, body); !errors.Is(err, broken) {
		s.t.Errorf("Store of a source that fails = %v, want its error", err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	leaving := io.MultiReader(strings.NewReader("half"), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, ctx.Err()
	}))
	if err := access.Store(ctx, s.o, req, leaving); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Store after cancel = %v, want context.Canceled", err)
	}
	if s.InPlace {
		s.t.Log("not held to keeping what was there: the protocol cannot promise that")
		return
	}
	s.holds(old)
}

// A readerFunc is a Read.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// add appends to what Config.Changing names.
func (s *suite) add() {
	if _, ok := s.o.(access.Appender); !ok {
		s.t.Log("not held to it: the engine cannot do that")
		return
	}
	req := &access.Request{URL: s.Changing}
	if err := access.Store(s.t.Context(), s.o, req, strings.NewReader("one ")); err != nil {
		s.t.Fatalf("Store(%q) = %v, want it stored", s.Changing, s.judged(err))
	}
	_, err := access.Append(s.t.Context(), s.o, req, strings.NewReader("two"))
	if errors.Is(err, errors.ErrUnsupported) {
		s.t.Log("not held to it: the server cannot append")
		return
	}
	if err != nil {
		s.t.Fatalf("Append(%q) = %v, want it appended", s.Changing, s.judged(err))
	}
	s.holds("one two")
}

// remove deletes what Config.Changing names, and wants it to be gone.
func (s *suite) remove() {
	if _, ok := s.o.(access.Deleter); !ok {
		s.t.Log("not held to it: the engine cannot do that")
		return
	}
	req := &access.Request{URL: s.Changing}
	if err := access.Store(s.t.Context(), s.o, req, strings.NewReader("to be gone")); err != nil {
		s.t.Fatalf("Store(%q) = %v, want it stored", s.Changing, s.judged(err))
	}
	if err := access.Delete(s.t.Context(), s.o, req); err != nil {
		s.t.Fatalf("Delete(%q) = %v, want it gone", s.Changing, s.judged(err))
	}
	if err := s.fails(s.t.Context(), s.Changing); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Open(%q) after Delete = %v, want fs.ErrNotExist", s.Changing, err)
	}
	if err := access.Delete(s.t.Context(), s.o, req); !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Delete(%q) again = %v, want fs.ErrNotExist", s.Changing, err)
	}
}

// hostileChanges refuses to change what Config.Hostile names before it dials.
func (s *suite) hostileChanges() {
	for _, u := range s.Hostile {
		req := &access.Request{URL: u}
		if err := access.Store(s.t.Context(), s.o, req, strings.NewReader("x")); err == nil {
			s.t.Errorf("Store(%q) gives no error", u)
		}
		if err := access.Delete(s.t.Context(), s.o, req); err == nil {
			s.t.Errorf("Delete(%q) gives no error", u)
		}
	}
	s.dialsNothing()
}

// holds checks that what Config.Changing names has these octets.
func (s *suite) holds(want string) {
	s.t.Helper()
	r := s.open(s.t.Context(), &access.Request{URL: s.Changing})
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want {
		s.t.Errorf("%q has %q, %v, want %q", s.Changing, clip(got), err, want)
	}
}
