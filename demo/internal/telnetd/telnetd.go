// Package telnetd is a small Telnet server (RFC 854): a login that accepts everyone, and a
// full-screen program to read a library.
//
// Notable divergences:
//   - RFC 854, RFC 1143: it requests ECHO and SUPPRESS-GO-AHEAD for itself and NAWS (RFC 1073)
//     for the client, and refuses every other option. It ignores Telnet commands.
package telnetd

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const idle = 10 * time.Minute // limit for each Read and Write

// A Server shows the texts of a file system. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Files fs.FS     // required
	Log   serve.Log // called with each name that logs in, and each text that a user reads; may be nil
}

// Serve serves a connection until the client leaves. The caller closes c. Serve ignores ctx,
// because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	l := newLine()
	v := &conn{Server: s, line: l, out: bufio.NewWriter(l.startTelnet(c))}
	_ = v.run("") // the client has disconnected
}

// ServeRlogin serves a connection by rlogin (RFC 1282) until the client leaves. It does not
// request the window size. The caller closes c. ServeRlogin ignores ctx, because it ends when c
// is closed.
func (s *Server) ServeRlogin(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	name, err := startup(c)
	if err != nil {
		return
	}
	l := newLine()
	l.in = bufio.NewReader(c)
	v := &conn{Server: s, line: l, out: bufio.NewWriter(c)}
	_ = v.out.WriteByte(0) // the login is accepted
	_ = v.run(name)        // the client has disconnected
}

// startup reads the start of a connection, and returns the user name at this server:
//
//	NUL its-own-name NUL name NUL terminal/speed NUL
func startup(c net.Conn) (name string, err error) {
	var fields [4]string
	var b [1]byte
	for i := 0; i < len(fields); {
		if _, err := c.Read(b[:]); err != nil {
			return "", err
		}
		switch {
		case b[0] == 0:
			i++
		case len(fields[i]) < maxName:
			fields[i] += string(b[:])
		}
	}
	return fields[2], nil
}

// A conn is one connection.
type conn struct {
	*Server
	line *line
	out  *bufio.Writer
}

// run greets the client, asks for the name unless name is given, and for a password, which may be
// any text. Then it lets the user browse the texts. It returns when the user leaves, or with an
// error of the connection.
func (c *conn) run(name string) error {
	fmt.Fprint(c.out, "The little library of locus. Everyone may come in.\r\n\r\n")
	var err error
	if name == "" {
		name, err = c.prompt("login: ", true)
	}
	if err != nil {
		return err
	}
	if _, err := c.prompt("password: ", false); err != nil {
		return err
	}
	c.Log.Line(plain("login " + name))
	texts, err := titles(c.Files)
	if err != nil {
		return err
	}
	fmt.Fprint(c.out, "\x1b[?1049h")
	err = c.browse(texts)
	fmt.Fprintf(c.out, "\x1b[?1049lGood bye, %s.\r\n", plain(name))
	if failed := c.out.Flush(); err == nil {
		err = failed
	}
	return err
}

// maxName is the maximum length of a name or a password.
const maxName = 64

// prompt writes text, waits for a line and returns it without its end. It echoes the line if seen
// is true.
func (c *conn) prompt(text string, seen bool) (string, error) {
	fmt.Fprint(c.out, text)
	var typed []byte
	for {
		if err := c.out.Flush(); err != nil {
			return "", err
		}
		key, err := c.line.key()
		switch {
		case err != nil:
			return "", err
		case key == enter:
			fmt.Fprint(c.out, "\r\n")
			return string(typed), nil
		case (key == '\b' || key == 0x7F) && len(typed) > 0:
			typed = typed[:len(typed)-1]
			if seen {
				fmt.Fprint(c.out, "\b \b")
			}
		case key >= ' ' && key < 0x7F && len(typed) < maxName:
			typed = append(typed, byte(key)) //nolint:gosec // it is ASCII
			if seen {
				fmt.Fprint(c.out, string(rune(key)))
			}
		}
	}
}

// titles returns the paths of all files whose names end in ".txt", sorted.
func titles(files fs.FS) ([]string, error) {
	var all []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".txt") {
			all = append(all, name)
		}
		return err
	})
	return all, err
}

// plain returns text with its control characters replaced by periods.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 {
			return '.'
		}
		return r
	}, text)
}
