package gopherd

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/textproto"
	"slices"
	"strings"

	"locus/demo/internal/library"
)

const keeper = "The keeper of the demo <demo@localhost>"

// An answer is the answer to one request.
type answer struct {
	*Server
	request
	out  *bufio.Writer
	here address
}

// answer sends the answer to the request: an item or, for a Gopher+ command, one of its views or
// its attributes. An item that does not exist gets an error. answer ignores errors of out, which
// mean that the client has disconnected.
func (a *answer) answer() {
	it, ok := a.find(a.selector)
	switch {
	case strings.HasPrefix(a.selector, "URL:"):
		a.redirect()
	case !ok:
		a.fail(fmt.Sprintf("%q does not exist", a.selector))
	case a.command == "":
		a.send(it, view{name: it.name})
	case a.command[0] == '+':
		v, ok := pick(a.views(it), a.command[1:])
		switch {
		case !ok:
			a.fail(fmt.Sprintf("there is no view %q", a.command[1:]))
		case v.kind == attributesType:
			a.sendAttributes(it, nil)
		default:
			a.send(it, v)
		}
	case a.command[0] == '!':
		a.text(a.attributes(it, a.filter()))
	case a.command[0] == '$':
		a.sendAttributes(it, a.filter())
	default:
		a.fail("malformed command")
	}
}

// fail sends an error with the text: as a menu or, if the request has a Gopher+ command, as a
// Gopher+ error.
func (a *answer) fail(text string) {
	if a.isPlus() {
		a.header("--1")
		a.dotted(strings.NewReader("1 " + keeper + "\n" + text + "\n"))
		return
	}
	a.dotted(strings.NewReader(item{kind: '3', title: text, address: noAddress}.line() + "\n"))
}

// header writes h and CR LF if the request has a Gopher+ command. Plain Gopher has no headers.
func (a *answer) header(h string) {
	if a.isPlus() {
		a.out.WriteString(h + "\r\n")
	}
}

// text sends the lines of text with CR LF and with leading periods doubled, and a last line ".". A
// Gopher+ header precedes them if the request has a Gopher+ command.
func (a *answer) text(text string) {
	a.header("+-1")
	a.dotted(strings.NewReader(text))
}

// dotted sends the lines of r with CR LF and with leading periods doubled, and a last line "." (RFC
// 1436 §3.9, Lastline). It leaves the last line out if r fails.
func (a *answer) dotted(r io.Reader) {
	defer a.out.Flush()
	text := bufio.NewReader(r)
	if _, err := text.Peek(1); err != nil {
		a.out.WriteString(".\r\n")
		return
	}
	w := textproto.NewWriter(a.out).DotWriter()
	if _, err := io.Copy(w, text); err != nil {
		return // without a last line, so that the client notices the early end
	}
	w.Close()
}

// raw sends the bytes of r unchanged, after a Gopher+ header with their number, size, if the
// request has a Gopher+ command.
func (a *answer) raw(r io.Reader, size int64) {
	a.header(fmt.Sprintf("+%d", size))
	if _, err := io.Copy(a.out, r); err == nil {
		a.out.Flush()
	}
}

// send sends the view v of an item: a menu, the results of a search, the answer to a form, or a
// file.
func (a *answer) send(it item, v view) {
	switch {
	case it.kind == '1':
		a.text(a.menu(it))
	case it.kind == '7' && a.words == "":
		a.fail("give one word or more")
	case it.kind == '7':
		a.text(a.hits(a.words))
	case it.flag == "?" && !a.isPlus():
		a.fail("this is a form: it takes a Gopher+ client to fill it in")
	case it.flag == "?" && !a.data:
		a.fail("this is a form: answer its +ASK first")
	case it.flag == "?":
		a.filled()
	default:
		a.file(it, v)
	}
}

// file sends the file of the view v. It sends a text by lines, and any other file by its bytes.
// Under Gopher+ a text with a line that begins with "." is sent by its bytes too.
func (a *answer) file(it item, v view) {
	f, err := a.Files.Open(v.name)
	if err != nil {
		a.fail("the file cannot be read")
		return
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		a.fail("the file cannot be read")
	case !a.isPlus() && it.kind == '0', strings.HasPrefix(v.kind, "text/") && !hasDot(f):
		a.header("+-1")
		a.dotted(f)
	default:
		a.raw(f, info.Size())
	}
}

// hasDot reports whether a line of f begins with ".". It reads f, and moves it back to its
// beginning. It returns true if f cannot seek.
func hasDot(f fs.File) bool {
	seeker, ok := f.(io.Seeker)
	if !ok {
		return true
	}
	found := false
	r := bufio.NewReader(f)
	for last := byte('\n'); !found; {
		c, err := r.ReadByte()
		if err != nil {
			break
		}
		found = c == '.' && last == '\n'
		last = c
	}
	_, err := seeker.Seek(0, io.SeekStart)
	return err != nil || found
}

// sendAttributes sends the attributes of every item of a directory, or of the results of a search.
// filter names the wanted attributes; all if it is empty.
func (a *answer) sendAttributes(it item, filter []string) {
	var items []item
	switch {
	case it.kind == '1':
		items = a.items(it)
	case it.kind == '7' && a.words != "":
		items = a.found(a.words)
	default:
		a.fail("this is no directory")
		return
	}
	var b strings.Builder
	for _, it := range items {
		b.WriteString(a.attributes(it, filter))
	}
	a.text(b.String())
}

// redirect answers the selector "URL:…" with an HTML page that links to the URL, because old
// clients send such selectors to the server. A URL that leads elsewhere than to one of the demo's
// other servers gets an error.
func (a *answer) redirect() {
	isAsked := func(l item) bool { return l.selector == a.selector }
	if !slices.ContainsFunc(a.links(), isAsked) {
		a.fail(fmt.Sprintf("%q does not exist", a.selector))
		return
	}
	to := html.EscapeString(strings.TrimPrefix(a.selector, "URL:"))
	page := fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\">\n<title>Elsewhere</title>\n<p>Go to <a href=\"%s\">%s</a>.</p>\n</html>\n", to, to)
	a.raw(strings.NewReader(page), int64(len(page)))
}

// hits returns the menu of the texts that have all of the words, or a line that says that there are
// no such texts.
func (a *answer) hits(words string) string {
	found := a.found(words)
	if len(found) == 0 {
		return info("Nothing here has all of these words.").line() + "\n"
	}
	return lines(found)
}

// found returns the items of the texts that have all of the words.
func (a *answer) found(words string) []item {
	var items []item
	for _, h := range a.Index.Find(words) {
		if it, ok := a.find("/" + h.Path); ok {
			items = append(items, it)
		}
	}
	return items
}

// links returns items for a menu that lead to the demo's other servers.
func (a *answer) links() []item {
	var items []item
	for _, l := range a.Links {
		items = append(items, item{kind: 'h', title: l.Title, selector: "URL:" + l.URL(a.here.host), address: a.here})
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
