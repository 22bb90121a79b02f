package content

import (
	"io"
	"iter"
	"mime"
	"strings"

	"locus/internal/gemtext"
)

// A Gemtext is a document of Gemini.
type Gemtext struct {
	Text     string // as UTF-8
	Language string // of the text; "" if the server names no language, or several
	Cut      bool   // the document is longer
	Problem  string // why the document is incomplete
}

// ReadGemtext reads the beginning of a document of Gemini, up to MaxText bytes. mediaType may have the parameters
// charset and lang. A text that is not UTF-8 and does not declare its charset is in the charset fallback; "" means
// windows-1252. After an error, the Gemtext has the text before the error.
func ReadGemtext(mediaType, fallback string, body io.Reader) (Gemtext, error) {
	var g Gemtext
	var err error
	if _, params, invalid := mime.ParseMediaType(mediaType); invalid == nil && !strings.Contains(params["lang"], ",") {
		g.Language = params["lang"]
	}
	g.Text, g.Cut, err = ReadText(mediaType, fallback, body, MaxText)
	return g, err
}

// A Block is a piece of a Gemtext: a heading, a preformatted text, or adjacent lines of the same kind, such as the
// items of a list.
type Block struct {
	Kind  gemtext.Kind
	Alt   string         // the alt text of Preformatted
	Lines []gemtext.Line // a single line for a heading
}

// Blocks yields the blocks of the document in order. Blank lines end a block, and are in no block except in
// preformatted text. The Lines of a Block are valid until the next Block.
func (g Gemtext) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		var parser gemtext.Parser
		var block Block
		end := func() bool { // of the block
			isEmpty := len(block.Lines) == 0
			done := block
			block = Block{Lines: block.Lines[:0]}
			return isEmpty || yield(done)
		}
		for text := range strings.Lines(g.Text) {
			line := parser.Parse(text)
			isBlank := line.Kind == gemtext.Text && strings.TrimSpace(line.Text) == ""
			if isBlank || line.Kind != block.Kind || line.Kind == gemtext.Heading {
				if !end() {
					return
				}
				block.Kind = line.Kind
			}
			switch {
			case line.Kind == gemtext.Toggle:
				block.Kind, block.Alt = gemtext.Preformatted, line.Text
			case !isBlank:
				block.Lines = append(block.Lines, line)
			}
		}
		end()
	}
}

// Title returns the text of the heading of level 1 with which the document begins. rest is the document after that
// heading. ok is false, and rest is g, if the document begins with another line.
func (g Gemtext) Title() (title string, rest Gemtext, ok bool) {
	text := strings.TrimLeft(g.Text, " \t\r\n\ufeff")
	first, after, _ := strings.Cut(text, "\n")
	line := new(gemtext.Parser).Parse(first)
	if line.Kind != gemtext.Heading || line.Level != 1 || line.Text == "" {
		return "", g, false
	}
	g.Text = after
	return line.Text, g, true
}
