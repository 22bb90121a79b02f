package ftp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// vsftpd returns a server that answers as vsftpd does, has files named a to h,
// and has served a client that keeps connections: there is one to it, on which
// what is next can be asked for ahead. What was sent so far is forgotten.
func vsftpd(t testing.TB) (*server, ftp.Client) {
	t.Helper()
	s := serve(t)
	s.script["greeting"] = say("220 (vsFTPd 3.0.3)\r\n")
	for _, name := range strings.Split("abcdefgh", "") {
		s.files[name] = "content of " + name
	}
	s.script["RETR"] = func(c *control) { c.retrieve(c.arg) }
	c, _ := s.pooled(t)
	c.Dial = s.dialEager
	for _, name := range []string{"a", "b"} {
		if _, err := get(t, c, "ftp://h/"+name); err != nil {
			t.Fatal(err)
		}
	}
	for { // until the EPSV after that has come
		if all := s.everything(); all[len(all)-1] == "EPSV" {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.forget()
	return s, c
}

// retrieve answers a RETR as vsftpd does, as if it were for the file of a name.
func (c *control) retrieve(name string) {
	c.file(func(content string) {
		opening := fmt.Sprintf("150 Opening BINARY mode data connection for %s (%d bytes).\r\n", name, len(content))
		content = content[c.rest:]
		c.rest = 0
		c.transfer(opening, content, "226 Transfer complete.\r\n")
	})(c)
}

// forget forgets what was sent.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = nil
}

// dialEager is Dial, but that what is sent on a control connection waits for
// nobody to read it, as it does in the buffers of a network.
func (s *server) dialEager(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.Dial(ctx, network, address)
	if err != nil || !strings.HasSuffix(address, ":21") {
		return conn, err
	}
	e := &eager{conn, make(chan []byte, 100)}
	s.all.Go(func() {
		for b := range e.out {
			_, _ = conn.Write(b) // the reader sees that it is closed
		}
	})
	return e, nil
}

type eager struct {
	net.Conn
	out chan []byte
}

func (e *eager) Write(p []byte) (int, error) {
	e.out <- slices.Clone(p)
	return len(p), nil
}

func (e *eager) Close() error {
	defer func() { _ = recover() }() // it was closed before
	close(e.out)
	return e.Conn.Close()
}

func fileAt(name string) *access.Request {
	return &access.Request{URL: url.MustParse("ftp://h/" + name)}
}

// fetch opens the file of that name, says what is next, and reads it.
func fetch(t testing.TB, c ftp.Client, name string, next *access.Request) (string, error) {
	t.Helper()
	req := fileAt(name)
	req.Next = next
	r, err := c.Open(t.Context(), req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}

// What the caller will ask for next is asked of vsftpd before it is: there is
// nothing left to say when the time comes but what is next after that.
func TestNext(t *testing.T) {
	s, c := vsftpd(t)
	names := strings.Split("cdefgh", "")
	for i, name := range names {
		var next *access.Request
		if i+1 < len(names) {
			next = fileAt(names[i+1])
		}
		if got, err := fetch(t, c, name, next); err != nil || got != "content of "+name {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
		var want []string
		for _, name := range names[:min(i+2, len(names))] {
			want = append(want, "MDTM "+name, "RETR "+name, "EPSV")
		}
		if got := s.everything(); len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("after %s it has sent\n%q, want\n%q", name, got, want)
		}
	}
	if got, err := fetch(t, c, "c", nil); err != nil || got != "content of c" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
	if s.controls() != 1 {
		t.Errorf("%d control connections, want 1", s.controls())
	}
}

// Whatever becomes of what was asked for ahead, each access has what it asks
// for.
func TestPromises(t *testing.T) {
	known := fileAt("d")
	known.Known = &access.Entry{Size: 12, ModTime: now()}
	for _, tt := range []struct {
		name     string
		next     *access.Request // said of c
		then     *access.Request
		controls int // how many connections it takes
	}{
		{"as promised", fileAt("d"), fileAt("d"), 1},
		{"known", known, known, 1},
		{"known by then", fileAt("d"), known, 2},
		{"another", fileAt("d"), fileAt("e"), 2},
		{"from further on", fileAt("d"), &access.Request{URL: fileAt("d").URL, Offset: 3}, 2},
		{"if it has changed", fileAt("d"), &access.Request{URL: fileAt("d").URL, IfChanged: access.Validator{ModTime: now()}}, 2},
		{"in another directory", fileAt("d"), fileAt("x/d"), 2},
		{"a directory", fileAt("d"), fileAt("d;type=d"), 2},
		{"text", fileAt("d"), fileAt("d;type=a"), 2},
		{"a part is not promised", &access.Request{URL: fileAt("d").URL, Length: 3}, fileAt("e"), 1},
		{"nor what begins further on", &access.Request{URL: fileAt("d").URL, Offset: 3}, fileAt("e"), 1},
		{"nor what may not have changed", &access.Request{URL: fileAt("d").URL, IfChanged: access.Validator{ModTime: now()}}, fileAt("e"), 1},
		{"nor text", fileAt("d;type=a"), fileAt("e"), 1},
		{"nor a directory", fileAt(""), fileAt("e"), 1},
		{"nor a list", fileAt("d;type=d"), fileAt("e"), 1},
		{"nor what is elsewhere", fileAt("x/d"), fileAt("e"), 1},
		{"nor for another user", &access.Request{URL: url.MustParse("ftp://me@h/d")}, fileAt("e"), 1},
		{"nor on another server", &access.Request{URL: url.MustParse("ftp://h2/d")}, fileAt("e"), 1},
		{"nor on another port", &access.Request{URL: url.MustParse("ftp://h:2121/d")}, fileAt("e"), 1},
		{"nor over TLS", &access.Request{URL: url.MustParse("ftps://h/d")}, fileAt("e"), 1},
		{"nor with a password", &access.Request{URL: url.MustParse("ftp://:pw@h/d")}, fileAt("e"), 1},
		{"nor of another scheme", &access.Request{URL: url.MustParse("http://h/d")}, fileAt("e"), 1},
		{"nor what cannot be sent", fileAt("d%0D%0ADELE%20e"), fileAt("e"), 1},
		{"nor what Telnet reads", fileAt("d%FF"), fileAt("e"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := vsftpd(t)
			s.lists["NLST d"] = "x\r\n"
			if got, err := fetch(t, c, "c", tt.next); err != nil || got != "content of c" {
				t.Fatalf("c: %q, %v", got, err)
			}
			r, err := c.Open(t.Context(), tt.then)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r.Body)
			r.Body.Close()
			want := "content of " + tt.then.URL.Path()[len(tt.then.URL.Path())-1:]
			if strings.HasSuffix(tt.then.URL.String(), "type=d") {
				want = "x\r\n"
			} else if strings.HasSuffix(tt.then.URL.String(), ";type=a") {
				want = "content of d"
			}
			if want = want[tt.then.Offset:]; err != nil || string(got) != want {
				t.Errorf("then: %q, %v; want %q", got, err, want)
			}
			if s.controls() != tt.controls {
				t.Errorf("%d control connections, want %d", s.controls(), tt.controls)
			}
			if strings.Contains(strings.Join(s.everything(), "\n"), "DELE") {
				t.Errorf("sent %q", s.everything())
			}
			for _, name := range []string{"f", "g"} {
				if got, err := get(t, c, "ftp://h/"+name); err != nil || got != "content of "+name {
					t.Errorf("%s, at last: %q, %v", name, got, err)
				}
			}
		})
	}
}

// Other operations than fetching do not take a connection on which something was
// asked for ahead.
func TestPromisedToOthers(t *testing.T) {
	s, c := vsftpd(t)
	if _, err := fetch(t, c, "c", fileAt("d")); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Stat(t.Context(), fileAt("d")); err != nil || e.Size != 12 {
		t.Errorf("Stat = %d octets, %v", e.Size, err)
	}
	if s.controls() != 2 {
		t.Errorf("%d control connections, want 2", s.controls())
	}
	if got, err := fetch(t, c, "d", nil); err != nil || got != "content of d" {
		t.Errorf("d: %q, %v", got, err)
	}
	if s.controls() != 2 {
		t.Errorf("%d control connections, want 2: the first one was kept for this", s.controls())
	}
}

// If there may be no more connections the one that was promised to another is
// given up.
func TestPromiseGivenUp(t *testing.T) {
	s, c := vsftpd(t)
	c.Pool.PerHost = 1
	if _, err := fetch(t, c, "c", fileAt("d")); err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(t, c, "e", nil); err != nil || got != "content of e" {
		t.Errorf("e: %q, %v", got, err)
	}
	if s.controls() != 2 {
		t.Errorf("%d control connections, want 2", s.controls())
	}
}

// What was asked for ahead may fail, without a wrong word to anybody.
func TestPromiseFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *server) // after c was fetched
		early  bool            // before that
		is     error
	}{
		{name: "refused at once", early: true, change: func(s *server) { s.script["RETR d"] = say("550 Failed to open file.\r\n") }, is: fs.ErrNotExist},
		{name: "another file", early: true, change: func(s *server) {
			s.script["RETR d"] = func(c *control) { c.retrieve("e") }
		}, is: access.ErrProtocol},
		{name: "broken off", early: true, change: func(s *server) {
			s.script["RETR d"] = func(c *control) {
				c.transfer("150 Opening BINARY mode data connection for d (12 bytes).\r\n", "cont", "426 Failure writing network stream.\r\n")
			}
		}, is: access.ErrTemporary},
		{name: "no port", early: true, change: func(s *server) {
			s.script["EPSV"] = func(c *control) {
				delete(s.script, "EPSV")
				c.data = nil
				c.reply("229 where\r\n")
			}
			s.script["RETR d"] = func(c *control) {
				if c.data == nil {
					c.reply("425 Use PORT or PASV first.\r\n")
				} else {
					c.retrieve("d")
				}
			}
		}},
		{name: "hung up", early: true, change: func(s *server) { s.script["RETR d"] = func(c *control) { hangUp(c) } }, is: io.ErrUnexpectedEOF},
		{name: "the port is closed", change: func(s *server) {
			s.mu.Lock()
			defer s.mu.Unlock()
			clear(s.waiting)
			s.refused = true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := vsftpd(t)
			if tt.early {
				tt.change(s)
			}
			if got, err := fetch(t, c, "c", fileAt("d")); err != nil || got != "content of c" {
				t.Fatalf("c: %q, %v", got, err)
			}
			if !tt.early {
				tt.change(s)
			}
			got, err := fetch(t, c, "d", fileAt("f"))
			if !errors.Is(err, tt.is) || (err == nil) != (tt.is == nil) || err == nil && got != "content of d" {
				t.Errorf("d: %q, %v; want %v", got, err, tt.is)
			}
			for _, name := range []string{"f", "g"} {
				if got, err := fetch(t, c, name, nil); err != nil || got != "content of "+name {
					t.Errorf("%s, at last: %q, %v", name, got, err)
				}
			}
		})
	}
}

// A transfer that is given up takes what was asked for after it along.
func TestPromiseAbandoned(t *testing.T) {
	s, c := vsftpd(t)
	req := fileAt("c")
	req.Next = fileAt("d")
	r, err := c.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if got, err := fetch(t, c, "d", nil); err != nil || got != "content of d" {
		t.Errorf("d: %q, %v", got, err)
	}
	if slices.Contains(s.everything(), "ABOR") {
		t.Errorf("sends %q: after ABOR nobody knows what is answered", s.everything())
	}
}

// Nothing is sent ahead to servers that take no EPSV ahead, that may want an
// account told in between, or in a type that is not that of what is next.
func TestNoPromises(t *testing.T) {
	for _, tt := range []struct {
		greeting string
		change   func(c *ftp.Client)
		name     string
		controls int
	}{
		{"220 ProFTPD Server ready.", func(*ftp.Client) {}, "a", 1},
		{"220 ready", func(*ftp.Client) {}, "a", 1},
		{"220 (vsFTPd 3.0.3)", func(c *ftp.Client) { c.Pool = nil }, "a", 4},
		{"220 (vsFTPd 3.0.3)", func(c *ftp.Client) { c.Account = "money" }, "a", 1},
		{"220 (vsFTPd 3.0.3)", func(*ftp.Client) {}, "a;type=a", 1},
	} {
		s := serve(t)
		s.script["greeting"] = say(tt.greeting + "\r\n")
		s.files["a"] = "content of a"
		c, _ := s.pooled(t)
		c.Dial = s.dialEager
		tt.change(&c)
		for range 4 {
			if got, err := fetch(t, c, tt.name, fileAt("never")); err != nil || got != "content of a" {
				t.Errorf("%s: %q, %v", tt.greeting, got, err)
			}
		}
		if slices.Contains(s.everything(), "RETR never") || s.controls() != tt.controls {
			t.Errorf("%s: %d control connections, want %d; sends %q", tt.greeting, s.controls(), tt.controls, s.everything())
		}
	}
}
