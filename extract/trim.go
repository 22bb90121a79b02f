package extract

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// trim returns the end of the URL that ends at end, without the punctuation that a sentence puts after it. The result
// is not less than least. See Options.Markdown for isMarkdown.
func trim(text []byte, least, end int, isMarkdown bool) int {
	for end > least {
		c := text[end-1]
		switch {
		case c == ';':
			if n := characterReference(text[least:end]); n > 0 {
				end -= n
				continue
			}
			end--
		case c == '\'' && bytes.Count(text[least:end], text[end-1:end])%2 == 0:
			return end // it closes another apostrophe in the URL
		case c < 0x80:
			if !sentenceBytes[c] && !(isMarkdown && isEmphasis(c)) {
				return end
			}
			end--
		default:
			r, size := utf8.DecodeLastRune(text[least:end])
			if !isTrailing(r) || isMarkdown && unicode.Is(unicode.Pd, r) {
				return end
			}
			end -= size
		}
	}
	return end
}

var sentenceBytes = bytesWhere(func(c byte) bool { return strings.IndexByte(".,:;'?!@*|", c) >= 0 })

// isEmphasis reports whether c may be the last byte of emphasised text in Markdown. The star is in sentenceBytes.
func isEmphasis(c byte) bool { return c == '_' || c == '~' }

// isTrailing reports whether trim removes r, a character beyond ASCII, from the end of a URL. '。', '、' and '，' are
// absent because they end a URL anywhere: see endsURL.
func isTrailing(r rune) bool {
	switch r {
	case '…', '！', '？', '；', '：', '．', '·', '؟', '،', '؛', '।', '‒', '–', '—', '―':
		return true
	}
	return false
}

// characterReference returns the length of the HTML character reference, such as &gt;, at the end of text. It returns 0
// if text, which ends with ";", does not end with a reference.
func characterReference(text []byte) int {
	const longest = len("&thetasym;")
	for n := 2; n <= min(longest, len(text)); n++ {
		switch c := text[len(text)-n]; {
		case c == '&':
			if n > 3 {
				return n
			}
			return 0
		case !isLetter(c) && !isDigit(c) && c != '#':
			return 0
		}
	}
	return 0
}
