package gopherd

import (
	"io/fs"
	"path"
	"strings"

	"locus/demo/internal/library"
)

const (
	searchSelector = "/search"
	formSelector   = "/guestbook"
)

// noAddress is the host and port of lines without a target.
var noAddress = address{"error.host", "1"}

// An item is a line of a menu (RFC 1436 §3.9), and its target.
type item struct {
	kind     byte
	title    string
	selector string
	address  address
	flag     string // "+": supports Gopher+; "?": a form; "": neither
	name     string // path in Files of a file or directory
}

// line returns the item's line, without its end:
//
//	T title TAB selector TAB host TAB port TAB flag
func (it item) line() string {
	fields := []string{string(it.kind) + it.title, it.selector, it.address.host, it.address.port}
	if it.flag != "" {
		fields = append(fields, it.flag)
	}
	return strings.Join(fields, "\t")
}

// info returns a line of text for a menu, which has no target.
func info(text string) item { return item{kind: 'i', title: text, address: noAddress} }

// lines returns the menu of items as text, one line for each.
func lines(items []item) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString(it.line())
		b.WriteByte('\n')
	}
	return b.String()
}

// find returns the item with a selector: the search, the form, a directory or a file. ok is false
// if there is no such item.
func (a *answer) find(selector string) (item, bool) {
	switch selector {
	case searchSelector:
		return item{kind: '7', title: "Search the texts", selector: selector, address: a.here, flag: "+"}, true
	case formSelector:
		return item{kind: '0', title: "The guest book (a form)", selector: selector, address: a.here, flag: "?"}, true
	case "", "/":
		return item{kind: '1', title: "The little library of locus", address: a.here, flag: "+", name: "."}, true
	}
	name, rooted := strings.CutPrefix(selector, "/")
	if !rooted {
		return item{}, false
	}
	directory := strings.HasSuffix(name, "/")
	name = strings.TrimSuffix(name, "/")
	st, err := fs.Stat(a.Files, name)
	if err != nil || directory && !st.IsDir() {
		return item{}, false
	}
	it := item{selector: "/" + name, address: a.here, flag: "+", name: name}
	if st.IsDir() {
		it.kind, it.title = '1', path.Base(name)
		return it, true
	}
	it.kind, it.title = kindOf(name), library.Title(a.Files, name)
	return it, true
}

// items returns the items in a directory; nil if it cannot be read. The root also has the search,
// the form and the links. Translations of a text are its views and not items.
func (a *answer) items(dir item) []item {
	entries, err := fs.ReadDir(a.Files, dir.name)
	if err != nil {
		return nil
	}
	var items []item
	for _, e := range entries {
		if library.IsVersion(e.Name()) {
			continue
		}
		if it, ok := a.find("/" + path.Join(dir.name, e.Name())); ok {
			items = append(items, it)
		}
	}
	if dir.name != "." {
		return items
	}
	for _, selector := range []string{searchSelector, formSelector} {
		it, _ := a.find(selector)
		items = append(items, it)
	}
	return append(items, a.links()...)
}

// menu returns the menu of a directory as text: lines about the directory, and then its items.
func (a *answer) menu(dir item) string {
	head := []item{info(dir.title)}
	for _, line := range library.Abstract(a.Files, path.Join(dir.name, "README.txt")) {
		head = append(head, info(line))
	}
	return lines(append(head, a.items(dir)...))
}
