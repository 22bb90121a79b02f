package markup

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"locus/internal/ascii"
)

// Where values stand in tags, also in those that do not end.
func TestAttributes(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string // name=value
	}{
		{"", nil},
		{"<", nil},
		{"<a", nil},
		{"<a ", nil},
		{"<a b", []string{"b="}},
		{"<a b ", []string{"b="}},
		{"<a b=", []string{"b="}},
		{"<a b= ", []string{"b="}},
		{"<a b='", []string{"b="}},
		{"<a b='c", []string{"b=c"}},
		{"<a b=c", []string{"b=c"}},
		{"<a b=''", []string{"b="}},
		{"<a b='c'd=e>f=g", []string{"b=c", "d=e"}},
		{"<a b c=d>", []string{"b=", "c=d"}},
		{"<a b / c/d=e/>", []string{"b=", "c=", "d=e/"}},
		{"<a =b=c>", []string{"=b=c"}},
		{"<a/b=c>", []string{"b=c"}},
		{"<a>b=c", nil},
		{"<a>b c=d", nil},
		{"<a b>c=d", []string{"b="}},
		{"<a b>c d=e", []string{"b="}},
		{"<?x b='c'?>", []string{"b=c", "?="}},
		{"<a b\n=\t'c'\r\nd\f=\f\"e\">", []string{"b=c", "d=e"}},
		{"<a <b=c>", []string{"<b=c"}},
		{"<a \vb=c\vd>", []string{"\vb=c\vd"}},
		{"<aé=b c=d>", []string{"c=d"}},
		{"</ b=c>", []string{"b=c"}},
	} {
		var got []string
		for _, v := range Attributes([]byte(test.in)) {
			got = append(got, v.Name+"="+test.in[v.From:v.To])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("attributes(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Values stand where the tokenizer says that they are.
func FuzzAttributes(f *testing.F) {
	for _, seed := range []string{
		"a href=b", "a b c='d'e=\"f\"", "a =b", "a b==c", "a/b/c=d/", "a b='&amp;'", "a\nb\n=\nc", "a b='c' b=d B=e f", "img/src=a/b", "a \v b=c\vd",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag := "<" + text + ">"
		z := html.NewTokenizer(strings.NewReader(tag))
		if strings.Contains(text, "\x00") {
			return // it becomes another character, in names too
		}
		if kind := z.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken || string(z.Raw()) != tag {
			return
		}
		values := Attributes([]byte(tag))
		for _, a := range z.Token().Attr {
			i := slices.IndexFunc(values, func(v Attribute) bool { return lowered(v.Name) == a.Key })
			if i < 0 {
				t.Fatalf("attributes(%q) has no %q", tag, a.Key)
			}
			in := tag[values[i].From:values[i].To]
			if values = values[i+1:]; !strings.ContainsAny(in, "&\r\x00") && in != a.Val {
				t.Errorf("attributes(%q): %q is %q, want %q", tag, a.Key, in, a.Val)
			}
		}
	})
}

// lowered returns name with the letters of ASCII in lower case, as HTML compares names. Other bytes stay.
func lowered(name string) string {
	b := []byte(name)
	for i, c := range b {
		b[i] = ascii.Lower(c)
	}
	return string(b)
}

// Where a value stands, and where it ends with its quotation mark.
func TestQuoted(t *testing.T) {
	for _, test := range []struct {
		in            string
		i             int
		from, to, end int
	}{
		{"", 0, 0, 0, 0},
		{"a", 0, 0, 1, 1},
		{"a", 1, 1, 1, 1},
		{"a b", 0, 0, 1, 1},
		{"a>b", 0, 0, 1, 1},
		{"a/>", 0, 0, 2, 2},
		{" a", 0, 0, 0, 0},
		{">", 0, 0, 0, 0},
		{"'a'b", 0, 1, 2, 3},
		{`"a"b`, 0, 1, 2, 3},
		{"''", 0, 1, 1, 2},
		{"'a b>c'", 0, 1, 6, 7},
		{`'a"'`, 0, 1, 3, 4},
		{`"a'"`, 0, 1, 3, 4},
		{"x'a'", 1, 2, 3, 4},
		{"'", 0, 1, 1, 1},
		{"'a", 0, 1, 2, 2},
		{"a'b'", 0, 0, 4, 4},
	} {
		if from, to, end := valueAt([]byte(test.in), test.i); from != test.from || to != test.to || end != test.end {
			t.Errorf("valueAt(%q, %d) = %d, %d, %d, want %d, %d, %d", test.in, test.i, from, to, end, test.from, test.to, test.end)
		}
	}
}

// What may be a reference ends with what cannot be part of one.
func TestReferenceLength(t *testing.T) {
	long := "&abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz;"
	for in, want := range map[string]int{
		"&": 1, "&;": 2, "&a": 2, "&a;": 3, "&a;;": 3, "&a b": 2, "&a&b": 2, "&#1;": 4, "&#x1fZ;": 7, "&a_": 2, "&A0;z": 4, "&é": 1,
		"&@": 1, "&[": 1, "&`": 1, "&{": 1, "&/": 1, "&:": 1, "&aZz09;": 7, long: 40, long[:39] + ";": 40, long[:40] + ";": 41, long[:41] + ";": 40,
	} {
		if got := Reference([]byte(in)); got != want {
			t.Errorf("Reference(%q) = %d, want %d", in, got, want)
		}
	}
}

// With Wanted the tokens are the same ones, without end tags, the text between tags, and what has
// no attribute of the set.
func TestWanted(t *testing.T) {
	in := "x <a b=c>y</a>z < 1 <!-- <b> --> <script>1 < 2</script> <title></title><style>p{}</style> <3 <p/></p><b></b a='>'></ b><i></i/><u></u/a=b >" +
		"<p x=1 B=2 b=3 xlink:href=4><P x B=/><script/><TITLE x=1>t</title><textarea b/>u<a"
	if n := checkWanted(t, in); n != 12 {
		t.Errorf("%q has %d tokens, want 12", in, n)
	}
	random := rand.New(rand.NewPCG(7, 11))
	words := []string{
		"<a b=", "<p>", "<p ", "c", "'", `"`, ">", "/>", "</a", "</a>", "</p a='>'", "</", "<", "<!--", "-->", "<!", "<?", "<title>", "</title>", "<Title b",
		"<script>", "</script", "<script/", "<textarea x=", " ", "=", "/", "b", "B=", " b=", " xlink:href=", "\x00", "\n", "é",
	}
	for range 30_000 {
		var b strings.Builder
		for range random.IntN(14) {
			b.WriteString(words[random.IntN(len(words))])
		}
		checkWanted(t, b.String())
	}
}

func FuzzWanted(f *testing.F) {
	for _, seed := range []string{"<a b=c>d</a>", "<script b>x</script><p B='>'>", "<!--<a b>--><title>", "</a b='<b c>'><p b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) { checkWanted(t, in) })
}

// checkWanted checks that a Tokenizer with Wanted reads the tokens that it should, and returns
// how many.
func checkWanted(t *testing.T, in string) int {
	t.Helper()
	names := NewNames("b xlink:href")
	var want, got []string
	for z := (Tokenizer{Text: []byte(in)}); ; {
		token, ok := z.Next()
		if !ok {
			break
		}
		token.Attributes = slices.DeleteFunc(token.Attributes, func(a Attribute) bool { return !names.Has(a.Name) })
		if token.Kind == StartTag && (len(token.Attributes) > 0 || isRaw(token.Name)) || token.Kind == Text && token.Name != "" {
			want = append(want, show(token, z.Text))
		}
	}
	z := Tokenizer{Text: []byte(in), Wanted: names}
	for token := (Token{}); z.Read(&token); {
		got = append(got, show(token, z.Text))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%q with Wanted: %q, want %q", in, got, want)
	}
	return len(got)
}

// A tag costs no allocation.
func TestReadAllocates(t *testing.T) {
	in := []byte(`<p class=x id="y">a<a href='b'>c</a> <br/>`)
	z := Tokenizer{Text: in}
	var token Token
	read := func() {
		for z.at = 0; z.Read(&token); {
		}
	}
	read() // the memory for attributes is reused
	if n := testing.AllocsPerRun(100, read); n > 0 {
		t.Errorf("the tags take %v allocations", n)
	}
}

func TestIsSpace(t *testing.T) {
	for i := range 256 {
		c := byte(i)
		if want := strings.IndexByte(Space, c) >= 0; IsSpace(c) != want {
			t.Errorf("IsSpace(%q) = %v, want %v", c, !want, want)
		}
	}
}
