// Package fingerd is a small Finger server (RFC 1288) that tells about the texts of a library. Each text is a user,
// named for its file, so "gopher" is the user of texts/gopher.txt.
//
// Notable divergences:
//   - RFC 1288 §2.5.1: the server refuses to forward queries.
package fingerd

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"
	"unicode"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

const (
	idle    = time.Minute // limit for each Read and Write
	maxLine = 1 << 10     // limit for the bytes of a query
)

// A Server answers queries about the texts of a file system. Change no field while it serves. Several goroutines may
// call Serve at once.
type Server struct {
	Files fs.FS     // required
	Log   serve.Log // called with each query; may be nil
}

// Serve answers one query. The caller closes c. Serve ignores ctx, because it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	query, err := serve.Line(bufio.NewReaderSize(c, maxLine))
	if err != nil {
		return
	}
	s.Log.Line(fmt.Sprintf("%q", query))
	w := bufio.NewWriter(c)
	s.answer(w, query)
	_ = w.Flush() // the client has disconnected
}

// answer writes the answer to a query: the list of users, or the description of the user that it names. "/W" before the
// name asks for more.
func (s *Server) answer(w *bufio.Writer, query string) {
	verbose := false
	if len(query) >= 2 && strings.EqualFold(query[:2], "/W") {
		verbose, query = true, query[2:]
	}
	user := strings.TrimSpace(query)
	switch {
	case strings.Contains(user, "@"):
		fmt.Fprint(w, "This server does not forward queries.\r\n")
	case user == "":
		s.list(w)
	default:
		s.describe(w, user, verbose)
	}
}

// list writes the login and the name of each user, one per line.
func (s *Server) list(w *bufio.Writer) {
	names, _ := fs.Glob(s.Files, "texts/*.txt") // the pattern is valid
	fmt.Fprintf(w, "%-14s%s\r\n", "Login", "Name")
	for _, name := range names {
		if !library.IsVersion(name) {
			fmt.Fprintf(w, "%-14s%s\r\n", strings.TrimSuffix(path.Base(name), ".txt"), library.Title(s.Files, name))
		}
	}
}

// describe writes the answer about user, a login, or that the user does not exist. Each text of the
// library is a user: its login is the file name without ".txt", its name is the title of the text, and
// its plan, which describe writes only if verbose is true, is the first paragraph.
func (s *Server) describe(w *bufio.Writer, user string, verbose bool) {
	name := "texts/" + user + ".txt"
	info, err := fs.Stat(s.Files, name)
	if err != nil || strings.Contains(user, "/") {
		fmt.Fprintf(w, "finger: %s: no such user.\r\n", strings.Map(visible, user))
		return
	}
	fmt.Fprintf(w, "Login: %-14s Name: %s\r\n", user, library.Title(s.Files, name))
	fmt.Fprintf(w, "Last changed %s, %d bytes\r\n", info.ModTime().Format(time.DateOnly), info.Size())
	if !verbose {
		fmt.Fprint(w, "No Plan.\r\n")
		return
	}
	fmt.Fprint(w, "Plan:\r\n")
	for _, line := range library.Abstract(s.Files, name) {
		fmt.Fprintf(w, "%s\r\n", line)
	}
}

// visible returns c, or '?' if c is a control character.
func visible(c rune) rune {
	if unicode.IsControl(c) {
		return '?'
	}
	return c
}
