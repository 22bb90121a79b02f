package ftp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// A server is an FTP server over pipes that records every command. It has a few
// replies of its own; script overrides them.
type server struct {
	t        testing.TB
	files    map[string]string // by the argument of RETR
	listings map[string]string // by command: the data of LIST, NLST …
	script   map[string]answer // by command or verb; checked first

	mu       sync.Mutex
	commands []string // of all control connections
	dialed   []string
	next     int // the port of the next data connection
	waiting  map[string]chan net.Conn
	all      sync.WaitGroup
	open     []net.Conn
	done     chan struct{}
	refused  bool // refuse data connections that nobody waits for
	buffered bool // replies wait for the client to read them, as in the buffers of a network

	reads func(line string) string // decodes a command line; nil: without a change
}

// An answer handles one command.
type answer func(c *control)

// A control is one control connection, at the server's end.
type control struct {
	*server
	conn        net.Conn
	arg         string
	data        chan net.Conn // nil if there is none
	rest        int
	hungUp      bool        // close the connection
	currentType string      // the argument of TYPE, if the script stores it
	from        string      // the argument of RNFR
	outbox      chan string // the replies that the client has not read; nil if the server is not buffered

	lines *bufio.Reader
	tls   *tls.Config // for data connections; nil for none
}

// say answers with text.
func say(text string) answer {
	return func(c *control) { c.reply(text) }
}

// send answers 150, sends data, and then answers after.
func send(data, after string) answer {
	return func(c *control) { c.transfer("150 here it comes\r\n", data, after) }
}

// hangUp closes the control connection.
func hangUp(c *control) { c.hungUp = true }

func serve(t testing.TB) *server {
	s := &server{
		t: t, files: map[string]string{}, listings: map[string]string{}, script: map[string]answer{},
		next: 40000, waiting: map[string]chan net.Conn{}, done: make(chan struct{}),
	}
	t.Cleanup(func() {
		s.mu.Lock()
		for _, conn := range s.open {
			conn.Close()
		}
		s.mu.Unlock()
		close(s.done)
		s.all.Wait()
	})
	return s
}

func (s *server) client() ftp.Client {
	return ftp.Client{Dial: s.Dial, Security: access.NeverTLS, Now: now}
}

// Dial opens the data connection that the server waits for, or else a new control connection.
func (s *server) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dialed = append(s.dialed, address)
	_, port, _ := net.SplitHostPort(address)
	if _, waits := s.waiting[port]; s.refused && !waits && port != "21" {
		return nil, syscall.ECONNREFUSED
	}
	client, end := net.Pipe()
	s.open = append(s.open, end)
	if waiting, ok := s.waiting[port]; ok {
		delete(s.waiting, port)
		waiting <- end
		return client, nil
	}
	c := &control{server: s, conn: end}
	s.all.Go(func() {
		defer end.Close()
		if s.buffered {
			defer c.deliver()()
		}
		c.run()
	})
	return client, nil
}

// allCommands returns all commands received.
func (s *server) allCommands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// sentCommands returns the received commands, without the commands that every URL sends.
func (s *server) sentCommands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sent []string
	for _, c := range s.commands {
		if !slices.Contains([]string{"FEAT", "EPSV", "QUIT"}, c) {
			sent = append(sent, c)
		}
	}
	return sent
}

func (c *control) run() {
	c.handle("greeting", say("220 ready\r\n"))
	c.lines = bufio.NewReader(c.conn)
	for !c.hungUp {
		line, err := c.lines.ReadString('\n')
		if err != nil {
			return
		}
		if !strings.HasSuffix(line, "\r\n") {
			c.t.Errorf("command %q does not end in CR LF", line)
		}
		line = strings.TrimSuffix(line, "\r\n")
		if c.reads != nil {
			line = c.reads(line)
		}
		c.mu.Lock()
		c.commands = append(c.commands, line)
		c.mu.Unlock()
		verb, arg, _ := strings.Cut(line, " ")
		c.arg = arg
		c.handle(line, c.defaultAnswer(verb))
	}
}

// handle answers a command by the script for the command or its verb, or else by usual.
func (c *control) handle(command string, usual answer) {
	verb, _, _ := strings.Cut(command, " ")
	if a, ok := c.script[command]; ok {
		a(c)
	} else if a, ok := c.script[verb]; ok {
		a(c)
	} else {
		usual(c)
	}
}

func (c *control) defaultAnswer(verb string) answer {
	switch verb {
	case "USER":
		return say("331 password please\r\n")
	case "PASS":
		return say("230 welcome\r\n")
	case "CWD":
		return say("250 done\r\n")
	case "TYPE":
		return say("200 done\r\n")
	case "QUIT":
		return func(c *control) { c.reply("221 goodbye\r\n"); c.hungUp = true }
	case "EPSV":
		return func(c *control) { c.reply(fmt.Sprintf("229 Extended Passive Mode (|||%d|)\r\n", c.listenForData())) }
	case "PASV":
		return func(c *control) {
			port := c.listenForData()
			c.reply(fmt.Sprintf("227 Entering Passive Mode (10,9,8,7,%d,%d).\r\n", port>>8, port&255))
		}
	case "SIZE":
		return c.file(func(content string) { c.reply(fmt.Sprintf("213 %d\r\n", len(content))) })
	case "MDTM":
		return c.file(func(string) { c.reply("213 20261121020208\r\n") })
	case "REST":
		return func(c *control) {
			fmt.Sscan(c.arg, &c.rest)
			c.reply("350 go on\r\n")
		}
	case "RETR":
		return c.file(func(content string) {
			content = content[min(c.rest, len(content)):]
			c.rest = 0
			c.transfer("150 here it comes\r\n", content, "226 done\r\n")
		})
	case "NLST", "LIST", "MLSD":
		return c.list(verb)
	case "STOR", "APPE", "STOU", "RNFR", "RNTO", "DELE", "NOOP", "ABOR":
		return c.change(verb)
	}
	return say("502 not here\r\n")
}

func (c *control) file(do func(content string)) answer {
	return func(c *control) {
		c.mu.Lock()
		content, ok := c.files[c.arg]
		c.mu.Unlock()
		if ok {
			do(content)
			return
		}
		c.reply("550 no such file\r\n")
	}
}

func (c *control) list(verb string) answer {
	command := strings.TrimSpace(verb + " " + c.arg)
	if data, ok := c.listings[command]; ok {
		return send(data, "226 done\r\n")
	}
	return say("502 not here\r\n")
}

// change handles commands that change files.
func (c *control) change(verb string) answer {
	switch verb {
	case "NOOP":
		return say("200 here\r\n")
	case "ABOR":
		return say("226 aborted\r\n")
	case "STOR":
		return func(c *control) { c.receive(c.arg, c.content(c.arg)[:min(c.rest, len(c.content(c.arg)))]) }
	case "APPE":
		return func(c *control) { c.receive(c.arg, c.content(c.arg)) }
	case "STOU":
		return func(c *control) { c.receive("unique.1", "") }
	case "DELE":
		return c.file(func(string) { c.set(c.arg, "", false); c.reply("250 gone\r\n") })
	case "RNFR":
		return c.file(func(string) { c.from = c.arg; c.reply("350 to what\r\n") })
	}
	return func(c *control) {
		if c.from == "" {
			c.reply("503 RNFR first\r\n")
			return
		}
		content := c.content(c.from)
		c.set(c.from, "", false)
		c.set(c.arg, content, true)
		c.from = ""
		c.reply("250 renamed\r\n")
	}
}

func (s *server) content(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[name]
}

func (s *server) set(name, content string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.files, name); is {
		s.files[name] = content
	}
}

// appendTo appends to a file, unless it was deleted meanwhile.
func (c *control) appendTo(name, data string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if content, ok := c.files[name]; ok {
		c.files[name] = content + data
	}
}

// receive stores data from the data connection as the file name, after before.
func (c *control) receive(name, before string) {
	c.rest = 0
	conn, ok := c.accept()
	if !ok {
		return
	}
	defer conn.Close()
	c.set(name, before, true)
	c.reply("150 FILE: " + name + "\r\n")
	data, _ := io.ReadAll(c.secure(conn))
	c.appendTo(name, string(data))
	c.reply("226 done\r\n")
}

// accept waits for the data connection.
func (c *control) accept() (net.Conn, bool) {
	select {
	case conn := <-c.data:
		return conn, true
	case <-c.done:
		return nil, false
	}
}

// secure starts TLS on a data connection, if the control connection has it.
func (c *control) secure(conn net.Conn) net.Conn {
	if c.tls == nil {
		return conn
	}
	return tls.Server(conn, c.tls)
}

func (c *control) reply(text string) {
	if text == "" {
		return // closing a pipe over TLS would block
	}
	if c.outbox != nil {
		c.outbox <- text
		return
	}
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.hungUp = true
	}
}

// deliver starts to send the replies in a new outbox. end waits until they are sent.
func (c *control) deliver() (end func()) {
	c.outbox = make(chan string, 100)
	var sent sync.WaitGroup
	sent.Go(func() {
		for text := range c.outbox {
			_, _ = io.WriteString(c.conn, text) // a client that has closed the connection reads no reply
		}
	})
	return func() {
		close(c.outbox)
		sent.Wait()
	}
}

// listenForData waits for a data connection and returns its port.
func (c *control) listenForData() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	c.data = make(chan net.Conn, 1)
	c.waiting[fmt.Sprint(c.next)] = c.data
	return c.next
}

func (c *control) transfer(before, data, after string) {
	conn, ok := c.accept()
	if !ok {
		return
	}
	defer conn.Close()
	c.reply(before)
	conn = c.secure(conn)
	io.WriteString(conn, data)
	conn.Close()
	c.reply(after)
}

// get opens and reads a URL.
func get(t testing.TB, c ftp.Client, rawurl string) (string, error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(rawurl)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}
