package check

import (
	"strconv"
	"strings"
	"unicode"

	"locus/url"
)

// A textDirective is a text to which a link leads (URL Fragment Text Directives):
//
//	#:~:text=prefix-,start,end,-suffix
//
// All parts except start may be empty. They have the form of [pageText].
type textDirective struct{ prefix, start, end, suffix string }

// textDirectives returns the text directives of a fragment; nil if it has none. Like browsers, it leaves out malformed
// directives.
func textDirectives(fragment string) []textDirective {
	_, directives, ok := strings.Cut(fragment, ":~:")
	if !ok {
		return nil
	}
	var all []textDirective
	for directive := range strings.SplitSeq(directives, "&") {
		if value, ok := strings.CutPrefix(directive, "text="); ok {
			if d, ok := parseDirective(value); ok {
				all = append(all, d)
			}
		}
	}
	return all
}

// parseDirective parses the value of a text directive, prefix-,start,end,-suffix, in which only start is required. ok
// is false if the value is malformed.
func parseDirective(value string) (d textDirective, ok bool) {
	texts := strings.Split(value, ",")
	if prefix, ok := strings.CutSuffix(texts[0], "-"); ok && len(texts) > 1 {
		d.prefix, texts = prefix, texts[1:]
	}
	if suffix, ok := strings.CutPrefix(texts[len(texts)-1], "-"); ok && len(texts) > 1 {
		d.suffix, texts = suffix, texts[:len(texts)-1]
	}
	if len(texts) > 2 {
		return d, false
	}
	if d.start = texts[0]; len(texts) == 2 {
		d.end = texts[1]
	}
	for _, text := range []*string{&d.prefix, &d.start, &d.end, &d.suffix} {
		decoded, err := url.Unescape(*text)
		if err != nil {
			return d, false
		}
		var p pageText
		p.add(decoded)
		*text = strings.TrimSpace(p.String())
	}
	return d, d.start != ""
}

// maxOccurrences is how many occurrences of a text in a page are examined.
const maxOccurrences = 10_000

// isIn reports whether page, in the form of [pageText], has the text. known is false if isIn cannot tell, because it
// examines only the first maxOccurrences occurrences of start or end.
func (d textDirective) isIn(page string) (ok, known bool) {
	from := 0
	for range maxOccurrences {
		at := strings.Index(page[from:], d.start)
		if at < 0 {
			return false, true
		}
		at += from
		from = at + 1
		if !strings.HasSuffix(strings.TrimRight(page[:at], " "), d.prefix) {
			continue
		}
		after := page[at+len(d.start):]
		if d.end == "" {
			if d.precedesSuffix(after) {
				return true, true
			}
			continue
		}
		return d.endsIn(after) // if start occurs later, no end follows there that does not follow here
	}
	return false, false
}

// endsIn reports whether the directive's end, followed by its suffix, is in rest, the text of the page after the start.
// known is false if endsIn cannot tell, because none of the first maxOccurrences occurrences of the end precedes the
// suffix.
func (d textDirective) endsIn(rest string) (ok, known bool) {
	for range maxOccurrences {
		at := strings.Index(rest, d.end)
		if at < 0 {
			return false, true
		}
		if d.precedesSuffix(rest[at+len(d.end):]) {
			return true, true
		}
		rest = rest[at+1:]
	}
	return false, false
}

// precedesSuffix reports whether rest, the text of the page after a match, begins with the suffix. Spaces before the
// suffix do not count.
func (d textDirective) precedesSuffix(rest string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " "), d.suffix)
}

// String returns the start and the end of the directive in quotation marks, such as "start … end".
func (d textDirective) String() string {
	text := d.start
	if d.end != "" {
		text += " … " + d.end
	}
	return strconv.Quote(text)
}

// A pageText collects the text of a page in lower case, with one space for each run of white space.
type pageText struct {
	strings.Builder
	endsInSpace bool
}

// add appends text in lower case, with one space for each run of white space, even across calls. It leaves out soft
// hyphens and zero width spaces.
func (p *pageText) add(text string) {
	for _, c := range text {
		isSpace := unicode.IsSpace(c)
		switch {
		case isSpace && p.endsInSpace, c == '\u00ad', c == '\u200b':
			continue
		case isSpace:
			c = ' '
		}
		p.endsInSpace = isSpace
		p.WriteRune(unicode.ToLower(c))
	}
}
