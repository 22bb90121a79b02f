package scheme

import (
	"strconv"
	"strings"
)

// GopherPlus is the request in the Gopher+ string of a gopher URL (RFC 1738 §3.4.3 to §3.4.9).
//
//	""  "+"                         the default view
//	"+text/plain En_GB"             another view: View, Language
//	"!"   "!+ABSTRACT +SMELL"       attributes of the item: Attributes
//	"$"   "$+VIEWS"                 attributes of every item of a directory
//	"?"                             the item has a form to be filled in
//	"+TAB1CRLF" block               the form filled in: View, Language, Block, Answers
type GopherPlus struct {
	Kind       PlusKind
	View       string   // a media type; "" means the default view
	Language   string   // "" if the string does not name one
	Attributes []string // each with its "+"; an empty list means all attributes
	Block      string   // the data block, sent unchanged: its header line and the data
	Answers    []string // the lines of Block, if it ends in "."
}

// A PlusKind is the kind of request in a Gopher+ string.
type PlusKind uint8

const (
	PlusNone    PlusKind = iota // there is no Gopher+ string
	PlusView                    // a view of the item
	PlusItem                    // the item's attributes
	PlusItems                   // the attributes of every item of a directory
	PlusAsk                     // the item, after its form has been fetched and filled in
	PlusForm                    // the item, with the form filled in
	PlusUnknown                 // something that RFC 1738 does not define
)

// Meaning returns the request in the Gopher+ string of v. It returns the zero GopherPlus if the string is absent, and
// the Kind PlusUnknown if the string does not fit RFC 1738. An empty Gopher+ string, which RFC 1738 does not mention,
// requests the default view.
func (v Gopher) Meaning() GopherPlus {
	if !v.Plus.Present {
		return GopherPlus{}
	}
	plus := v.Plus.Text
	switch plus {
	case "":
		return GopherPlus{Kind: PlusView}
	case "?":
		return GopherPlus{Kind: PlusAsk}
	}
	switch plus[0] {
	case '!':
		return attributes(PlusItem, plus[1:])
	case '$':
		return attributes(PlusItems, plus[1:])
	case '+':
		return plusView(plus[1:])
	}
	return GopherPlus{Kind: PlusUnknown}
}

// attributes returns the request for the attributes in names, which are written "+A +B", or "+A+B" as in the Gopher+
// memo. kind is PlusItem or PlusItems.
func attributes(kind PlusKind, names string) GopherPlus {
	m := GopherPlus{Kind: kind}
	for name := range strings.SplitSeq(names, "+") {
		if name = strings.Trim(name, " "); name != "" {
			m.Attributes = append(m.Attributes, "+"+name)
		}
	}
	return m
}

// plusView returns the request in a Gopher+ string "+" followed by s. The Kind is PlusView, PlusForm if s contains a
// filled-in form, or PlusUnknown if s has another text after a tab.
func plusView(s string) GopherPlus {
	view, flag, flagged := strings.Cut(s, "\t")
	m := GopherPlus{Kind: PlusView}
	m.View, m.Language, _ = strings.Cut(view, " ")
	if !flagged || flag == "0" {
		return m
	}
	block, ok := strings.CutPrefix(flag, "1\r\n")
	if !ok {
		return GopherPlus{Kind: PlusUnknown}
	}
	m.Kind, m.Block = PlusForm, block
	if lines, ok := strings.CutPrefix(block, "+-1\r\n"); ok {
		for line, rest, _ := strings.Cut(lines, "\r\n"); rest != ""; line, rest, _ = strings.Cut(rest, "\r\n") {
			m.Answers = append(m.Answers, line)
		}
	}
	return m
}

// String returns the Gopher+ string for the request m, as RFC 1738 writes it. If m is a form with Answers but no
// Block, String makes the block of §3.4.9 from Answers. It returns "" if the Kind is PlusNone or PlusUnknown.
func (m GopherPlus) String() string {
	switch m.Kind {
	case PlusView:
		return "+" + m.view()
	case PlusItem:
		return "!" + strings.Join(m.Attributes, " ")
	case PlusItems:
		return "$" + strings.Join(m.Attributes, " ")
	case PlusAsk:
		return "?"
	case PlusForm:
		return "+" + m.view() + "\t1\r\n" + m.block()
	}
	return ""
}

// view returns the label of the view: its type and, after a space, its language.
func (m GopherPlus) view() string {
	if m.Language == "" {
		return m.View
	}
	return m.View + " " + m.Language
}

// block returns Block or, if Block is empty, the block of §3.4.9 that sends the Answers.
func (m GopherPlus) block() string {
	if m.Block != "" {
		return m.Block
	}
	var b strings.Builder
	b.WriteString("+-1\r\n")
	for _, answer := range m.Answers {
		b.WriteString(answer + "\r\n")
	}
	b.WriteString(".\r\n")
	return b.String()
}

// checkPlus checks a decoded Gopher+ string. It returns the offset of the first error and the text that is wanted
// there. want is "" if plus is correct. CR and LF may stand only in the filled-in form of RFC 1738 §3.4.9:
//
//	form  = "+" [ view ] TAB "1" CRLF block
//	block = "+-1" CRLF *( line CRLF ) "." CRLF       ; no line is "."
//	      | "+" digits CRLF so many bytes
func checkPlus(plus string) (offset int, want string) {
	bad := strings.IndexAny(plus, "\r\n")
	if bad < 0 {
		return 0, ""
	}
	head, block, _ := strings.Cut(plus, "\t1\r\n")
	if len(head) > bad || head == plus || !strings.HasPrefix(head, "+") {
		return bad, "a Gopher+ string, which has CR and LF only in a filled-in form"
	}
	start := len(plus) - len(block)
	n, want := checkBlock(block)
	return start + n, want
}

// checkBlock checks the data of a filled-in form. It returns the offset of the first error and the text that is wanted
// there, or "" if the data are correct.
func checkBlock(block string) (offset int, want string) {
	header, data, ok := strings.Cut(block, "\r\n")
	start := len(block) - len(data)
	size, isSize := strings.CutPrefix(header, "+")
	switch {
	case !ok || !isSize:
		return 0, `"+-1" or "+", a number, and CR LF at the start of the form's data`
	case size == "-1":
		n, want := checkLines(data)
		return start + n, want
	}
	n, err := strconv.Atoi(size)
	switch {
	case err != nil || size != strconv.Itoa(n) || n < 0:
		return 1, `"-1" or the number of bytes of the form's data`
	case n > len(data):
		return len(block), "the rest of the form's data"
	case n < len(data):
		return start + n, "the end of the URL after the form's data"
	}
	return 0, ""
}

// checkLines checks that s consists of lines that end in CR LF, and that the line ".", and only this line, is the last.
// It returns the offset of the first error and the text that is wanted there, or "" if s is correct.
func checkLines(s string) (offset int, want string) {
	const wantEnd = `a line "." that ends the form`
	for rest := s; ; {
		at := len(s) - len(rest)
		line, next, ok := strings.Cut(rest, "\r\n")
		if i := strings.IndexAny(line, "\r\n"); i >= 0 {
			return at + i, "CR LF together"
		}
		switch {
		case !ok:
			return len(s), wantEnd
		case line == "." && next == "":
			return 0, ""
		case line == ".":
			return at + len(".\r\n"), `the end of the URL after the form's "."`
		}
		rest = next
	}
}
