package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
)

// maxAttributes is how many octets of attributes one item may have.
const maxAttributes = 256 << 10

// An Attribute is one block of Gopher+ attributes.
type Attribute struct {
	Name  string   // without its "+": "ADMIN", "VIEWS", "ABSTRACT"
	Value string   // what follows on the line of the name; mostly ""
	Lines []string // the lines of the block, without the blank they start with
}

// A View is one of the representations of an item, from its +VIEWS.
type View struct {
	Type     string // media type, as the server writes it
	Language string // such as "De_DE"; "" if it is not told
	Size     int64  // octets, rounded by the server to a tenth of a KiB or worse; -1 if it is not told
}

// Attribute returns the lines of the first attribute of that name, and whether
// there is one. Names are compared as they are, and have no "+".
func (i Item) Attribute(name string) ([]string, bool) {
	for _, a := range i.Attributes {
		if a.Name == name {
			return a.Lines, true
		}
	}
	return nil, false
}

// Views returns the representations in the order of the server, which prefers
// the first.
func (i Item) Views() []View {
	lines, _ := i.Attribute("VIEWS")
	views := make([]View, 0, len(lines))
	for _, l := range lines {
		views = append(views, parseView(l))
	}
	return views
}

// parseView reads "Content-Type[ Language]: [<size>]".
func parseView(line string) View {
	label, size, _ := strings.Cut(line, "<")
	if i := strings.LastIndexByte(label, ':'); i >= 0 {
		label = label[:i]
	}
	media, language, _ := strings.Cut(strings.TrimSpace(label), " ")
	return View{Type: media, Language: strings.TrimSpace(language), Size: parseSize(size)}
}

// parseSize reads ".1k>", "100K>": thousands of octets, roughly.
func parseSize(text string) int64 {
	text = strings.TrimRight(strings.TrimSpace(text), ">")
	digits := strings.TrimRight(text, "kK")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(0 <= n && n < 1<<40) { // NaN is neither
		return -1
	}
	if digits != text {
		n *= 1024
	}
	return int64(n)
}

// ModTime returns the Mod-Date of +ADMIN; zero if there is none. The memo gives
// it no zone: it is read as UTC.
func (i Item) ModTime() time.Time {
	lines, _ := i.Attribute("ADMIN")
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ":")
		if !strings.EqualFold(name, "Mod-Date") {
			continue
		}
		_, date, _ := strings.Cut(value, "<")
		date, _, _ = strings.Cut(date, ">")
		if t, err := time.Parse("20060102150405", date); err == nil {
			return t
		}
	}
	return time.Time{}
}

// hasForm reports whether the item asks questions. Pygopherd says so in the
// attributes alone.
func (i Item) hasForm() bool {
	_, asks := i.Attribute("ASK")
	return asks || i.Plus == "?"
}

// An attributeReader reads the attributes of items, one item after the other.
//
//	+INFO[:] descriptor
//	+NAME:[ value]
//	 line
type attributeReader struct {
	r    *bufio.Reader
	info string // the line that starts the next item; "" if it is not read yet
}

// next returns the next item, and io.EOF after the last one.
func (a *attributeReader) next() (Item, error) {
	if err := a.start(); err != nil {
		return Item{}, err
	}
	item := parseItem(a.info)
	a.info = ""
	item.Attributes = []Attribute{}
	for kept := 0; kept < maxAttributes; {
		line, err := wire.ReadLine(a.r)
		if errors.Is(err, io.EOF) {
			return item, nil
		}
		if err != nil {
			return Item{}, err
		}
		if info, ok := cutInfo(line); ok {
			a.info = info
			return item, nil
		}
		item.add(line)
		kept += len(line) + 1
	}
	return Item{}, fmt.Errorf("attributes of more than %d octets: %w", maxAttributes, access.ErrTooLong)
}

// start reads to the +INFO of the next item.
func (a *attributeReader) start() error {
	for skipped := 0; a.info == ""; {
		line, err := wire.ReadLine(a.r)
		if err != nil {
			return err
		}
		a.info, _ = cutInfo(line)
		if skipped += len(line) + 1; skipped > maxAttributes {
			return fmt.Errorf("no +INFO: %w", access.ErrProtocol)
		}
	}
	return nil
}

// cutInfo returns the descriptor of a line that starts an item.
//
// QUIRK: Minnesota gopherd 2.3.0 leaves out the colon for the root.
func cutInfo(line []byte) (descriptor string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("+INFO"))
	if !ok {
		return "", false
	}
	rest, _ = bytes.CutPrefix(rest, []byte(":"))
	rest, ok = bytes.CutPrefix(rest, []byte(" "))
	return string(rest), ok
}

// add adds a line to the attributes: the start of a block, or a line of the
// last one. Other lines are skipped.
func (i *Item) add(line []byte) {
	switch {
	case len(line) == 0:
	case line[0] == '+':
		name, value, _ := strings.Cut(string(line[1:]), ":")
		i.Attributes = append(i.Attributes, Attribute{
			Name:  strings.TrimRight(name, " "),
			Value: strings.TrimPrefix(value, " "),
		})
	case line[0] == ' ' && len(i.Attributes) > 0:
		last := &i.Attributes[len(i.Attributes)-1]
		last.Lines = append(last.Lines, string(line[1:]))
	}
}
