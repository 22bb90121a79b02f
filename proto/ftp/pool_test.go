package ftp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// pooledClient returns a client that keeps connections.
func (s *server) pooledClient(t testing.TB) (ftp.Client, *ftp.Pool) {
	c := s.client()
	c.Pool = &ftp.Pool{}
	t.Cleanup(func() { c.Pool.Close() })
	return c, c.Pool
}

// controlConnections returns the number of control connections made.
func (s *server) controlConnections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, address := range s.dialed {
		if strings.HasSuffix(address, ":21") {
			n++
		}
	}
	return n
}

// A connection is reused only if its directory is provably the directory of a new connection. The
// client asks for the login directory only when requests of one login go to several directories,
// because RFC 1738 §3.2.2 has no PWD.
//
// req: 1738-3.2-3, 1738-3.2-7
func TestKeptConnections(t *testing.T) {
	home := say("257 \"/home/\"\"me\" is the directory\r\n")
	elsewhere := func() answer { // after the return
		asked := 0
		return func(c *control) {
			asked++
			c.reply(fmt.Sprintf("257 \"/%d\"\r\n", asked))
		}
	}
	retr := func(commands ...string) []string {
		return append(commands, "SIZE f", "MDTM f", "RETR f")
	}
	firstIn := func(commands ...string) []string { // the first request of a connection
		return retr(slices.Concat(login, commands, []string{"TYPE I"})...)
	}
	tests := []struct {
		name     string
		script   map[string]answer
		paths    []string
		want     []string
		controls int
	}{
		{name: "one file", paths: []string{"/a/b/f"}, want: firstIn("CWD a", "CWD b"), controls: 1},
		{name: "the same directory", paths: []string{"/a/f", "/a/f"}, want: slices.Concat(firstIn("CWD a"), retr()), controls: 1},
		{name: "further on the way", paths: []string{"/a/f", "/a/b/c/f"}, want: slices.Concat(firstIn("CWD a"), retr("CWD b", "CWD c")), controls: 1},
		{
			name: "out of the login directory", paths: []string{"/f", "/a/f", "/b/f"},
			want: slices.Concat(firstIn(), retr("PWD", "CWD a"), retr(`CWD /home/"me`, "PWD", "CWD b")), controls: 1,
		},
		{
			name: "another directory", paths: []string{"/a/f", "/b/f", "/c/f"},
			want: slices.Concat(firstIn("CWD a"), firstIn("PWD", "CWD b"), retr(`CWD /home/"me`, "PWD", "CWD c")), controls: 2,
		},
		{
			name: "the first directory", paths: []string{"/a/f", "/f", "/b/f", "/f"},
			want: slices.Concat(firstIn("CWD a"), firstIn(), retr("PWD", "CWD b"), retr(`CWD /home/"me`, "PWD")), controls: 2,
		},
		{
			name: "not a/b", paths: []string{"/f", "/a/f", "/a%2Fb/f"},
			want: slices.Concat(firstIn(), retr("PWD", "CWD a"), retr(`CWD /home/"me`, "PWD", "CWD a/b")), controls: 1,
		},
		{
			name: "PWD unknown", script: map[string]answer{"PWD": say("502 what\r\n")}, paths: []string{"/a/f", "/b/f", "/c/f"},
			want: slices.Concat(firstIn("CWD a"), firstIn("PWD", "CWD b"), firstIn("PWD", "CWD c")), controls: 3,
		},
		{
			name: "back elsewhere", script: map[string]answer{"PWD": elsewhere()}, paths: []string{"/f", "/a/f", "/b/f"},
			want: slices.Concat(firstIn(), retr("PWD", "CWD a"), []string{"CWD /1", "PWD"}, firstIn("PWD", "CWD b")), controls: 2,
		},
		{
			name: "no way back", script: map[string]answer{`CWD /home/"me`: say("550 no\r\n"), "PWD": home}, paths: []string{"/f", "/a/f", "/b/f"},
			want: slices.Concat(firstIn(), retr("PWD", "CWD a"), []string{`CWD /home/"me`}, firstIn("PWD", "CWD b")), controls: 2,
		},
		{
			name: "hostile PWD", script: map[string]answer{"PWD": say("257 \"/\x00DELE f\"\r\n")}, paths: []string{"/f", "/a/f", "/b/f"},
			want: slices.Concat(firstIn(), retr("PWD", "CWD a"), firstIn("PWD", "CWD b")), controls: 2,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "content"
			s.script["PWD"] = home
			if test.script != nil {
				s.script = test.script
			}
			c, _ := s.pooledClient(t)
			for _, path := range test.paths {
				if _, err := get(t, c, "ftp://h"+path); err != nil {
					t.Fatalf("get(%q) = %v", path, err)
				}
			}
			if got := s.sentCommands(); !slices.Equal(got, test.want) {
				t.Errorf("%q sends\n%q, want\n%q", test.paths, got, test.want)
			}
			if s.controlConnections() != test.controls {
				t.Errorf("%q: %d control connections, want %d", test.paths, s.controlConnections(), test.controls)
			}
		})
	}
}

// Known attributes are not asked for again. If they are wrong, the download
// fails.
func TestKnown(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c, _ := s.pooledClient(t)
	changed := time.Date(2026, 11, 21, 2, 2, 8, 0, time.UTC)
	for _, test := range []struct {
		size int64
		is   error
	}{{7, nil}, {9, access.ErrChanged}, {3, access.ErrChanged}} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f"), Known: &access.Entry{Size: test.size, ModTime: changed}})
		if err != nil {
			t.Fatalf("Get with the known size %d: %v", test.size, err)
		}
		if r.Size != test.size || !r.ModTime.Equal(changed) {
			t.Errorf("Known.Size %d: opened with %d, %v", test.size, r.Size, r.ModTime)
		}
		_, err = io.ReadAll(r.Body)
		r.Body.Close()
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("Known.Size %d: %v, want %v", test.size, err, test.is)
		}
	}
	if slices.Contains(s.sentCommands(), "SIZE f") || slices.Contains(s.sentCommands(), "MDTM f") {
		t.Errorf("sends %q, want neither SIZE nor MDTM", s.sentCommands())
	}
}

// vsftpd gets the EPSV of the next transfer together with the RETR of the current one.
func TestEarlyEPSV(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	s.script["greeting"] = say("220 (vsFTPd 3.0.3)\r\n")
	c, _ := s.pooledClient(t)
	for range 4 {
		if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" {
			t.Fatalf("get = %q, %v", got, err)
		}
	}
	if _, err := get(t, c, "ftp://h/nope"); err == nil {
		t.Error("a missing file opens")
	}
	if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" {
		t.Errorf("after a refusal: %q, %v", got, err)
	}
	want := []string{"TYPE I", "SIZE f", "MDTM f", "EPSV", "RETR f"}
	want = append(want, "SIZE f", "MDTM f", "EPSV", "RETR f", "EPSV") // it has no port yet
	for _, name := range []string{"f", "f", "nope", "f"} {
		want = append(want, "MDTM "+name, "RETR "+name, "EPSV")
	}
	c.Pool.Close()
	s.all.Wait() // the server has read everything
	if got := slices.DeleteFunc(s.allCommands()[len(login):], func(c string) bool { return c == "QUIT" }); !slices.Equal(got, want) {
		t.Errorf("sends\n%q, want\n%q", got, want)
	}
	if s.controlConnections() != 1 {
		t.Errorf("%d control connections, want 1", s.controlConnections())
	}
}

// If the port of an early EPSV is closed, the client asks for another.
func TestEarlyEPSVExpired(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	s.refused = true
	s.script["greeting"] = say("220 (vsFTPd 3.0.3)\r\n")
	var asked atomic.Int64
	usual := (&control{server: s}).defaultAnswer("EPSV")
	s.script["EPSV"] = func(c *control) {
		if asked.Add(1) == 3 { // the first early one
			c.reply("229 Extended Passive Mode (|||39999|)\r\n")
			return
		}
		usual(c)
	}
	c, _ := s.pooledClient(t)
	for range 4 {
		if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" {
			t.Fatalf("get = %q, %v", got, err)
		}
	}
	if s.controlConnections() != 1 {
		t.Errorf("%d control connections, want 1", s.controlConnections())
	}
	if !slices.Contains(s.dialed, "h:39999") {
		t.Errorf("connects to %q, want h:39999 among them", s.dialed)
	}
}

// vsftpd reports the size when a transfer starts, and must send that many bytes.
func TestAnnounced(t *testing.T) {
	changed := time.Date(2026, 11, 21, 2, 2, 8, 0, time.UTC)
	for _, test := range []struct {
		opening string
		size    int64
		is      error // the error of Read
	}{
		{"150 Opening BINARY mode data connection for f (7 bytes).", 7, nil},
		{"150 Opening BINARY mode data connection for (1 bytes). (7 bytes).", 7, nil},
		{"150 Opening BINARY mode data connection for f (9 bytes).", 9, io.ErrUnexpectedEOF},
		{"150 Opening BINARY mode data connection for f (3 bytes).", 3, access.ErrProtocol},
		{"150 Opening BINARY mode data connection for f (-7 bytes).", -1, nil},
		{"150 Opening BINARY mode data connection for f (7 bytes)", -1, nil},
		{"150 7 bytes).", -1, nil},
		{"150 (", -1, nil},
		{"150 ", -1, nil},
	} {
		s := serve(t)
		s.files["f"] = "content"
		s.script["greeting"] = say("220 (vsFTPd 3.0.3)\r\n")
		var fetched atomic.Int64
		s.script["RETR"] = func(c *control) {
			opening := "150 here"
			if fetched.Add(1) > 2 {
				opening = test.opening
			}
			c.transfer(opening+"\r\n", "content", "226 done\r\n")
		}
		c, _ := s.pooledClient(t)
		get(t, c, "ftp://h/f")
		get(t, c, "ftp://h/f")
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
		if err != nil {
			t.Errorf("%q: %v", test.opening, err)
			continue
		}
		_, err = io.ReadAll(r.Body)
		r.Body.Close()
		if r.Size != test.size || !r.ModTime.Equal(changed) || !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("%q: %d bytes, %v, then %v; want %d, then %v", test.opening, r.Size, r.ModTime, err, test.size, test.is)
		}
		known := &access.Request{URL: url.MustParse("ftp://h/f"), IfChanged: access.Validator{ModTime: changed}}
		if _, err := c.Do(t.Context(), known); !errors.Is(err, access.ErrNotModified) {
			t.Errorf("%q, then a known version: %v, want access.ErrNotModified", test.opening, err)
		}
	}
}

// Queries about a file are sent together with RETR once the data port is known, so that each file
// takes one round trip.
func TestOneWrite(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	s.script["greeting"] = say("220 (vsFTPd 3.0.3)\r\n")
	s.script["RETR"] = func(c *control) {
		c.transfer("150 Opening BINARY mode data connection for f (7 bytes).\r\n", "content", "226 done\r\n")
	}
	c, _ := s.pooledClient(t)
	var writes atomic.Int64
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.Dial(ctx, network, address)
		return &countingConn{conn, &writes}, err
	}
	for i := range 5 {
		before := writes.Load()
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
		if err != nil {
			t.Fatalf("Get %d: %v", i, err)
		}
		if r.Size != 7 || r.ModTime.IsZero() {
			t.Errorf("Get %d tells the size %d and the time %v, want 7 and a time", i, r.Size, r.ModTime)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatalf("reading the body of Get %d: %v", i, err)
		}
		r.Body.Close()
		if n := writes.Load() - before; i > 1 && n != 1 {
			t.Errorf("access %d writes %d times, want once", i, n)
		}
	}
}

// A countingConn counts its writes.
type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c *countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// A connection that the server closed while idle is replaced.
func TestStale(t *testing.T) {
	for name, end := range map[string]answer{
		"closed":   hangUp,
		"421":      func(c *control) { c.reply("421 too slow\r\n"); c.hungUp = true },
		"nonsense": func(c *control) { c.reply("what\r\n"); c.hungUp = true },
	} {
		s := serve(t)
		s.files["f"] = "content"
		c, _ := s.pooledClient(t)
		for i := range 3 {
			if i == 1 {
				s.script["SIZE"] = func(c *control) {
					delete(s.script, "SIZE")
					end(c)
				}
			}
			if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" {
				t.Errorf("%s: access %d = %q, %v", name, i, got, err)
			}
		}
		if s.controlConnections() != 2 {
			t.Errorf("%s: %d control connections, want 2", name, s.controlConnections())
		}
	}
	s := serve(t)
	s.files["f"] = "content"
	s.script["SIZE"] = func(c *control) { c.reply("421 no more\r\n"); c.hungUp = true }
	c, _ := s.pooledClient(t)
	if _, err := get(t, c, "ftp://h/f"); !errors.Is(err, access.ErrTemporary) {
		t.Errorf("421 on a new connection: %v, want access.ErrTemporary", err)
	}
}

// A connection with a prompted password is reused only with the same password.
func TestTypedPasswords(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c, _ := s.pooledClient(t)
	for i, password := range []string{"one", "one", "two"} {
		asked := 0
		req := &access.Request{URL: url.MustParse("ftp://me@h/f"), Login: func(context.Context, access.Challenge) (access.Credentials, error) {
			asked++
			return access.Credentials{Password: password}, nil
		}}
		r, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("access %d with the password %q: %v", i, password, err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if asked != 1 {
			t.Errorf("access %d asks %d times, want once", i, asked)
		}
	}
	if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://me@h/f")}); !errors.Is(err, access.ErrPassword) {
		t.Errorf("without Request.Login: %v, want access.ErrPassword", err)
	}
	if s.controlConnections() != 3 {
		t.Errorf("%d control connections, want 3", s.controlConnections())
	}
}

// Closing a download early aborts the transfer, and keeps the connection.
func TestAbort(t *testing.T) {
	for name, test := range map[string]struct {
		abor     string
		pwd      string
		controls int
	}{
		"426 and 226": {"426 broken\r\n226 aborted\r\n", "257 \"/\"\r\n", 1},
		"226 and 225": {"226 done\r\n225 nothing\r\n", "257 \"/\"\r\n", 1},
		"one reply":   {"226 aborted\r\n", "257 \"/\"\r\n", 1},
		"no PWD":      {"226 aborted\r\n", strings.Repeat("500 what\r\n", 8), 2},
		"421":         {"421 enough\r\n", "257 \"/\"\r\n", 2},
	} {
		synctest.Test(t, func(t *testing.T) { // the replies time out in fake time
			s := serve(t)
			s.files["f"] = "content"
			s.script["SIZE large"] = say("213 1000000\r\n")
			s.script["MDTM large"] = say("500 what\r\n")
			s.script["RETR large"] = func(c *control) {
				conn, _ := c.accept()
				c.reply("150 here it comes\r\n")
				io.WriteString(conn, "half")
				io.Copy(io.Discard, conn) // until the client gives up
			}
			s.script["ABOR"], s.script["PWD"] = say(test.abor), say(test.pwd)
			c, _ := s.pooledClient(t)
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/large")})
			if err != nil {
				t.Fatalf("Get with the replies %q: %v", name, err)
			}
			io.ReadFull(r.Body, make([]byte, 4))
			r.Body.Close()
			if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" {
				t.Errorf("%s: then get = %q, %v", name, got, err)
			}
			if s.controlConnections() != test.controls {
				t.Errorf("%s: %d control connections, want %d", name, s.controlConnections(), test.controls)
			}
		})
	}
}

// Concurrent requests do not disturb each other.
func TestPoolAtOnce(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	s.script["PWD"] = say("257 \"/\"\r\n")
	c, pool := s.pooledClient(t)
	pool.PerHost = 3
	var open, most atomic.Int64
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.Dial(ctx, network, address)
		if err != nil || !strings.HasSuffix(address, ":21") {
			return conn, err
		}
		n := open.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		return &openConn{Conn: conn, open: &open}, nil
	}
	done := make(chan error)
	for i := range 12 {
		go func() {
			for j := range 5 {
				got, err := get(t, c, fmt.Sprintf("ftp://h/%d/f", (i+j)%4))
				if err == nil && got != "content" {
					err = fmt.Errorf("got %q", got)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 12 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 3 {
		t.Errorf("%d control connections at once, want 3 at most", most.Load())
	}
	if s.controlConnections() > 6 { // each is replaced once, by one that knows the way back
		t.Errorf("%d control connections, want 6 at most", s.controlConnections())
	}
}

// An openConn counts down when it is closed.
type openConn struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *openConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// A server that allows one connection may still count the connection that the client has just
// closed.
func TestReplacedConnectionIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.files["f"] = "content"
		greetings := 0
		s.script["greeting"] = func(c *control) {
			if greetings++; greetings == 2 {
				c.reply("421 too many\r\n")
				c.hungUp = true
				return
			}
			c.reply("220 ready\r\n")
		}
		c, pool := s.pooledClient(t)
		defer pool.Close()
		for _, url := range []string{"ftp://h/a/f", "ftp://h/b/f"} {
			if got, err := get(t, c, url); err != nil || got != "content" {
				t.Errorf("get(%q) = %q, %v", url, got, err)
			}
		}
		if n := s.quitCount(); n != 1 {
			t.Errorf("%d QUITs, want 1", n)
		}
	})
}

// CloseIdleConnections closes idle connections. The Pool still keeps connections that become idle
// later.
func TestCloseIdleConnections(t *testing.T) {
	s := serve(t)
	s.files["f"] = "text"
	c, _ := s.pooledClient(t)
	for want := 1; want <= 2; want++ {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
		if err != nil {
			t.Fatalf("Get %d: %v", want, err)
		}
		c.CloseIdleConnections() // not that of r
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != "text" {
			t.Errorf("Get %d reads %q, %v, want \"text\"", want, text, err)
		}
		r.Body.Close()
		if n := s.controlConnections(); n != want {
			t.Errorf("%d control connections, want %d", n, want)
		}
		c.CloseIdleConnections()
	}
	ftp.Client{}.CloseIdleConnections()
}
