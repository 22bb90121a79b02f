package markdown

import (
	"runtime"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document/internal/emit"
)

// The memory for a long Markdown text is limited, because it is read in pieces.
func TestMarkdownMemory(t *testing.T) {
	const size, limit = 4 << 20, 4 << 20
	for name, unit := range map[string]string{"lines": "[a](b)\n", "a paragraph": "[a](b) ", "items": "- [a](b)\n", "html": "<a href=b>\n", "code": "    `a`\n", "quotations": "> [a](b)\n> `c`\n"} {
		in := strings.Repeat(unit, size/len(unit))
		most, n := uint64(0), 0
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d := emit.New([]byte(in), emit.Options{SkipCode: true}, func(extract.Match, error) bool {
			if n++; n%100_000 == 0 {
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			return true
		})
		Read(d)
		var after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&after)
		if most = max(most, after.HeapAlloc); most > before.HeapAlloc+limit {
			t.Errorf("%s takes %d bytes more than at the start", name, most-before.HeapAlloc)
		}
		runtime.KeepAlive(d)
	}
}
