package json

import (
	"testing"

	"locus/extract/document/internal/emit"
)

func TestJSONUnescaped(t *testing.T) {
	for _, test := range []struct {
		in, want string
		spans    int // see spansOf
	}{
		{``, "", 0},
		{`abc`, "abc", 1},
		{`\n`, "\n", 1},
		{`a\tb`, "a\tb", 3},
		{`\u0041\u0042`, "AB", 2},
		{`\ud83d\ude00`, "😀", 1},
		{`\uDBFF\uDFFF`, "\U0010ffff", 1},
		{`\uD800\uDC00a`, "\U00010000a", 2},
		{`\udbff\u0041`, "\ufffdA", 1},
		{`\udc00\ud800`, "\ufffd\ufffd", 2},
		{`\uc83d\ude00`, "\uc83d\ufffd", 2},
		{`\ud73d\u0041`, "\ud73dA", 2},
		{`\ud83dxude00`, "\ufffdxude00", 2},
		{`\ud83d\nde00`, "\ufffd\nde00", 3},
		{`\ud83d\ude0`, "\ufffd\\ude0", 2},
		{`\x`, `\x`, 1},
		{`\u12`, `\u12`, 1},
		{`\u12g4x`, `\u12g4x`, 2},
		{`\`, `\`, 1},
		{`a\`, `a\`, 1},
	} {
		p := emit.ReplaceEscapes([]byte(test.in), 0, '\\', UnescapeJSON)
		if spans := spansOf(p); string(p.Text) != test.want || spans != test.spans {
			t.Errorf("replaceEscapes(%q) = %q in %d spans, want %q in %d", test.in, p.Text, spans, test.want, test.spans)
		}
		if from, to := p.Place(0, len(p.Text)); len(p.Text) > 0 && (from != 0 || to != len(test.in)) {
			t.Errorf("replaceEscapes(%q) is from %d to %d, want the whole text", test.in, from, to)
		}
	}
}

// spansOf returns how many pieces of a part are literal, or stand for one piece of the document. A piece that stands for
// one byte counts as literal.
func spansOf(p emit.Part) (n int) {
	lastFrom, lastTo := -2, 0
	for i := range p.Text {
		from, to := p.Place(i, i+1)
		isSame := from == lastFrom && to == lastTo
		isNext := from == lastTo && to-from == 1 && lastTo-lastFrom == 1
		if !isSame && !isNext {
			n++
		}
		lastFrom, lastTo = from, to
	}
	return n
}

func TestEachValue(t *testing.T) {
	for _, test := range []struct {
		in, want string // want has a | after each value
	}{
		{``, ""},
		{`{"a": "b", "c" : ["d", "e"], "f": 1}`, "b|d|e|"},
		{`"a"`, "a|"},
		{`["a:b", ":", "c\"d\\"]`, `a:b|:|c\"d\\|`},
		{`{"a": "b`, "b|"},
		{`"`, "|"},
		{`{"a": "b\`, `b\|`},
		{"{\"a\": \"b\n\"c\"", "b|c|"},
	} {
		got := ""
		EachValue([]byte(test.in), func(raw []byte) { got += string(raw) + "|" })
		if got != test.want {
			t.Errorf("EachValue(%q) gives %q, want %q", test.in, got, test.want)
		}
	}
}
