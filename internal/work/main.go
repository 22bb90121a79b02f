// Command work checks without a clock that extract takes linear time. It makes
// texts by repeating short pieces, extracts their URLs, and counts how many blocks
// of code are run. A text that is sixteen times as long must run about sixteen
// times as many blocks. The command prints the pieces for which it runs more, and
// fails if there are any.
//
// It must be built with coverage, which counts the blocks, and with purego, so that
// no code reads many bytes at once:
//
//	go run -tags purego -cover -covermode=atomic -coverpkg=locus/internal/work,locus/extract/...,locus/url ./internal/work -depth 3
//
// Code in other packages, such as the parsers of HTML and Markdown, is counted only
// if -coverpkg names the package and it is written in Go.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"iter"
	"os"
	"runtime/coverage"
	"slices"
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
	for piece := range concat(pieces(alphabets[m], *depth), slices.Values(longPieces[m])) {
		short := strings.Repeat(piece, *size/len(piece)+1)
		long := strings.Repeat(short, factor)
		shortWork, longWork := t.work(short), t.work(long)
		if longWork > maxFactor*shortWork || longWork > maxBlocksPerByte*uint64(len(long)) {
			failed = true
			fmt.Printf("%q: %d times the work for %d times the text, %d blocks a byte\n", piece, longWork/shortWork, factor, longWork/uint64(len(long)))
		}
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

// concat yields the values of first, then those of second.
func concat(first, second iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, all := range []iter.Seq[string]{first, second} {
			for piece := range all {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

// A tester extracts everything from texts in a mode.
type tester struct {
	mode    document.Mode
	options document.Options
	scanner *extract.Scanner
}

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

func must(err error) {
	if err != nil {
		panic(err)
	}
}
