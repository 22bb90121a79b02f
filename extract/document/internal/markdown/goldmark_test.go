package markdown

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/soup"
	"locus/internal/markup"
)

// goldmark is the parser of goldmark with footnotes and without emphasis, because emphasis adds no links.
func goldmark() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(append(parser.DefaultBlockParsers(), util.Prioritized(footnoteParser{}, 950))...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200),
		),
	)
}

// A footnoteParser reads footnotes by the rules of this package, because the extension of goldmark has other rules.
type footnoteParser struct{}

func (footnoteParser) Trigger() []byte             { return []byte{'['} }
func (footnoteParser) CanInterruptParagraph() bool { return true }
func (footnoteParser) CanAcceptIndentedLine() bool { return false }

func (footnoteParser) Open(_ ast.Node, r text.Reader, c parser.Context) (ast.Node, parser.State) {
	line, _ := r.PeekLine()
	start := c.BlockOffset()
	if start < 0 || !bytes.HasPrefix(line[start:], []byte("[^")) {
		return nil, parser.NoChildren
	}
	name := line[start+len("[^"):]
	end := bytes.IndexAny(name[:min(len(name), emit.MaxLabel)], "[]")
	if end <= 0 || !bytes.HasPrefix(name[end:], []byte("]:")) {
		return nil, parser.NoChildren
	}
	r.Advance(start + len("[^") + end + len("]:"))
	return ast.NewBlockquote(), parser.HasChildren
}

func (footnoteParser) Continue(_ ast.Node, r text.Reader, _ parser.Context) parser.State {
	line, _ := r.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, r.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	r.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

// A reading is the links, the headings and the code that a reader finds in Markdown.
type reading struct {
	links    []string // the kind, the offset and the destination of each
	headings []string // the text of each
	code     string   // the text without spaces, with "x" instead of code and "<" instead of HTML
}

func (a reading) String() string {
	return fmt.Sprintf("links %q, headings %q, code %q", a.links, a.headings, a.code)
}

// ofGoldmark returns the reading of goldmark.
func ofGoldmark(in string) reading {
	var found reading
	source := []byte(in)
	shown := bytes.Clone(source)
	cover := func(from, to int, with byte) {
		for i := from; i < to; i++ {
			if !markup.IsSpace(shown[i]) {
				shown[i] = with
			}
		}
	}
	coverLines := func(lines *text.Segments, with byte) {
		for i := range lines.Len() {
			cover(lines.At(i).Start, lines.At(i).Stop, with)
		}
	}
	coverSpan := func(span *ast.CodeSpan) {
		for child := span.FirstChild(); child != nil; child = child.NextSibling() {
			if t, ok := child.(*ast.Text); ok {
				cover(t.Segment.Start, t.Segment.Stop, 'x')
			}
		}
	}
	coverSpans := func(image *ast.Image) {
		_ = ast.Walk(image, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if span, ok := n.(*ast.CodeSpan); ok && entering {
				coverSpan(span)
			}
			return ast.WalkContinue, nil
		})
	}
	link := func(kind string, raw []byte) {
		at := cap(source) - cap(raw)
		if len(raw) > 0 && at >= 0 && at < len(source) && &source[at] == &raw[0] {
			found.links = append(found.links, fmt.Sprintf("%s %d %s", kind, at, raw))
		}
	}
	_ = ast.Walk(goldmark().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			if n.Reference == nil {
				link("link", n.Destination)
			}
		case *ast.Image:
			if n.Reference == nil {
				link("image", n.Destination)
			}
			coverSpans(n)
			return ast.WalkSkipChildren, nil // because a description is shown without its links
		case *ast.LinkReferenceDefinition:
			link("reference", n.Destination)
		case *ast.AutoLink:
			link("autolink", n.Label(source))
		case *ast.Heading:
			var b strings.Builder
			writeText(&b, source, n)
			found.headings = append(found.headings, strings.Join(strings.Fields(b.String()), " "))
		case *ast.RawHTML:
			coverLines(n.Segments, '<')
		case *ast.HTMLBlock:
			coverLines(n.Lines(), '<')
			if n.HasClosure() {
				cover(n.ClosureLine.Start, n.ClosureLine.Stop, '<')
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			coverLines(n.Lines(), 'x')
		case *ast.CodeSpan:
			coverSpan(n)
		}
		return ast.WalkContinue, nil
	})
	sortLinks(found.links)
	found.code = string(shown)
	return found
}

// sortLinks sorts links by their offsets.
func sortLinks(links []string) {
	place := func(link string) (at int) {
		_, rest, _ := strings.Cut(link, " ")
		fmt.Sscan(rest, &at)
		return at
	}
	slices.SortStableFunc(links, func(a, b string) int { return place(a) - place(b) })
}

func writeText(b *strings.Builder, source []byte, n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			raw := child.Segment.Value(source)
			if _, isCode := n.(*ast.CodeSpan); isCode {
				b.Write(raw)
			} else {
				b.WriteString(unescapeDestination(raw))
			}
			if child.SoftLineBreak() || child.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(child.Label(source))
		case *ast.Image, *ast.RawHTML:
		default:
			writeText(b, source, child)
		}
	}
}

// A recorder records the reading of this package.
type recorder struct {
	markdownReader
	found reading
	shown []byte
}

func (r *recorder) cover(from, to int, with byte) {
	for i := from; i < to; i++ {
		if !markup.IsSpace(r.shown[i]) {
			r.shown[i] = with
		}
	}
}

func (r *recorder) link(kind string, from, to int) {
	if from < to {
		r.found.links = append(r.found.links, fmt.Sprintf("%s %d %s", kind, from, r.Text[from:to]))
	}
}

func (r *recorder) readProse(lines []emit.Interval, isHeading bool) {
	r.p = joinLines(r.Text, lines)
	r.inHeading, r.marks = isHeading, r.marks[:0]
	r.inlines.read(r.p.Text)
	if isHeading {
		r.found.headings = append(r.found.headings, strings.Join(strings.Fields(r.headingText(len(r.p.Text), shownText)), " "))
	}
}

func (r *recorder) readCode(from, to int, isFirst bool) {
	if !isFirst || from == 0 || r.Text[from-1] != '`' && r.Text[from-1] != '~' { // an info string is not code
		r.cover(from, to, 'x')
	}
}

func (r *recorder) readUntil(int) bool { return true }

func (r *recorder) readDefinition(_ string, destination, _ emit.Interval) {
	r.link("reference", destination.From, destination.To)
}

func (r *recorder) readMarkup(lines []emit.Interval) {
	for _, l := range lines {
		r.cover(l.From, l.To, '<')
	}
}

func (r *recorder) readDestination(from, to int, isImage bool) {
	start, end := r.p.Place(from, to)
	if isImage {
		r.link("image", start, end)
	} else {
		r.link("link", start, end)
	}
}

func (r *recorder) readAutolink(from, to int, _ bool) {
	start, end := r.p.Place(from, to)
	r.link("autolink", start, end)
}

func (r *recorder) readLink(int, int)                {}
func (r *recorder) readWikiLink(int, int)            {}
func (r *recorder) readOption(string, emit.Interval) {}
func (r *recorder) readToctree([]emit.Interval)      {}
func (r *recorder) readRole(int, int)                {}
func (r *recorder) readCodeSpan(from, to int)        { r.coverInline(from, to, 'x') }
func (r *recorder) readHTML(from, to int)            { r.coverInline(from, to, '<') }

func (r *recorder) coverInline(from, to int, with byte) {
	for i := from; i < to; i++ {
		at, _ := r.p.Place(i, i+1)
		if !markup.IsSpace(r.p.Text[i]) {
			r.cover(at, at+1, with)
		}
	}
}

// ofOurs returns the reading of this package.
func ofOurs(in string) reading {
	r := &recorder{shown: []byte(in)}
	r.Emitter = emit.New([]byte(in), emit.Options{}, nil)
	r.source = r.Text
	labels := labelsIn(r.Text, 0, dialect.Dialect{})
	r.inlines = inlineReader{handler: r, hasLabel: func(label string) bool { return labels[label] }}
	blocks := blockReader{text: r.Text, handler: r}
	blocks.read(0)
	sortLinks(r.found.links)
	r.found.code = string(r.shown)
	return r.found
}

// The examples of the specification are read as goldmark reads them.
func TestCommonMarkExamples(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skip("the sources of goldmark are not here: ", err)
	}
	file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Skip("the examples are not here: ", err)
	}
	var examples []struct {
		Markdown string
		Example  int
	}
	if err := json.Unmarshal(file, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 600 {
		t.Fatalf("the specification has %d examples", len(examples))
	}
	for _, test := range examples {
		if got, want := ofOurs(test.Markdown), ofGoldmark(test.Markdown); got.String() != want.String() {
			t.Errorf("example %d, %q, is read as\n     %s\nwant %s", test.Example, test.Markdown, got, want)
		}
	}
}

// markdownWords are the delimiters and the words of which random Markdown consists.
var markdownWords = []string{
	"a", "b", " ", "  ", "    ", "\t", "\n", "\n", "\n\n", "[", "]", "(", ")", "](", "![", "[a]", "[a]: ", "[^a]: ", "<", ">", "> ", "- ", "* ", "1. ", "2) ", "+",
	"`", "``", "```", "~~~", "```\n", "#", "# ", "## ", "===", "---", "***", "<a href=\"b\">", "</a>", "<div>", "</div>", "<!--", "-->", "<?", "?>", "<![CDATA[", "]]>", "<!X",
	"<script>", "<pre>", "x</script>", "x</pre>", "<b c='d'\n>", "http://h/", "<http://h/>", "<a@b.c>", "\\", "\\]", "\\`", "\"t\"", "'", "\"", ":", "&amp;", "&#65;", "é", "ẞ", "|", "|\n", "| a | b |\n|---|:-:|\n", "|-\n", "\\|", "\r\n", "x](y)", "[x](<y z>)", "[b]: c\n",
}

// oddities match texts that goldmark does not read as CommonMark says.
var oddities = regexp.MustCompile(strings.Join([]string{
	`\]:\s*\S*[(<]`,          // in the destination of a definition: a "(" without a ")", or a second "<"
	`\]\(<[^>\n]*<`,          // a second "<" in the destination of a link
	`\]:\s*\S+\s*\n\s*["'(]`, // a text that begins like a title
	`\]\(<[^>\n]*>["'(]`,     // a title without a space before it
	`<\?>`,                   // a processing instruction, which does not end here (§6.6)
	`[>.)*+-] *\t|\n +\t`,    // tabs whose columns depend on the marks before them (§2.2)
	`[.)*+-]\r\n`,            // an empty list item
	`(?m:(?:^|[ \t>])(?:[*+-]|\d[.)])[ \t]*\n[ \t>\r]*$)`, // an empty list item before a blank line
	`(?:(?:[*+>-]|\d[.)]|\[\^a\]:)[ \t]*){32}`,            // deeper than maxNesting
	`(?:^|[^\\])(?:\\\\)*\\\r\n`,                          // a hard line break before "\r\n"
	`\\\r?\n[ \t>]*\\`,                                    // an escape after a hard line break
	`\[\^a\]:(?s:.*)\t`,                                   // a tab in or below a footnote, which CommonMark does not have
	`\\\\\|`,                                              // an escaped backslash before the end of a cell
	`(?s:\[.{900}.*\[)`,                                   // brackets as far apart as a label may be long (§6.3)
}, "|"))

// hasOpenDestination reports whether a text after "](" has a "(" without a ")". CommonMark §6.3 does not allow that in the
// destination of a link, but goldmark does.
func hasOpenDestination(in string) bool {
	for start := range in {
		rest, isDestination := strings.CutPrefix(in[start:], "](")
		if !isDestination {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		depth := 0
		for i := 0; i < len(rest) && rest[i] > ' ' && depth >= 0; i++ {
			switch rest[i] {
			case '\\':
				i++
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if depth > 0 {
			return true
		}
	}
	return false
}

// hasOddTable reports whether the delimiter row of a table has another number of columns than its header, or a line
// after it could underline a heading. Such a text is neither a table (GFM §4.10) nor a heading.
func hasOddTable(in string) bool {
	before, hasTable := "", false
	for line := range strings.Lines(in) {
		line = strings.Trim(line, " \t\r\n>")
		columns := delimiterColumns([]byte(line))
		if columns > 0 && columns != len(cellsOf([]byte(before), emit.Interval{From: 0, To: len(before)})) {
			return true
		}
		hasTable = hasTable || columns > 0
		if hasTable && line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "") {
			return true
		}
		before = line
	}
	return false
}

// compareWithGoldmark fails if the reading of goldmark differs.
func compareWithGoldmark(t *testing.T, in string) {
	t.Helper()
	if oddities.MatchString(in) || hasOpenDestination(in) || hasOddTable(in) {
		return
	}
	if got, want := ofOurs(in), ofGoldmark(in); got.String() != want.String() {
		t.Errorf("%q is read as\n     %s\nwant %s", in, got, want)
	}
}

// This package and goldmark read random Markdown in the same way.
func TestGoldmarkOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 1))
	for range 10_000 {
		compareWithGoldmark(t, soup.Of(random, markdownWords, 16))
	}
}

// Each byte of the input is a word of Markdown.
func FuzzGoldmark(f *testing.F) {
	random := rand.New(rand.NewPCG(17, 2))
	for range 100 {
		seed := make([]byte, random.IntN(30))
		for i := range seed {
			seed[i] = byte(random.IntN(len(markdownWords)))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words []byte) {
		var in strings.Builder
		for _, i := range words {
			in.WriteString(markdownWords[int(i)%len(markdownWords)])
		}
		compareWithGoldmark(t, in.String())
	})
}
