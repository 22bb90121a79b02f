// Package accesstest holds engines to the contract of [access.Engine], and
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
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// A Config says which engine to test, and what its server has. The parts of
// the suite that need a URL which is zero are not run; Test logs which.
type Config struct {
	// New returns the engine, which connects with dial. Each part of the suite
	// makes one of its own.
	New func(dial Dial) access.Engine

	// Dial connects to the server. If it is nil the engine connects to nothing
	// (it reads files), and New is given nil.
	Dial Dial

	// Ops are what the engine does besides Get. Every other Op has to give
	// errors.ErrUnsupported, and so have Answers unless Ops has Ask.
	Ops []access.Op

	Object  url.URL // an object, whose octets are
	Content string  // these; more than one, please

	Missing   url.URL   // names nothing: fs.ErrNotExist
	Listing   url.URL   // a listing, whose entries have
	Titles    []string  // these titles, in this order
	Truncated url.URL   // an object that breaks off before its end, or an answer that does
	Stalled   url.URL   // an object that stops in its middle, with nothing closed
	Hostile   []url.URL // would end a command if they were sent: refused before anything is dialled
	Secret    url.URL   // has the password "sesame", and opening it fails

	Changing url.URL // a name to store octets under, at a server that allows it; what is there is lost

	// InPlace says that a Put which fails may leave what is half under its name,
	// because the protocol has no way around that.
	InPlace bool

	// NoOffset says that the protocol cannot start in the middle: an Offset
	// gives errors.ErrUnsupported, or the whole.
	NoOffset bool

	// Patience is how long the suite waits for the engine before it says that it
	// hangs; 0 means a minute. Only a test that fails uses it up.
	Patience time.Duration
}

// Secret is the password of [Config.Secret], which no error may show.
const Secret = "sesame"

// Test holds an engine to the contract of [access.Engine].
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
		{"Unsupported", true, (*suite).unsupported},
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
		{"Put", !c.Changing.IsZero(), (*suite).put},
		{"PutBroken", !c.Changing.IsZero(), (*suite).putBroken},
		{"Append", !c.Changing.IsZero(), (*suite).add},
		{"Delete", !c.Changing.IsZero(), (*suite).remove},
		{"HostileChanges", !c.Changing.IsZero() && len(c.Hostile) > 0, (*suite).hostileChanges},
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
	engine     access.Engine
	dials      counter
	goroutines int
}

// has reports whether the engine does op.
func (s *suite) has(op access.Op) bool {
	return op == access.Get || slices.Contains(s.Ops, op)
}

// open opens u or fails the test.
func (s *suite) open(ctx context.Context, req *access.Request) *access.Resource {
	s.t.Helper()
	r, err := s.engine.Do(ctx, req)
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
	r, err := s.engine.Do(ctx, &access.Request{URL: u})
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

// clip shortens what a failure shows.
func clip(p []byte) []byte {
	const most = 200
	if len(p) <= most {
		return p
	}
	return append(bytes.Clone(p[:most]), "…"...)
}
