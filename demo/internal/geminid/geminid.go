// Package geminid is a small server of Gemini (network protocol 0.24.1). It has pages in gemtext that list directories,
// files, a search that asks for words (status 10), and a page that asks for a password (status 11). It takes uploads by
// Titan into one folder, which it keeps in memory.
//
// Notable divergences:
//   - "TLS": its key is not a secret, because it is the same in each demo. So clients that pin certificates find the
//     same certificate at each start.
//   - "Proxying": the server answers requests for every host, because it does not know its names.
package geminid

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
	"locus/scheme"
	"locus/url"
)

const (
	idle    = time.Minute          // limit for each Read and Write
	maxURL  = 1024                 // bytes of a URL
	maxLine = maxURL + len("\r\n") // bytes of a request
)

// A Server serves files. Change no field while it serves. Several goroutines may call Serve at once.
type Server struct {
	Files fs.FS          // required
	Index *library.Index // of Files, for the search; required
	Links []serve.Link   // on the page of the root
	Log   serve.Log      // called with the URL of each request, without passwords; may be nil

	uploads uploads
}

// Serve answers the one request of a connection. The caller closes c. Serve ignores ctx, because it ends when c is
// closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	conn := tls.Server(serve.WithIdle(c, idle), &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{Certificate()}, SessionTicketsDisabled: true,
	})
	in := bufio.NewReaderSize(conn, maxLine)
	a := &answer{Server: s, out: bufio.NewWriter(conn), here: serve.Host(c.LocalAddr())}
	line, err := serve.Line(in)
	if errors.Is(err, serve.ErrLineTooLong) || len(line) > maxURL {
		a.status(59, "A URL may have "+strconv.Itoa(maxURL)+" bytes")
		err = nil
	} else if err == nil {
		err = a.answer(line, in)
	}
	if err != nil || a.out.Flush() != nil {
		return // without close_notify, so that the client notices the early end
	}
	_ = conn.CloseWrite() // the client has disconnected
}

// An answer is the answer to one request. Its methods stop if out fails, because the client has disconnected.
type answer struct {
	*Server
	out  *bufio.Writer
	here string // the host of links to other servers
	asks scheme.Gemini
}

// Paths with a meaning of their own.
const (
	searchPath = "/search"
	lockedPath = "/locked"
)

// answer writes the answer to a request line. in has the content of an upload. An error means that the answer is
// incomplete.
func (a *answer) answer(line string, in io.Reader) error {
	u, err := url.Parse(line)
	if err != nil || u.Scheme() == "" {
		a.status(59, "This is not a URL")
		return nil //nolint:nilerr // the answer names the error
	}
	if _, ok := u.Fragment(); ok {
		a.status(59, "A request has no fragment")
		return nil
	}
	switch u.Scheme() {
	case "gemini":
	case "titan":
		v, err := scheme.ParseTitan(u)
		if err != nil {
			a.status(59, "This is not a titan URL")
			return nil //nolint:nilerr // the answer names the error
		}
		return a.change(v, in)
	default:
		a.status(53, "This server has only gemini and titan URLs")
		return nil
	}
	if a.asks, err = scheme.ParseGemini(u); err != nil {
		a.status(59, "This is not a gemini URL")
		return nil //nolint:nilerr // the answer names the error
	}
	a.log()
	switch a.path() {
	case searchPath:
		a.search()
		return nil
	case lockedPath:
		a.locked()
		return nil
	}
	if name, ok := uploadName(a.asks.Segments); ok {
		if page, ok := a.uploads.find(name); ok {
			a.uploaded(page)
			return nil
		}
	}
	return a.page()
}

// log logs the URL of the request, with "xxxxx" in place of a password that was typed.
func (a *answer) log() {
	v := a.asks
	if v.Input.Present && a.path() == lockedPath {
		v.Input.Text = "xxxxx"
	}
	a.Log.Line(v.URL().String())
}

// path returns the decoded path of the request, with a leading slash.
func (a *answer) path() string { return "/" + strings.Join(a.asks.Segments, "/") }

// status writes the first line of an answer: the status code, and meta, the text after it.
func (a *answer) status(code int, meta string) { fmt.Fprintf(a.out, "%d %s\r\n", code, meta) }

// gemtext writes the first line of an answer that has a page in gemtext.
func (a *answer) gemtext() { a.status(20, "text/gemini; charset=utf-8; lang=en") }

// link writes a line of gemtext with a link to a URL. Control characters in the title become "?".
func (a *answer) link(to, title string) {
	fmt.Fprintf(a.out, "=> %s %s\n", to, strings.Map(visible, title))
}

// to returns the URL of the file with that name, a path in Files, on this server. The name of a directory ends with
// "/".
func (a *answer) to(name string) url.URL {
	return scheme.Gemini{Host: a.asks.Host, Segments: strings.Split(name, "/")}.URL()
}

// search answers a request for searchPath: it asks for words or, if the URL has words, writes a page with the texts
// that have all of them.
func (a *answer) search() {
	if a.asks.Input.Text == "" { // also after "?", the answer without words
		a.status(10, "Words to look for")
		return
	}
	a.gemtext()
	fmt.Fprint(a.out, "# Texts with your words\n\n")
	found := a.Index.Find(a.asks.Input.Text)
	for _, h := range found {
		a.link(a.to(h.Path).PathAndQuery(), h.Title)
	}
	if len(found) == 0 {
		fmt.Fprint(a.out, "No text has all of these words.\n")
	}
	fmt.Fprintf(a.out, "\n=> %s Search again\n", searchPath)
}

// locked answers a request for lockedPath: it asks for a password or, if the URL has one, writes a page that tells its
// length. Every password is right.
func (a *answer) locked() {
	if a.asks.Input.Text == "" {
		a.status(11, "Any password")
		return
	}
	a.gemtext()
	fmt.Fprintf(a.out, "# A page with a password\n\nYour password has %d bytes, and every password is right.\n\n=> / The library\n", len(a.asks.Input.Text))
}

// page answers with the directory or the file at the path of the request. It redirects the URL of a directory without
// its "/". An error means that the answer is incomplete.
func (a *answer) page() error {
	name, isDir := strings.CutSuffix(strings.Join(a.asks.Segments, "/"), "/")
	if name == "" {
		name, isDir = ".", true
	}
	info, err := fs.Stat(a.Files, name)
	switch {
	case err != nil || slices.ContainsFunc(a.asks.Segments, hasSlash) || isDir && !info.IsDir():
		a.status(51, "There is no such page")
		return nil //nolint:nilerr // the answer names the error
	case info.IsDir() && !isDir:
		a.status(31, a.to(name+"/").String())
		return nil
	case info.IsDir():
		a.directory(name)
		return nil
	}
	return a.file(name)
}

// hasSlash reports whether a segment has a "/", which was "%2F" in the URL.
func hasSlash(segment string) bool { return strings.Contains(segment, "/") }

// directory answers with a page that lists the directory name.
func (a *answer) directory(name string) {
	entries, err := fs.ReadDir(a.Files, name)
	if err != nil {
		a.status(40, "The directory cannot be read")
		return
	}
	a.gemtext()
	title := path.Base(name)
	if name == "." {
		title = "The little library of locus"
	}
	fmt.Fprintf(a.out, "# %s\n\n", strings.Map(visible, title))
	if abstract := library.Abstract(a.Files, path.Join(name, "README.txt")); abstract != nil {
		fmt.Fprintf(a.out, "%s\n\n", strings.Join(abstract, "\n"))
	}
	for _, e := range entries {
		a.entry(path.Join(name, e.Name()), e.IsDir())
	}
	if name == "." {
		a.otherLinks()
	}
}

// entry writes the link to a file or a directory; name is a path in Files.
func (a *answer) entry(name string, isDir bool) {
	if isDir {
		a.link(a.to(name+"/").PathAndQuery(), path.Base(name)+"/")
		return
	}
	a.link(a.to(name).PathAndQuery(), library.Title(a.Files, name))
}

// otherLinks writes the links on the page of the root to the pages that are not files, and to the other servers.
func (a *answer) otherLinks() {
	fmt.Fprint(a.out, "\n## Pages that ask\n\n")
	a.link(searchPath, "Search the texts")
	a.link(lockedPath, "A page with a password")
	if len(a.Links) == 0 {
		return
	}
	fmt.Fprint(a.out, "\n## Other servers\n\n")
	for _, l := range a.Links {
		a.link(l.URL(a.here), l.Title)
	}
}

// file answers with the named file. An error means that the file was not read to its end, so that the answer is
// incomplete.
func (a *answer) file(name string) error {
	f, err := a.Files.Open(name)
	if err != nil {
		a.status(40, "The file cannot be read")
		return nil
	}
	defer f.Close()
	mediaType := library.TypeOf(name)
	if strings.HasPrefix(mediaType, "text/") {
		mediaType += "; charset=utf-8"
	}
	a.status(20, mediaType)
	_, err = io.Copy(a.out, f)
	return err
}

// visible returns c, or "?" if c is a control character, which could end a line.
func visible(c rune) rune {
	if unicode.IsControl(c) {
		return '?'
	}
	return c
}
