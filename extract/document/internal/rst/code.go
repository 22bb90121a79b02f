package rst

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/slug"
	"locus/internal/ascii"
	"locus/internal/lazy"
)

// A codeSkipper skips the literal text and the comments of reStructuredText, line by line. Its state continues across
// pieces of the text.
type codeSkipper struct {
	*emit.Emitter
	isInside  bool // the last line is in a block that is skipped
	indent    int  // the indent of the line that began the block
	quote     byte // the byte that each line of a quoted literal block starts with; 0 for an indented block
	isPending bool // the last line ended with "::", so a literal block may follow
	isDoctest bool // the last line is in a doctest block
}

// rstCodeDirectives are the directives whose content is code.
var rstCodeDirectives = []string{
	"code-block", "code", "sourcecode", "code-cell", "prompt", "raw", "math", "doctest", "testcode", "testoutput", "testsetup",
	"ipython", "graphviz", "mermaid", "productionlist", "jupyter-execute", "plantuml",
}

// skipCode skips the code in a piece of the text.
func (c *codeSkipper) skipCode() {
	for at, line := range emit.Lines(c.Text, 0) {
		c.readLine(line, at)
	}
}

// readLine skips a line, or the code in it.
func (c *codeSkipper) readLine(line []byte, at int) {
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
		c.beginExplicit(bytes.TrimLeft(text[len(".."):], " \t"), line, at)
	default:
		c.isPending = bytes.HasSuffix(text, []byte("::"))
		c.skipInline(line, at)
	}
}

// beginExplicit begins the block after "..": a directive, a target, a footnote, a substitution, or a comment.
func (c *codeSkipper) beginExplicit(rest, line []byte, at int) {
	name, _, isDirective := bytes.Cut(rest, []byte("::"))
	switch {
	case isDirective && len(name) > 0 && !bytes.ContainsAny(name, " \t"):
		c.isInside, c.quote = slices.Contains(rstCodeDirectives, string(name)), 0
	case len(rest) > 0 && (rest[0] == '_' || rest[0] == '[' || rest[0] == '|'):
		c.skipInline(line, at)
	default:
		c.Skip(at, at+len(line))
		c.isInside, c.quote = true, 0
	}
}

// skipInline skips the inline literals in a line.
func (c *codeSkipper) skipInline(line []byte, at int) {
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
	return c > ' ' && c < 0x7f && !ascii.IsLetterOrDigit(c)
}

// maxObjectLine is the length in bytes of the longest line that may describe an object.
const maxObjectLine = 4 << 10

// addNames adds the names of sections, targets and objects.
func addNames(d *emit.Emitter, objects *objectReader) {
	var last []byte
	for at, line := range emit.Lines(d.Text, 0) {
		text := bytes.TrimRight(line, " \t\r\n")
		if len(last) > 0 && isUnderline(text, len(last)) && !d.IsSkipped(at) {
			addSection(d, titleText(string(bytes.TrimSpace(last))))
		}
		last = text
		if isUnderline(text, 0) {
			last = nil
		}
		rest := bytes.TrimLeft(text, " \t")
		if len(text) <= maxObjectLine && !d.IsSkipped(at) {
			objects.readLine(string(rest), len(text)-len(rest), d.Options.Anchor)
		}
		if name, ok := bytes.CutPrefix(rest, []byte(":name:")); ok {
			addTargetName(d, name)
		}
		if name, ok := bytes.CutPrefix(rest, []byte(".. _")); ok {
			if n := targetNameLength(append(bytes.Clone(name), '\n')); n > 0 {
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

// addSection adds the ids of a section. Outside of manuals, GitHub shows the file and names the section, too.
func addSection(d *emit.Emitter, title string) {
	d.AddHeading(dialect.Docutils, slug.Plain(title))
	if !d.Options.Roles {
		d.AddHeading(dialect.GitHub, slug.Plain(title))
	}
}

var (
	rstRole      = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile("(?::[a-z][\\w:.+-]*:)?`+([^`]+)`+_{0,2}") }}
	rstReference = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`([\pL\pN|])_{1,2}([^\pL\pN_]|$)`) }}
)

// titleText returns the text of a title as Sphinx shows it, without roles, targets and emphasis.
func titleText(title string) string {
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

// addTargetName adds the name of a target, both as written and as an id.
func addTargetName(d *emit.Emitter, raw []byte) {
	name := rstEscapes.Get().Replace(string(bytes.Trim(raw, " \t`")))
	if id := slug.Docutils(name); id != "" {
		d.Options.Anchor(id)
	}
	if name != "" {
		d.Options.Anchor(name)
	}
}

// isUnderline reports whether a line consists of one punctuation character, and is long enough to underline a title
// of the given length.
func isUnderline(text []byte, title int) bool {
	return len(text) >= min(max(title, 1), 4) && isRSTPunctuation(text[0]) && len(bytes.Trim(text, string(text[:1]))) == 0
}
