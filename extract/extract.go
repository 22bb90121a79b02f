// Package extract finds URLs in running text of any length, in constant memory.
//
// It finds what RFC 1738's appendix recommends for URLs in context, the wrapper
// <URL:…> and the prefix URL:…; the URLs of every scheme that [Known] knows, as
// they stand in text; and, where asked to, hosts and mail addresses without a
// scheme, and paths in the context of a base.
//
//	for m, err := range extract.All(os.Stdin, extract.Options{}) {
//		if err != nil { … }
//		fmt.Printf("%d:%d %s\n", m.Line, m.Column, m.Text)
//	}
//
// A text is read once, in a window, in linear time. Where a URL ends is decided
// by what it is made of, by the brackets around and in it, and by what
// punctuation a sentence puts at its end. Every match reads back: [Match.URL]
// gives no error for what a [Scanner] found.
//
// locus/extract/document reads what has more structure: HTML, Markdown, mail.
//
// Notable divergences:
//   - RFC 1738, appendix: the prefix is recognised in lower case too, as RFC
//     1630's prefixedurl has it.
//   - RFC 1738, appendix: a URL after a bare prefix ends where one without
//     prefix does; what stands after the prefix has a scheme, of any name.
//   - RFC 3986, appendix C, also lets white space stand in a URL in "<" and ">"
//     without "URL:", and between quotation marks. Here it ends the URL.
//   - RFC 3987 §3.1: a host that is not ASCII is written in escapes, as the
//     section's second way has it. locus/url/whatwg writes it in Punycode.
package extract

import (
	"errors"
	"io"
	"iter"
	"strings"

	"locus/scheme"
	"locus/url"
)

// Options say what to find. The zero Options find the URLs of known schemes.
type Options struct {
	// Schemes are known besides those of [Known].
	Schemes scheme.Table
	// Bare finds hosts without a scheme, too, with what port and path follow:
	// domain names that end in a top-level domain, and IP addresses.
	Bare bool
	// Mail finds mail addresses without a scheme, too.
	Mail bool
	// Unknown finds the URLs of schemes that nobody knows, too, if "//" follows
	// the scheme's colon: unheard://h/x.
	Unknown bool
	// Base, if it is not the zero URL, is the URL of the text. Paths that
	// start with "/", "./" or "../" are then found, and are relative to it.
	Base url.URL
	// MaxLength is the greatest length of a match, in octets; 64 KiB if 0, and
	// 512 if less. The memory that a Scanner takes is some four times as much,
	// and at least 256 KiB.
	MaxLength int
}

// Kind says as what a match was found.
type Kind uint8

const (
	Standing  Kind = iota // a URL as it stands in the text
	Wrapped               // in a wrapper <URL:…>
	Prefixed              // after the prefix URL:
	Host                  // a host without a scheme, perhaps with port and path
	Address               // a mail address without a scheme
	Path                  // a path in the context of a base
	Reference             // the value of what holds a URL or a relative form of one in structured text
)

var kinds = [...]string{"url", "wrapped", "prefixed", "host", "address", "path", "reference"}

// String returns the kind in one word.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// A Match is a URL found in a text.
type Match struct {
	Offset int64 // in octets: of the wrapper or the prefix, where there is one
	Length int   // in octets, the wrapper or the prefix included
	Line   int   // from 1; lines end with LF
	Column int   // of the first octet in its line, in octets from 1

	// Text is the URL as it is written: without wrapper, and without the white
	// space in it. It may hold what no URL may, such as letters beyond ASCII.
	Text string
	Kind Kind

	// Hyphens are the offsets in Text of hyphens that stood at the end of a
	// line in a wrapper. Each may belong to the URL or have been put in by a
	// typesetter.
	Hyphens []int

	// Base is the URL in whose context Text stands; "" if there is none.
	Base string
	// Place is what held the URL in structured text, such as "a href"; "" in
	// plain text.
	Place string
}

// noBreaks takes out what no value that is a URL is read with: a line may be
// broken anywhere in it.
var noBreaks = strings.NewReplacer("\t", "", "\r", "", "\n", "")

// URL returns the URL that the match means, by RFC 3986: what no URL may hold
// is written in escapes, a host without scheme is one of http, an address is
// one of mailto, and a relative form is resolved if there is a base.
func (m Match) URL() (url.URL, error) {
	text := m.Text
	switch m.Kind {
	case Host:
		return parse("http://" + bracketed(text))
	case Address:
		return parse("mailto:" + text)
	case Reference:
		text = strings.Trim(noBreaks.Replace(text), " \f\v")
	}
	if m.Base == "" {
		return parse(text)
	}
	base, err := url.Parse(m.Base)
	if err != nil {
		return url.URL{}, err
	}
	if u, err := url.RFC3986.Resolve(base, text); err == nil {
		return u, nil
	}
	return url.RFC3986.Resolve(base, escape(text))
}

// parse parses a text in which escape has yet to be done, if it must be. Most
// texts are URLs as they stand, and escape would not change those.
func parse(text string) (url.URL, error) {
	if u, err := url.Parse(text); err == nil {
		return u, nil
	}
	return url.Parse(escape(text))
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
	b.WriteString(m.Text[from:])
	return b.String()
}

// ErrTooLong comes with a match that is longer than Options.MaxLength. The
// match has a place and no Text, and its Length is the limit: the scan goes on
// after that many octets.
var ErrTooLong = errors.New("a URL longer than the limit")

// All yields what a [Scanner] finds in r. The caller may keep the matches. After
// [ErrTooLong] there may be more; any other error is r's, and the last.
func All(r io.Reader, o Options) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		s := NewScanner(r, o)
		for {
			m, err := s.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case m == nil:
				yield(Match{}, err)
				return
			case !yield(m.Match(), err):
				return
			}
		}
	}
}

// Unwrap returns the URL in a text that is one URL and nothing else: without
// white space around it, a wrapper <…> or <URL:…>, and a prefix URL:. Of any
// other text it returns what is left without those.
func Unwrap(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		healed, _ := heal(nil, nil, []byte(text[1:len(text)-1]))
		text = string(healed)
	}
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		text = text[len(prefix):]
	}
	return text
}
