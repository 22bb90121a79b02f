package gopher

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// maxAttributes limits the bytes of an item's attributes.
const maxAttributes = 256 << 10

// An Attribute is one block of Gopher+ attributes.
type Attribute struct {
	Name  string   // without its "+": "ADMIN", "VIEWS", "ABSTRACT"
	Value string   // the text after the name on its line; usually ""
	Lines []string // the lines of the block, each without the blank at its start
}

// A View is one representation of an item. The item lists its views in +VIEWS.
type View struct {
	Type     string // the media type, unchanged
	Language string // such as "De_DE"; "" if the server gives none
	Size     int64  // in bytes, rounded by the server to 0.1 KiB or more; -1 if the server gives none
}

// Attribute returns the lines of the first attribute with that name, which has no "+". Case
// matters. ok is false if the item has no such attribute; lines may be empty if ok is true.
func (i Item) Attribute(name string) (lines []string, ok bool) {
	for _, a := range i.Attributes {
		if a.Name == name {
			return a.Lines, true
		}
	}
	return nil, false
}

// Views returns the representations of the item in the server's order, the best first. It is
// empty for an item without +VIEWS.
func (i Item) Views() []View {
	lines, _ := i.Attribute("VIEWS")
	views := make([]View, 0, len(lines))
	for _, l := range lines {
		views = append(views, parseView(l))
	}
	return views
}

// parseView parses a line of +VIEWS: "Content-Type[ Language]: [<size>]". Missing parts are "",
// and a missing size is -1.
func parseView(line string) View {
	label, size, _ := strings.Cut(line, "<")
	if i := strings.LastIndexByte(label, ':'); i >= 0 {
		label = label[:i]
	}
	media, language, _ := strings.Cut(strings.TrimSpace(label), " ")
	return View{Type: media, Language: strings.TrimSpace(language), Size: parseSize(size)}
}

// parseSize parses a size such as ".1k>" or "100K>", and returns it in bytes. It returns -1 if
// text is invalid.
func parseSize(text string) int64 {
	text = strings.TrimRight(strings.TrimSpace(text), ">")
	digits := strings.TrimRight(text, "kK")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(0 <= n && n < 1<<40) { // also false for NaN
		return -1
	}
	if digits != text {
		n *= 1024
	}
	return int64(n)
}

// ModTime returns the Mod-Date in +ADMIN, or the zero time if it is missing or invalid. It reads
// the date as UTC because the memo has no time zone.
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

// hasForm reports whether the item has a form, according to its descriptor or to its attributes.
// Pygopherd writes no "?" into the descriptor.
func (i Item) hasForm() bool {
	_, hasAsk := i.Attribute("ASK")
	return hasAsk || i.Plus == "?"
}

// An attributeReader reads items and their attributes, one item at a time.
//
//	+INFO[:] descriptor
//	+NAME:[ value]
//	 line
type attributeReader struct {
	r    *bufio.Reader
	info string // the descriptor of the next item; "" if its +INFO line was not read yet
}

// next returns the next item. The error is io.EOF after the last item.
func (a *attributeReader) next() (Item, error) {
	if err := a.start(); err != nil {
		return Item{}, err
	}
	item := parseItem(a.info)
	a.info = ""
	item.Attributes = []Attribute{}
	for size := 0; size < maxAttributes; {
		line, err := wire.ReadLine(a.r)
		if access.IsEnd(err) {
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
		size += len(line) + 1
	}
	return Item{}, fmt.Errorf("attributes of more than %d bytes: %w", maxAttributes, access.ErrTooLong)
}

// start reads lines up to the next +INFO line, and stores the descriptor of that line in info.
// It reads no lines if info is set already. The error is io.EOF if no item follows.
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

// cutInfo returns the descriptor on line if line is a +INFO line. ok is false for other lines.
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

// add adds a line of the server's reply to the attributes of the item: a line with "+" starts an
// attribute, and a line with a blank continues the last attribute. Other lines are skipped.
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

// fields returns the attributes of the item as header fields: a field with a URL for each view,
// and then a field for each other attribute that has a text.
func (i *Item) fields() access.Header {
	var fields access.Header
	for _, v := range i.Views() {
		fields = append(fields, access.Field{Name: "View", Value: v.String(), URL: i.viewURL(v)})
	}
	for _, a := range i.Attributes {
		if a.Name == "VIEWS" {
			continue
		}
		value := strings.TrimSpace(a.Value + "\n" + strings.Join(a.Lines, "\n"))
		if value != "" {
			fields = append(fields, access.Field{Name: a.Name, Value: value})
		}
	}
	return fields
}

// String returns the type, the language and the size in KiB, such as "text/plain En_US 12k". It
// omits what the server did not send.
func (v View) String() string {
	text := strings.TrimSpace(v.Type + " " + v.Language)
	if v.Size >= 0 {
		text += " " + strconv.FormatInt((v.Size+1023)>>10, 10) + "k"
	}
	return text
}

// viewURL returns the URL that opens v. It returns the zero URL if the item has a form, or has
// no valid URL.
func (i *Item) viewURL(v View) url.URL {
	u := i.url(i.Type)
	item, err := scheme.ParseGopher(u)
	if err != nil || i.hasForm() {
		return url.URL{}
	}
	plus := scheme.GopherPlus{Kind: scheme.PlusView, View: v.Type, Language: v.Language}
	item.Search, item.Plus = url.Some(""), url.Some(plus.String())
	return item.URL()
}
