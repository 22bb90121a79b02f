package whatwg

import (
	"slices"
	"testing"

	"locus/url/query"
)

// query.ParseForm and ParseParams return the same pairs, except for bytes that are not UTF-8.
func FuzzParamsArePairs(f *testing.F) {
	for _, s := range []string{"", "a=1&b=2", "a&&=&b=+%2B%", "?a", "%FF=%E4%BE%8B", "a;b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var pairs Params
		for p := range query.ParseForm(text).All() {
			pairs = append(pairs, Pair{toUTF8(p.Name), toUTF8(p.Value.Text)})
		}
		if got := ParseParams("?" + text); !slices.Equal(got, pairs) {
			t.Errorf("ParseParams(%q) = %q, want %q", text, got, pairs)
		}
	})
}
