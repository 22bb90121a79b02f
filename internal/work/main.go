// Command work holds extract to linear time without a clock. It makes texts of
// short pieces, each many times over, has them read, and counts how often each
// block of the code that reads them is run: for sixteen times as long a text that
// must be about sixteen times as often. It writes the pieces for which it is
// more than that, and fails if there are any.
//
// It must be built to count, and so that what reads many octets at once reads
// them one by one:
//
//	go run -tags purego -cover -covermode=atomic -coverpkg=locus/internal/work,locus/extract/...,locus/url ./internal/work -depth 3
//
// What is in other packages, such as copying and the parsers of HTML and
// Markdown, is counted if -coverpkg names it and it is written in Go.
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
	times = 16        // how many times as long the longer text is
	most  = times * 2 // how many times as much work it may be
	dear  = 200       // how many blocks may be run for an octet
)

func main() {
	depth := flag.Int("depth", 2, "of how many tokens a piece is, at most")
	size := flag.Int("size", 512, "octets of the shorter text")
	mode := flag.String("mode", "text", "of document")
	flag.Parse()
	m, ok := document.ByString(*mode)
	if !ok {
		fmt.Fprintf(os.Stderr, "work: no mode %q\n", *mode)
		os.Exit(2)
	}
	failed := false
	t := newTester(m)
	for piece := range both(pieces(alphabets[m], *depth), slices.Values(longer[m])) {
		short := strings.Repeat(piece, *size/len(piece)+1)
		long := strings.Repeat(short, times)
		once, all := t.work(short), t.work(long)
		if all > most*once || all > dear*uint64(len(long)) {
			failed = true
			fmt.Printf("%q: %d times the work for %d times as much, %d blocks an octet\n", piece, all/once, times, all/uint64(len(long)))
		}
	}
	if failed {
		os.Exit(1)
	}
}

// pieces yields every text of up to depth tokens.
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

// both yields what first does, and then what second does.
func both(first, second iter.Seq[string]) iter.Seq[string] {
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

// A tester reads texts of a mode, and finds everything in them.
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

// work returns how many blocks are run to read a text.
func (t *tester) work(text string) uint64 {
	r := strings.NewReader(text)
	must(coverage.ClearCounters())
	if t.mode != document.Text {
		for range t.mode.All(r, t.options) { //nolint:errcheck // what is too long is no matter
		}
		return sum()
	}
	for t.scanner.Reset(r); ; {
		if m, _ := t.scanner.Next(); m == nil {
			return sum()
		}
	}
}

// sum returns the sum of all counters: those of a file as internal/coverage
// of the standard library describes it, with one segment.
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
