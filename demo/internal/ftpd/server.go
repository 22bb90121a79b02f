// Package ftpd is a small read-only FTP server (RFC 959, RFC 1123 §4.1, RFC 2389, RFC 2428, RFC
// 3659).
//
// The FTP servers for Go (ftpserverlib, goftp) are not used, because they open the ports of
// data connections at every address of the machine, and end a transfer when a stranger connects
// to such a port.
//
// Notable divergences:
//   - The server is read-only: it answers STOR and similar commands with 550.
//   - Active mode is not supported: PORT and EPRT are answered with 502, so clients must use
//     PASV or EPSV.
//   - CWD with an empty argument, which RFC 1738 §3.2.2 sends for "//", changes to the
//     directory in which the login began.
//   - Patterns such as * are ordinary names.
package ftpd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const idle = 2 * time.Minute // limit for each Read and Write

// A Server serves the files of a file system. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Files  fs.FS                                               // required
	Listen func(network, address string) (net.Listener, error) // for data connections; required
	Log    serve.Log                                           // called with each command, and PASS without the password; may be nil
	Now    func() time.Time                                    // time for the dates of LIST; nil means time.Now
}

// users returns the accounts besides "anonymous" and "ftp", which have the root as home and
// accept any password.
func users() map[string]struct{ password, home string } {
	return map[string]struct{ password, home string }{
		"demo": {"demo", "home/demo"},
	}
}

// Serve serves the control connection c until the client quits, is idle too long, or
// ctx is done. The caller closes c.
func (s *Server) Serve(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := &conn{
		Server:   s,
		ctx:      ctx,
		ctrl:     c,
		lines:    make(chan input),
		dir:      ".",
		settings: settings{ascii: true, facts: allFacts},
	}
	go n.readLines()
	defer n.closePassive()
	n.run()
}

// now returns the time of s.Now, or the present time if s.Now is nil.
func (s *Server) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

const (
	longestLine = 2048 // bytes of a command, with its line end
	mostHeld    = 8    // commands that may wait for the end of a transfer
	mostTries   = 3    // wrong passwords before the connection is closed
)

// A conn is one control connection.
type conn struct {
	*Server
	ctx   context.Context
	ctrl  net.Conn
	lines chan input // from readLines; closed at the end
	held  []string   // commands received during a transfer

	account
	settings
	dir     string // a path of Files
	passive net.Listener
	quit    bool
}

// An account is the state of the login.
type account struct {
	user     string // given with USER
	loggedIn bool
	tries    int
	home     string // a path of Files
}

// settings are the client's choices for transfers and listings.
type settings struct {
	ascii    bool  // TYPE A
	rest     int64 // for the next transfer
	facts    []string
	epsvOnly bool // EPSV ALL was given
}

type input struct {
	line string
	err  error
}

// readLines sends every line of the control connection to c.lines, and finally the error of the
// connection. Then it closes c.lines. It also returns when c.ctx is done.
func (c *conn) readLines() {
	defer close(c.lines)
	r := bufio.NewReaderSize(c.ctrl, longestLine)
	for {
		line, err := serve.Line(r)
		select {
		case c.lines <- input{dropTelnet(line), err}:
		case <-c.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// dropTelnet removes Telnet commands from a line, because clients send IAC IP IAC DM before
// ABOR (RFC 959 §4.1.3). A doubled IAC is a byte 255.
func dropTelnet(line string) string {
	const iac, will, dont = 255, 251, 254
	if strings.IndexByte(line, iac) < 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] != iac:
			b.WriteByte(line[i])
		case i+1 < len(line) && line[i+1] == iac:
			b.WriteByte(iac)
			i++
		case i+1 < len(line) && line[i+1] >= will && line[i+1] <= dont:
			i += 2
		default:
			i++
		}
	}
	return b.String()
}

// run greets the client and executes its commands until it quits or the connection fails.
func (c *conn) run() {
	c.reply(220, "The locus demo: a little library, to be read only.")
	for !c.quit {
		line, err := c.nextCommand()
		if err != nil {
			c.leave(err)
			return
		}
		c.do(line)
	}
}

// nextCommand waits for the next command line and returns it. Commands that arrived during a
// transfer come first. It returns an error if no command arrives within idle, if c.ctx is done, or if
// the connection fails.
func (c *conn) nextCommand() (string, error) {
	if len(c.held) > 0 {
		line := c.held[0]
		c.held = c.held[1:]
		return line, nil
	}
	if err := c.ctrl.SetReadDeadline(time.Now().Add(idle)); err != nil {
		return "", err
	}
	select {
	case in, ok := <-c.lines:
		if !ok {
			return "", net.ErrClosed
		}
		return in.line, in.err
	case <-c.ctx.Done():
		return "", c.ctx.Err()
	}
}

// leave sends the last reply, if err, the error of nextCommand, calls for one: after a line that is
// too long, and after a long silence.
func (c *conn) leave(err error) {
	switch {
	case errors.Is(err, serve.ErrLineTooLong):
		c.reply(500, "The line is too long. Goodbye.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.reply(421, "You have been silent for too long. Goodbye.")
	}
}

// do executes a command line and sends the reply. It refuses unknown commands, and most commands
// before the login. After any command but REST it forgets the offset of REST. It logs the line
// without passwords.
func (c *conn) do(line string) {
	verb, arg, _ := strings.Cut(line, " ")
	verb = strings.ToUpper(verb)
	c.Log.Line(redact(line))
	if strings.ContainsAny(line, "\x00\r") {
		c.reply(501, "A command may not hold NUL or CR.")
		return
	}
	cmd := lookup(verb)
	switch {
	case cmd.do == nil:
		c.reply(500, "What is that? Try HELP.")
	case !cmd.open && !c.loggedIn:
		c.reply(530, "Log in first, with USER and PASS.")
	case cmd.argument && arg == "":
		c.reply(501, verb+" needs an argument.")
	default:
		cmd.do(c, arg)
	}
	if verb != "REST" {
		c.rest = 0
	}
}

// redact returns line with its argument replaced by "xxxxx" if the verb is PASS or ACCT.
func redact(line string) string {
	trimmed := strings.TrimLeft(line, " \t")
	for _, verb := range []string{"PASS", "ACCT"} {
		if len(trimmed) >= len(verb) && strings.EqualFold(trimmed[:len(verb)], verb) {
			return verb + " xxxxx"
		}
	}
	return line
}

// reply sends a reply with the code and one line or more (RFC 959 §4.2). If the connection fails,
// it sets c.quit.
func (c *conn) reply(code int, lines ...string) {
	var b strings.Builder
	last := len(lines) - 1
	for i, line := range lines {
		switch {
		case i == last:
			fmt.Fprintf(&b, "%d %s\r\n", code, line)
		case i == 0:
			fmt.Fprintf(&b, "%d-%s\r\n", code, line)
		default:
			fmt.Fprintf(&b, " %s\r\n", line)
		}
	}
	if err := c.ctrl.SetWriteDeadline(time.Now().Add(idle)); err != nil {
		c.quit = true
		return
	}
	if _, err := c.ctrl.Write([]byte(b.String())); err != nil {
		c.quit = true
	}
}

// resolve returns the path in Files of a file that the client calls name. A name without a leading
// slash is below the working directory.
func (c *conn) resolve(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = c.dir + "/" + name
	}
	return cmp.Or(path.Join("/", name)[1:], ".")
}

// absolute returns the client's name for a path in Files.
func absolute(name string) string {
	return path.Join("/", name)
}
