package ftp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
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
	for !s.listening() { // until it has read the EPSV after that, and no script
		time.Sleep(time.Millisecond)
	}
	s.forget()
	return s, c
}

// listening reports whether the last command was an EPSV, and was obeyed.
func (s *server) listening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting) > 0 && s.commands[len(s.commands)-1] == "EPSV"
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

// dialEager is Dial, but that what goes over a control connection waits for nobody
// to read it, as it does in the buffers of a network.
func (s *server) dialEager(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.Dial(ctx, network, address)
	if err != nil {
		return conn, err
	}
	if !strings.HasSuffix(address, ":21") {
		s.hold("")
		return conn, err
	}
	e := &eager{Conn: conn, s: s, out: make(chan []byte, 100)}
	e.came.L = &e.mu
	s.all.Go(func() {
		for b := range e.out {
			_, _ = conn.Write(b) // the reader sees that it is closed
		}
	})
	s.all.Go(e.receive)
	return e, nil
}

type eager struct {
	net.Conn
	s   *server
	out chan []byte

	mu   sync.Mutex
	came sync.Cond
	in   []byte
	end  error
}

// hold lets replies that begin with a text reach clients of dialEager only when
// one has made a data connection. Empty holds nothing back.
func (s *server) hold(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != "" {
		close(s.release)
	}
	s.held, s.release = text, make(chan struct{})
}

// receive takes what the server sends.
func (e *eager) receive() {
	lines := bufio.NewReader(e.Conn)
	for {
		line, err := lines.ReadString('\n')
		e.s.mu.Lock()
		held, release := e.s.held, e.s.release
		e.s.mu.Unlock()
		if held != "" && strings.HasPrefix(line, held) {
			select {
			case <-release:
			case <-e.s.done:
			}
		}
		e.mu.Lock()
		e.in, e.end = append(e.in, line...), err
		e.came.Broadcast()
		e.mu.Unlock()
		e.s.mu.Lock()
		e.s.reached += line
		e.s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (e *eager) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.in) == 0 && e.end == nil {
		e.came.Wait()
	}
	if len(e.in) == 0 {
		return 0, e.end
	}
	n := copy(p, e.in)
	e.in = e.in[n:]
	return n, nil
}

func (e *eager) Write(p []byte) (int, error) {
	e.s.mu.Lock()
	e.s.written += string(p)
	e.s.mu.Unlock()
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
	r, err := c.Do(t.Context(), req)
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
			r, err := c.Do(t.Context(), tt.then)
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
	if e, err := c.Do(t.Context(), fileAt("d").WithOp(access.Stat)); err != nil || e.Size != 12 {
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
			s.script["RETR d"] = func(c *control) {
				if s.isFirst("RETR d") {
					c.arg = "e"
				}
				c.retrieve(c.arg)
			}
		}},
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
	r, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if got, err := fetch(t, c, "d", nil); err != nil || got != "content of d" {
		t.Errorf("d: %q, %v", got, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(s.written, "ABOR") {
		t.Errorf("sends %q: after ABOR nobody knows what is answered", s.written)
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

// onePort lets a server have one port for data, at which it listens from EPSV on
// until a RETR. It is that of the newest connection: on one before it, which the
// client has closed, there may be commands that the server has still to obey.
func (s *server) onePort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = true
	s.script["EPSV"] = func(c *control) {
		c.mu.Lock()
		c.data = make(chan net.Conn, 1)
		if c == c.newest {
			c.waiting["4242"] = c.data
		}
		c.mu.Unlock()
		c.reply("229 Entering Extended Passive Mode (|||4242|)\r\n")
	}
}

// listens reports whether the server listens after what it was asked ahead.
func (s *server) listens() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.commands) - 1
	return s.waiting["4242"] != nil && slices.Equal(s.commands[max(last-1, 0):], []string{"RETR d", "EPSV"})
}

// hasTold reports whether a reply has reached the client, and with it that to the
// EPSV after it unless the server goes.
func (s *server) hasTold(reply string) bool {
	if !strings.HasPrefix(reply, "421") {
		reply += "229 Entering Extended Passive Mode (|||4242|)\r\n"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.HasSuffix(s.reached, reply)
}

// listensAt reports whether the server waits for a data connection at a port.
func (s *server) listensAt(port string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting[port] != nil
}

// isFirst reports whether a command came once.
func (s *server) isFirst(command string) bool {
	all := s.everything()
	i := slices.Index(all, command)
	return i >= 0 && !slices.Contains(all[i+1:], command)
}

// close ends listening.
func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, "4242")
}

// What is refused before there was a data connection leaves no such connection to
// the file after it: on a server with one port that would be taken for the next
// one, and each file would come under the name of another.
func TestRefusedPromise(t *testing.T) {
	for _, tt := range []struct {
		name     string
		refusal  string
		once     bool   // it is there when it is asked for again
		late     string // what comes only when the data connection is made
		controls int
	}{
		{"known in time", "550 Failed to open file.\r\n", false, "", 1},
		{"known too late", "550 Failed to open file.\r\n", false, "550", 2},
		{"waited in vain", "425 Failed to establish connection.\r\n", true, "", 1},
		{"waited in vain a moment ago", "425 Failed to establish connection.\r\n", true, "425", 2},
		{"the server goes", "421 Timeout.\r\n", true, "", 2},
		{"the server goes at the same time", "421 Timeout.\r\n", true, "421", 2},
		{"somebody else was served", "150 Opening BINARY mode data connection for d (12 bytes).\r\n426 Failure writing network stream.\r\n", true, "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := vsftpd(t)
			s.onePort()
			s.script["RETR d"] = func(c *control) {
				if tt.once && !s.isFirst("RETR d") {
					c.retrieve("d")
					return
				}
				c.close()
				c.reply(tt.refusal)
				c.over = strings.HasPrefix(tt.refusal, "421")
			}
			r, err := c.Do(t.Context(), &access.Request{URL: fileAt("c").URL, Next: fileAt("d")})
			if err != nil {
				t.Fatal(err)
			}
			s.hold(tt.late)
			text := make([]byte, len("content of c"))
			if _, err := io.ReadFull(r.Body, text); err != nil || string(text) != "content of c" {
				t.Fatalf("c: %q, %v", text, err)
			}
			for tt.late == "" && !s.hasTold(tt.refusal) {
				time.Sleep(time.Millisecond)
			}
			if rest, err := io.ReadAll(r.Body); err != nil || len(rest) > 0 {
				t.Fatalf("c has %q more, %v", rest, err)
			}
			r.Body.Close()
			for !strings.HasPrefix(tt.refusal, "421") && !s.listens() {
				time.Sleep(time.Millisecond)
			}
			got, err := fetch(t, c, "d", fileAt("e"))
			if tt.once && (err != nil || got != "content of d") || !tt.once && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("d: %q, %v", got, err)
			}
			for _, tt := range []struct{ name, next string }{{"e", "f"}, {"f", "g"}, {"g", "h"}} {
				if got, err := fetch(t, c, tt.name, fileAt(tt.next)); err != nil || got != "content of "+tt.name {
					t.Errorf("%s: %q, %v", tt.name, got, err)
				}
			}
			if s.controls() != tt.controls {
				t.Errorf("%d control connections, want %d", s.controls(), tt.controls)
			}
		})
	}
}

// A data connection that was made where the server listened for another transfer
// by then costs that one its own: what is at the port when its turn comes is of
// neither.
func TestStray(t *testing.T) {
	s, c := vsftpd(t)
	s.refused = true
	var mu sync.Mutex
	planned := false // the next EPSV gives port 4242
	plan := func() { mu.Lock(); planned = true; mu.Unlock() }
	s.script["EPSV"] = func(c *control) {
		mu.Lock()
		defer mu.Unlock()
		port := c.listen()
		if planned {
			c.mu.Lock()
			port, c.waiting["4242"] = 4242, c.data
			c.mu.Unlock()
		}
		planned = false
		c.reply(fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)\r\n", port))
	}
	s.script["RETR d"] = func(c *control) {
		if c.over = s.isFirst("RETR d"); c.over {
			c.close()
			return
		}
		c.retrieve("d")
	}
	taken, late := make(chan struct{}), make(chan struct{})
	s.script["RETR h"] = func(c *control) {
		if !s.isFirst("RETR h") {
			c.retrieve("h")
			return
		}
		conn, ok := c.accept()
		if !ok {
			return
		}
		close(taken)
		select {
		case <-late:
			c.reply("150 Opening BINARY mode data connection for h (12 bytes).\r\n")
			_, _ = io.WriteString(conn, "content of h") // the client has closed it
			conn.Close()
			c.reply("226 Transfer complete.\r\n")
		case <-c.done:
		}
	}
	until := func(command string) {
		for !slices.Contains(s.everything(), command) {
			time.Sleep(time.Millisecond)
		}
	}

	first, err := c.Do(t.Context(), &access.Request{URL: fileAt("c").URL, Next: fileAt("d")})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // on a connection of its own, for EPSV to go ahead
		if _, err := fetch(t, c, "e", nil); err != nil {
			t.Fatal(err)
		}
	}
	for !s.listening() {
		time.Sleep(time.Millisecond)
	}
	plan()
	if _, err := io.ReadAll(first.Body); err != nil {
		t.Fatal(err)
	}
	until("RETR d")
	for s.listensAt("4242") { // no more, but for what comes now
		time.Sleep(time.Millisecond)
	}
	plan()
	if _, err := fetch(t, c, "g", fileAt("h")); err != nil {
		t.Fatal(err)
	}
	until("RETR h")
	if got, err := fetch(t, c, "d", nil); err != nil || got != "content of d" {
		t.Errorf("d: %q, %v", got, err)
	}
	<-taken
	other := make(chan net.Conn, 1)
	s.mu.Lock()
	s.waiting["4242"] = other
	s.mu.Unlock()
	s.all.Go(func() {
		select {
		case conn := <-other:
			close(late)
			_, _ = io.WriteString(conn, "of another h")
			conn.Close()
		case <-s.done:
		}
	})
	if got, err := fetch(t, c, "h", nil); err != nil || got != "content of h" {
		t.Errorf("h: %q, %v", got, err)
	}
}
