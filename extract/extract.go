// Package extract finds URLs in running text.
//
// What RFC 1738's appendix recommends for URLs in context is found exactly:
// the wrapper <URL:…> and the prefix URL:…
//
// Notable divergences:
//   - RFC 1738, appendix: the prefix is recognised in lower case too, as RFC
//     1630's prefixedurl has it.
//   - RFC 1738, appendix: a URL after a bare prefix ends at white space, "<",
//     ">" or a quotation mark, and what punctuation the sentence put at its end
//     is left out.
package extract

import (
	"iter"
	"strings"
)

// A Match is a URL found in a text. Nothing has judged it yet.
type Match struct {
	Offset int    // of the wrapper or the prefix in the text
	Length int    // in the text, the wrapper included
	Text   string // the URL: without wrapper and white space
	// Hyphens are the offsets in Text of hyphens that stood at the end of a
	// line. Each may belong to the URL or have been put in by a typesetter.
	Hyphens []int
}

// Readings yields what the URL may be: first Text, then every text without one
// or more of the hyphens that stood at the end of a line. Of n such hyphens
// that makes 2ⁿ readings; of more than ten, only Text and the text without any
// of them.
func (m Match) Readings() iter.Seq[string] {
	return func(yield func(string) bool) {
		n := len(m.Hyphens)
		if n > 10 {
			if yield(m.Text) {
				yield(m.without(func(int) bool { return true }))
			}
			return
		}
		for choice := range 1 << n {
			if !yield(m.without(func(i int) bool { return choice>>(n-1-i)&1 != 0 })) {
				return
			}
		}
	}
}

// without returns the text without the hyphens chosen.
func (m Match) without(chosen func(i int) bool) string {
	var b strings.Builder
	from := 0
	for i, at := range m.Hyphens {
		if chosen(i) {
			b.WriteString(m.Text[from:at])
			from = at + 1
		}
	}
	if from == 0 {
		return m.Text
	}
	b.WriteString(m.Text[from:])
	return b.String()
}

// Prefixed yields the URLs in the text that stand in a wrapper <URL:…> or
// after a prefix URL:, in order. White space within a wrapper, line breaks
// too, is no part of the URL (RFC 1738, appendix). It takes linear time.
func Prefixed(text string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		for at := 0; ; {
			i := indexPrefix(text, at)
			if i < 0 {
				return
			}
			m, ok := match(text, i)
			if ok && !yield(m) {
				return
			}
			at = max(i+len(prefix), m.Offset+m.Length)
		}
	}
}

// Unwrap returns the URL in a text that is one URL and nothing else: without
// white space around it, a wrapper <…> or <URL:…>, and a prefix URL:. Of any
// other text it returns what is left without those.
func Unwrap(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		text, _, _ = heal(text[1 : len(text)-1])
	}
	if hasPrefix(text) {
		text = text[len(prefix):]
	}
	return text
}

const prefix = "url:"

func hasPrefix(s string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// indexPrefix returns where the next prefix starts that is no end of a longer
// word, at or after the offset; -1 if there is none.
func indexPrefix(text string, at int) int {
	for {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return -1
		}
		at += colon + 1
		start := at - len(prefix)
		if start >= 0 && hasPrefix(text[start:]) && (start == 0 || !isWord(text[start-1])) {
			return start
		}
	}
}

// isWord reports whether an octet before "url:" makes it the end of another
// scheme or word.
func isWord(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("+-._/:@%?=&#", c) >= 0
}

// match reads the URL whose prefix is at the offset.
func match(text string, at int) (Match, bool) {
	rest := text[at+len(prefix):]
	if at > 0 && text[at-1] == '<' {
		end := strings.IndexAny(rest, "<>")
		if end >= 0 && rest[end] == '>' {
			healed, hyphens, ok := heal(rest[:end])
			return Match{Offset: at - 1, Length: len("<") + len(prefix) + end + len(">"), Text: healed, Hyphens: hyphens}, ok
		}
	}
	end := strings.IndexAny(rest, " \t\r\n\v\f<>\"")
	if end < 0 {
		end = len(rest)
	}
	found := strings.TrimRight(rest[:end], ".,;:!?')]}")
	return Match{Offset: at, Length: len(prefix) + len(found), Text: found}, found != ""
}

// heal takes the white space out of what stood in a wrapper, and returns where
// in the result hyphens stood at the end of a line.
func heal(s string) (healed string, hyphens []int, ok bool) {
	if strings.IndexFunc(s, isSpace) < 0 {
		return s, nil, s != ""
	}
	var b strings.Builder
	for s != "" {
		word := s
		if i := strings.IndexFunc(s, isSpace); i >= 0 {
			word = s[:i]
		}
		s = s[len(word):]
		b.WriteString(word)
		space := len(s) - len(strings.TrimLeftFunc(s, isSpace))
		if strings.HasSuffix(word, "-") && strings.ContainsAny(s[:space], "\r\n") && space < len(s) {
			hyphens = append(hyphens, b.Len()-1)
		}
		s = s[space:]
	}
	return b.String(), hyphens, b.Len() > 0
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\r\n\v\f", r) }
