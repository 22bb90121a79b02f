// Package extract finds URLs in running text of any length, in constant memory.
//
// It finds the forms that RFC 1738's appendix recommends for URLs in context: the wrapper <URL:…> and the prefix
// URL:…. It finds plain URLs of every scheme that [Known] lists. On request it also finds URLs of unknown schemes,
// hosts and mail addresses without a scheme, and paths relative to a base.
//
//	for m, err := range extract.All(os.Stdin, extract.Options{}) {
//		if err != nil { … }
//		fmt.Printf("%d:%d %s\n", m.Line, m.Column, m.Text)
//	}
//
// A text is read once, in a window, in linear time. The end of a URL depends on its bytes, on the brackets around and
// in it, and on the punctuation that a sentence puts after it. Every match is a valid URL: [Match.URL] returns no
// error for a match of a [Scanner].
//
// Package locus/extract/document reads structured text: HTML, Markdown, mail.
//
// # How the pieces work together
//
// A [Scanner] (scanner.go) keeps a part of the text in a window (window.go), and asks a finder (finder.go) for the next
// match in it. The finder has five stages: trigger.go, candidate.go, edge.go, trim.go and verdict.go. Each form of a
// URL has a file: wrapper.go for <URL:…> and URL:…, scheme.go, starts.go and names.go for URLs with a scheme, host.go
// and tld.go for hosts, and mail.go for mail addresses and paths. whole.go recognises beginnings of URLs in programs.
// span.go and wide_amd64.go search for classes of bytes, many at a time.
//
// [All] and [Wrap] (wrap.go) are loops around a Scanner, in the caller's goroutine. [Parallel] (parallel.go) divides a
// text into parts, which several goroutines search, each with a finder of its own. Each passes the end of its last
// match on to the search of the next part, because a match may reach into it. The caller gets the results in the order
// of the text. [Match.URL] parses a match, and escapes it first if necessary (escape.go).
//
// Notable divergences:
//   - RFC 1738, appendix: the prefix is recognised in lower case too, as in RFC
//     1630's prefixedurl.
//   - RFC 1738, appendix: a URL after a prefix without a wrapper ends where a plain URL would. It must have a
//     scheme, which may be unknown.
//   - RFC 3986, appendix C, also allows white space in a URL in "<" and ">"
//     without "URL:", and between quotation marks. Here it ends the URL.
//   - RFC 3987 §3.1: a host that is not ASCII is percent-encoded, which is the second method of
//     that section. locus/url/whatwg writes it in Punycode.
package extract

import (
	"errors"
	"io"
	"iter"
	"strings"

	"locus/internal/facts"
	"locus/internal/lazy"
	"locus/internal/weburl"
	"locus/scheme"
	"locus/url"
)

// Options select the URLs to find. The zero Options find the URLs of known schemes.
type Options struct {
	// Schemes are known in addition to the schemes that [Known] lists.
	Schemes scheme.Table
	// Bare also finds hosts without a scheme, with their port and path: domain
	// names that end in a top-level domain, and IP addresses.
	Bare bool
	// Mail also finds mail addresses without a scheme.
	Mail bool
	// Unknown also finds URLs of unknown schemes, if "//" follows the scheme's
	// colon: unheard://h/x.
	Unknown bool
	// Whole leaves out text that is only the beginning of a URL in a program, as in "http://h:" + port.
	Whole bool
	// Markdown says that the text is Markdown. The marks "_" and "~" at the end of a URL are then removed, because they
	// end emphasised text, and a dash such as "—" belongs to the URL (GFM §6.9).
	Markdown bool
	// Base is the URL of the text. If it is not the zero URL, paths that start with "/", "./" or "../" are found too,
	// and are relative to it.
	Base url.URL
	// MaxLength is the greatest length of a match in bytes. Values below 512 count as 512, 0 means 64 KiB, and a
	// negative value means no limit. A Scanner takes about four times as much memory, and at least 256 KiB. Without a
	// limit it keeps the whole text.
	MaxLength int
}

// Kind says how a URL is written in the text.
type Kind uint8

const (
	Plain     Kind = iota // a URL as it stands in the text
	Wrapped               // a URL in a wrapper <URL:…>
	Prefixed              // a URL after the prefix URL:
	Host                  // a host without a scheme, perhaps with a port and a path
	Address               // a mail address without a scheme
	Path                  // a path relative to a base
	Reference             // a URL or a relative reference in structured text, such as an attribute's value
)

var kinds = [...]string{"url", "wrapped", "prefixed", "host", "address", "path", "reference"}

// String returns the kind in one word, such as "url" or "host", or "unknown" for a value that is not a Kind.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// A Match is a URL found in a text.
type Match struct {
	Offset int64 // in bytes; the offset of the wrapper or prefix, if there is one
	Length int   // in bytes, with its wrapper or prefix
	Line   int   // from 1; lines end with LF
	Column int   // of the first byte in its line, in bytes from 1

	// Text is the URL as written, without its wrapper and the white space inside it. It may hold characters that are
	// not allowed in a URL, such as letters beyond ASCII.
	Text string
	Kind Kind

	// Hyphens are the offsets in Text of hyphens that stood at the end of a
	// line in a wrapper. Each may belong to the URL, or a typesetter may have
	// added it.
	Hyphens []int

	// Base is the URL that Text is relative to. It is "" if Text is not relative.
	Base string
	// Charset is the name of the encoding of Text, if it is not UTF-8 and the document names it; else "".
	Charset string
	// Place names the part of structured text that held the URL, such as "a href". It is "" in plain text.
	Place string
}

// removeBreaks removes line breaks and tabs, which may appear anywhere in the URL of an attribute.
var removeBreaks = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
	return strings.NewReplacer("\t", "", "\r", "", "\n", "")
}}

// URL returns the URL that the match stands for. A Reference that leads to an http or https URL is read as browsers
// read it, by the URL Standard: the path of a page in another Charset is sent in UTF-8, and the query in the Charset.
// The Standard of the result is then whatwg.Standard if its text is not a URL of RFC 3986.
//
// Any other match is read by RFC 3986. Characters that are not allowed in a URL are percent-encoded. A host without a
// scheme becomes an http URL, and a mail address becomes a mailto URL. A relative reference is resolved if there is a
// base. In a Reference a backslash may stand for a slash, as in browsers.
func (m Match) URL() (url.URL, error) {
	text := m.Text
	switch m.Kind {
	case Host:
		return parse("http://" + bracketed(text))
	case Address:
		return parse("mailto:" + text)
	case Reference:
		if u, ok := m.onWeb(); ok {
			return u, nil
		}
		text = forwardSlashes(strings.Trim(removeBreaks.Get().Replace(text), " \f\v"), m.Base)
	}
	if m.Base == "" {
		return parse(text)
	}
	base, err := url.Parse(m.Base)
	if err != nil {
		return url.URL{}, err
	}
	if u, err := base.Resolve(text); err == nil {
		return u, nil
	}
	return base.Resolve(escape(text))
}

// Output returns u, the result of [Match.URL], in the form that programs which open it expect: a URL of RFC 3986.
// The exceptions are AT URIs, because their DID has colons, which RFC 3986 does not allow in a host. The result for
// at://did:plc:x is therefore the text itself, not at://did%3Aplc%3Ax.
func (m Match) Output(u url.URL) string {
	if u.Standard() != url.RFC3986 {
		return weburl.Strict(u.String())
	}
	if host, _ := u.Host(); !strings.HasPrefix(host, "did%3A") {
		return u.String()
	}
	start, end, _ := u.Span(url.Host)
	from, past := didIn(m.Text)
	if from < 0 || strings.ReplaceAll(m.Text[from:past], ":", "%3A") != u.String()[start:end] {
		return u.String()
	}
	return u.String()[:start] + m.Text[from:past] + u.String()[end:]
}

// forwardSlashes returns the reference text with slashes for the backslashes before its query and its fragment if its
// scheme is special, as browsers read it (URL Standard §4.4). A text without a scheme has the scheme of base.
func forwardSlashes(text, base string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	absolute := base
	if n := strings.IndexAny(text, `:/\?#`); n > 0 && text[n] == ':' {
		absolute = text
	}
	if scheme, _, _ := strings.Cut(absolute, ":"); !facts.Of(scheme).Has(facts.Special) {
		return text
	}
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		end = len(text)
	}
	return strings.ReplaceAll(text[:end], `\`, "/") + text[end:]
}

// parse parses text by RFC 3986. If that fails, it parses escape(text). It tries text unchanged first, because most
// texts are already URLs.
func parse(text string) (url.URL, error) {
	if u, err := url.Parse(text); err == nil {
		return u, nil
	}
	return url.Parse(escape(text))
}

// Readings yields the texts that the URL may have: first Text, then Text without one or more of the Hyphens. With n
// hyphens there are 2ⁿ readings. With more than ten hyphens there are two, Text and Text without any of them.
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

// without returns Text without each hyphen m.Hyphens[i] for which chosen(i) is true.
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

// ErrTooLong is returned with a match that is longer than Options.MaxLength. The match's Text is its first 256 bytes,
// and its Length is the limit, because the scan continues after that many bytes.
var ErrTooLong = errors.New("a URL longer than the limit")

// All yields the matches that a [Scanner] finds in r. The caller may keep them. [ErrTooLong] is yielded with the
// beginning of a match, and more matches may follow. Any other error is the error of r, is yielded with a zero Match,
// and ends the sequence.
func All(r io.Reader, o Options) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) { NewScanner(nil, o).All(r)(yield) }
}

// Unwrap removes the white space around text, then a wrapper <…> or <URL:…>, then a prefix URL:. Use it for text that
// should be exactly one URL.
func Unwrap(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">") {
		joined, _ := joinLines(nil, nil, []byte(text[1:len(text)-1]))
		text = string(joined)
	}
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		text = text[len(prefix):]
	}
	return text
}
