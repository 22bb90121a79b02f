// Package glob has the two kinds of patterns that people type: a [Glob] stands for several
// URLs, and a [Filter] chooses files by their paths.
package glob

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Glob is a pattern for several texts, in the syntax of curl:
//
//	http://h/{one,two,three}.txt   a list
//	http://h/[1-100].txt           a range of numbers
//	http://h/[001-100].txt         with leading zeros
//	http://h/[a-z].txt             letters
//	http://h/[0-100:25].txt        with a step
//
// A URL has no braces, and brackets only around an IPv6 address (RFC 1738 §2.2, RFC 3986
// §3.2.2). So brackets between "//" and the next "/" that contain a colon hold an address,
// unless they are a valid range with a step; an address stays unchanged. Brackets cannot be
// quoted; write "%5B" in a URL.
type Glob struct {
	parts []globPart
}

// A globPart is a list of texts or a range.
type globPart struct {
	texts             []string // nil for a range
	first, last, step int
	width             int  // of numbers with leading zeros
	isLetters         bool // first and last are letters
}

// Parse parses a Glob. A text without brackets and braces has itself as its only result. Brackets
// around an IPv6 address stay a part of the text. The error has the offset of the mistake, but not
// the text, because the caller adds it. A Glob with more than ten million results is an error.
func Parse(text string) (Glob, error) {
	var g Glob
	rest := text
	for rest != "" {
		i := strings.IndexAny(rest, "[]{}")
		if i < 0 {
			g.add(globPart{texts: []string{rest}})
			break
		}
		at := len(text) - len(rest) + i
		end := -1
		if open := strings.IndexByte("[{", rest[i]); open >= 0 {
			end = i + strings.IndexByte(rest[i:], "]}"[open])
		}
		if end < i {
			return Glob{}, fmt.Errorf("byte %d: a %q without its partner", at, rest[i:i+1])
		}
		g.add(globPart{texts: []string{rest[:i]}})
		inside := rest[i+1 : end]
		part, err := globPart{texts: strings.Split(inside, ",")}, error(nil)
		if rest[i] == '[' {
			part, err = parseRange(inside)
		}
		switch {
		case rest[i] == '[' && err != nil && isAddress(text[:at], inside):
			part = globPart{texts: []string{rest[i : end+1]}}
		case err != nil:
			return Glob{}, fmt.Errorf("byte %d: %w", at, err)
		case strings.Contains(inside, "{"):
			return Glob{}, fmt.Errorf("byte %d: nested braces are not supported", at)
		}
		g.add(part)
		rest = rest[end+1:]
	}
	if g.Len() < 0 {
		return Glob{}, fmt.Errorf("it has more than %d results", maxGlob)
	}
	return g, nil
}

// maxGlob is how many results a glob may have.
const maxGlob = 10_000_000

// isAddress reports whether brackets hold an IP address: whether inside, the text between them,
// has a colon, and before, the text before them, ends within an authority.
func isAddress(before, inside string) bool {
	_, authority, ok := strings.Cut(before, "//")
	return ok && !strings.Contains(authority, "/") && strings.Contains(inside, ":")
}

// add appends p to the parts of g, unless p is an empty text.
func (g *Glob) add(p globPart) {
	if p.step != 0 || len(p.texts) != 1 || p.texts[0] != "" {
		g.parts = append(g.parts, p)
	}
}

// parseRange parses the text between brackets: a range such as "1-100", "001-100:5" or "a-z".
func parseRange(text string) (globPart, error) {
	bad := fmt.Errorf("want a range, such as [1-100], [001-100], [a-z] or [0-100:25], not %q", text)
	span, step, hasStep := strings.Cut(text, ":")
	first, last, ok := strings.Cut(span, "-")
	p := globPart{step: 1}
	if hasStep {
		var err error
		if p.step, err = strconv.Atoi(step); err != nil || p.step < 1 {
			return p, bad
		}
	}
	switch {
	case !ok:
		return p, bad
	case isLetter(first) && isLetter(last) && (first[0] >= 'a') == (last[0] >= 'a'):
		p.isLetters, p.first, p.last = true, int(first[0]), int(last[0])
	default:
		a, errA := strconv.ParseUint(first, 10, 31)
		b, errB := strconv.ParseUint(last, 10, 31)
		if errA != nil || errB != nil {
			return p, bad
		}
		p.first, p.last = int(a), int(b)
		if len(first) > 1 && first[0] == '0' {
			p.width = len(first)
		}
	}
	if p.first > p.last {
		return p, bad
	}
	return p, nil
}

// isLetter reports whether s is one ASCII letter.
func isLetter(s string) bool {
	return len(s) == 1 && ('a' <= s[0] && s[0] <= 'z' || 'A' <= s[0] && s[0] <= 'Z')
}

// len returns the number of texts that p stands for.
func (p globPart) len() int {
	if p.step == 0 {
		return len(p.texts)
	}
	return (p.last-p.first)/p.step + 1
}

// text returns the text with index i, from 0 to len-1.
func (p globPart) text(i int) string {
	switch {
	case p.step == 0:
		return p.texts[i]
	case p.isLetters:
		return string(rune(p.first + i*p.step))
	}
	return fmt.Sprintf("%0*d", p.width, p.first+i*p.step)
}

// Len returns the number of results, at least 1. It returns -1 for more than ten million results,
// which Parse does not accept.
func (g Glob) Len() int {
	n := 1
	for _, p := range g.parts {
		if n *= p.len(); n > maxGlob {
			return -1
		}
	}
	return n
}

// All yields the results in order. The last range or list changes fastest.
func (g Glob) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := range g.Len() {
			texts := make([]string, len(g.parts))
			for i := len(g.parts) - 1; i >= 0; i-- {
				size := g.parts[i].len()
				texts[i] = g.parts[i].text(n % size)
				n /= size
			}
			if !yield(strings.Join(texts, "")) {
				return
			}
		}
	}
}
