// Package accesstest holds engines to the contract of [access.Opener], and
// gives them servers to talk to that follow a script.
//
//   - [Test] is the suite that every engine passes.
//   - [Serve] and [ServeAll] are scripted servers over pipes in memory;
//     [Transcript] makes scripts of recorded exchanges.
//   - [Fuzz] lets a server say anything at all.
package accesstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/url"
)

// A Config says which engine to test, and what its server has. The parts of
// the suite that need a URL which is zero are not run; Test logs which.
type Config struct {
	// New returns the engine, which connects with dial. Each part of the suite
	// makes one of its own.
	New func(dial Dial) access.Opener

	// Dial connects to the server. If it is nil the engine connects to nothing
	// (it reads files), and New is given nil.
	Dial Dial

	Object  url.URL // an object, whose octets are
	Content string  // these; more than one, please

	Missing   url.URL   // names nothing: fs.ErrNotExist
	Listing   url.URL   // a listing, whose entries have
	Titles    []string  // these titles, in this order
	Truncated url.URL   // an object that breaks off before its end, or an answer that does
	Stalled   url.URL   // an object that stops in its middle, with nothing closed
	Hostile   []url.URL // would end a command if they were sent: refused before anything is dialled
	Secret    url.URL   // has the password "sesame", and opening it fails

	// NoOffset says that the protocol cannot start in the middle: an Offset
	// gives errors.ErrUnsupported, or the whole.
	NoOffset bool
}

// Secret is the password of [Config.Secret], which no error may show.
const Secret = "sesame"

// Test holds an engine to the contract of [access.Opener].
func Test(t *testing.T, c Config) {
	t.Helper()
	object, stalled := !c.Object.IsZero(), !c.Stalled.IsZero()
	for _, part := range []struct {
		name    string
		applies bool // whether the Config has what the part needs
		run     func(*suite)
	}{
		{"SameOctetsTwice", object, (*suite).sameOctetsTwice},
		{"AtOnce", object, (*suite).atOnce},
		{"OtherScheme", true, (*suite).otherScheme},
		{"NoDial", object && c.Dial != nil, (*suite).noDial},
		{"CancelBeforeOpen", object, (*suite).cancelBeforeOpen},
		{"CancelWhileReading", object, (*suite).cancelWhileReading},
		{"CancelStalled", stalled, (*suite).cancelStalled},
		{"CloseStalled", stalled, (*suite).closeStalled},
		{"CloseEarly", object, (*suite).closeEarly},
		{"Offset", object, (*suite).offset},
		{"OffsetPastEnd", object, (*suite).offsetPastEnd},
		{"Missing", !c.Missing.IsZero(), (*suite).missing},
		{"Listing", !c.Listing.IsZero(), (*suite).listing},
		{"Stat", object, (*suite).stat},
		{"Truncated", !c.Truncated.IsZero(), (*suite).truncated},
		{"Hostile", len(c.Hostile) > 0, (*suite).hostile},
		{"Secret", !c.Secret.IsZero(), (*suite).secret},
	} {
		if !part.applies {
			t.Logf("not held to %s: the Config does not have what that needs", part.name)
			continue
		}
		t.Run(part.name, func(t *testing.T) {
			s := newSuite(t, c)
			part.run(s)
			s.leavesNothing()
		})
	}
}

// A suite is one part of [Test] under way.
type suite struct {
	Config
	t          *testing.T
	o          access.Opener
	dials      counter
	goroutines int
}

// open opens u or fails the test.
func (s *suite) open(ctx context.Context, req *access.Request) *access.Resource {
	s.t.Helper()
	r, err := s.o.Open(ctx, req)
	if err != nil {
		s.t.Fatalf("Open(%q) = %v, want a resource", req.URL, s.judged(err))
	}
	if r == nil || r.Body == nil {
		s.t.Fatalf("Open(%q) gives a nil Resource or Body without an error", req.URL)
	}
	return r
}

// fails opens u, reads it, and fails the test if there is no error.
func (s *suite) fails(ctx context.Context, u url.URL) error {
	s.t.Helper()
	r, err := s.o.Open(ctx, &access.Request{URL: u})
	if err == nil {
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err == nil {
		s.t.Fatalf("opening and reading %q gives no error", u)
	}
	return s.judged(err)
}

// judged checks what every error must keep: it names nothing secret.
func (s *suite) judged(err error) error {
	s.t.Helper()
	if strings.Contains(err.Error(), Secret) || strings.Contains(access.Hint(err), Secret) {
		s.t.Errorf("an error shows the password: %v", err)
	}
	return err
}

func (s *suite) sameOctetsTwice() {
	for range 2 {
		req := &access.Request{URL: s.Object}
		r := s.open(s.t.Context(), req)
		if r.URL != s.Object {
			s.t.Errorf("Resource.URL = %q, want %q", r.URL, s.Object)
		}
		if r.Size != -1 && r.Size != int64(len(s.Content)) {
			s.t.Errorf("Resource.Size = %d, want -1 or %d", r.Size, len(s.Content))
		}
		s.reads(r, s.Content)
		if req.URL != s.Object || req.Offset != 0 || req.Length != 0 {
			s.t.Errorf("the engine has changed the Request")
		}
	}
}

// reads checks that Body gives want and then io.EOF, again and again, and that
// it can be closed.
func (s *suite) reads(r *access.Resource, want string) {
	s.t.Helper()
	got, err := io.ReadAll(r.Body)
	if err != nil || string(got) != want {
		s.t.Errorf("reading %q = %q, %v, want %q", r.URL, clip(got), err, clip([]byte(want)))
	}
	if n, err := r.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		s.t.Errorf("reading %q past its end = %d, %v, want 0, EOF", r.URL, n, err)
	}
	if err := r.Body.Close(); err != nil {
		s.t.Errorf("closing %q after its end: %v", r.URL, err)
	}
}

func (s *suite) atOnce() {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := s.o.Open(s.t.Context(), &access.Request{URL: s.Object})
			if err != nil {
				s.t.Errorf("Open(%q) = %v, want a resource", s.Object, err)
				return
			}
			s.reads(r, s.Content)
		})
	}
	all.Wait()
}

func (s *suite) otherScheme() {
	err := s.fails(s.t.Context(), url.MustParse("x-nobody-has-this://h.example/"))
	if !errors.Is(err, errors.ErrUnsupported) {
		s.t.Errorf("a foreign scheme gives %v, want errors.ErrUnsupported", err)
	}
	s.dialsNothing()
}

func (s *suite) noDial() {
	s.o = s.New(nil)
	s.fails(s.t.Context(), s.Object)
}

func (s *suite) offset() {
	from := int64(len(s.Content) / 2)
	req := &access.Request{URL: s.Object, Offset: from, Length: 1}
	r, err := s.o.Open(s.t.Context(), req)
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
		s.t.Errorf("the octet at %d is %q, %v, want %q", r.Offset, got, err, s.Content[r.Offset])
	}
}

func (s *suite) offsetPastEnd() {
	for _, past := range []int64{0, 1, 1 << 40} {
		r, err := s.o.Open(s.t.Context(), &access.Request{URL: s.Object, Offset: int64(len(s.Content)) + past})
		if err == nil {
			var got []byte
			got, err = io.ReadAll(r.Body)
			r.Body.Close()
			if r.Offset == 0 {
				got = got[min(len(got), len(s.Content)):]
			}
			if len(got) > 0 {
				s.t.Errorf("past the end there is %q, want nothing", clip(got))
			}
		}
		if err != nil && !errors.Is(err, access.ErrRange) && !errors.Is(err, errors.ErrUnsupported) {
			s.t.Errorf("%d past the end: %v, want an empty resource or access.ErrRange", past, s.judged(err))
		}
	}
}

func (s *suite) missing() {
	err := s.fails(s.t.Context(), s.Missing)
	if !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Open(%q) = %v, want fs.ErrNotExist", s.Missing, err)
	}
	if e, ok := errors.AsType[*access.Error](err); !ok || e.URL != s.Missing {
		s.t.Errorf("Open(%q) = %#v, want an *access.Error with that URL", s.Missing, err)
	}
}

func (s *suite) listing() {
	r := s.open(s.t.Context(), &access.Request{URL: s.Listing})
	defer r.Body.Close()
	l, ok := r.Lister()
	if !ok {
		s.t.Fatalf("the Body of %q is no Lister", s.Listing)
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
	if _, err := l.Next(); !errors.Is(err, io.EOF) {
		s.t.Errorf("Next past the end = %v, want EOF", err)
	}
	s.listingOctets()
	s.listingCancelled()
}

func (s *suite) listingOctets() {
	raw := s.open(s.t.Context(), &access.Request{URL: s.Listing})
	if _, err := io.Copy(io.Discard, raw.Body); err != nil {
		s.t.Errorf("reading the octets of %q: %v", s.Listing, err)
	}
	raw.Body.Close()
}

func (s *suite) listingCancelled() {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	r := s.open(ctx, &access.Request{URL: s.Listing})
	defer r.Body.Close()
	cancel()
	l, _ := r.Lister()
	if _, err := l.Next(); !errors.Is(err, context.Canceled) {
		s.t.Errorf("Next after cancel = %v, want context.Canceled", err)
	}
}

func (s *suite) stat() {
	if _, ok := s.o.(access.Stater); !ok {
		s.t.Log("not held to it: the engine finds no attributes")
		return
	}
	e, err := access.Stat(s.t.Context(), s.o, &access.Request{URL: s.Object})
	if err != nil {
		s.t.Fatalf("Stat(%q) = %v, want an entry", s.Object, s.judged(err))
	}
	if e.URL != s.Object || e.Size != -1 && e.Size != int64(len(s.Content)) {
		s.t.Errorf("Stat(%q) = %q of %d octets, want -1 or %d", s.Object, e.URL, e.Size, len(s.Content))
	}
	if s.Missing.IsZero() {
		return
	}
	_, err = access.Stat(s.t.Context(), s.o, &access.Request{URL: s.Missing})
	if !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("Stat(%q) = %v, want fs.ErrNotExist", s.Missing, err)
	}
}

func (s *suite) truncated() {
	if err := s.fails(s.t.Context(), s.Truncated); errors.Is(err, io.EOF) {
		s.t.Errorf("an early end gives %v, want an error that is not io.EOF", err)
	}
}

func (s *suite) hostile() {
	for _, u := range s.Hostile {
		s.fails(s.t.Context(), u)
		if _, err := access.Stat(s.t.Context(), s.o, &access.Request{URL: u}); err == nil {
			s.t.Errorf("Stat(%q) gives no error", u)
		}
	}
	s.dialsNothing()
}

func (s *suite) secret() {
	if password, _ := s.Config.Secret.Password(); password != Secret {
		s.t.Fatalf("the password of Config.Secret is %q, want %q", password, Secret)
	}
	s.fails(s.t.Context(), s.Config.Secret)
}

// clip shortens what a failure shows.
func clip(p []byte) []byte {
	const most = 200
	if len(p) <= most {
		return p
	}
	return append(bytes.Clone(p[:most]), "…"...)
}
