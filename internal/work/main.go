// Command work checks without a clock that the parsers take linear time and memory. It makes
// texts by repeating short pieces, has a parser read them, and counts the blocks of code that
// are run, the allocations and their bytes. Each text is read in three lengths, of which each is
// four times the one before. The command prints the pieces whose cost grows too much both times,
// and fails if there are any. The cost of a search that ends after a thousand bytes grows too much
// only once.
//
// It must be built with coverage, which counts the blocks, and with purego, because
// assembly, which reads many bytes at once, is not counted:
//
//	go run -tags purego -cover -covermode=atomic -coverpkg=locus/...,bytes,strings ./internal/work -depth 3
//
// The parsers are in the table readers. The blocks of packages bytes and strings count, too, because
// a parser that searches the rest of the text for each piece spends its time there. Other code of the
// standard library, and code of other modules, is counted by its allocations only.
package main

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"strings"
)

const (
	factor           = 4 // each text is this many times as long as the one before
	maxBlocksPerByte = 600
)

// main looks for texts for which the work grows faster than their length, and fails if there are
// any.
func main() {
	depth := flag.Int("depth", 0, "make pieces of up to this many tokens; 0 is the depth of each parser")
	size := flag.Int("size", 1024, "bytes of the shortest text")
	name := flag.String("reader", "", "check only this parser")
	list := flag.Bool("list", false, "list the parsers and what the longest texts cost")
	flag.Parse()
	failed := false
	for _, r := range readers() {
		if *name != "" && *name != r.name {
			continue
		}
		worst := 0.0
		for piece := range r.allPieces(*depth) {
			costs, length := r.costs(piece, *size)
			if grow(costs) { // perhaps only because a collection had emptied pools, which the longest text has filled now
				costs, length = r.costs(piece, *size)
			}
			perByte := float64(costs[2].blocks) / float64(length)
			worst = max(worst, perByte)
			if grow(costs) || perByte > maxBlocksPerByte {
				failed = true
				fmt.Printf("%s: %q costs %+v for up to %d bytes\n", r.name, r.context+piece, costs, length)
			}
		}
		if *list {
			fmt.Printf("%s: at most %.1f blocks a byte\n", r.name, worst)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// A reader is a parser with the texts that it reads.
type reader struct {
	name    string
	context string   // the start of each text, such as the scheme of a URL
	tokens  []string // the pieces are sequences of these
	depth   int      // of up to this many tokens; 0: 1
	pieces  []string // more pieces, on which a careless parser would read the same bytes again and again
	read    func(text string)
}

// grow reports whether the costs of three texts grow too much both times.
func grow(costs [3]cost) bool { return costs[1].exceeds(costs[0]) && costs[2].exceeds(costs[1]) }

// costs returns the costs of three texts that repeat piece, and the length of the longest. The shortest has about
// size bytes. costs stops the garbage collector meanwhile, because a collection between two texts would empty pools.
func (r reader) costs(piece string, size int) (costs [3]cost, length int) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	n := size/len(piece)/2*2 + 2 // even, because an odd number of escapes would be another case
	r.read(r.context + strings.Repeat(piece, n))
	for i := range costs { // after the first text has filled caches and pools
		text := r.context + strings.Repeat(piece, n)
		costs[i], length = costOf(func() { r.read(text) }), len(text)
		n *= factor
	}
	return costs, length
}

// allPieces yields the pieces of r. A depth above 0 replaces the depth of r.
func (r reader) allPieces(depth int) iter.Seq[string] {
	if depth == 0 {
		depth = max(r.depth, 1)
	}
	return func(yield func(string) bool) {
		for p := range pieces(r.tokens, depth) {
			if !yield(p) {
				return
			}
		}
		for _, p := range r.pieces {
			if !yield(p) {
				return
			}
		}
	}
}

// pieces yields every sequence of 1 to depth tokens.
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
