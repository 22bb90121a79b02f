package asciidoc

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/internal/markup"
)

// A lineKind says what a line of a document is.
type lineKind uint8

const (
	blank     lineKind = iota
	prose              // a line of a paragraph, a list or a table
	heading            // == Title
	underline          // the line below a title
	attribute          // :name: value, or a further line of the value
	metadata           // [role], .Title, or a line such as ==== that begins or ends a block of text
	directive          // include::x[]
	code               // code, literal text or math
	comment
	passed // HTML that is passed through
)

// A blockReader finds out the kinds of lines. It must see each line, in order.
type blockReader struct {
	isFirst bool // the line, which is text, begins a paragraph or an item

	delimiter  string   // the line that ends the open block, or ""
	inside     lineKind // the kind of the lines in the open block
	paragraph  lineKind // the kind of the current paragraph: blank outside a paragraph
	style      lineKind // the kind of the next block, or blank
	lastLength int      // the number of characters of the last line, if it begins a paragraph
	isWrapped  bool     // the value of an attribute continues in the next line
}

// read returns the kind of line, which must be the next line of the document.
func (b *blockReader) read(line []byte) lineKind {
	bare := bytes.TrimRight(line, " \t\r\n")
	last := b.lastLength
	b.lastLength, b.isFirst = 0, false
	switch {
	case b.delimiter != "":
		if string(bare) == b.delimiter {
			b.delimiter = ""
		}
		return b.inside
	case b.isWrapped:
		b.isWrapped = isWrapped(bare)
		return attribute
	case len(bare) == 0:
		b.paragraph = blank
		return blank
	case last > 0 && isUnderline(bare, last):
		b.paragraph = blank
		return underline
	case b.begin(bare):
		return b.inside
	case bytes.HasPrefix(bare, []byte("//")) && !bytes.HasPrefix(bare, []byte("///")):
		return comment
	case (b.paragraph == code || b.paragraph == passed || b.paragraph == comment) && !isAttributeList(bare) && !isStructure(bare):
		return b.paragraph
	case isDirective(bare):
		return directive
	}
	return b.readMarkup(bare)
}

// readMarkup returns the kind of a nonempty line, without the white space at its end, that is outside of blocks of
// code, comments and HTML. It updates the state of b.
func (b *blockReader) readMarkup(bare []byte) lineKind {
	isInside := b.paragraph == prose
	switch {
	case isAttribute(bare):
		b.isWrapped = isWrapped(bare)
		return attribute
	case isStructure(bare):
		b.paragraph = blank
		if len(bare) > 1 {
			b.style = blank
		}
		return metadata
	case headingLevel(bare) > 0:
		b.paragraph, b.style = blank, blank
		return heading
	case isAttributeList(bare):
		if kind := styleOf(bare); kind != blank {
			b.style = kind
		}
		b.paragraph = blank
		return metadata
	case bare[0] == '.' && len(bare) > 1 && bare[1] != '.' && !markup.IsSpace(bare[1]) && !isInside:
		return metadata
	}
	isItem := isListItem(bytes.TrimLeft(bare, " \t"))
	if !isInside {
		switch {
		case b.style != blank:
			b.paragraph, b.style = b.style, blank
			return b.paragraph
		case markup.IsSpace(bare[0]) && !isItem:
			b.paragraph = code
			return code
		}
		if bare[0] != '.' && bytes.ContainsFunc(bare, isLetterOrNumber) {
			b.lastLength = utf8.RuneCount(bare)
		}
	}
	b.isFirst = !isInside || isItem
	b.paragraph = prose
	return prose
}

// begin opens a block whose content is not AsciiDoc, such as code, if the line begins one. Otherwise it returns false
// and changes nothing.
func (b *blockReader) begin(bare []byte) bool {
	kind := kindOfDelimiter(bare)
	if string(bare) == "--" && b.style != blank {
		kind = b.style
	}
	if kind == blank {
		return false
	}
	if kind == passed && b.style == code {
		kind = code // math
	}
	b.delimiter, b.inside, b.style, b.paragraph = string(bare), kind, blank, blank
	if bytes.HasPrefix(bare, []byte("```")) {
		b.delimiter = "```"
	}
	return true
}

// kindOfDelimiter returns the kind of the lines after a line that begins a block of code, comments or HTML. It returns
// blank for other lines.
func kindOfDelimiter(bare []byte) lineKind {
	if bytes.HasPrefix(bare, []byte("```")) && bytes.IndexByte(bare[len("```"):], '`') < 0 {
		return code
	}
	if len(bare) < 4 || !isRepeated(bare) {
		return blank
	}
	switch bare[0] {
	case '-', '.':
		return code
	case '/':
		return comment
	case '+':
		return passed
	}
	return blank
}

// isAttributeList reports whether a line is a list of attributes, or a name, of the next block.
func isAttributeList(bare []byte) bool {
	return bare[0] == '[' && bare[len(bare)-1] == ']' && !bytes.HasPrefix(bare, []byte("[[["))
}

// isStructure reports whether a line begins or ends a block whose content is AsciiDoc, or continues an item of a list.
func isStructure(bare []byte) bool {
	if len(bare) == 1 {
		return bare[0] == '+'
	}
	if len(bare) >= 4 && isRepeated(bare) {
		return bytes.IndexByte([]byte("=*_"), bare[0]) >= 0
	}
	return string(bare) == "--" || len(bare) >= 4 && bytes.HasSuffix(bare, []byte("===")) && bytes.IndexByte([]byte("|,:!"), bare[0]) >= 0 && isRepeated(bare[1:])
}

// isRepeated reports whether a line, which must not be empty, consists of the same byte throughout.
func isRepeated(bare []byte) bool {
	for _, c := range bare[1:] {
		if c != bare[0] {
			return false
		}
	}
	return true
}

// isUnderline reports whether a line underlines a title of the given length in characters: it repeats a mark of a
// title, and is at most one byte longer or shorter.
func isUnderline(bare []byte, title int) bool {
	return bytes.IndexByte([]byte("=-~^+"), bare[0]) >= 0 && len(bare) > 1 && len(bare) >= title-1 && len(bare) <= title+1 && isRepeated(bare)
}

// headingLevel returns the number of marks of a title such as "== Title", or 0 if the line is not a title.
func headingLevel(bare []byte) int {
	n := 0
	for n < len(bare) && bare[n] == bare[0] && (bare[0] == '=' || bare[0] == '#') {
		n++
	}
	if n == 0 || n > 6 || n == len(bare) || !markup.IsSpace(bare[n]) {
		return 0
	}
	return n
}

// headingText returns the text of a title such as "== Title ==", without its marks.
func headingText(line []byte) []byte {
	bare := bytes.TrimRight(line, " \t\r\n")
	n := headingLevel(bare)
	marks := bare[:n]
	title := bytes.TrimLeft(bare[n:], " \t")
	if before, ok := bytes.CutSuffix(title, marks); ok && len(before) > 0 && markup.IsSpace(before[len(before)-1]) {
		return bytes.TrimRight(before, " \t")
	}
	return title
}

// styles are the styles of blocks whose content is not AsciiDoc.
var styles = []struct {
	name string
	kind lineKind
}{
	{"source", code},
	{"listing", code},
	{"literal", code},
	{"stem", code},
	{"latexmath", code},
	{"asciimath", code},
	{"comment", comment},
	{"pass", passed},
}

// styleOf returns the kind of the block after a list of attributes such as [source,sh], or blank if its content is
// AsciiDoc.
func styleOf(bare []byte) lineKind {
	list := bare[1:]
	if list[0] == ',' {
		return code // [,ruby] is short for [source,ruby]
	}
	name := list[:bytes.IndexAny(list, "],%#.")]
	for _, style := range styles {
		if string(name) == style.name {
			return style.kind
		}
	}
	return blank
}

// isListItem reports whether a line, which does not begin with white space, begins an item of a list or a row of a
// table.
func isListItem(bare []byte) bool {
	mark, rest, ok := bytes.Cut(bare, []byte(" "))
	switch {
	case bare[0] == '|': // a row of a table
		return true
	case len(mark) == 0:
	case !ok, len(mark) > 8 && mark[0] != '*' && mark[0] != '.':
	case (mark[0] == '*' || mark[0] == '.') && isRepeated(mark), string(mark) == "-", string(mark) == "•":
		return len(rest) > 0
	case mark[len(mark)-1] == '.' && (len(mark) == 2 && ascii.IsLetter(mark[0]) || isNumber(mark[:len(mark)-1], "0123456789")),
		mark[len(mark)-1] == ')' && isNumber(mark[:len(mark)-1], "IVXivx"),
		mark[0] == '<' && mark[len(mark)-1] == '>' && isNumber(mark[1:len(mark)-1], "0123456789."):
		return true
	}
	return isTerm(bare)
}

// isLetterOrNumber reports whether c is a letter or a number in Unicode.
func isLetterOrNumber(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

// isNumber reports whether a text is not empty and consists of the given digits.
func isNumber(b []byte, digits string) bool { return len(b) > 0 && len(bytes.Trim(b, digits)) == 0 }

// isTerm reports whether a line begins an item of a description list, such as "pot:: for tea".
func isTerm(bare []byte) bool {
	for _, mark := range []string{"::", ";;"} {
		for rest := bare; ; {
			at := bytes.Index(rest, []byte(mark))
			if at < 0 {
				break
			}
			end := at + len(mark)
			for end < len(rest) && rest[end] == mark[0] {
				end++
			}
			if end == len(rest) || markup.IsSpace(rest[end]) {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

// directives are the names of the directives of the preprocessor.
var directives = []string{"include", "ifdef", "ifndef", "ifeval", "endif"}

// isDirective reports whether a line is a directive of the preprocessor, such as "include::file[]".
func isDirective(bare []byte) bool {
	name, _, ok := bytes.Cut(bare, []byte("::"))
	return ok && bare[len(bare)-1] == ']' && slices.Contains(directives, string(name))
}
