package marc_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/internal/growth"
	"locus/internal/marc"
)

// moby is a record as libraries have it.
var moby = raw(' ',
	"001ocm00012345", "00520040519123011.0", "008750412s1851    nyu           000 1 eng  ",
	"010  \x1fa   51000001 ", "020  \x1fa0123456789", "1001 \x1faMelville, Herman,\x1fd1819-1891.\x1f0(DLC)n79006936",
	"24510\x1faMoby Dick ;\x1fbor, The whale /\x1fcby Herman Melville.", "260  \x1faNew York :\x1fbHarper,\x1fc1851.",
	"650 0\x1faWhaling\x1fxHistory\x1fvFiction.", "880 1\x1f6245-01\x1faMoby", "999  \x1fai\x1fbj")

// dumas is a record of UNIMARC in ISO 5426.
var dumas = rawUNIMARC(
	"001FRBNF1", "100  \x1fa19900101d1844    m  y0frey0103    ba", "2001 \x1fa\x88Les \x89trois mousquetaires\x1feroman\x1ffAlexandre Dumas",
	"210  \x1faParis\x1fcBaudry\x1fd1844.", "606  \x1faMousquetaires\x1fxXVIIe si\xc1ecle", " 70 ", "700 1\x1faDumas\x1fbAlexandre\x1ff1802-1870")

func TestParse(t *testing.T) {
	for _, test := range []struct {
		in                  []byte
		format              marc.Format
		title, author, date string
	}{
		{moby, marc.MARC21, "Moby Dick ; or, The whale", "Melville, Herman", "1851"},
		{dumas, marc.UNIMARC, "Les trois mousquetaires: roman", "Dumas, Alexandre", "1844"},
		{raw('a', "24510\x1faÄpfel", "7102 \x1faVerein."), marc.MARC21, "Äpfel", "Verein", ""},
		{raw('a', "24500\x1faA.", "264 1\x1fcc1998.", "1001 \x1faPoe, E. A."), marc.MARC21, "A.", "Poe, E. A.", "c1998"},
		{raw('a', "24500\x1faWait ...", "008      s1998    ", "1001 \x1faKing, M. L., Jr."), marc.MARC21, "Wait ...", "King, M. L., Jr.", "1998"},
		{raw('a', "24500\x1faYear", "008750412s1998    nyu"), marc.MARC21, "Year", "", "1998"},
		{rawUNIMARC("2001 \x1faT", "100  \x1fa19900101d1844    m", "200  \x1ffOther"), marc.UNIMARC, "T", "", "1844"},
		{rawUNIMARC("2001 \x1faT\x1ffAda"), marc.UNIMARC, "T", "Ada", ""},
		{rawUNIMARC("001x"), marc.UNIMARC, "", "", ""},
		{raw(' ', "001x"), marc.MARC21, "", "", ""},
	} {
		r, err := marc.Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
			continue
		}
		if r.Format != test.format || r.Title() != test.title || r.Author() != test.author || r.Date() != test.date {
			t.Errorf("Parse(%q) is %v, %q by %q, %q; want %v, %q by %q, %q", test.in,
				r.Format, r.Title(), r.Author(), r.Date(), test.format, test.title, test.author, test.date)
		}
		if test.format.String() != r.Format.String() || len(r.Problems) > 0 {
			t.Errorf("Parse(%q): problems %q", test.in, r.Problems)
		}
	}
}

func TestParseAs(t *testing.T) {
	r, err := marc.ParseAs(raw(' ', "2001 \x1faA"), marc.MARC21)
	if err != nil || r.Format != marc.MARC21 || r.Title() != "" {
		t.Errorf("ParseAs is %v, %q, %v", r.Format, r.Title(), err)
	}
	if _, err := marc.ParseAs(nil, marc.UNIMARC); !errors.Is(err, marc.ErrNotMARC) {
		t.Errorf("ParseAs(nil): %v", err)
	}
}

// ParseBrief returns the same title, author and date as Parse.
func TestParseBrief(t *testing.T) {
	coded := raw(' ', "001a", "008750412s1851    nyu           000 1 eng  ", "24500\x1faTitle", "7001 \x1faAda", "500  \x1faNote")
	for _, text := range [][]byte{moby, dumas, coded} {
		whole, err := marc.Parse(text)
		brief, briefErr := marc.ParseBrief(text)
		if err != nil || briefErr != nil {
			t.Fatalf("%q: %v %v", text, err, briefErr)
		}
		if len(brief.Fields) >= len(whole.Fields) || brief.Format != whole.Format || brief.Leader != whole.Leader || brief.Title() != whole.Title() ||
			brief.Author() != whole.Author() || brief.Date() != whole.Date() || brief.Field("001").Value != whole.Field("001").Value || brief.Title() == "" {
			t.Errorf("ParseBrief = %+v, Parse = %+v", brief, whole)
		}
	}
	if r, err := marc.ParseBrief([]byte("00026")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("ParseBrief of a record without an end = %+v, %v", r, err)
	}
}

func TestFields(t *testing.T) {
	r, err := marc.Parse(moby)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Field("001"); !f.IsControl() || f.Value != "ocm00012345" {
		t.Errorf("field 001 is %+v", f)
	}
	if f := r.Field("245"); f.IsControl() || f.Indicators != "10" || f.Get("c") != "by Herman Melville." || f.Get("z") != "" {
		t.Errorf("field 245 is %+v", f)
	}
	if f := r.Field("777"); f.Tag != "" {
		t.Errorf("field 777 is %+v", f)
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		in   []byte
		want string
	}{
		{moby, `
Kind            Book
Author          Melville, Herman, 1819-1891.
Title           Moby Dick ; or, The whale / by Herman Melville.
Published       New York : Harper, 1851.
Subject         Whaling — History — Fiction.
Title (other script)  Moby
999             $a i $b j
Record number   ocm00012345
Record changed  2004-05-19 12:30:11
Coded data      750412s1851 nyu 000 1 eng
LC number       51000001
ISBN            0123456789
`},
		{dumas, `
Kind           Book
Title          Les trois mousquetaires roman Alexandre Dumas
Published      Paris Baudry 1844.
Subject        Mousquetaires — XVIIe siècle
Author         Dumas Alexandre 1802-1870
Record number  FRBNF1
Coded data     19900101d1844 m y0frey0103 ba
`},
	} {
		r, err := marc.Parse(test.in)
		if err != nil {
			t.Fatalf("%q: %v", test.in, err)
		}
		if got, want := words(r.Text()), words(test.want); got != want {
			t.Errorf("Text of %q is\n%s, want\n%s", test.in, got, want)
		}
	}
}

// words returns text without blank lines and the width of columns.
func words(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if w := strings.Fields(line); len(w) > 0 {
			lines = append(lines, strings.Join(w, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func TestTextColumns(t *testing.T) {
	r, err := marc.Parse(raw('a', "001x", "24500\x1faA\nb"))
	if want := "Kind           Book\nTitle          A b\nRecord number  x\n"; err != nil || r.Text() != want {
		t.Errorf("Text is %q, %v, want %q", r.Text(), err, want)
	}
}

func TestKind(t *testing.T) {
	for _, test := range []struct{ leader, want string }{
		{"am", "Book"}, {"as", "Serial"}, {"em", "Map"}, {"jm", "Music recording"}, {"?m", ""},
	} {
		in := raw(' ', "001x")
		copy(in[6:], test.leader)
		if r, err := marc.Parse(in); err != nil || r.Kind() != test.want {
			t.Errorf("the kind of %q is %q, %v, want %q", test.leader, r.Kind(), err, test.want)
		}
	}
	if kind := (marc.Record{}).Kind(); kind != "" {
		t.Errorf("the kind of nothing is %q", kind)
	}
}

// Text is decoded in each character set, and undefined bytes are reported.
func TestCharsets(t *testing.T) {
	unimarc := func(sets, text string) []byte {
		return rawUNIMARC("100  \x1fa19900101d1844    m  y0frey"+sets+"    ba", "200  \x1fa"+text)
	}
	marc8 := func(text string) []byte { return raw(' ', "24500\x1fa"+text) }
	for _, test := range []struct {
		in            []byte
		want, problem string
	}{
		{marc8("caf\xe2e"), "café", ""},
		{marc8("\xe8\xe2u"), "ǘ", ""}, // composed from two marks
		{marc8("caf\xe9, \xe0 la carte, d\xe9j\xe0, na\xefve"), "café, à la carte, déjà, naïve", "the record says that its text is MARC-8; it looks like ISO 8859-1"},
		{marc8("tegns\xe6t \xd8l, hj\xe6lp p\xe5 \xd8st"), "tegnsæt Øl, hjælp på Øst", "the record says that its text is MARC-8; it looks like ISO 8859-1"},
		{marc8("\xe2etude, \xe1a la carte, \xe8uber \xe2"), "étude, à la carte, über \u00a0\u0301", "field 245: a combining mark has no letter"},
		{marc8("caf\xc3\xa9"), "café", "the record says that its text is MARC-8; it is UTF-8"},
		{marc8("&#x4E8C; &#x0041; &#xD800; &#x110000; &#x4E8C &#x4e8c;"), "二 &#x0041; &#xD800; &#x110000; &#x4E8C 二", ""},
		{marc8("\x88The \x89end"), "\u0098The \u009cend", ""},
		{marc8("a\x8db\x8ec"), "a\u200db\u200cc", ""},
		{marc8("a\x84b"), "a\ufffdb", "field 245: byte 84 means nothing in any set"},
		{marc8("a\xffb"), "a\ufffdb", "field 245: byte FF means nothing in Extended Latin (ANSEL)"},
		{marc8("a\xe2"), "a\u00a0\u0301", "field 245: a combining mark has no letter"},
		{marc8(strings.Repeat("\xe2", 9) + "a"), "\u00a0" + strings.Repeat("\u0301", 8) + "á", "field 245: a letter has too many combining marks"},
		{marc8("a\x1b(?b"), "a\ufffd(?b", "field 245: an escape sequence is not known"},
		{marc8("a\x1b"), "a\ufffd", "field 245: an escape sequence is not known"},
		{marc8("a\x1b$(Bb"), "a\ufffd$(Bb", "field 245: an escape sequence is not known"},
		{marc8("a\x1b(1b"), "a\ufffd(1b", "field 245: an escape sequence is not known"},
		{marc8("\x1b$1!0!!\x1b(Ba"), "一\ufffda", "field 245: byte 21 means nothing in the East Asian set (EACC)"},
		{marc8("\x1b$1!!"), "\ufffd", "field 245: byte 2121 means nothing in the East Asian set (EACC)"},
		{marc8("\x1b$1~~~"), "\ufffd", "field 245: byte 7E7E7E means nothing in the East Asian set (EACC)"},
		{marc8("\x1b$)1\xa1\xb0\xa1"), "一", ""},
		{marc8("\x1bp\x7e"), "\ufffd", "field 245: byte 7E means nothing in superscripts"},
		{marc8("\x1b(NA\x1fbA"), "а", ""}, // each subfield begins in ASCII
		{raw('a', "24500\x1facafé"), "café", ""},
		{raw('a', "24500\x1facaf\xe9s"), "caf\ufffds", "field 245 has bytes that are not UTF-8"},
		{unimarc("50  ", "café"), "café", ""},
		{unimarc("50  ", "caf\xe9"), "caf\ufffd", "field 200 has bytes that are not UTF-8"},
		{unimarc("0103", "caf\xc2e \xe1 \xc8u \xd0c"), "café Æ ü ç", ""},
		{unimarc("    ", "caf\xc2e"), "café", ""},
		{unimarc("0103", "caf\xc3\xa9"), "café", "the record says that its text is ISO 5426; it is UTF-8"},
		{unimarc("0102", "A\xc1"), "Aа", ""},
		{unimarc("0105", "a\xe1"), "aα", ""},
		{unimarc("0103", "\x1b(NA\x1b(B"), "а", ""},
	} {
		r, err := marc.Parse(test.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.in, err)
			continue
		}
		f := r.Fields[len(r.Fields)-1]
		if got := f.Get("a"); got != test.want {
			t.Errorf("Parse(%q) has %q, want %q", test.in, got, test.want)
		}
		if got := strings.Join(r.Problems, "; "); got != test.problem {
			t.Errorf("Parse(%q) reports %q, want %q", test.in, got, test.problem)
		}
	}
}

// A record with wrong lengths is read, or is an error. The parser stays within the record.
func TestDamaged(t *testing.T) {
	good := string(raw(' ', "001abc", "24500\x1faTitle\x1fbmore", "500  \x1faNote"))
	change := func(at int, text string) []byte { return []byte(good[:at] + text + good[at+len(text):]) }
	directory := 24
	const mended = "lengths in the directory are wrong; the fields are told apart by their ends"
	for _, test := range []struct {
		name     string
		in       []byte
		title    string
		problems string // beginning of the problems
		err      error
	}{
		{"good", []byte(good), "Title more", "", nil},
		{"followed by another", []byte(good + good), "Title more", "", nil},
		{"length too small", change(0, "00030"), "Title more", "the leader says that the record has 30 bytes", nil},
		{"length too large", change(0, "99999"), "Title more", "the leader says that the record has 99999 bytes", nil},
		{"base wrong", change(12, "00000"), "Title more", "the leader says that the data begins at 0", nil},
		{"layout missing", change(20, "    "), "Title more", "", nil},
		{"layout zero", change(20, "0000"), "Title more", "", nil},
		{"a length lies", change(directory+12+3, "0007"), "Title more", mended, nil},
		{"a length is huge", change(directory+12+3, "9999"), "Title more", mended, nil},
		{"a start lies", change(directory+12+7, "00005"), "Title more", mended, nil},
		{"a length is no number", change(directory+24+3, "x0x0"), "more Note Title more", "entry 3", nil},
		{"the directory's end", []byte(strings.Replace(good, "\x1e", " ", 1)), "", "", nil},
		{"no end", []byte(good[:len(good)-1]), "", "", io.ErrUnexpectedEOF},
		{"cut in the leader", []byte(good[:12]), "", "", io.ErrUnexpectedEOF},
		{"not MARC", []byte("Hello, world: this is no record\x1d"), "", "", marc.ErrNotMARC},
		{"nothing", nil, "", "", marc.ErrNotMARC},
		{"digits", []byte("00005"), "", "", io.ErrUnexpectedEOF},
		{"an end in the leader", []byte("00025nam\x1d                          \x1d"), "", "", marc.ErrNotMARC},
		{"no directory", []byte("00026nam  2200025   4500\x1e\x1d"), "", "", marc.ErrNotMARC},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := marc.Parse(test.in)
			if !errors.Is(err, test.err) {
				t.Fatalf("Parse: %v, want %v", err, test.err)
			}
			if test.err != nil || test.title == "" {
				return
			}
			if got := r.Field("245"); got.Get("a") != "Title" && test.name != "a length is no number" {
				t.Errorf("field 245 is %+v", got)
			}
			if test.problems == "" && len(r.Problems) > 0 || test.problems != "" && !strings.HasPrefix(strings.Join(r.Problems, "; "), test.problems) {
				t.Errorf("problems %q, want %q", r.Problems, test.problems)
			}
		})
	}
}

// A field that cannot be found is omitted. The other fields are kept.
func TestLostField(t *testing.T) {
	good := string(raw(' ', "001abc", "24500\x1faTitle", "500  \x1faNote"))
	in := strings.Replace(good, "Note", "No\x1ee", 1) // one field more than in the directory
	in = strings.Replace(in, "001000400000", "001000499999", 1)
	r, err := marc.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"field 001 is not where the directory says", "field 500 does not end where the directory says"}
	if r.Field("001").Tag != "" || r.Title() != "Title" || r.Field("500").Get("a") != "No" || !slices.Equal(r.Problems, want) {
		t.Errorf("fields %+v, problems %q", r.Fields, r.Problems)
	}
}

// Overlapping fields cannot make a large record from a small one.
func TestOverlap(t *testing.T) {
	text := "24500\x1fa" + strings.Repeat("x", 9000)
	directory, n := "", 5000
	for range n {
		directory += fmt.Sprintf("245%04d00000", len(text)-2)
	}
	base := 24 + len(directory) + 1
	length := base + len(text) - 3 + 2
	in := fmt.Sprintf("%05dnam  22%05d   4500%s\x1e%s\x1e\x1d", length, base, directory, text[3:])
	r, err := marc.Parse([]byte(in))
	if err != nil || len(r.Fields) != 1 || !slices.Equal(r.Problems, []string{"the fields from entry 2 on overlap; they are left out"}) {
		t.Errorf("%d fields, problems %q, %v", len(r.Fields), r.Problems, err)
	}
}

// A directory whose entries all name one long field costs about as much as any record of that size.
func TestOverlapGrowth(t *testing.T) {
	growth.Check(t, "a directory with overlapping entries", 400, func(n int) func() {
		text := "24500\x1fa" + strings.Repeat("x", 100*n)
		directory := strings.Repeat(fmt.Sprintf("245%09d000000000", len(text)-2), n)
		in := fmt.Sprintf("00000nam  2200000   9900%s\x1e%s\x1e\x1d", directory, text[3:])
		return func() {
			if r, err := marc.Parse([]byte(in)); err != nil || len(r.Fields) != 1 {
				t.Errorf("Parse of a record with %d entries = %d fields, %v, want 1", n, len(r.Fields), err)
			}
		}
	})
}

// The list of problems is bounded, and names each problem once.
func TestProblemsAreBounded(t *testing.T) {
	var fields []string
	for i := range 100 {
		fields = append(fields, fmt.Sprintf("%03d  \x1fa\xff\x1fb\xff", 100+i))
	}
	r, err := marc.Parse(raw(' ', fields...))
	if err != nil || len(r.Problems) != 20 {
		t.Errorf("%d problems, %v, want 20", len(r.Problems), err)
	}
}

func TestRead(t *testing.T) {
	a, b := string(raw(' ', "24500\x1faA")), string(raw(' ', "24500\x1faB"))
	for _, test := range []struct {
		name, in, want string
	}{
		{"none", "", ""},
		{"two", a + b, "A B"},
		{"lines between", "\n" + a + "\r\n" + b + "\n\x1a", "A B"},
		{"rubbish between", a + "rubbish\x1d" + b, "A [not a MARC record: it does not begin with its length] B"},
		{"cut off", a + b[:30], "A [the MARC record is cut off after 30 of 44 bytes: unexpected EOF]"},
		{"a text", "Hello", "[not a MARC record: it does not begin with its length]"},
		{"too long", a + strings.Repeat("0", 2<<20), "A [the MARC record is too long: it has no end within 1048576 bytes]"},
	} {
		var got []string
		for r, err := range marc.Read(strings.NewReader(test.in)) {
			if err != nil {
				got = append(got, "["+err.Error()+"]")
				continue
			}
			got = append(got, r.Title())
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.name, s, test.want)
		}
	}
	for range marc.Read(strings.NewReader(a + b)) {
		break // the iterator stops
	}
	broken := errors.New("broken")
	for _, err := range marc.Read(io.MultiReader(strings.NewReader(a[:30]), failing{broken})) {
		if !errors.Is(err, broken) {
			t.Errorf("Read of a broken reader: %v", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestLooksLike(t *testing.T) {
	for _, test := range []struct {
		in   string
		want bool
	}{
		{string(moby), true},
		{string(dumas), true},
		{string(moby[:36]), true},
		{string(moby[:35]), false},
		{"", false},
		{strings.Repeat("12345 ", 10), false},
		{strings.Repeat("0", 60), false},
	} {
		if got := marc.LooksLike([]byte(test.in)); got != test.want {
			t.Errorf("LooksLike(%q) is %v", test.in, got)
		}
	}
}

// Parsing the output of ISO2709 gives the same record.
func TestISO2709(t *testing.T) {
	r := marc.Record{Leader: "00000cam a2200000 a 4500", Fields: []marc.Field{
		{Tag: "001", Value: "x1"},
		{Tag: "245", Indicators: "10", Subfields: []marc.Subfield{{"a", "Äpfel 一"}, {"b", ""}}},
	}}
	b, err := r.ISO2709()
	if err != nil {
		t.Fatal(err)
	}
	again, err := marc.Parse(b)
	if err != nil || len(again.Problems) > 0 || !slices.EqualFunc(again.Fields, r.Fields, sameField) {
		t.Errorf("Parse of %q is %+v, %v", b, again, err)
	}
	if again.Leader[5:10] != "cam a" || again.Leader[17:20] != " a " {
		t.Errorf("the leader is %q", again.Leader)
	}
}

func sameField(a, b marc.Field) bool {
	return a.Tag == b.Tag && a.Indicators == b.Indicators && a.Value == b.Value && slices.Equal(a.Subfields, b.Subfields)
}

func TestISO2709Refuses(t *testing.T) {
	data := func(s ...marc.Subfield) marc.Field {
		return marc.Field{Tag: "245", Indicators: "  ", Subfields: s}
	}
	long := strings.Repeat("x", 9000)
	for _, test := range []struct {
		fields []marc.Field
		want   string
	}{
		{[]marc.Field{{Tag: "24"}}, `field "24": a tag has three characters`},
		{[]marc.Field{{Tag: "245", Indicators: "1"}}, `field "245": indicators "1" are not two characters`},
		{[]marc.Field{data(marc.Subfield{"ab", ""})}, `field "245": code "ab" is not one character`},
		{[]marc.Field{data(marc.Subfield{"a", "\x1f"})}, `field "245": subfield a has a separator in its value`},
		{[]marc.Field{data(marc.Subfield{"a", "\x1d"})}, `field "245": a separator is in its value`},
		{[]marc.Field{data(marc.Subfield{"a", "\xff"})}, `field "245": its value is not UTF-8`},
		{[]marc.Field{data(marc.Subfield{"a", long + long})}, `field "245": a field of 18005 bytes: too long for ISO 2709`},
		{slices.Repeat([]marc.Field{data(marc.Subfield{"a", long})}, 12), `a record of 108230 bytes: too long for ISO 2709`},
	} {
		_, err := marc.Record{Fields: test.fields}.ISO2709()
		if err == nil || err.Error() != test.want {
			t.Errorf("ISO2709 of %d fields: %v, want %s", len(test.fields), err, test.want)
		}
	}
}

func TestXML(t *testing.T) {
	r, err := marc.Parse(raw(' ', "001a<b", "2451\"\x1fa\"x' & y\x01\r\x1f&z"))
	want := `<record xmlns="http://www.loc.gov/MARC21/slim">
  <leader>00071nam a2200049   4500</leader>
  <controlfield tag="001">a&lt;b</controlfield>
  <datafield tag="245" ind1="1" ind2="&quot;">
    <subfield code="a">&quot;x&apos; &amp; y` + "\ufffd" + `&#13;</subfield>
    <subfield code="&amp;">z</subfield>
  </datafield>
</record>
`
	if got := string(r.XML()); err != nil || got != want {
		t.Errorf("XML is %s, %v, want %s", got, err, want)
	}
	if r, err := marc.Parse(dumas); err != nil || !strings.Contains(string(r.XML()), "<leader>"+r.Leader+"</leader>") {
		t.Errorf("the leader of UNIMARC is changed: %s, %v", r.XML(), err)
	}
}

// BenchmarkParseBrief parses a record of 40 fields with Parse and ParseBrief.
func BenchmarkParseBrief(b *testing.B) {
	fields := []string{"001ocm00012345", "008750412s1851    nyu           000 1 eng  ", "1001 \x1faMelville, Herman,", "24510\x1faMoby Dick", "260  \x1fc1851."}
	for range 35 {
		fields = append(fields, "650 0\x1faP\xe2eche \x88\xe0\x89 la baleine\x1fxHistoire\x1fvFiction.")
	}
	record := raw(' ', fields...)
	for name, parse := range map[string]func([]byte) (marc.Record, error){"whole": marc.Parse, "brief": marc.ParseBrief} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(record)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(record); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
