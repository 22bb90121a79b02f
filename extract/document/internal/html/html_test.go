package html

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/extract"
	"locus/extract/document/internal/emit"
	"locus/internal/markup"
)

// refresh finds the URL in the content of a refresh (HTML §4.2.5.3, shared declarative refresh steps).
func TestRefresh(t *testing.T) {
	for _, test := range []struct {
		in   string
		at   int
		want string
	}{
		{"", 0, ""},
		{"5", 1, ""},
		{"5;", 2, ""},
		{" 5 ; ", 5, ""},
		{"5;a", 2, "a"},
		{"5,a", 2, "a"},
		{"5 a", 2, "a"},
		{"5.25; a", 6, "a"},
		{"\t5\n;\f\ra \t\n\f\r", 6, "a"},
		{"0;url=a", 6, "a"},
		{"0;URL=a", 6, "a"},
		{"0;uRl \t= \na", 10, "a"},
		{"0;url", 2, "url"},
		{"0;url a", 2, "url a"},
		{"0;urla", 2, "urla"},
		{"0;ur=a", 2, "ur=a"},
		{"0;urk=a", 2, "urk=a"},
		{"0;url=", 6, ""},
		{"0;url= ", 7, ""},
		{"0;url==a", 6, "=a"},
		{"0;url=url=a", 6, "url=a"},
		{"0;'a b' c", 3, "a b"},
		{"0;\"a'b\"", 3, "a'b"},
		{"0;url='a", 7, "a"},
		{"0;url='a ", 7, "a "},
		{"0;url=''a", 7, ""},
		{"0;url='", 7, ""},
		{"0;url=\"", 7, ""},
		{"0;url=`a`", 6, "`a`"},
		{"a", 0, ""},
		{"url=a", 0, ""},
		{" ;url=a", 1, ""},
		{".;url=a", 6, "a"},
		{"..5 a", 4, "a"},
		{"5;;a", 2, ";a"},
		{"5 ;, a", 3, ", a"},
		{"5a", 1, ""},
		{"5.5url=a", 3, ""},
		{"0;a'b'", 2, "a'b'"},
		{"0;\u00a0a\u00a0", 2, "\u00a0a\u00a0"},
	} {
		if at, _, text := Refresh(test.in); at != test.at || text != test.want {
			t.Errorf("Refresh(%q) = %d, %q, want %d, %q", test.in, at, text, test.at, test.want)
		}
	}
}

// The functions for lists of URLs return each URL with its offset.
func TestLists(t *testing.T) {
	found := func(read func(string, func(int, string)), in string) (all []string) {
		read(in, func(at int, text string) {
			if got := in[at : at+len(text)]; got != text {
				t.Errorf("in %q, the URL %q is said to be at offset %d, where %q is", in, text, at, got)
			}
			all = append(all, fmt.Sprintf("%d %s", at, text))
		})
		return all
	}
	spaces := func(text string, each func(int, string)) { Fields(text, markup.Space, each) }
	for _, test := range []struct {
		name string
		read func(string, func(int, string))
		in   string
		want []string
	}{
		{"eachTrimmed", eachTrimmed, "a", []string{"0 a"}},
		{"eachTrimmed", eachTrimmed, " \t\r\n\fa b\f\n\r\t ", []string{"5 a b"}},
		{"eachTrimmed", eachTrimmed, "\va\v", []string{"0 \va\v"}},
		{"eachTrimmed", eachTrimmed, "", []string{"0 "}},
		{"eachTrimmed", eachTrimmed, "  ", []string{"2 "}},

		{"fields", spaces, "", nil},
		{"fields", spaces, " \f", nil},
		{"fields", spaces, "a", []string{"0 a"}},
		{"fields", spaces, " a a\naa\ta\ra\fa,b ", []string{"1 a", "3 a", "5 aa", "8 a", "10 a", "12 a,b"}},
		{"fields", spaces, "aa a", []string{"0 aa", "3 a"}},
		{"fields", spaces, "a\vb\u2003c", []string{"0 a\vb\u2003c"}},

		{"candidates", candidates, "", nil},
		{"candidates", candidates, " ,\t, ,", nil},
		{"candidates", candidates, "a", []string{"0 a"}},
		{"candidates", candidates, "a,", []string{"0 a"}},
		{"candidates", candidates, "a,,, b", []string{"0 a", "5 b"}},
		{"candidates", candidates, "a,b", []string{"0 a,b"}},
		{"candidates", candidates, "a ,b", []string{"0 a", "3 b"}},
		{"candidates", candidates, "a 1x,b 2x", []string{"0 a", "5 b"}},
		{"candidates", candidates, "a 1x,,b", []string{"0 a", "6 b"}},
		{"candidates", candidates, "a\f1x,\rb\n2x,\tc", []string{"0 a", "6 b", "12 c"}},
		{"candidates", candidates, "a (b, c) d, e", []string{"0 a", "12 e"}},
		{"candidates", candidates, "a (b, c", []string{"0 a"}},
		{"candidates", candidates, "a ), b", []string{"0 a", "5 b"}},
		{"candidates", candidates, "a(b,c)d 1x, e", []string{"0 a(b,c)d", "12 e"}},
		{"candidates", candidates, "(,) ), b", []string{"0 (,)", "7 b"}},
		{"candidates", candidates, "a\vb\u00a0c, d", []string{"0 a\vb\u00a0c", "8 d"}},
		{"candidates", candidates, "a b c, d", []string{"0 a", "7 d"}},
	} {
		if got := found(test.read, test.in); !slices.Equal(got, test.want) {
			t.Errorf("%s of %q = %q, want %q", test.name, test.in, got, test.want)
		}
	}
}

// Data of a page with many escapes takes little more memory than the page.
func TestDataMemory(t *testing.T) {
	const size = 1 << 20
	in := []byte(`<script type="application/json">"<i id=spout>` + strings.Repeat(`\"`, size/2) + `"</script>`)
	var names []string
	d := emit.New(in, emit.Options{Anchor: func(name string) { names = append(names, name) }}, func(extract.Match, error) bool { return true })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Read(d)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16*size || !slices.Equal(names, []string{"spout"}) {
		t.Errorf("data of %d bytes takes %d bytes, and has the names %q, want spout", size, taken, names)
	}
}
