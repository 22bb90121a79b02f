package accesstest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"locus/access/accesstest"
	"locus/proto"
)

// A recorder is the test of a server. It keeps the failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (*recorder) Helper()            {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return len(r.failures) > 0 }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// finish ends the test, and returns its failures.
func (r *recorder) finish() string {
	for _, f := range r.cleanups {
		f()
	}
	return strings.Join(r.failures, "; ")
}

// A script that the client does not follow fails the test; a client that closes early only
// ends it.
func TestScriptFails(t *testing.T) {
	t.Parallel()
	type scripts = []accesstest.Script
	send := func(texts ...string) func(proto.Dial) { // each on a connection of its own
		return func(dial proto.Dial) {
			for _, text := range texts {
				conn, err := dial(t.Context(), "tcp", "h:1")
				if err != nil {
					continue
				}
				_, _ = io.WriteString(conn, text)
				conn.Close()
			}
		}
	}
	for name, test := range map[string]struct {
		scripts scripts
		client  func(proto.Dial)
		want    string // the failures
	}{
		"as expected":        {scripts{{accesstest.Expect("ab"), accesstest.Expect("c")}}, send("abc"), ""},
		"more than expected": {scripts{{accesstest.Expect("ab")}}, send("abc"), ""},
		"another text":       {scripts{{accesstest.Expect("ab")}}, send("ax"), `connection 0 to h:1: step 0: the client sent "ax", want "ab"`},
		"a short text":       {scripts{{accesstest.Expect("a"), accesstest.Expect("bc")}}, send("ab"), `connection 0 to h:1: step 1: the client sent "b", want "bc"`},
		"no text":            {scripts{{accesstest.Expect("a")}}, send(""), `connection 0 to h:1: step 0: the client sent "", want "a"`},
		"a closed client":    {scripts{{accesstest.Send("never read"), accesstest.Expect("a")}}, send(""), ""},
		"a script too many":  {scripts{{}, {}}, send(""), "1 of 2 scripts were used"},
		"no connection":      {scripts{{}}, send(), "0 of 1 scripts were used"},
		"no scripts":         {nil, send(), ""},
		"a connection too many": {
			scripts{{}}, send("", ""), "connection 1 to tcp h:1: there is no script for it",
		},
		"a step that fails": {scripts{{func(*accesstest.Conn) error { return errors.New("no") }}}, send(""), "connection 0 to h:1: step 0: no"},
		"a step that ends":  {scripts{{func(*accesstest.Conn) error { return io.EOF }, accesstest.Expect("a")}}, send(""), ""},
		"an endless text, unread": {
			scripts{{accesstest.SendForever("ab"), accesstest.Expect("a")}}, send(""), "",
		},
		"silence": {scripts{{accesstest.Stall()}}, send("anything"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			s := accesstest.Serve(r, test.scripts...)
			test.client(s.Dial)
			s.Wait()
			if got := r.finish(); got != test.want {
				t.Errorf("the test fails with %q, want %q", got, test.want)
			}
		})
	}
}

// ServeAll gives every connection the same script, and closes the connections that its
// client has left open.
func TestServeAll(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	s := accesstest.ServeAll(r, accesstest.Script{accesstest.SendBytes("one"), accesstest.Stall()})
	var conns []net.Conn
	for range 3 {
		conn, err := s.Dial(t.Context(), "tcp", "h:1")
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "one" {
			t.Errorf("the server sends %q, %v", got, err)
		}
		conns = append(conns, conn)
	}
	if failures := r.finish(); failures != "" {
		t.Errorf("the test fails with %q", failures)
	}
	for i, conn := range conns {
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("after the test, connection %d reads %d bytes, %v", i, n, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Dial(ctx, "tcp", "h:1"); !errors.Is(err, context.Canceled) || len(s.Dialed()) != 3 {
		t.Errorf("a cancelled Dial: %v, after %q", err, s.Dialed())
	}
	if got := s.Received(7); got != "" {
		t.Errorf("the eighth of three connections received %q", got)
	}
}

// Each line is answered, with or without CR, until the reply says that it was the last.
func TestConverse(t *testing.T) {
	t.Parallel()
	s := accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(func(line string) (string, bool) {
		return "<" + line + ">", line != "quit"
	})})
	conn, err := s.Dial(t.Context(), "tcp", "h:1")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "a\r\n\nb\nquit\r\nnever\n")
	if got, err := io.ReadAll(conn); string(got) != "<a><><b><quit>" || err != nil {
		t.Errorf("the server says %q, %v", got, err)
	}
	if s.Wait(); s.Received(0) != "a\r\n\nb\nquit\r\nnever\n" {
		t.Errorf("the server received %q", s.Received(0))
	}
}

// A recording that is damaged fails the test, and never becomes a shorter script.
func TestTranscriptFails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "",
		`{"dir":"s2c","hex":"00"}`:    "",
		`{"dir":"s2c","hex":"0"}`:     "transcript: encoding/hex: odd length hex string",
		`{"dir":"s2c","hex":"zz"}`:    "transcript: encoding/hex: invalid byte",
		`{"dir":"s2c","hex":"00"} {"`: "transcript: unexpected EOF",
		`[]`:                          "transcript: json: cannot unmarshal array",
	} {
		r := &recorder{TB: t}
		done := make(chan []accesstest.Script, 1)
		go func() { // which Fatalf ends
			defer close(done)
			done <- accesstest.Transcript(r, []byte(text))
		}()
		scripts, ok := <-done
		if got := r.finish(); !strings.HasPrefix(got, want) || ok != (want == "") || ok && len(scripts) == 0 {
			t.Errorf("Transcript(%q) gives %d scripts, and fails with %q, want %q", text, len(scripts), got, want)
		}
	}
}
