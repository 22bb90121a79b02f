package prospero

import (
	"fmt"
	"strings"

	"locus/access"
)

// A lexer divides a message into lines and these into tokens.
//
//	ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 116' bytes'
//	                                         \_________/
//	                              one token: "116 bytes"
//
// Blanks and tabs outside quotes end a token, LF ends a line. A quote may begin
// and end anywhere in a token; in it everything is data, and two quotes are one.
// All is octets: a NUL is one like another.
type lexer struct {
	text   []byte
	tokens []string // of one line, made anew for each
}

const maxTokens = 4096 // of a line

var errQuote = fmt.Errorf("a quote that is not closed: %w", access.ErrProtocol)

// next returns the tokens of the next line, none for an empty one, which are
// good until the next call. more is false at the end of the message.
func (l *lexer) next() (tokens []string, more bool, err error) {
	if len(l.text) == 0 {
		return nil, false, nil
	}
	l.tokens = l.tokens[:0]
	for len(l.text) > 0 {
		switch l.text[0] {
		case ' ', '\t':
			l.text = l.text[1:]
		case '\n', '\r':
			l.text = l.text[1:]
			return l.tokens, true, nil
		default:
			token, err := l.token()
			if err != nil {
				return nil, false, err
			}
			if len(l.tokens) == maxTokens {
				return nil, false, fmt.Errorf("%w: a line of more than %d tokens", access.ErrTooLong, maxTokens)
			}
			l.tokens = append(l.tokens, token)
		}
	}
	return l.tokens, true, nil
}

// token reads a token, which starts where text does.
func (l *lexer) token() (string, error) {
	var b strings.Builder
	for quoted := false; ; {
		n := run(l.text, quoted)
		b.Write(l.text[:n])
		l.text = l.text[n:]
		switch {
		case quoted && len(l.text) == 0:
			return "", errQuote
		case len(l.text) == 0 || l.text[0] != '\'':
			return b.String(), nil
		case quoted && len(l.text) > 1 && l.text[1] == '\'':
			b.WriteByte('\'')
			l.text = l.text[2:]
		default:
			quoted = !quoted
			l.text = l.text[1:]
		}
	}
}

// run counts the octets up to one that means something in a token.
func run(text []byte, quoted bool) int {
	for i, c := range text {
		if c == '\'' || !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			return i
		}
	}
	return len(text)
}

// quote gives s as one token.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// isWord reports whether s is a token that needs no quotes: a keyword, a number.
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

// word gives s as one token, without quotes if it needs none.
func word(s string) string {
	if isWord(s) {
		return s
	}
	return quote(s)
}
