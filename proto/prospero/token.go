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
	// line is called with the tokens of each line. The slice is valid until line returns,
	// because the lexer uses it again.
	line func(tokens []string) error
	// streams reports whether the token after these tokens of a line is passed to data as it
	// arrives, and not kept. Such a token is "" in the call of line. If nil, all tokens are kept.
	streams func(tokens []string) bool
	data    func(part []byte)

	limit int // the maximum of kept; 0 means no limit
	kept  int // the number of bytes of all tokens of all lines, without those passed to data

	tokens      []string // the complete tokens of the current line
	token       []byte   // the beginning of the current token
	isStreaming bool     // the current token is passed to data
	state       state
}

// A state is where in the text a lexer is.
type state int

const (
	between    state = iota // between two tokens
	bare                    // in a token, outside quotes
	quoted                  // in a token, inside quotes
	afterQuote              // after a quote inside quotes, which ends them unless another quote follows
)

const maxTokens = 4096 // tokens in one line

var errQuote = sentinel.New("unterminated quote: the server broke the protocol", access.ErrProtocol)

// write lexes text, the next part of the message, which may end anywhere. It returns the
// error of the callback l.line, or an access.ErrTooLong if there are too many tokens or
// bytes.
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

// step lexes some bytes at the start of text, which is not empty, and returns their number.
// The number is 0 if only the state changes.
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

// stepBetween lexes c, the next byte, which follows a complete token or begins a line. It
// returns 1, or 0 if c begins a token, so that the caller lexes c in the state bare.
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

// add adds part to the current token or, if the token is streamed, passes it to data. The
// error wraps access.ErrTooLong if the kept tokens exceed the limit.
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

// endToken adds the current token to the tokens of the line, and sets the state to between.
func (l *lexer) endToken() {
	l.tokens = append(l.tokens, string(l.token))
	l.token, l.isStreaming, l.state = l.token[:0], false, between
}

// endLine calls l.line with the tokens of the line, which may be none, and starts another
// line.
func (l *lexer) endLine() error {
	err := l.line(l.tokens)
	l.tokens = l.tokens[:0]
	return err
}

// end ends the message, and passes its last line to l.line if that line has no LF. It
// returns errQuote if the message ends inside quotes.
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

// spanLength returns the number of bytes at the start of a token's text that stand for
// themselves: those before a quote or, outside quotes, before a blank or the end of the line.
func spanLength(text []byte, isQuoted bool) int {
	for i, c := range text {
		if c == '\'' || !isQuoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			return i
		}
	}
	return len(text)
}

// quote returns s as one quoted token.
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

// word returns s as one token, with quotes only if s needs them.
func word(s string) string {
	if isWord(s) {
		return s
	}
	return quote(s)
}
