package document

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"locus/internal/markup"
)

func TestPartPlace(t *testing.T) {
	var p part
	p.append([]byte("ab"), 10)
	p.append([]byte("c"), 12) // goes on where it stood
	p.append(nil, 99)
	p.replace("", 13, 5)
	p.append([]byte("de"), 20)
	p.replace("&", 22, 5)
	p.append([]byte("f"), 27)
	p.replace("ghi", 28, 4)
	p.replace("j", 32, 1)
	p.replace("kl", 33, 1)
	if want := "abcde&fghijkl"; string(p.text) != want {
		t.Fatalf("text %q, want %q", p.text, want)
	}
	if want := []span{{0, 10, 0}, {3, 20, 0}, {5, 22, 5}, {6, 27, 0}, {7, 28, 4}, {10, 32, 1}, {11, 33, 1}}; !reflect.DeepEqual(p.spans, want) {
		t.Errorf("spans %v, want %v", p.spans, want)
	}
	for _, test := range []struct{ from, to, start, end int }{
		{0, 1, 10, 11},
		{0, 3, 10, 13},
		{1, 3, 11, 13},
		{2, 4, 12, 21},
		{3, 5, 20, 22},
		{4, 6, 21, 27},
		{5, 6, 22, 27},
		{5, 7, 22, 28},
		{6, 7, 27, 28},
		{7, 8, 28, 32}, // all of what is replaced
		{8, 9, 28, 32},
		{9, 11, 28, 33},
		{6, 8, 27, 32},
		{10, 11, 32, 33},
		{0, 11, 10, 33},
		{11, 12, 33, 34},
		{12, 13, 33, 34},
		{10, 13, 32, 34},
		{0, 0, 10, 10},
		{4, 4, 21, 21},
	} {
		if start, end := p.place(test.from, test.to); start != test.start || end != test.end {
			t.Errorf("place(%d, %d) = %d, %d, want %d, %d", test.from, test.to, start, end, test.start, test.end)
		}
	}
	var none part
	if start, end := none.place(0, 0); start != 0 || end != 0 {
		t.Errorf("place(0, 0) of nothing = %d, %d", start, end)
	}
}

// What is copied stands where it stood.
func TestPartCopy(t *testing.T) {
	var p part
	p.append([]byte("ab"), 10)
	p.replace("&", 12, 5)
	p.replace("ghi", 17, 4)
	p.append([]byte("cd"), 21)
	p.append([]byte("ef"), 30)
	for from := range len(p.text) {
		for to := from; to <= len(p.text); to++ {
			var q part
			q.copy(p, from, to)
			if want := string(p.text[from:to]); string(q.text) != want {
				t.Errorf("copy(%d, %d) = %q, want %q", from, to, q.text, want)
				continue
			}
			for i := range q.text {
				start, end := q.place(i, i+1)
				if wantStart, wantEnd := p.place(from+i, from+i+1); start != wantStart || end != wantEnd {
					t.Errorf("copy(%d, %d): %q from %d to %d, want from %d to %d", from, to, q.text[i], start, end, wantStart, wantEnd)
				}
			}
		}
	}
}

// References to characters as HTML §13.2.5.72 has them, also without a
// semicolon, and what is none.
func TestDecoded(t *testing.T) {
	for _, test := range []struct {
		in, want string
		spans    []span
	}{
		{"", "", []span{{0, 1, 0}}},
		{"abc", "abc", []span{{0, 1, 0}}},
		{"&amp;", "&", []span{{0, 1, 5}}},
		{"a&amp;b", "a&b", []span{{0, 1, 0}, {1, 2, 5}, {2, 7, 0}}},
		{"&lt;&gt;", "<>", []span{{0, 1, 4}, {1, 5, 4}}},
		{"&#65;&#x42;&#X43;", "ABC", []span{{0, 1, 5}, {1, 6, 6}, {2, 12, 6}}},
		{"&", "&", []span{{0, 1, 1}}},
		{"a&", "a&", []span{{0, 1, 0}, {1, 2, 1}}},
		{"& b", "& b", []span{{0, 1, 1}, {1, 2, 0}}},
		{"&;b", "&;b", []span{{0, 1, 2}, {2, 3, 0}}},
		{"&copy b", "© b", []span{{0, 1, 5}, {2, 6, 0}}},
		{"&copyx", "©x", []span{{0, 1, 6}}},
		{"&unheard;z", "&unheard;z", []span{{0, 1, 9}, {9, 10, 0}}},
		{"&a&amp;", "&a&", []span{{0, 1, 2}, {2, 3, 5}}},
		{"&CounterClockwiseContourIntegral;", "∳", []span{{0, 1, 33}}},
		{"&#0;&#xd800;&#x110000;", "\ufffd\ufffd\ufffd", []span{{0, 1, 4}, {3, 5, 8}, {6, 13, 10}}},
		{"é&eacute;é", "ééé", []span{{0, 1, 0}, {2, 3, 8}, {4, 11, 0}}},
	} {
		p := decoded([]byte("x"+test.in+"&amp;"), 1, 1+len(test.in), markup.ResolveInText)
		if string(p.text) != test.want || !reflect.DeepEqual(p.spans, test.spans) {
			t.Errorf("decoded(%q) = %q from %v, want %q from %v", test.in, p.text, p.spans, test.want, test.spans)
		}
	}
}

func TestBytes(t *testing.T) {
	for c := range 256 {
		c := byte(c)
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if isWord(c) != word {
			t.Errorf("isWord(%q) = %v", c, !word)
		}
		space := c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
		if isSpace(c) != space {
			t.Errorf("isSpace(%q) = %v", c, !space)
		}
		if want := strings.IndexByte("0123456789abcdefABCDEF", c) >= 0; isHex(c) != want {
			t.Errorf("isHex(%q) = %v", c, !want)
		}
	}
}

// References as the text of HTML, an attribute of HTML, and XML have them, before
// a byte.
func TestResolvers(t *testing.T) {
	for _, test := range []struct{ in, text, attribute, xml string }{
		{"&amp;", "&", "&", "&"},
		{"&amp", "&", "&", "&amp"},
		{"&copy;=", "©=", "©=", "©="},
		{"&copy=", "©=", "&copy=", "&copy="},
		{"&copy ", "© ", "© ", "&copy "},
		{"&copy&copy", "©©", "©©", "&copy&copy"},
		{"&copyx", "©x", "&copyx", "&copyx"},
		{"&copyx;", "©x;", "&copyx;", "&copyx;"},
		{"&copy9=", "©9=", "&copy9=", "&copy9="},
		{"&notin;", "∉", "∉", "∉"},
		{"&notin", "¬in", "&notin", "&notin"},
		{"&NotEqualTilde;", "≂̸", "≂̸", "≂̸"},
		{"&semi;", ";", ";", ";"},
		{"&;", "&;", "&;", "&;"},
		{"&", "&", "&", "&"},
		{"&=", "&=", "&=", "&="},
		{"&a", "&a", "&a", "&a"},
		{"&unheard;", "&unheard;", "&unheard;", "&unheard;"},
		{"&#65;", "A", "A", "A"},
		{"&#65", "A", "A", "&#65"},
		{"&#65=", "A=", "A=", "&#65="},
		{"&#65x", "Ax", "Ax", "&#65x"},
		{"&#x41;", "A", "A", "A"},
		{"&#x41g", "Ag", "Ag", "&#x41g"},
		{"&#59;", ";", ";", ";"},
		{"&#;", "&#;", "&#;", "&#;"},
		{"&#150;", "–", "–", "\u0096"}, // by windows-1252 in HTML alone
		{"&#0;", "\ufffd", "\ufffd", "\ufffd"},
		{"&lt;&gt;", "<>", "<>", "<>"},
	} {
		for name, want := range map[string]string{"text": test.text, "attribute": test.attribute, "XML": test.xml} {
			resolve := map[string]markup.Resolver{"text": markup.ResolveInText, "attribute": markup.ResolveInAttribute, "XML": resolveInXML}[name]
			if got := decoded([]byte(test.in), 0, len(test.in), resolve); string(got.text) != want {
				t.Errorf("%q in %s is %q, want %q", test.in, name, got.text, want)
			}
		}
		if got := resolveReferences(test.in); got != test.xml {
			t.Errorf("resolveReferences(%q) = %q, want %q", test.in, got, test.xml)
		}
		// as the tokenizer reads them
		z := html.NewTokenizer(strings.NewReader("<a b='" + test.in + "'>" + test.in))
		z.Next()
		if got := z.Token().Attr[0].Val; got != test.attribute {
			t.Errorf("%q in an attribute is %q to the tokenizer, want %q", test.in, got, test.attribute)
		}
		z.Next()
		if got := z.Token().Data; got != test.text {
			t.Errorf("%q in text is %q to the tokenizer, want %q", test.in, got, test.text)
		}
	}
}
