package emit

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"locus/internal/markup"
)

func TestPartPlace(t *testing.T) {
	var p Part
	p.Append([]byte("ab"), 10)
	p.Append([]byte("c"), 12) // continues in the document
	p.Append(nil, 99)
	p.Replace("", 13, 5)
	p.Append([]byte("de"), 20)
	p.Replace("&", 22, 5)
	p.Append([]byte("f"), 27)
	p.Replace("ghi", 28, 4)
	p.Replace("j", 32, 1)
	p.Replace("kl", 33, 1)
	if want := "abcde&fghijkl"; string(p.Text) != want {
		t.Fatalf("the text is %q, want %q", p.Text, want)
	}
	if want := []span{{0, 10, 0}, {3, 20, 0}, {5, 22, 5}, {6, 27, 0}, {7, 28, 4}, {10, 32, 1}, {11, 33, 1}}; !slices.Equal(spansOf(p), want) {
		t.Errorf("the spans are %v, want %v", spansOf(p), want)
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
		{7, 8, 28, 32}, // the whole text that was replaced
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
		if start, end := p.Place(test.from, test.to); start != test.start || end != test.end {
			t.Errorf("place(%d, %d) = %d, %d, want %d, %d", test.from, test.to, start, end, test.start, test.end)
		}
	}
	var none Part
	if start, end := none.Place(0, 0); start != 0 || end != 0 {
		t.Errorf("place(0, 0) of an empty part = %d, %d", start, end)
	}
}

// A copy of a part keeps the offsets of its bytes in the document.
func TestPartCopy(t *testing.T) {
	var p Part
	p.Append([]byte("ab"), 10)
	p.Replace("&", 12, 5)
	p.Replace("ghi", 17, 4)
	p.Append([]byte("cd"), 21)
	p.Append([]byte("ef"), 30)
	for from := range len(p.Text) {
		for to := from; to <= len(p.Text); to++ {
			var q Part
			q.Copy(p, from, to)
			if want := string(p.Text[from:to]); string(q.Text) != want {
				t.Errorf("copy(%d, %d) = %q, want %q", from, to, q.Text, want)
				continue
			}
			for i := range q.Text {
				start, end := q.Place(i, i+1)
				if wantStart, wantEnd := p.Place(from+i, from+i+1); start != wantStart || end != wantEnd {
					t.Errorf("copy(%d, %d): %q is from %d to %d, want from %d to %d", from, to, q.Text[i], start, end, wantStart, wantEnd)
				}
			}
		}
	}
}

// References to characters are decoded as HTML §13.2.5.72 says, even without a semicolon. Other texts are kept.
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
		p := Decoded([]byte("x"+test.in+"&amp;"), 1, 1+len(test.in), markup.ResolveInText)
		if string(p.Text) != test.want || !slices.Equal(spansOf(p), test.spans) {
			t.Errorf("decoded(%q) = %q from %v, want %q from %v", test.in, p.Text, spansOf(p), test.want, test.spans)
		}
	}
}

// References are decoded by the rules for the text of HTML, for an attribute of HTML, and for XML, before various
// bytes.
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
		{"&#150;", "–", "–", "\u0096"}, // only HTML reads the number as windows-1252
		{"&#0;", "\ufffd", "\ufffd", "\ufffd"},
		{"&lt;&gt;", "<>", "<>", "<>"},
	} {
		for name, want := range map[string]string{"text": test.text, "attribute": test.attribute, "XML": test.xml} {
			resolve := map[string]markup.Resolver{"text": markup.ResolveInText, "attribute": markup.ResolveInAttribute, "XML": markup.ResolveInXML}[name]
			if got := Decoded([]byte(test.in), 0, len(test.in), resolve); string(got.Text) != want {
				t.Errorf("%q in %s is decoded as %q, want %q", test.in, name, got.Text, want)
			}
		}
		if got := markup.ValueInXML([]byte(test.in)); got != test.xml {
			t.Errorf("ValueInXML(%q) = %q, want %q", test.in, got, test.xml)
		}
		// golang.org/x/net/html reads the same
		z := html.NewTokenizer(strings.NewReader("<a b='" + test.in + "'>" + test.in))
		z.Next()
		if got := z.Token().Attr[0].Val; got != test.attribute {
			t.Errorf("golang.org/x/net/html reads %q in an attribute as %q, want %q", test.in, got, test.attribute)
		}
		z.Next()
		if got := z.Token().Data; got != test.text {
			t.Errorf("golang.org/x/net/html reads %q in text as %q, want %q", test.in, got, test.text)
		}
	}
}
