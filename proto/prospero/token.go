package prospero

import (
	"fmt"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
)

// A lexer splits a message into lines, and lines into tokens.
//
//	ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 116' bytes'
//	                                         \_________/
//	                              one token: "116 bytes"
//
// Blanks and tabs outside quotes end a token, and LF ends a line. Quotes may
// start and end anywhere in a token. Between quotes everything is data, and two
// quotes are one. A NUL is data.
type lexer struct {
	// line is called with each line. The tokens are valid until it returns, their
	// texts for ever.
	line func(tokens []string) error
	// streams reports whether the token after these is given to data as it arrives.
	// Then it is "" among the tokens of its line. nil: none is.
	streams func(tokens []string) bool
	data    func(part []byte)

	limit int // how many bytes are kept, all lines together; 0 means no limit
	kept  int

	tokens      []string // of the current line; reused for each line
	token       []byte   // the beginning of the current token
	isStreaming bool     // the current token goes to data
	state       state
}

// A state is the position of a lexer.
type state int

const (
	between    state = iota // tokens
	bare                    // in a token, outside quotes
	quoted                  // in a token, inside quotes
	afterQuote              // a quote inside quotes: their end, unless another follows
)

const maxTokens = 4096 // in one line

var errQuote = sentinel.New("unterminated quote: the server broke the protocol", access.ErrProtocol)

// write reads the next part of the message. A part may end anywhere.
func (l *lexer) write(text []byte) error {
	for len(text) > 0 {
		n, err := l.step(text)
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// step reads the first bytes of text, and returns how many. They may be none if
// the state changes.
func (l *lexer) step(text []byte) (n int, err error) {
	switch l.state {
	case between:
		return l.stepBetween(text[0])
	case afterQuote:
		if text[0] != '\'' {
			l.state = bare
			return 0, nil
		}
		l.state = quoted
		return 1, l.add(text[:1])
	}
	n = spanLength(text, l.state == quoted)
	if err := l.add(text[:n]); err != nil || n == len(text) {
		return n, err
	}
	switch {
	case text[n] != '\'':
		l.endToken()
		return n, nil
	case l.state == quoted:
		l.state = afterQuote
	default:
		l.state = quoted
	}
	return n + 1, nil
}

func (l *lexer) stepBetween(c byte) (n int, err error) {
	switch c {
	case ' ', '\t':
		return 1, nil
	case '\n', '\r':
		return 1, l.endLine()
	}
	if len(l.tokens) == maxTokens {
		return 0, fmt.Errorf("%w: a line of more than %d tokens", access.ErrTooLong, maxTokens)
	}
	l.state = bare
	l.isStreaming = l.streams != nil && l.streams(l.tokens)
	return 0, nil
}

// add adds bytes to the current token.
func (l *lexer) add(part []byte) error {
	if l.isStreaming {
		l.data(part)
		return nil
	}
	if l.kept += len(part); l.limit > 0 && l.kept > l.limit {
		return tooLong(l.limit)
	}
	l.token = append(l.token, part...)
	return nil
}

func (l *lexer) endToken() {
	l.tokens = append(l.tokens, string(l.token))
	l.token, l.isStreaming, l.state = l.token[:0], false, between
}

func (l *lexer) endLine() error {
	err := l.line(l.tokens)
	l.tokens = l.tokens[:0]
	return err
}

// end ends the message. Its last line may have no LF.
func (l *lexer) end() error {
	switch l.state {
	case quoted:
		return errQuote
	case bare, afterQuote:
		l.endToken()
	}
	if len(l.tokens) == 0 {
		return nil
	}
	return l.endLine()
}

// spanLength returns how many bytes at the start of text have no special
// meaning.
func spanLength(text []byte, isQuoted bool) int {
	for i, c := range text {
		if c == '\'' || !isQuoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			return i
		}
	}
	return len(text)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// isWord reports whether s is a token that needs no quotes, such as a keyword.
func isWord(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return s != ""
}

// word encodes s as one token, with quotes only if it needs them.
func word(s string) string {
	if isWord(s) {
		return s
	}
	return quote(s)
}
