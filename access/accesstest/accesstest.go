// Package accesstest tests engines against the contract of [access.Engine], and
// provides scripted servers.
//
//   - [Test] is the suite that every engine passes.
//   - [Serve] and [ServeAll] start scripted servers over pipes in memory.
//     [Transcript] makes scripts of recorded connections.
//   - [Fuzz] tests an engine with servers that send anything.
//
// # How the pieces work together
//
// [Test] runs the parts of the suite for which the [Config] has URLs, one after the other:
// opening and listing (parts.go), changes (change.go), and requests that are cancelled or
// closed (life.go). Each part gets a new engine, wrapped in an Engine that checks every
// call (checked.go), and a Dial that counts connections. At its end the part waits until
// the engine has closed its connections and ended its goroutines (life.go), because no
// other check would notice a leak. [Carries] and [EndsEarly] test wrappers instead of
// engines, around an Engine whose resources have every field set (carry.go) or break off
// (early.go).
//
// A [Script] is a list of steps of a server on one connection (script.go). A [Server] gives
// each connection its script, and serves it with two goroutines (server.go): one receives
// the client's bytes, so that a write of the client never blocks, and the other does the
// steps. [Transcript] makes scripts of a recording (transcript.go), and [Fuzz] makes
// servers that send fuzzed texts (fuzz.go).
package accesstest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"locus/access"
	"locus/proto"
	"locus/url"
)

// A Config describes the engine to test and the resources of its server. Test skips the
// parts of the suite that need a URL which is zero, and logs their names.
type Config struct {
	// New returns an engine that connects with dial. Each part of the suite uses a
	// new one.
	New func(dial proto.Dial) access.Engine

	// Dial connects to the server. It is nil if the engine does not connect, such
	// as one for files.
	Dial proto.Dial

	// Ops are the operations that the engine has besides Get. Every other Op must return
	// errors.ErrUnsupported, and so must Answers unless Ops has Ask.
	Ops []access.Op

	Object  url.URL // an object
	Content string  // its bytes; more than one

	Missing   url.URL   // does not exist
	Listing   url.URL   // a listing
	Titles    []string  // the titles of its entries, in order
	Truncated url.URL   // an object or an answer that breaks off
	Stalled   url.URL   // an object that stops in its middle without closing
	Hostile   []url.URL // would end a command: refused before dialling
	Secret    url.URL   // has the password "sesame"; opening it fails

	Changing url.URL // can be written; its content is lost

	// InPlace says that a Put which fails may leave half a resource, because the engine
	// writes into the resource itself.
	InPlace bool

	// NoEmpty says that the protocol cannot store an empty resource. A Put of an empty Body
	// then returns errors.ErrUnsupported.
	NoEmpty bool

	// NoOffset says that the protocol cannot start in the middle. A Get with an Offset then
	// returns errors.ErrUnsupported or the whole resource.
	NoOffset bool

	// Timeout is how long the suite waits for the engine before the test fails. 0 means a
	// minute, and a negative value means no limit, which helps in a debugger.
	Timeout time.Duration
}

// Secret is the password of [Config.Secret]. No error may show it.
const Secret = "sesame"

// Test tests an engine against the contract of [access.Engine].
func Test(t *testing.T, c Config) {
	t.Helper()
	object, stalled, changing := !c.Object.IsZero(), !c.Stalled.IsZero(), !c.Changing.IsZero()
	for _, part := range []struct {
		name    string
		applies bool // the Config has the URLs and Ops that the part needs
		run     func(*suite)
	}{
		{"SameBytesTwice", object, (*suite).sameBytesTwice},
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
		{"CancelListing", !c.Listing.IsZero(), (*suite).cancelListing},
		{"Stat", object && c.hasOp(access.Stat), (*suite).stat},
		{"Truncated", !c.Truncated.IsZero(), (*suite).truncated},
		{"Hostile", len(c.Hostile) > 0, (*suite).hostile},
		{"Put", changing && c.hasOp(access.Put), (*suite).put},
		{"PutBroken", changing && c.hasOp(access.Put), (*suite).putBroken},
		{"Append", changing && c.hasOp(access.Append), (*suite).add},
		{"Delete", changing && c.hasOp(access.Delete), (*suite).remove},
		{"HostileChanges", changing && len(c.Hostile) > 0, (*suite).hostileChanges},
		{"Secret", !c.Secret.IsZero(), (*suite).secret},
	} {
		if !part.applies {
			t.Logf("%s is skipped: the Config lacks a URL or an Op for it", part.name)
			continue
		}
		t.Run(part.name, func(t *testing.T) {
			s := newSuite(t, c)
			part.run(s)
			s.leavesNothing()
		})
	}
}

// A suite is one part of [Test] while it runs.
type suite struct {
	Config
	t          *testing.T
	engine     access.Engine // a checked one
	dials      counter
	goroutines int
}

// hasOp reports whether the engine has op.
func (c Config) hasOp(op access.Op) bool {
	return op == access.Get || slices.Contains(c.Ops, op)
}

// open does req and returns the Resource, whose Body the caller closes. It ends the test if req
// fails.
func (s *suite) open(ctx context.Context, req *access.Request) *access.Resource {
	s.t.Helper()
	r, err := s.engine.Do(ctx, req)
	if err != nil {
		s.t.Fatalf("Open(%q) = %v, want a resource", req.URL, s.checkError(err))
	}
	return r
}

// fails opens and reads u, and returns the error. It ends the test if both succeed.
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
	return s.checkError(err)
}

// checkError fails the test if err shows the password. It returns err.
func (s *suite) checkError(err error) error {
	s.t.Helper()
	if showsSecret(err) {
		s.t.Errorf("an error shows the password: %v", err)
	}
	return err
}

// clip returns the first 200 bytes of p and "…", for the message of a failure; p itself if it is
// not longer.
func clip(p []byte) []byte {
	const most = 200
	if len(p) <= most {
		return p
	}
	return append(bytes.Clone(p[:most]), "…"...)
}
