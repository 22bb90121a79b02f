package scheme_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.4-1, 1738-3.4-2, 1738-3.4-3, 1738-3.4-5
func TestGopher(t *testing.T) {
	const root = `{"type":"1","selector":"","search":null,"plus":null}`
	testViews(t, []viewCase{
		{"gopher://h", root, "gopher://h/1"},
		{"gopher://h/", root, "gopher://h/1"},
		{"gopher://h/1", root, ""},
		{"gophers://h:7070/", root, "gophers://h:7070/1"},
		{"gophers://h/0a", `{"type":"0","selector":"a","search":null,"plus":null}`, ""},
		{"gopher://h:7070/00/a/b", `{"type":"0","selector":"0/a/b","search":null,"plus":null}`, ""},
		{"gopher://h//a", `{"type":"/","selector":"a","search":null,"plus":null}`, "gopher://h/%2Fa"},
		{"gopher://h/%31a", `{"type":"1","selector":"a","search":null,"plus":null}`, "gopher://h/1a"},
		{"gopher://h/?a", `{"type":"?","selector":"a","search":null,"plus":null}`, "gopher://h/%3Fa"},
		{"gopher://h/%FFa", `{"type":{"base64":"/w=="},"selector":"a","search":null,"plus":null}`, ""},
		{"gopher://h/0a?b", `{"type":"0","selector":"a?b","search":null,"plus":null}`, "gopher://h/0a%3Fb"},
		{"gopher://h/0a%3fb", `{"type":"0","selector":"a?b","search":null,"plus":null}`, "gopher://h/0a%3Fb"},
		{"gopher://h/1./../x", `{"type":"1","selector":"./../x","search":null,"plus":null}`, ""},
		{"gopher://h/0a%00b", `{"type":"0","selector":"a\u0000b","search":null,"plus":null}`, ""},
		{"gopher://h/0%2509", `{"type":"0","selector":"%09","search":null,"plus":null}`, ""},
		{"gopher://h/7%09", `{"type":"7","selector":"","search":"","plus":null}`, ""},
		{"gopher://h/7s%09a%20b", `{"type":"7","selector":"s","search":"a b","plus":null}`, ""},
		{"gopher://h/7s%09a/b?c", `{"type":"7","selector":"s","search":"a/b?c","plus":null}`, "gopher://h/7s%09a%2Fb%3Fc"},
		{"gopher://h/7s%09%0D%0A", `{"type":"7","selector":"s","search":"\r\n","plus":null}`, ""},
		{"gopher://h/0s%09%09", `{"type":"0","selector":"s","search":"","plus":""}`, ""},
		{"gopher://h/0s%09%09+", `{"type":"0","selector":"s","search":"","plus":"+"}`, ""},
		{"gopher://h/0s%09%09?", `{"type":"0","selector":"s","search":"","plus":"?"}`, "gopher://h/0s%09%09%3F"},
		{"gopher://h/0s%09%09+x%090", `{"type":"0","selector":"s","search":"","plus":"+x\t0"}`, ""},
		{
			"gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aa%0D%0Ab%0D%0A.%0D%0A",
			`{"type":"0","selector":"s","search":"","plus":"+\t1\r\n+-1\r\na\r\nb\r\n.\r\n"}`, "",
		},
		{text: "gopher:‸1"},
		{text: "gopher://‸/1"},
		{text: "gopher://u‸@h/1"},
		{text: "gopher://u:‸p@h/1"},
		{text: "gopher://h:‸0/1"},
		{text: "gopher://h‸?a"},
		{text: "gopher://h/‸%09x"},
		{text: "gopher://h/‸%00x"},
		{text: "gopher://h/‸%0Dx"},
		{text: "gopher://h/0a%20b‸%0Ac"},
		{text: "gopher://h/0a‸%0d%0a"},
		{text: "gopher://h/0a%09%20%09%20‸%0D"},
	})
}

// A selector may decode to every byte except TAB, LF and CR, and "/" has no special meaning.
//
// req: 1738-3.4-3
func TestGopherSelectorBytes(t *testing.T) {
	for c := range 256 {
		text := fmt.Sprintf("gopher://h/0a%%%02Xb/..//c", c)
		v, err := scheme.ParseGopher(url.MustParse(text))
		switch want := "a" + string([]byte{byte(c)}) + "b/..//c"; c {
		case '\t': // it starts the search
			if err != nil || v.Selector != "a" || v.Search != url.Some("b/..//c") {
				t.Errorf("ParseGopher(%q) = %+v, %v; want the selector %q and a search", text, v, err, "a")
			}
		case '\n', '\r':
			if err == nil {
				t.Errorf("ParseGopher(%q) = %+v, want an error", text, v)
			}
		default:
			if err != nil || v.Selector != want {
				t.Errorf("ParseGopher(%q) = selector %q, %v; want %q", text, v.Selector, err, want)
			}
		}
	}
}

// Only the filled-in form of RFC 1738 §3.4.9 may contain CR and LF.
//
// req: 1738-3.4-3, 1738-6-2
func TestGopherForm(t *testing.T) {
	for _, test := range []struct{ plus, block string }{
		{"+\t1\r\n+-1\r\n.\r\n", "+-1\r\n.\r\n"},
		{"+\t1\r\n+-1\r\na\r\n\r\n..\r\n.\r\n", "+-1\r\na\r\n\r\n..\r\n.\r\n"},
		{"+text/plain En\t1\r\n+-1\r\na\r\n.\r\n", "+-1\r\na\r\n.\r\n"},
		{"+\t1\r\n+0\r\n", "+0\r\n"},
		{"+\t1\r\n+5\r\na\n\r.b", "+5\r\na\n\r.b"},
	} {
		v := scheme.Gopher{Scheme: "gopher", Host: scheme.Host{Name: "h"}, Type: '0', Selector: "s", Search: url.Some(""), Plus: url.Some(test.plus)}
		got, err := scheme.ParseGopher(v.URL())
		if err != nil || got != v {
			t.Errorf("ParseGopher(%q) = %+v, %v; want %+v", v.URL(), got, err, v)
		}
		if m := v.Meaning(); m.Kind != scheme.PlusForm || m.Block != test.block {
			t.Errorf("Meaning of %q = %+v, want a form with the block %q", test.plus, m, test.block)
		}
	}
	for _, s := range []string{
		"a‸\r\n", "\t1‸\r\n+0\r\n", "‸\r", "‸\n", "+‸\r\n", "+x‸\n\t1\r\n+-1\r\n.\r\n", "+\t0‸\r\n+-1\r\n.\r\n", "!\t1‸\r\n+-1\r\n.\r\n",
		"+\t1\r\n‸", "+\t1\r\n‸+-1", "+\t1\r\n‸x\r\n", "+\t1\r\n+‸x\r\n", "+\t1\r\n+‸-2\r\n", "+\t1\r\n+‸01\r\na", "+\t1\r\n+‸99999999999999999999\r\n",
		"+\t1\r\n+2\r\na‸", "+\t1\r\n+2\r\nab‸c", "+\t1\r\n+-1\r\na\r\n‸", "+\t1\r\n+-1\r\na\r\n.‸", "+\t1\r\n+-1\r\na\r\n.\r\n‸DELE x\r\n",
		"+\t1\r\n+-1\r\na‸\nb\r\n.\r\n", "+\t1\r\n+-1\r\na‸\rb\r\n.\r\n",
	} {
		plus, offset := marked(t, s)
		const before = "gopher://h/0s%09%09"
		text := before + escapeAll(plus)
		_, err := scheme.Parse(url.MustParse(text))
		wantOffset(t, "Parse", text, err, len(before)+3*offset)
	}
}

func escapeAll(s string) string { return url.Escape(s, url.Set{}) }

// Meaning returns the request of each Gopher+ string.
//
// req: 1738-3.4-5
func TestGopherMeaning(t *testing.T) {
	for _, test := range []struct {
		plus string
		want scheme.GopherPlus
		text string // "" is the same as plus
	}{
		{"+", scheme.GopherPlus{Kind: scheme.PlusView}, ""},
		{"", scheme.GopherPlus{Kind: scheme.PlusView}, "+"},
		{"+text/plain", scheme.GopherPlus{Kind: scheme.PlusView, View: "text/plain"}, ""},
		{
			"+application/postscript Es_ES",
			scheme.GopherPlus{Kind: scheme.PlusView, View: "application/postscript", Language: "Es_ES"},
			"",
		},
		{"+text/plain\t0", scheme.GopherPlus{Kind: scheme.PlusView, View: "text/plain"}, "+text/plain"},
		{"!", scheme.GopherPlus{Kind: scheme.PlusItem}, ""},
		{"!+ABSTRACT", scheme.GopherPlus{Kind: scheme.PlusItem, Attributes: []string{"+ABSTRACT"}}, ""},
		{"!+ABSTRACT +SMELL", scheme.GopherPlus{Kind: scheme.PlusItem, Attributes: []string{"+ABSTRACT", "+SMELL"}}, ""},
		{"!+ABSTRACT+SMELL", scheme.GopherPlus{Kind: scheme.PlusItem, Attributes: []string{"+ABSTRACT", "+SMELL"}}, "!+ABSTRACT +SMELL"},
		{"$", scheme.GopherPlus{Kind: scheme.PlusItems}, ""},
		{"$+VIEWS", scheme.GopherPlus{Kind: scheme.PlusItems, Attributes: []string{"+VIEWS"}}, ""},
		{"?", scheme.GopherPlus{Kind: scheme.PlusAsk}, ""},
		{"?x", scheme.GopherPlus{Kind: scheme.PlusUnknown}, "none"},
		{"x", scheme.GopherPlus{Kind: scheme.PlusUnknown}, "none"},
		{"+\t2", scheme.GopherPlus{Kind: scheme.PlusUnknown}, "none"},
		{
			"+\t1\r\n+-1\r\na\r\n\r\n.\r\n",
			scheme.GopherPlus{Kind: scheme.PlusForm, Block: "+-1\r\na\r\n\r\n.\r\n", Answers: []string{"a", ""}},
			"",
		},
		{"+\t1\r\n+-1\r\n.\r\n", scheme.GopherPlus{Kind: scheme.PlusForm, Block: "+-1\r\n.\r\n"}, ""},
		{
			"+a b\t1\r\n+1\r\n.",
			scheme.GopherPlus{Kind: scheme.PlusForm, View: "a", Language: "b", Block: "+1\r\n."},
			"",
		},
	} {
		got := scheme.Gopher{Plus: url.Some(test.plus)}.Meaning()
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("Meaning of %q = %+v, want %+v", test.plus, got, test.want)
		}
		want := test.text
		switch want {
		case "":
			want = test.plus
		case "none":
			want = ""
		}
		if got.String() != want {
			t.Errorf("String of the meaning of %q = %q, want %q", test.plus, got.String(), want)
		}
	}
	if got := (scheme.Gopher{}).Meaning(); got.Kind != scheme.PlusNone || got.String() != "" {
		t.Errorf("Meaning without a Gopher+ string = %+v, want PlusNone", got)
	}
	filled := scheme.GopherPlus{Kind: scheme.PlusForm, Answers: []string{"a", "b"}}
	if got, want := filled.String(), "+\t1\r\n+-1\r\na\r\nb\r\n.\r\n"; got != want {
		t.Errorf("String of %+v = %q, want %q", filled, got, want)
	}
}

// URL writes the defaults of RFC 1738 for a view that a program makes.
func TestGopherByHand(t *testing.T) {
	for _, test := range []struct {
		v    scheme.Gopher
		want string
	}{
		{scheme.Gopher{Host: scheme.Host{Name: "h"}}, "gopher://h/1"},
		{scheme.Gopher{Host: scheme.Host{Name: "h", Port: 70}, Selector: "a"}, "gopher://h:70/1a"},
		{scheme.Gopher{Host: scheme.Host{Name: "h"}, Plus: url.Some("!")}, "gopher://h/1%09%09!"},
	} {
		if got := test.v.URL().String(); got != test.want {
			t.Errorf("%+v.URL() = %q, want %q", test.v, got, test.want)
		}
	}
}

// ParseGopher does not cut a long selector, and takes linear time.
func TestGopherLong(t *testing.T) {
	selector := strings.Repeat("a%2F", 1<<20)
	v, err := scheme.ParseGopher(url.MustParse("gopher://h/0" + selector))
	if err != nil || len(v.Selector) != 2<<20 {
		t.Errorf("ParseGopher of a selector of %d bytes = %d bytes, %v", 2<<20, len(v.Selector), err)
	}
}

func TestGopherZeroType(t *testing.T) {
	v := scheme.Gopher{Host: scheme.Host{Name: "h"}}
	if got, want := asJSON(t, v), `{"type":"1","selector":"","search":null,"plus":null}`; got != want {
		t.Errorf("JSON of a view without a type = %s, want %s", got, want)
	}
	if got, want := v.URL().String(), "gopher://h/1"; got != want {
		t.Errorf("URL of a view without a type = %q, want %q", got, want)
	}
}
