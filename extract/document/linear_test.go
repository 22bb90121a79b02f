package document

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"locus/extract"
)

// hostile are texts that are quadratic for a careless reader, if they are repeated.
var hostile = map[string]string{
	"brackets": "[", "images": "![", "closed brackets": "[a]", "closing": "]", "link starts": "[a](", "nested links": "[a](b", "angles": "<", "destinations": "[a](<b",
	"titles": "[a](b \"", "titles of two kinds": "[a](b \"[a](b '", "parentheses": "](((", "labels": "[a][", "definitions": "[a]: b\n", "definition starts": "[a]:\n",
	"open titles": "[a]: b \"c\n", "backticks": "`", "runs of backticks": "` `` ``` ", "code": "`a`", "tags": "<a ", "attributes": "<a b=\"", "attributes of two kinds": "<a b=\"<a b='",
	"comments": "<!--", "short comments": "<!--->", "instructions": "<?", "declarations": "<!A", "cdata": "<![CDATA[", "cdata ends": "]]", "autolinks": "<a:b", "mail": "<a@b", "mail hosts": "a.b@c.",
	"quotations": "> ", "quotations in lines": "> > > > > > > > a\n", "lists": "- ", "numbers": "1. ", "lists in lines": "- - - - - - - - - -\n", "deep lists": "                                - a\n",
	"blank lines": "\n", "blanks": " ", "tabs": "\t", "headings": "# ", "underlines": "a\n=\n", "rules": "* ", "fences": "```\n", "tildes": "~", "footnotes": "[^a]: ", "backslashes": "\\", "entities": "&", "carriage returns": "\r", "both line breaks": "\r\n", "mixed line breaks": "a\rb\r\n",
	"words": "a", "html": "<div>\n", "verbatim": "<pre>\n", "tables": "| a | [b](c) |\n",
}

// Whatever is repeated, Markdown is read in linear time. What is quadratic takes minutes.
func TestMarkdownIsLinear(t *testing.T) {
	const size, limit = 128 << 10, 20 * time.Second
	for name, unit := range hostile {
		for _, before := range []string{"", "> ", "[a]: b\n\n"} {
			in := before + strings.Repeat(unit, size/len(unit))
			start := time.Now()
			for _, err := range Markdown.All(strings.NewReader(in), Options{Anchor: func(string) {}, SkipCode: true}) {
				if err != nil {
					t.Errorf("%s after %q: %v", name, before, err)
				}
			}
			if d := time.Since(start); d > limit {
				t.Errorf("%s after %q: %v for %d bytes", name, before, d, size)
			}
		}
	}
}

// Comments of MDX are found in linear time, however long the line is.
func TestMDXIsLinear(t *testing.T) {
	const size, limit = 2 << 20, 5 * time.Second
	start := time.Now()
	withoutMDXComments([]byte("# "+strings.Repeat("{/*x*/}", size/7)), nil)
	if d := time.Since(start); d > limit {
		t.Errorf("%v for %d bytes", d, size)
	}
}

// Of Markdown of any length only a piece is kept beside its text.
func TestMarkdownMemory(t *testing.T) {
	const size, limit = 4 << 20, 4 << 20
	for name, unit := range map[string]string{"lines": "[a](b)\n", "a paragraph": "[a](b) ", "items": "- [a](b)\n", "html": "<a href=b>\n", "code": "    `a`\n", "quotations": "> [a](b)\n> `c`\n"} {
		in := strings.Repeat(unit, size/len(unit))
		most, n := uint64(0), 0
		d := &document{text: []byte(in), options: settings{SkipCode: true}, run: &run{}}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d.run.yield = func(extract.Match, error) bool {
			if n++; n%100_000 == 0 {
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			return true
		}
		d.markdown()
		var after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&after)
		if most = max(most, after.HeapAlloc); most > before.HeapAlloc+limit {
			t.Errorf("%s: %d bytes more than at the start", name, most-before.HeapAlloc)
		}
		runtime.KeepAlive(d)
	}
}
