package prospero

import (
	"fmt"
	"strings"

	"locus/access"
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
	text   []byte
	tokens []string // of the current line; reused for each line
}

const maxTokens = 4096 // in one line

var errQuote = fmt.Errorf("unterminated quote: %w", access.ErrProtocol)

// next returns the tokens of the next line, which are valid until the next call.
// hasMore is false at the end of the message.
func (l *lexer) next() (tokens []string, hasMore bool, err error) {
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

func (l *lexer) token() (string, error) {
	var b strings.Builder
	for isQuoted := false; ; {
		n := spanLength(l.text, isQuoted)
		b.Write(l.text[:n])
		l.text = l.text[n:]
		switch {
		case isQuoted && len(l.text) == 0:
			return "", errQuote
		case len(l.text) == 0 || l.text[0] != '\'':
			return b.String(), nil
		case isQuoted && len(l.text) > 1 && l.text[1] == '\'':
			b.WriteByte('\'')
			l.text = l.text[2:]
		default:
			isQuoted = !isQuoted
			l.text = l.text[1:]
		}
	}
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
