package rst

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
)

// rstCode finds the literal text and the comments of reStructuredText, line by line.
type rstCode struct {
	*emit.Emitter
	isInside  bool // in a block that is skipped
	indent    int  // that of the line that began the block
	quote     byte // what each line of a quoted literal block starts with; 0: it is indented
	isPending bool // a line ended with "::"; a literal block may follow
	isDoctest bool
}

// rstCodeDirectives are the directives whose content is code.
var rstCodeDirectives = []string{
	"code-block", "code", "sourcecode", "code-cell", "prompt", "raw", "math", "doctest", "testcode", "testoutput", "testsetup",
	"ipython", "graphviz", "mermaid", "productionlist", "jupyter-execute", "plantuml",
}

// skipCode skips the code in a piece.
func (c *rstCode) skipCode() {
	for at, line := range emit.Lines(c.Text, 0) {
		c.line(line, at)
	}
}

// line skips a line, or the code in it.
func (c *rstCode) line(line []byte, at int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	text = bytes.TrimRight(text, " \t\r\n")
	switch {
	case len(text) == 0:
		c.isDoctest = false
		return
	case c.isPending:
		c.isPending = false
		if indent > c.indent {
			c.isInside, c.quote = true, 0
		} else if indent == c.indent && isRSTPunctuation(text[0]) {
			c.isInside, c.quote = true, text[0]
		}
	}
	if c.isInside && (c.quote == 0 && indent > c.indent || c.quote != 0 && indent == c.indent && text[0] == c.quote) {
		c.Skip(at, at+len(line))
		return
	}
	c.isInside = false
	c.indent = indent
	switch {
	case c.isDoctest || bytes.HasPrefix(text, []byte(">>> ")):
		c.isDoctest = true
		c.Skip(at, at+len(line))
	case string(text) == ".." || bytes.HasPrefix(text, []byte(".. ")) || bytes.HasPrefix(text, []byte("..\t")):
		c.explicit(bytes.TrimLeft(text[len(".."):], " \t"), line, at)
	default:
		c.isPending = bytes.HasSuffix(text, []byte("::"))
		c.inline(line, at)
	}
}

// explicit begins the block after "..": a directive, a target, a footnote, a
// substitution, or else a comment.
func (c *rstCode) explicit(rest, line []byte, at int) {
	name, _, isDirective := bytes.Cut(rest, []byte("::"))
	switch {
	case isDirective && len(name) > 0 && !bytes.ContainsAny(name, " \t"):
		c.isInside, c.quote = slices.Contains(rstCodeDirectives, string(name)), 0
	case len(rest) > 0 && (rest[0] == '_' || rest[0] == '[' || rest[0] == '|'):
		c.inline(line, at)
	default:
		c.Skip(at, at+len(line))
		c.isInside, c.quote = true, 0
	}
}

// inline skips the inline literals in a line.
func (c *rstCode) inline(line []byte, at int) {
	mark := []byte("``")
	for from := 0; ; {
		start := bytes.Index(line[from:], mark)
		if start < 0 {
			return
		}
		start += from + len(mark)
		end := bytes.Index(line[start:], mark)
		if end < 0 {
			return
		}
		c.Skip(at+start, at+start+end)
		from = start + end + len(mark)
	}
}

func isRSTPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !emit.IsWord(c)
}

// maxObjectLine is the longest line, in bytes, that describes an object.
const maxObjectLine = 4 << 10

// rstNames adds the names of sections, targets and objects.
func rstNames(d *emit.Emitter, objects *rstObjects) {
	var last []byte
	for at, line := range emit.Lines(d.Text, 0) {
		text := bytes.TrimRight(line, " \t\r\n")
		if len(last) > 0 && isUnderline(text, len(last)) && !d.IsSkipped(at) {
			d.AddHeading(rstTitle(string(bytes.TrimSpace(last))))
		}
		last = text
		if isUnderline(text, 0) {
			last = nil
		}
		rest := bytes.TrimLeft(text, " \t")
		if len(text) <= maxObjectLine && !d.IsSkipped(at) {
			objects.line(string(rest), len(text)-len(rest), d.Options.Anchor)
		}
		if name, ok := bytes.CutPrefix(rest, []byte(":name:")); ok {
			addTargetName(d, name)
		}
		if name, ok := bytes.CutPrefix(rest, []byte(".. _")); ok {
			if n := rstName(append(bytes.Clone(name), '\n')); n > 0 {
				addTargetName(d, name[:n-1])
			}
		}
		for {
			start := bytes.Index(rest, []byte("_`"))
			if start < 0 {
				break
			}
			rest = rest[start+len("_`"):]
			if end := bytes.IndexByte(rest, '`'); end > 0 {
				addTargetName(d, rest[:end])
			}
		}
	}
}

var (
	rstRole      = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile("(?::[a-z][\\w:.+-]*:)?`+([^`]+)`+_{0,2}") }}
	rstReference = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`([\pL\pN|])_{1,2}([^\pL\pN_]|$)`) }}
)

// rstTitle returns the text of a title as Sphinx shows it: without roles, targets and emphasis.
func rstTitle(title string) string {
	title = rstRole.Get().ReplaceAllStringFunc(title, func(text string) string {
		inside := rstRole.Get().FindStringSubmatch(text)[1]
		if at := strings.LastIndex(inside, " <"); at > 0 && strings.HasSuffix(inside, ">") {
			return inside[:at]
		}
		if name, ok := strings.CutPrefix(inside, "~"); ok {
			return name[strings.LastIndexByte(name, '.')+1:]
		}
		return strings.TrimPrefix(inside, "!")
	})
	title = rstReference.Get().ReplaceAllString(title, "$1$2")
	return strings.NewReplacer("*", "", "|", "").Replace(title)
}

// addTargetName adds the name of a target, as it is written and as an id.
func addTargetName(d *emit.Emitter, raw []byte) {
	name := rstEscapes.Get().Replace(string(bytes.Trim(raw, " \t`")))
	if id := emit.IDName(name); id != "" {
		d.Options.Anchor(id)
	}
	if name != "" {
		d.Options.Anchor(name)
	}
}

// isUnderline reports whether a line is one kind of punctuation, and long enough to be
// below a title.
func isUnderline(text []byte, title int) bool {
	return len(text) >= min(max(title, 1), 4) && isRSTPunctuation(text[0]) && len(bytes.Trim(text, string(text[:1]))) == 0
}
