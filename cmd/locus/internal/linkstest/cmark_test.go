package linkstest

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document"
	"locus/extract/document/dialect"
	"locus/internal/ascii"
	"locus/internal/peers"
	"locus/url"
)

// gfmBase is the URL of the documents.
const gfmBase = "http://base.example/d/"

// gfmLinks are the links in a document: marked as links, in definitions, which need not be used, and in text.
type gfmLinks struct{ marked, defined, text map[string]bool }

// gfmLinksOf returns the links in a document, without escapes.
func gfmLinksOf(t *testing.T, mode document.Mode, text string) gfmLinks {
	t.Helper()
	l := gfmLinks{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	o := document.Options{
		URL: url.MustParse(gfmBase), Find: extract.Options{Mail: true}, References: mode == document.HTML, SkipCode: true, SkipLabels: true,
		Dialect: dialect.Dialect{Math: dialect.NoMath},
	}
	for m, err := range mode.All(strings.NewReader(text), o) {
		if err != nil {
			t.Fatalf("%v of %q: %v", mode, text, err)
		}
		link := m.Text
		if u, err := m.URL(); err == nil {
			link = strings.TrimSuffix(ascii.Unescape(u.String()), "/")
		}
		switch {
		case m.Place == "reference":
			l.defined[link] = true
		case m.Kind == extract.Reference:
			l.marked[link] = true
		default:
			l.text[link] = true
		}
	}
	return l
}

// gfmDifferences are the differences from cmark-gfm that are meant. doc/extract-differences.md explains them. The text of
// a document with such a difference matches text.
var gfmDifferences = []meantDifference{
	{"www", regexp.MustCompile(`www\.`)},
	{"unknown top-level domain", regexp.MustCompile(`@\S*\.(?:baz|b)\b`)},
	{"backslash", regexp.MustCompile(`\\`)},
	{"link after a URL", regexp.MustCompile(`https?://\S*\[`)},
	{"URL in an open bracket", regexp.MustCompile(`(?s)\[.*https?://`)},
	{"URL in a block of HTML", regexp.MustCompile(`(?s)<.*https?://`)},
	{"letter before a URL", regexp.MustCompile(`[\pL)]https?://`)},
}

// A meantDifference is a difference from cmark-gfm in documents that match text.
type meantDifference struct {
	name string
	text *regexp.Regexp
}

// gfmDifference returns the links that only one of this program and cmark-gfm finds, after "+" if this program does. A URL
// in text may end elsewhere.
func gfmDifference(t *testing.T, text string) (all []string) {
	t.Helper()
	ours, theirs := gfmLinksOf(t, document.Markdown, text), gfmLinksOf(t, document.HTML, peers.CommonMarkGFM(t, text)).marked
	overlaps := func(link string, in map[string]bool) bool {
		for other := range in {
			if strings.HasPrefix(other, link) || strings.HasPrefix(link, other) {
				return true
			}
		}
		return in[link]
	}
	for _, link := range slices.Sorted(maps.Keys(ours.marked)) {
		if !theirs[link] {
			all = append(all, "+"+link)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(ours.text)) {
		if !overlaps(link, theirs) {
			all = append(all, "+"+link)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(theirs)) {
		if !ours.marked[link] && !ours.defined[link] && !overlaps(link, ours.text) {
			all = append(all, "-"+link)
		}
	}
	return all
}

// compareGFM reports the differences of documents that gfmDifferences does not list. It returns the names of the
// differences that occur.
func compareGFM(t *testing.T, texts []string) (found map[string]bool) {
	t.Helper()
	found = map[string]bool{}
	for _, text := range texts {
		d := gfmDifference(t, text)
		if len(d) == 0 {
			continue
		}
		isListed := false
		for _, known := range gfmDifferences {
			if known.text.MatchString(text) {
				isListed, found[known.name] = true, true
				break
			}
		}
		if !isListed {
			t.Errorf("the links in %q differ: %q", text, d)
		}
	}
	return found
}

// gfmExamples returns the examples of the specification.
func gfmExamples(t *testing.T) (texts []string) {
	t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^`{32} example[^\n]*\n(.*?)^\\.$").FindAllStringSubmatch(peers.SpecificationGFM(t), -1) {
		texts = append(texts, strings.ReplaceAll(found[1], "→", "\t"))
	}
	return texts
}

// gfmWords are the delimiters and words of which the generated documents consist.
var gfmWords = []string{
	"a", "b", " ", " ", "    ", "\n", "\n", "\n\n", "[", "]", "(", ")", "](", "![", "[a]", "[a]: /a\n", "<", ">", "> ", "- ", "* ", "1. ", "`", "``", "```\n", "~~~\n",
	"# ", "===\n", "---\n", "*", "**", "_", "__", "~~", "<a href=\"/h\">", "</a>", "<div>\n", "</div>\n", "http://h.example/x", "<http://h.example/y>", "https://h.example/_z_", "\\",
	"\"t\"", "'", ".", ",", ":", ";", "&amp;", "&#65;", "|", "| a | b |\n|---|:-:|\n", "[x](/y)", "![x](/z \"t\")", "[b]: </c> 't'\n", "[b]", "(/d)", "![x [y](/e)](/f)", "é",
}

// generatedGFM returns documents of gfmWords.
func generatedGFM() (texts []string) {
	random := rand.New(rand.NewPCG(42, 1))
	for range 1500 {
		var text strings.Builder
		for range 1 + random.IntN(14) {
			text.WriteString(gfmWords[random.IntN(len(gfmWords))])
		}
		texts = append(texts, text.String())
	}
	return texts
}

// The links of the examples of the specification, and of generated documents, are the links that cmark-gfm finds.
func TestCommonMarkGFM(t *testing.T) {
	examples := gfmExamples(t)
	if len(examples) < 600 {
		t.Fatalf("the specification has %d examples", len(examples))
	}
	found := compareGFM(t, append(examples, generatedGFM()...))
	for _, known := range gfmDifferences {
		if !found[known.name] {
			t.Errorf("the difference %q does not occur: delete it", known.name)
		}
	}
}
