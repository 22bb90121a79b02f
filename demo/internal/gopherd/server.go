// Package gopherd is a small Gopher server (RFC 1436) with Gopher+ (the memo of the University
// of Minnesota, July 1993): attributes, views and forms.
//
// Notable divergences:
//   - A selector is "/" and a path of the file system, without the type of the item.
//   - A Gopher+ command may follow an empty search field on any item, as in RFC 1738 §3.4.3,
//     and not only on searches.
//   - A text with a line that begins with "." is sent by length under Gopher+, because clients
//     disagree about doubled dots there.
//   - A filter of attributes may have blanks, as in RFC 1738 §3.4.7.
package gopherd

import (
	"bufio"
	"context"
	"io/fs"
	"net"
	"strings"
	"time"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

const idle = time.Minute // limit for each Read and Write

const longestLine = 2048 // bytes of a request, with its line end

// A Server serves the files of a file system. Change no field while it serves. Several
// goroutines may call Serve at once.
type Server struct {
	Files fs.FS          // required
	Index *library.Index // of Files, for the search; required
	Links []serve.Link   // at the end of the root's menu
	Log   serve.Log      // called with each request line; may be nil
}

// Serve answers the one request of a connection. The caller closes c. Serve ignores ctx,
// because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	in := bufio.NewReaderSize(c, longestLine)
	line, err := serve.Line(in)
	if err != nil {
		return
	}
	s.Log.Line(line)
	a := &answer{Server: s, request: parseRequest(line), out: bufio.NewWriter(c), here: hereOf(c.LocalAddr())}
	if a.data {
		if a.block, err = readBlock(in); err != nil {
			a.fail(err.Error())
			return
		}
	}
	a.answer()
}

// An address is the host and port of menu lines.
type address struct{ host, port string }

// hereOf returns the host and the port of a, the address of this server, for menu lines.
func hereOf(a net.Addr) address {
	host, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return address{"localhost", "70"}
	}
	return address{host, port}
}

// A request is a request line, and the block of data after it:
//
//	selector TAB words TAB command TAB data-flag
//	         |words of a search only|  "1": a block of data follows
type request struct {
	selector string
	words    string
	command  string // "" is plain Gopher; a well-formed command begins with +, ! or $
	data     bool
	block    []byte
}

// parseRequest parses a request line, in which all fields but the selector may be missing. It does
// not read the block of data:
//
//	selector TAB words TAB command TAB data-flag
func parseRequest(line string) request {
	fields := strings.Split(line, "\t")
	req := request{selector: fields[0]}
	rest := fields[1:]
	switch {
	case len(rest) == 0:
		return req
	case rest[0] == "" && len(rest) > 1: // an empty search before a command
		rest = rest[1:]
	case req.selector == searchSelector && rest[0] != "+" && rest[0] != "!" && rest[0] != "$":
		req.words, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		req.command = rest[0]
	}
	req.data = len(rest) > 1 && rest[1] == "1" && strings.HasPrefix(req.command, "+")
	return req
}

// isPlus reports whether the request has a valid Gopher+ command, so that the answer begins with a
// Gopher+ header.
func (r request) isPlus() bool {
	return r.command != "" && strings.IndexByte("+!$", r.command[0]) >= 0
}

// filter returns the names of the requested attributes, as in "!+ABSTRACT+VIEWS". An empty result
// means all attributes. r must have a command.
func (r request) filter() []string {
	return strings.FieldsFunc(r.command[1:], func(c rune) bool { return c == '+' || c == ' ' })
}
