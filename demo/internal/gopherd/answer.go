package gopherd

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/textproto"
	"strings"

	"locus/demo/library"
)

const keeper = "The keeper of the demo <demo@localhost>"

// An answer is the answer to one request.
type answer struct {
	*Server
	out  *bufio.Writer
	here place
}

// answer sends the answer to a request. It stops if out fails, because the client has
// disconnected.
func (a *answer) answer(req request) {
	it, ok := a.find(req.selector)
	switch {
	case strings.HasPrefix(req.selector, "URL:"):
		a.redirect(req)
	case !ok:
		a.fail(req, fmt.Sprintf("%q does not exist", req.selector))
	case req.command == "":
		a.plain(req, it)
	case req.command[0] == '+':
		a.view(req, it)
	case req.command[0] == '!':
		a.header("+-1")
		a.dotted(strings.NewReader(a.attributes(it, req.filter())))
	case req.command[0] == '$':
		a.all(req, it)
	default:
		a.fail(req, "malformed command")
	}
}

// fail sends an error: as a menu, or with a header if a Gopher+ command was
// given.
func (a *answer) fail(req request, text string) {
	if req.isPlus() {
		a.header("--1")
		a.dotted(strings.NewReader("1 " + keeper + "\n" + text + "\n"))
		return
	}
	a.dotted(strings.NewReader(item{kind: '3', title: text, place: nowhere}.line() + "\n"))
}

func (a *answer) header(h string) {
	a.out.WriteString(h + "\r\n")
}

// dotted sends lines that end in CR LF, with leading periods doubled, and a last line
// "." (RFC 1436 §3.9, Lastline).
func (a *answer) dotted(r io.Reader) {
	defer a.out.Flush()
	text := bufio.NewReader(r)
	if _, err := text.Peek(1); err != nil {
		a.out.WriteString(".\r\n")
		return
	}
	w := textproto.NewWriter(a.out).DotWriter()
	if _, err := io.Copy(w, text); err != nil {
		return // without the last line the client sees that it broke off
	}
	w.Close()
}

// raw sends the bytes unchanged.
func (a *answer) raw(r io.Reader) {
	if _, err := io.Copy(a.out, r); err == nil {
		a.out.Flush()
	}
}

// plain answers as RFC 1436 does.
func (a *answer) plain(req request, it item) {
	switch {
	case it.kind == '1':
		a.dotted(strings.NewReader(a.menu(it)))
	case it.kind == '7' && req.words == "":
		a.fail(req, "give one word or more")
	case it.kind == '7':
		a.dotted(strings.NewReader(a.hits(req.words)))
	case it.flag == "?":
		a.fail(req, "this is a form: it takes a Gopher+ client to fill it in")
	default:
		a.file(req, it.name, func(f fs.File, _ int64) {
			if it.kind == '0' {
				a.dotted(f)
				return
			}
			a.raw(f)
		})
	}
}

// view answers "+" and "+view language".
func (a *answer) view(req request, it item) {
	v, ok := pick(a.views(it), req.command[1:])
	switch {
	case !ok:
		a.fail(req, fmt.Sprintf("there is no view %q", req.command[1:]))
	case v.kind == attributesType:
		a.all(req, it)
	case it.kind == '1':
		a.header("+-1")
		a.dotted(strings.NewReader(a.menu(it)))
	case it.kind == '7' && req.words == "":
		a.fail(req, "give one word or more")
	case it.kind == '7':
		a.header("+-1")
		a.dotted(strings.NewReader(a.hits(req.words)))
	case it.flag == "?" && !req.data:
		a.fail(req, "this is a form: answer its +ASK first")
	case it.flag == "?":
		a.filled(req)
	default:
		a.file(req, v.name, func(f fs.File, size int64) { a.framed(f, size, v.kind) })
	}
}

// framed sends a file after a header: a text by lines; anything else, and a text with a
// line that begins with ".", by length.
func (a *answer) framed(f fs.File, size int64, kind string) {
	if strings.HasPrefix(kind, "text/") && !hasDot(f) {
		a.header("+-1")
		a.dotted(f)
		return
	}
	a.header(fmt.Sprintf("+%d", size))
	a.raw(f)
}

// hasDot reports whether a line of f begins with ".". It leaves f at its
// beginning; a file that cannot seek is taken to have such a line.
func hasDot(f fs.File) bool {
	seeker, ok := f.(io.Seeker)
	if !ok {
		return true
	}
	found := false
	r := bufio.NewReader(f)
	for last := byte('\n'); ; {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		if c == '.' && last == '\n' {
			found = true
			break
		}
		last = c
	}
	_, err := seeker.Seek(0, io.SeekStart)
	return err != nil || found
}

// all sends the attributes of every item of a directory or of a search.
func (a *answer) all(req request, it item) {
	var items []item
	switch {
	case it.kind == '1':
		items = a.items(it)
	case it.kind == '7' && req.words != "":
		items = a.found(req.words)
	default:
		a.fail(req, "this is no directory")
		return
	}
	var b strings.Builder
	filter := []string{}
	if req.command[0] == '$' {
		filter = req.filter()
	}
	for _, it := range items {
		b.WriteString(a.attributes(it, filter))
	}
	a.header("+-1")
	a.dotted(strings.NewReader(b.String()))
}

func (a *answer) file(req request, name string, send func(f fs.File, size int64)) {
	f, err := a.Files.Open(name)
	if err != nil {
		a.fail(req, "the file cannot be read")
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		a.fail(req, "the file cannot be read")
		return
	}
	send(f, info.Size())
}

// redirect answers the selector "URL:…" with a page that links to the URL, for clients
// that do not know such selectors.
func (a *answer) redirect(req request) {
	for _, l := range a.links() {
		if l.selector != req.selector {
			continue
		}
		to := html.EscapeString(strings.TrimPrefix(l.selector, "URL:"))
		page := fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\">\n<title>Elsewhere</title>\n<p>Go to <a href=\"%s\">%s</a>.</p>\n</html>\n", to, to)
		if req.isPlus() {
			a.header(fmt.Sprintf("+%d", len(page)))
		}
		a.raw(strings.NewReader(page))
		return
	}
	a.fail(req, fmt.Sprintf("%q does not exist", req.selector))
}

// hits returns the menu of search results.
func (a *answer) hits(words string) string {
	found := a.found(words)
	if len(found) == 0 {
		return info("Nothing here has all of these words.").line() + "\n"
	}
	return lines(found)
}

func (a *answer) found(words string) []item {
	var items []item
	for _, h := range a.Index.Find(words) {
		if it, ok := a.find("/" + h.Path); ok {
			items = append(items, it)
		}
	}
	return items
}

func (a *answer) links() []item {
	var items []item
	for _, l := range a.Links {
		items = append(items, item{kind: 'h', title: l.Title, selector: "URL:" + l.URL(a.here.host), place: a.here})
	}
	return items
}

// kindOf returns the item type of a file (RFC 1436 §3.8).
func kindOf(name string) byte {
	switch kind := library.TypeOf(name); {
	case kind == "text/plain":
		return '0'
	case kind == "text/html":
		return 'h'
	case kind == "image/gif":
		return 'g'
	case strings.HasPrefix(kind, "image/"):
		return 'I'
	}
	return '9'
}
