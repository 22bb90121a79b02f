package whatwg

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// A tokenKind is a kind of token of a pattern.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenOpen
	tokenClose
	tokenRegexp
	tokenName
	tokenChar
	tokenEscapedChar
	tokenModifier // "?" or "+"
	tokenAsterisk
	tokenInvalid
)

// A token is a token of the text of a pattern.
type token struct {
	kind  tokenKind
	at    int // where it starts
	value string
}

// tokenize is the tokenizer. It returns the tokens of the pattern s, the last of which is a tokenEnd. With the strict
// policy, invalid text is a *PatternError; otherwise it becomes a tokenInvalid and the error is nil.
func tokenize(s string, strict bool) ([]token, error) {
	var tokens []token
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		next := i + size
		t := token{tokenChar, i, s[i:next]}
		wrong := ""
		switch s[i] {
		case '*':
			t.kind = tokenAsterisk
		case '+', '?':
			t.kind = tokenModifier
		case '{':
			t.kind = tokenOpen
		case '}':
			t.kind = tokenClose
		case '\\':
			if next == len(s) {
				wrong = `a "\" at the end`
				break
			}
			_, size := utf8.DecodeRuneInString(s[next:])
			t.kind, t.value = tokenEscapedChar, s[next:next+size]
			next += size
		case ':':
			end := nameEnd(s, next)
			if end == next {
				wrong = `no name after ":"`
				break
			}
			t.kind, t.value = tokenName, s[next:end]
			next = end
		case '(':
			end, problem := regexpEnd(s, next)
			if wrong = problem; wrong != "" {
				break
			}
			t.kind, t.value = tokenRegexp, s[next:end-1]
			next = end
		}
		if wrong != "" {
			if strict {
				return nil, &PatternError{Reason: wrong}
			}
			t.kind = tokenInvalid
		}
		tokens = append(tokens, t)
		i = next
	}
	return append(tokens, token{tokenEnd, len(s), ""}), nil
}

// nameEnd returns the end of the name that starts at s[i], or i if no name starts there.
func nameEnd(s string, i int) int {
	for j := i; j < len(s); {
		r, size := utf8.DecodeRuneInString(s[j:])
		if !isNameRune(r, j == i) {
			return j
		}
		j += size
	}
	return len(s)
}

// isNameRune reports whether a name may contain r. The first character must be an IdentifierStart of JavaScript, and
// the others an IdentifierPart.
func isNameRune(r rune, first bool) bool {
	switch {
	case r == '$' || r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start):
		return true
	case first:
		return false
	}
	return r == 0x200c || r == 0x200d || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// regexpEnd returns the offset after the ")" of the regular expression that starts at s[i], after its "(". If the
// regular expression is invalid, wrong says why, and end is 0; otherwise wrong is "".
func regexpEnd(s string, i int) (end int, wrong string) {
	depth := 1
	for j := i; j < len(s); j++ {
		switch {
		case s[j] >= utf8.RuneSelf:
			return 0, "a regular expression with a character that is not ASCII"
		case j == i && s[j] == '?':
			return 0, `a regular expression that starts with "?"`
		case s[j] == '\\':
			j++
			if j == len(s) || s[j] >= utf8.RuneSelf {
				return 0, `a "\" with no ASCII character after it`
			}
		case s[j] == ')':
			if depth--; depth == 0 {
				if j == i {
					return 0, "an empty regular expression"
				}
				return j + 1, ""
			}
		case s[j] == '(':
			if depth++; j+1 == len(s) || s[j+1] != '?' {
				return 0, "a capturing group in a regular expression"
			}
		}
	}
	return 0, `a "(" without its ")"`
}

// A tokenReader reads tokens in order.
type tokenReader struct {
	tokens []token
	i      int
}

// take returns the next token and advances, if the token has one of the kinds. Otherwise it returns the zero token and
// false. It does not advance past tokenEnd.
func (r *tokenReader) take(kinds ...tokenKind) (token, bool) {
	t := r.tokens[r.i]
	if !slices.Contains(kinds, t.kind) {
		return token{}, false
	}
	if t.kind != tokenEnd {
		r.i++
	}
	return t, true
}
