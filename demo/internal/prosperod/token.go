package prosperod

import (
	"bytes"
	"strings"
)

// A line consists of the tokens of a command.
type line []string

// The error texts for a malformed message.
const (
	openQuote = "Read Prospero message with an unterminated quote"
	emptyLine = "Read Prospero message with an empty line."
)

// parseLine parses the first line of text, which ends in CR or LF. It returns its tokens without
// quotes, and the text after the line. fault is the error text for a malformed or empty line, or
// "".
func parseLine(text []byte) (tokens line, rest []byte, fault string) {
	var token []byte
	var inToken, quoted bool
	end := func() {
		if inToken {
			tokens = append(tokens, string(token))
		}
		token, inToken = token[:0], false
	}
	for len(text) > 0 {
		c := text[0]
		text = text[1:]
		switch {
		case quoted && c == '\'' && bytes.HasPrefix(text, []byte("'")):
			token, text = append(token, c), text[1:]
		case c == '\'':
			quoted, inToken = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			end()
		case !quoted && (c == '\n' || c == '\r'):
			end()
			return tokens, text, faultOf(tokens)
		default:
			token, inToken = append(token, c), true
		}
	}
	if quoted {
		return nil, nil, openQuote
	}
	end()
	return tokens, nil, faultOf(tokens)
}

// faultOf returns the error text for a line without tokens, and "" for any other line.
func faultOf(tokens line) string {
	if len(tokens) == 0 {
		return emptyLine
	}
	return ""
}

// quote returns s as one token. The quotes enclose the bytes from the first one that needs them.
func quote(s string) string {
	if s == "" {
		return "''"
	}
	i := strings.IndexAny(s, " \t\v\f\r\n/'+,")
	if i < 0 {
		return s
	}
	return s[:i] + "'" + strings.ReplaceAll(s[i:], "'", "''") + "'"
}
