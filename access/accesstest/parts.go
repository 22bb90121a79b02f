package accesstest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"locus/access"
	"locus/url"
)

// sameBytesTwice tests that two requests return the same bytes, with the URL of the request and the
// right size or -1.
func (s *suite) sameBytesTwice() {
	for range 2 {
		r := s.open(s.t.Context(), &access.Request{URL: s.Object})
		if r.URL != s.Object {
			s.t.Errorf("Resource.URL = %q, want %q", r.URL, s.Object)
		}
		if r.Size != -1 && r.Size != int64(len(s.Content)) {
			s.t.Errorf("Resource.Size = %d, want -1 or %d", r.Size, len(s.Content))
		}
		s.reads(r, s.Content)
	}
}

// reads fails the test unless Body gives want and then io.EOF twice, and can be closed.
func (s *suite) reads(r *access.Resource, want string) {
	s.t.Helper()
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want {
		s.t.Errorf("reading %q = %q, %v, want %q", r.URL, clip(got), err, clip([]byte(want)))
	}
	if n, err := r.Body.Read(make([]byte, 1)); n != 0 || !access.IsEnd(err) {
		s.t.Errorf("reading %q past its end = %d, %v, want 0, EOF", r.URL, n, err)
	}
	if err := r.Body.Close(); err != nil {
		s.t.Errorf("closing %q after its end: %v", r.URL, err)
	}
}

// atOnce tests that eight goroutines can use the engine at the same time.
func (s *suite) atOnce() {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := s.engine.Do(s.t.Context(), &access.Request{URL: s.Object})
			if err != nil {
				s.t.Errorf("Open(%q) = %v, want a resource", s.Object, err)
				return
			}
			s.reads(r, s.Content)
		})
	}
	all.Wait()
}

// otherScheme tests that the engine refuses a URL of another scheme with errors.ErrUnsupported, and
// does not dial.
func (s *suite) otherScheme() {
	err := s.fails(s.t.Context(), url.MustParse("x-nobody-has-this://h.example/"))
	if !errors.Is(err, errors.ErrUnsupported) {
		s.t.Errorf("a foreign scheme gives %v, want errors.ErrUnsupported", err)
	}
	s.dialsNothing()
}

// noDial tests that an engine without a Dial refuses the Object.
func (s *suite) noDial() {
	s.engine = checked{s.New(nil), s.t}
	s.fails(s.t.Context(), s.Object)
}

// offset tests that one byte from the middle of the Object can be requested.
func (s *suite) offset() {
	from := int64(len(s.Content) / 2)
	req := &access.Request{URL: s.Object, Offset: from, Length: 1}
	r, err := s.engine.Do(s.t.Context(), req)
	if s.NoOffset && errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		s.t.Fatalf("Open(%q) at %d = %v, want a resource", s.Object, from, err)
	}
	defer r.Body.Close()
	if r.Offset != from && r.Offset != 0 || r.Offset == 0 && !s.NoOffset {
		s.t.Fatalf("Resource.Offset = %d, want %d", r.Offset, from)
	}
	if r.Size != -1 && r.Size != int64(len(s.Content)) {
		s.t.Errorf("Resource.Size = %d, want -1 or the whole size, %d", r.Size, len(s.Content))
	}
	got := make([]byte, 1)
	if _, err := io.ReadFull(r.Body, got); err != nil || got[0] != s.Content[r.Offset] {
		s.t.Errorf("the byte at %d is %q, %v, want %q", r.Offset, got, err, s.Content[r.Offset])
	}
}

// offsetPastEnd tests that an Offset at or after the end gives an empty resource or ErrRange.
func (s *suite) offsetPastEnd() {
	for _, past := range []int64{0, 1, 1 << 40} {
		r, err := s.engine.Do(s.t.Context(), &access.Request{URL: s.Object, Offset: int64(len(s.Content)) + past})
		if err == nil {
			var got []byte
			got, err = io.ReadAll(r.Body)
			r.Body.Close()
			if r.Offset == 0 {
				got = got[min(len(got), len(s.Content)):]
			}
			if len(got) > 0 {
				s.t.Errorf("reading past the end = %q, want no bytes", clip(got))
			}
		}
		if err != nil && !errors.Is(err, access.ErrRange) && !errors.Is(err, errors.ErrUnsupported) {
			s.t.Errorf("%d past the end: %v, want an empty resource or access.ErrRange", past, s.checkError(err))
		}
	}
}

// missing tests that a resource that does not exist fails with fs.ErrNotExist.
func (s *suite) missing() {
	err := s.fails(s.t.Context(), s.Missing)
	if !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Open(%q) = %v, want fs.ErrNotExist", s.Missing, err)
	}
}

// listing tests the titles of the Listing, the end of its List, and that its bytes can be read too.
func (s *suite) listing() {
	r := s.open(s.t.Context(), &access.Request{URL: s.Listing})
	defer r.Body.Close()
	l := r.List
	if l == nil {
		s.t.Fatalf("%q has no List", s.Listing)
	}
	var titles []string
	err := access.Entries(l, func(e access.Entry) error {
		titles = append(titles, e.Title)
		if !e.URL.IsZero() && !e.URL.IsAbs() {
			s.t.Errorf("the URL of the entry %q is relative: %q", e.Title, e.URL)
		}
		if e.Size < -1 {
			s.t.Errorf("the entry %q has the size %d", e.Title, e.Size)
		}
		return nil
	})
	if err != nil || strings.Join(titles, "\n") != strings.Join(s.Titles, "\n") {
		s.t.Errorf("the titles of %q = %q, %v, want %q", s.Listing, titles, err, s.Titles)
	}
	if _, err := l.Next(); !access.IsEnd(err) {
		s.t.Errorf("Next past the end = %v, want EOF", err)
	}
	raw := s.open(s.t.Context(), &access.Request{URL: s.Listing})
	if _, err := io.Copy(io.Discard, raw.Body); err != nil {
		s.t.Errorf("reading the bytes of %q: %v", s.Listing, err)
	}
	raw.Body.Close()
}

// cancelListing tests that Next fails with context.Canceled after the context is cancelled.
func (s *suite) cancelListing() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := s.open(ctx, &access.Request{URL: s.Listing})
	defer r.Body.Close()
	cancel()
	if _, err := r.List.Next(); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Next after cancel = %v, want context.Canceled", err)
	}
}

// unsupported tests every Op that the engine does not have. The engine must refuse it
// before it dials or reads the Body.
func (s *suite) unsupported() {
	u := s.anyURL()
	for _, op := range access.Ops() {
		if s.hasOp(op) {
			continue
		}
		body := strings.NewReader("x")
		r, err := s.engine.Do(s.t.Context(), &access.Request{Op: op, URL: u, Body: body, Size: 1})
		if err == nil {
			r.Body.Close()
		}
		if !errors.Is(err, errors.ErrUnsupported) || body.Len() != 1 {
			s.t.Errorf("%s(%q) = %v with %d bytes unread, want errors.ErrUnsupported and 1", op, u, err, body.Len())
		}
	}
	if !s.hasOp(access.Ask) {
		r, err := s.engine.Do(s.t.Context(), &access.Request{URL: u, Answers: []access.Answer{}})
		if err == nil {
			r.Body.Close()
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			s.t.Errorf("Open(%q) with answers = %v, want errors.ErrUnsupported", u, err)
		}
	}
	s.dialsNothing()
}

// anyURL returns the first URL of the engine's scheme that the Config has. It ends the test if the
// Config has no URL.
func (s *suite) anyURL() url.URL {
	for _, u := range []url.URL{s.Object, s.Listing, s.Missing, s.Truncated, s.Stalled, s.Secret, s.Changing} {
		if !u.IsZero() {
			return u
		}
	}
	s.t.Fatal("the Config names no URL")
	return url.URL{}
}

// stat tests that Stat returns the URL and the size of the Object, and that Stat of the Missing
// resource returns fs.ErrNotExist.
func (s *suite) stat() {
	e, err := s.engine.Do(s.t.Context(), &access.Request{Op: access.Stat, URL: s.Object})
	if err != nil {
		s.t.Fatalf("Stat(%q) = %v, want an entry", s.Object, s.checkError(err))
	}
	if e.URL != s.Object || e.Size != -1 && e.Size != int64(len(s.Content)) {
		s.t.Errorf("Stat(%q) = %q of %d bytes, want -1 or %d", s.Object, e.URL, e.Size, len(s.Content))
	}
	if s.Missing.IsZero() {
		return
	}
	_, err = s.engine.Do(s.t.Context(), &access.Request{Op: access.Stat, URL: s.Missing})
	if !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Stat(%q) = %v, want fs.ErrNotExist", s.Missing, err)
	}
}

// truncated tests that an early end of the resource is an error other than io.EOF.
func (s *suite) truncated() {
	if err := s.fails(s.t.Context(), s.Truncated); errors.Is(err, io.EOF) {
		s.t.Errorf("an early end gives %v, want an error that is not io.EOF", err)
	}
}

// hostile tests that the engine refuses the Hostile URLs before it dials.
func (s *suite) hostile() {
	for _, u := range s.Hostile {
		s.fails(s.t.Context(), u)
		if _, err := s.engine.Do(s.t.Context(), &access.Request{Op: access.Stat, URL: u}); err == nil {
			s.t.Errorf("Stat(%q) gives no error", u)
		}
	}
	s.dialsNothing()
}

// secret tests that an error for a URL with a password does not show the password: see checkError.
func (s *suite) secret() {
	if password, _ := s.Config.Secret.Password(); password != Secret {
		s.t.Fatalf("the password of Config.Secret is %q, want %q", password, Secret)
	}
	s.fails(s.t.Context(), s.Config.Secret)
}
