package z3950

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"locus/internal/ber"
)

// grsTags are the names of the tags of tag set M (type 1) and tag set G (type 2).
var grsTags = map[[2]int64]string{
	{1, 1}: "schema", {1, 10}: "rank", {1, 12}: "url", {1, 14}: "number", {1, 16}: "changed", {1, 18}: "score", {1, 19}: "body", {1, 20}: "created",
	{2, 1}: "title", {2, 2}: "author", {2, 3}: "place", {2, 4}: "date", {2, 5}: "id", {2, 6}: "abstract", {2, 7}: "name", {2, 8}: "when",
	{2, 9}: "organization", {2, 10}: "address", {2, 11}: "network-address", {2, 12}: "e-mail", {2, 13}: "phone", {2, 14}: "fax", {2, 15}: "country",
	{2, 16}: "description", {2, 17}: "time", {2, 19}: "content", {2, 20}: "language", {2, 21}: "subject",
}

// A grsElement is an element of a GRS-1 record.
type grsElement struct {
	kind  int64  // type of the tag
	tag   int64  // 0 if the tag is name
	name  string // of the tag
	value string
	inner ber.Element // the nested elements
	depth int
}

// errLongText returns the error for a record that would be too long as text.
func errLongText() error {
	return fmt.Errorf("%w: a record of more than %d bytes of text", ber.ErrTooLong, largestRecord)
}

// grsText converts a GRS-1 record to text. Each element is a line, and nested elements are
// indented. A text of more than largestRecord bytes is an error, because indentation makes the
// text longer than the record.
func grsText(e ber.Element) ([]byte, error) {
	var b bytes.Buffer
	err := eachGRS(e, 0, func(g grsElement) error {
		indent := strings.Repeat("  ", g.depth)
		label := g.label()
		size := len(indent) + len(label) + len(g.value) + strings.Count(g.value, "\n")*(len(indent)+2)
		if b.Len()+size > largestRecord {
			return errLongText()
		}
		b.WriteString(indent + label + ":")
		if g.value != "" {
			b.WriteString(" " + strings.ReplaceAll(g.value, "\n", "\n  "+indent))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// label returns the name of the element, or its kind and tag if it has no known name.
func (g grsElement) label() string {
	switch {
	case g.name != "":
		return g.name
	case grsTags[[2]int64{g.kind, g.tag}] != "":
		return grsTags[[2]int64{g.kind, g.tag}]
	}
	return fmt.Sprintf("(%d,%d)", g.kind, g.tag)
}

// grsSummary returns the title, the author and the date of a GRS-1 record. Fields that the record
// does not have are "".
func grsSummary(e ber.Element) (s summary) {
	_ = eachGRS(e, 0, func(g grsElement) error { // a malformed record has no title
		for label, to := range map[string]*string{"title": &s.title, "author": &s.author, "date": &s.date, "name": &s.author} {
			if strings.EqualFold(g.label(), label) && *to == "" {
				*to = g.value
			}
		}
		return nil
	})
	return s
}

// eachGRS calls f for each element of a GenericRecord, and for the elements in it, in their
// order. depth is the depth of e, 0 for the record; more than 32 is an error. It stops at the
// first error, and returns it.
func eachGRS(e ber.Element, depth int, f func(grsElement) error) error {
	const deepest = 32
	if depth > deepest {
		return fmt.Errorf("%w: a record nested deeper than %d", ber.ErrSyntax, deepest)
	}
	return e.Each(func(tagged ber.Element) error {
		g := grsElement{depth: depth}
		err := tagged.Each(func(part ber.Element) (err error) {
			switch {
			case part.Is(1):
				g.kind, err = part.Int()
			case part.Is(2):
				err = g.readTag(part)
			case part.Is(4):
				err = g.readContent(part)
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := f(g); err != nil {
			return err
		}
		return eachGRS(g.inner, depth+1, f)
	})
}

// readTag reads a StringOrNumeric, which sets either tag or name.
func (g *grsElement) readTag(e ber.Element) (err error) {
	tag, ok := e.First()
	switch {
	case !ok:
		return fmt.Errorf("%w: an element without a tag", ber.ErrSyntax)
	case tag.IsUniversal(ber.TagInteger), tag.Is(2):
		g.tag, err = tag.Int()
	default:
		g.name = tag.Text()
	}
	return err
}

// subtree returns the element that contains the elements of a subtree. The tag of a subtree is
// explicit, but some servers make it implicit.
func subtree(e ber.Element) ber.Element {
	inner, _ := e.First()
	if tagged, ok := inner.First(); ok && tagged.IsUniversal(ber.TagSequence) {
		return inner
	}
	return e
}

// readContent reads an ElementData. It sets inner for a subtree, and value for other data.
func (g *grsElement) readContent(e ber.Element) error {
	content, ok := e.First()
	switch {
	case !ok:
	case content.Is(6):
		g.inner = subtree(content)
	case content.Class == ber.Context, content.IsUniversal(ber.TagNull):
		// the element has no data
	case content.IsUniversal(ber.TagInteger):
		n, err := content.Int()
		g.value = strconv.FormatInt(n, 10)
		return err
	case content.IsUniversal(ber.TagBoolean):
		v, err := content.Bool()
		g.value = strconv.FormatBool(v)
		return err
	case content.IsUniversal(ber.TagOID):
		oid, err := content.OID()
		g.value = oid
		return err
	case content.IsUniversal(ber.TagExternal):
		var r rawRecord
		if err := r.external(content); err != nil {
			return err
		}
		g.value = fmt.Sprintf("[%s, %d bytes]", r.name(), len(r.data))
	default:
		g.value = strings.TrimSpace(content.Text())
	}
	return nil
}
