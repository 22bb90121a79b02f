package imapd

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/demo/internal/serve"
)

const (
	maxLine    = 4 << 10 // limit for the bytes of a line
	maxCommand = 8 << 10 // limit for the bytes of a command with its literals
)

// A word is a word of a command. A parenthesis is a word of its own.
type word struct {
	text     string
	isQuoted bool // it was a quoted string or a literal
}

// is reports whether w is the word s, which is in upper case, without quotation marks.
func (w word) is(s string) bool { return !w.isQuoted && strings.EqualFold(w.text, s) }

// readCommand reads a command with its literals, and logs it. It returns the tag, or "*" if the tag is empty, and the
// words after the tag. A command of more than maxCommand bytes is serve.ErrLineTooLong.
func (v *session) readCommand() (tag string, words []word, err error) {
	line, err := serve.Line(v.in)
	if err != nil {
		return "", nil, err
	}
	for {
		size, ok := literalSize(line)
		if !ok {
			break
		}
		if size > maxCommand-len(line) {
			return "", nil, serve.ErrLineTooLong
		}
		literal := make([]byte, size)
		rest, err := v.continued("+ go on", literal)
		if err != nil {
			return "", nil, err
		}
		line = line[:strings.LastIndexByte(line, '{')] + quote(string(literal)) + rest
		if len(line) > maxCommand {
			return "", nil, serve.ErrLineTooLong
		}
	}
	tag, rest, _ := strings.Cut(line, " ")
	words = split(rest)
	v.Log.Line(shown(words))
	if tag == "" {
		tag = "*"
	}
	return tag, words, nil
}

// continued sends prompt, which asks the client to go on. It fills each of literals with the bytes that follow, and
// returns the rest of the line.
func (v *session) continued(prompt string, literals ...[]byte) (rest string, err error) {
	fmt.Fprint(v.out, prompt+"\r\n")
	if err := v.out.Flush(); err != nil {
		return "", err
	}
	for _, literal := range literals {
		if _, err := io.ReadFull(v.in, literal); err != nil {
			return "", err
		}
	}
	return serve.Line(v.in)
}

// literalSize returns the size of the literal that a line announces at its end: 5 for "LOGIN {5}". ok is false if the
// line does not announce a literal.
func literalSize(line string) (n int, ok bool) {
	start := strings.LastIndexByte(line, '{')
	if start < 0 || !strings.HasSuffix(line, "}") {
		return 0, false
	}
	n, err := strconv.Atoi(line[start+1 : len(line)-1])
	return n, err == nil && n >= 0
}

// quote returns text as a quoted string, which may have line ends.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// split splits a command into words. A quoted string is one word, without its quotation marks, and each parenthesis
// is a word. A word in brackets, such as BODY[HEADER.FIELDS (TO)], may have spaces and parentheses.
func split(line string) []word {
	var all []word
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		n := 1
		switch line[0] {
		case '"':
			text, rest := unquote(line[1:])
			all = append(all, word{text, true})
			line = rest
			continue
		case '(', ')':
		default:
			n = atomLength(line)
		}
		all = append(all, word{text: line[:n]})
		line = line[n:]
	}
	return all
}

// unquote returns the quoted string at the start of line, whose opening quotation mark has been removed, without its
// escapes, and the rest of line after it.
func unquote(line string) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
		case line[i] == '"':
			return b.String(), line[i+1:]
		}
		b.WriteByte(line[i])
	}
	return b.String(), ""
}

// atomLength returns the length of the unquoted word at the start of a line, at least 1.
func atomLength(line string) int {
	depth := 0
	for i, c := range line {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth <= 0 && strings.ContainsRune(` ()"`, c):
			return max(i, 1)
		}
	}
	return len(line)
}

// shown returns a command for the log. In a login, "xxxxx" replaces the words after the user or the mechanism.
func shown(words []word) string {
	var all []string
	for i, w := range words {
		if i > 1 && (words[0].is("LOGIN") || words[0].is("AUTHENTICATE")) {
			all = append(all, "xxxxx")
			break
		}
		all = append(all, w.text)
	}
	return fmt.Sprintf("%q", strings.Join(all, " "))
}
