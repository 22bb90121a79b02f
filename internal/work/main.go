// Command work checks without a clock that extract takes linear time. It makes
// texts by repeating short pieces, extracts their URLs, and counts how many blocks
// of code are run. A text that is sixteen times as long must run about sixteen
// times as many blocks. The command prints the pieces for which it runs more, and
// fails if there are any.
//
// It must be built with coverage, which counts the blocks, and with purego, because
// assembly, which reads many bytes at once, is not counted:
//
//	go run -tags purego -cover -covermode=atomic -coverpkg=locus/internal/work,locus/extract/...,locus/url ./internal/work -depth 3
//
// Code in other packages, such as the parsers of HTML and Markdown, is counted only if
// -coverpkg names the package and it is written in Go.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"iter"
	"os"
	"runtime/coverage"
	"strings"

	"locus/extract"
	"locus/extract/document"
	"locus/url"
)

const (
	factor           = 16         // the long text is this many times as long as the short one
	maxFactor        = factor * 2 // and may be this many times as much work
	maxBlocksPerByte = 200
)

// main looks for texts for which the work grows faster than their length, and fails if there are
// any.
func main() {
	depth := flag.Int("depth", 2, "make pieces of up to this many tokens")
	size := flag.Int("size", 512, "bytes of the short text")
	mode := flag.String("mode", "text", "mode of package document")
	flag.Parse()
	m, ok := document.ByString(*mode)
	if !ok {
		fmt.Fprintf(os.Stderr, "work: no mode %q\n", *mode)
		os.Exit(2)
	}
	failed := false
	t := newTester(m)
	check := func(piece string) {
		short := strings.Repeat(piece, *size/len(piece)+1)
		long := strings.Repeat(short, factor)
		shortWork, longWork := t.work(short), t.work(long)
		if longWork > maxFactor*shortWork || longWork > maxBlocksPerByte*uint64(len(long)) {
			failed = true
			fmt.Printf("%q: %d times the work for %d times the text, %d blocks a byte\n", piece, longWork/shortWork, factor, longWork/uint64(len(long)))
		}
	}
	for piece := range pieces(alphabets[m], *depth) {
		check(piece)
	}
	for _, piece := range longPieces[m] {
		check(piece)
	}
	if failed {
		os.Exit(1)
	}
}

// pieces yields every sequence of up to depth tokens.
func pieces(tokens []string, depth int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range tokens {
			if !yield(t) {
				return
			}
			if depth == 1 {
				continue
			}
			for rest := range pieces(tokens, depth-1) {
				if !yield(t + rest) {
					return
				}
			}
		}
	}
}

// A tester extracts the URLs of texts in a mode.
type tester struct {
	mode    document.Mode
	options document.Options
	scanner *extract.Scanner
}

// newTester returns a tester that reads texts as documents of mode m.
func newTester(m document.Mode) *tester {
	base := url.MustParse("http://base.example/dir/page")
	find := extract.Options{Bare: true, Mail: true, Base: base, MaxLength: 1 << 20}
	return &tester{m, document.Options{Find: find, URL: base}, extract.NewScanner(nil, find)}
}

// work returns how many blocks of code are run to extract the URLs of a text.
func (t *tester) work(text string) uint64 {
	r := strings.NewReader(text)
	must(coverage.ClearCounters())
	if t.mode != document.Text {
		for range t.mode.All(r, t.options) { //nolint:errcheck // a match that is too long does not matter
		}
		return sum()
	}
	for t.scanner.Reset(r); ; {
		if m, _ := t.scanner.Next(); m == nil {
			return sum()
		}
	}
}

// sum returns the sum of all counters. It reads them from a counter data file with
// one segment, whose format internal/coverage of the standard library describes.
func sum() (n uint64) {
	var file bytes.Buffer
	must(coverage.WriteCounters(&file))
	const header, segment = 32, 16
	text := file.Bytes()[header:]
	functions := binary.LittleEndian.Uint64(text)
	strs, args := binary.LittleEndian.Uint32(text[8:]), binary.LittleEndian.Uint32(text[12:])
	text = text[(segment+strs+args+3)&^3:]
	next := func() uint64 {
		v, size := binary.Uvarint(text)
		text = text[size:]
		return v
	}
	for range functions {
		counters := next()
		next() // the package
		next() // the function
		for range counters {
			n += next()
		}
	}
	return n
}

// must panics if err is not nil.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// alphabets are the tokens from which pieces are made, by mode.
var alphabets = map[document.Mode][]string{
	document.Text: {
		"http", ":", "//", "/", "a", "@", ".", "(", ")", "[", "]", "<", ">", "URL:", "mailto:", "%41", "?", "#", "-\n", "é", " ", "1",
		"'", ",", "&gt;", "+", "http://", "a.com",
	},
	document.HTML: {
		"<a ", "<a", ">", "href=", "\"", "'", "=", "/", "http://", "<!--", "-->", "<style>", "</style>", "<script>", "</a>", "url(", "&",
		"&amp;", " ", "x", "<", "srcset=", ",", "<base href=", "<![CDATA[", "<noscript>", "srcdoc=", "<meta http-equiv=refresh content=",
	},
	document.Markdown: {
		"[", "]", "(", "](", "<", ">", "!", "`", "\n", "\n\n", "> ", "- ", "a", "http://", "&", "\\", "\"", "[a]: ", "#", "    ", "<a ", "<!--",
	},
	document.XML: {
		"<a", "<a ", ">", "</a>", "/>", "b=", "\"", "'", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&", "&amp;", ";", "http://", "x",
		" ", "<!DOCTYPE", "[", "]", "<link>", "<description>", "xml:base=",
	},
	document.JSON:   {"\"", "\\", "\\\"", "\\u00", "\\ud83d", "{", "}", "[", "]", ":", ",", "a", "http://", " ", "\n"},
	document.RST:    {".. _", ": ", "`", "<", ">`_", "_", "\n", "http://", "a", ".. image:: ", ":target: ", "__ ", " ", "::"},
	document.Man:    {".UR ", ".MT ", "\\", "\\-", "\\f(", "\\f[", "\\(", "\\\"", "\n", "http://", "a", "\"", " ", ".B ", "]", "\\h", "\\s", "\\*["},
	document.CSS:    {"url(", ")", "\"", "'", "\\", "/*", "*/", "@import", " ", "\n", "a", "http://", ";", "(", "image-set("},
	document.Gopher: {"1a", "\t", "\n", "h", "70", "URL:", "http://", "i", " ", ".\n", "a", "8"},
	document.Mail: {
		"From ", "\n", "\n\n", "--b", "--b--", "--b\n", "Content-Type: multipart/mixed; boundary=b\n\n", "Content-Type: message/rfc822\n\n",
		"Content-Type: text/html\n", "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: quoted-printable\n", "=", "=3D",
		" ", "a:", "=?utf-8?q?", "?=", "http://", "QUJD", "<a>",
	},
}

// longPieces are pieces of more tokens, by mode. On these a careless parser would read the
// same bytes again and again.
var longPieces = map[document.Mode][]string{
	document.Text: {
		"<URL:", "URL:", "<", "url:a-\n", "::", "(", "[", "http://(", "http://a(", "http://a:b", "://", "a.", "a@", "1:", "a.b@", "'http://a'",
		"/", "../", "http:", "urn:", "data:", "mailto:", "http://a%", "é", "http://é/(", "a+", "x-", "&gt;", "http://[", "<URL:x:",
		"http://a'", "http://a/'.", "http://a/(((((((", "a.com", "a.com/(", "jo@a.com/", "http://a/.,;", "://a://",
		",URL:http://", ",URL:http://a:b", "http:///", "mailto:http://[]",
	},
}
