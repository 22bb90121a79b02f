package scheme_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Read accepts 100 000 random URLs of each production. It agrees with the grammar about every tenth of them with a
// changed byte, which the grammar may refuse.
//
// req: 1738-5-1, 1630-bnf-1
func TestGenerated(t *testing.T) {
	count := 100_000
	if testing.Short() { // because the test may run in an emulator
		count = 1000
	}
	for _, test := range []struct {
		std         url.Standard
		productions map[string]*regexp.Regexp
	}{{url.RFC1738, grammar1738}, {url.RFC1630, grammar1630}} {
		for name, production := range test.productions {
			t.Run(fmt.Sprintf("%v %s", test.std, name), func(t *testing.T) {
				tree, err := syntax.Parse(production.String(), syntax.Perl)
				if err != nil {
					t.Fatal(err)
				}
				g := generator{rand: rand.New(rand.NewPCG(1738, uint64(len(name))))}
				for i := range count {
					g.text = g.text[:0]
					g.add(tree)
					text := name + ":" + string(g.text)
					if _, err := scheme.Read(test.std, text); err != nil && !isBeyond(test.std, text) {
						t.Fatalf("Read(%q) = %v, but the grammar accepts it", text, err)
					}
					if i%10 > 0 {
						continue
					}
					g.change()
					text = name + ":" + string(g.text)
					_, err := scheme.Read(test.std, text)
					if want := production.Match(g.text); (err == nil) != want && !isBeyond(test.std, text) {
						t.Fatalf("Read(%q) = %v, but the grammar accepts it: %v", text, err, want)
					}
				}
			})
		}
	}
}

// isBeyond reports whether the grammars leave a rule about the text to prose.
func isBeyond(std url.Standard, text string) bool {
	_, rest, _ := strings.Cut(text, ":")
	return std == url.RFC1630 && (strings.Contains(rest, "#") || strings.Count(rest, "@") > 1)
}

// A generator writes random texts that a regular expression matches.
type generator struct {
	rand *rand.Rand
	text []byte
}

// add adds a text that re matches.
func (g *generator) add(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		g.text = append(g.text, string(re.Rune)...)
	case syntax.OpCharClass:
		n := g.rand.IntN(len(re.Rune) / 2)
		low, high := re.Rune[2*n], re.Rune[2*n+1]
		g.text = append(g.text, byte(low+g.rand.Int32N(high-low+1)))
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			g.add(sub)
		}
	case syntax.OpAlternate:
		g.add(re.Sub[g.rand.IntN(len(re.Sub))])
	case syntax.OpQuest:
		g.repeat(re.Sub[0], 0, 1)
	case syntax.OpStar:
		g.repeat(re.Sub[0], 0, 6)
	case syntax.OpPlus:
		g.repeat(re.Sub[0], 1, 4)
	case syntax.OpRepeat:
		g.repeat(re.Sub[0], re.Min, re.Max)
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpEmptyMatch:
	default:
		panic("no case for " + re.Op.String())
	}
}

// repeat adds between least and most texts that re matches.
func (g *generator) repeat(re *syntax.Regexp, least, most int) {
	for range least + g.rand.IntN(most-least+1) {
		g.add(re)
	}
}

// change removes, adds or replaces one byte of the text.
func (g *generator) change() {
	const bytes = "/:@?#%;=&~.-_+*<\"[{|\\^` aZ09\xe9\x7f\x00"
	i := g.rand.IntN(len(g.text) + 1)
	kind := g.rand.IntN(3)
	rest := append([]byte(nil), g.text[i:]...)
	if kind > 0 && len(rest) > 0 {
		rest = rest[1:]
	}
	g.text = g.text[:i]
	if kind < 2 {
		g.text = append(g.text, bytes[g.rand.IntN(len(bytes))])
	}
	g.text = append(g.text, rest...)
}
