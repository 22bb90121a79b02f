// Package telnetd is a small Telnet server (RFC 854): a login that lets everyone
// in, and behind it a full-screen program to read a library with.
//
// Notable divergences:
//   - RFC 854, RFC 1143: it asks for ECHO and SUPPRESS-GO-AHEAD of its own and for
//     NAWS (RFC 1073) of the client, and hears of no other option; what a client
//     asks for is refused once. Commands are read, and nothing is done.
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

// Connections is the most connections that a server should be given at once.
const Connections = 64

// A Server shows the texts of a file system. Its fields are not changed while it
// serves; Serve may be called at once for many connections.
type Server struct {
	Files fs.FS             // required
	Log   func(line string) // called with each name that logs in, and each text that is read; nil: none
	Idle  time.Duration     // how long a client may be silent, or not take data; 0: 10 minutes
}

// Serve serves a connection until the client leaves. It leaves c to be closed by
// its caller. The context is not used: its end is the connection's.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	idle := s.Idle
	if idle == 0 {
		idle = 10 * time.Minute
	}
	c = serve.Patient(c, idle)
	v := &visit{Server: s, line: newLine(c), out: bufio.NewWriter(c)}
	v.line.ask()
	_ = v.stay("") // the client has gone, or has left
}

// A visit is one connection.
type visit struct {
	*Server
	line *line
	out  *bufio.Writer
}

// stay is everything that happens, with a client that has said its name, or ""
// if it has not.
func (v *visit) stay(name string) error {
	fmt.Fprint(v.out, "The little library of locus. Everyone may come in.\r\n\r\n")
	var err error
	if name == "" {
		name, err = v.prompt("login: ", true)
	}
	if err != nil {
		return err
	}
	if _, err := v.prompt("password: ", false); err != nil {
		return err
	}
	v.log("login " + name)
	texts, err := titles(v.Files)
	if err != nil {
		return err
	}
	fmt.Fprint(v.out, "\x1b[?1049h")
	err = v.browse(texts)
	fmt.Fprintf(v.out, "\x1b[?1049lGood bye, %s.\r\n", plain(name))
	if failed := v.out.Flush(); err == nil {
		err = failed
	}
	return err
}

func (v *visit) log(line string) {
	if v.Log != nil {
		v.Log(plain(line))
	}
}

// maxName is how long a name or a password may be.
const maxName = 64

// prompt asks for a line, and shows what is typed if it may be seen.
func (v *visit) prompt(text string, seen bool) (string, error) {
	fmt.Fprint(v.out, text)
	var typed []byte
	for {
		if err := v.out.Flush(); err != nil {
			return "", err
		}
		key, err := v.line.key()
		switch {
		case err != nil:
			return "", err
		case key == enter:
			fmt.Fprint(v.out, "\r\n")
			return string(typed), nil
		case (key == '\b' || key == 0x7F) && len(typed) > 0:
			typed = typed[:len(typed)-1]
			if seen {
				fmt.Fprint(v.out, "\b \b")
			}
		case key >= ' ' && key < 0x7F && len(typed) < maxName:
			typed = append(typed, byte(key)) //nolint:gosec // it is ASCII
			if seen {
				fmt.Fprint(v.out, string(rune(key)))
			}
		}
	}
}

// titles returns the paths of all texts, in order.
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

// plain returns text with nothing in it that steers a terminal.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 {
			return '.'
		}
		return r
	}, text)
}
