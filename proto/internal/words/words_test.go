package words_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"locus/proto/internal/words"
)

func TestHeader(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"=?utf-8?q?caf=C3=A9?=", "café"},
		{"=?US-ASCII?Q?a_b?=", "a b"},
		{"=?iso-8859-1?q?caf=E9?= =?iso-8859-1?q?_au_lait?=", "café au lait"},
		{"=?ISO-8859-2?Q?=A3=F3d=BC?=", "Łódź"},
		{"=?iso-8859-15?q?5_=A4?=", "5 €"},
		{"=?windows-1252?q?=93quoted=94?=", "“quoted”"},
		{"Re: =?koi8-r?B?8NLJ18XU?=", "Re: Привет"},
		{"=?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=", "日本語"},
		{"=?gb2312?B?1tDOxA==?=", "中文"},
		{"=?big5?B?pKSk5Q==?=", "中文"},
		{"=?euc-kr?B?x9GxuQ==?=", "한국"},
		{"=?Shift_JIS?B?k/qWew==?=", "日本"},
		{"=?utf-8?q?bad=FF?=", "bad\ufffd"},
		{"=?no-such?q?x=E9?=", "=?no-such?q?x=E9?="},
		{"=?iso-2022-kr?q?x?=", "=?iso-2022-kr?q?x?="},
		{"=?utf-8?x?y?=", "=?utf-8?x?y?="},
		{"=?UTF-8*EN?Q?x?=", "x"}, // RFC 2231 §5
		{"=?iso-8859-1*fr-CA?q?caf=E9?= =?utf-8*?b?eA==?=", "caféx"},
		{"2 * 3 =?utf-8?q?x?= *EN?Q?", "2 * 3 x *EN?Q?"},
		{"=?no-such*en?q?x=E9?=", "=?no-such*en?q?x=E9?="},
		{"raw caf\xe9", "raw café"},
		{"raw café", "raw café"},
	} {
		if got := words.Header(test.value); got != test.want {
			t.Errorf("Header(%q) = %q, want %q", test.value, got, test.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct{ data, charset, want string }{
		{"caf\xc3\xa9", "utf-8", "café"},
		{"caf\xc3\xa9", "", "café"},
		{"caf\xe9", "", "café"},
		{"caf\xc3\xa9", "US-ASCII", "café"},
		{"caf\xe9", "no-such", "café"},
		{"caf\xe9", "ISO-8859-1", "café"},
		{"caf\xe9", "utf-8", "café"},
		{"\xf0\xd2\xc9\xd7\xc5\xd4", " KOI8-R ", "Привет"},
		{"\x1b$BF|K\\8l\x1b(B", "iso-2022-jp", "日本語"},
	} {
		if got := words.Text([]byte(test.data), test.charset); got != test.want {
			t.Errorf("Text(%q, %q) = %q, want %q", test.data, test.charset, got, test.want)
		}
	}
}

// Reader gives the same text however the input is split. Data in an unknown charset
// is not changed.
func TestReader(t *testing.T) {
	for _, test := range []struct{ data, charset, want string }{
		{"\xf0\xd2\xc9\xd7\xc5\xd4", " KOI8-R ", "Привет"},
		{"\x1b$BF|K\\8l\x1b(B\n", "iso-2022-jp", "日本語\n"},
		{"\xd6\xd0\xce\xc4", "gb2312", "中文"},
		{"\xd6\xd0\xce", "gb2312", "中\ufffd"},
		{"x\x00\n\x01", "utf-16le", "xĊ"},
		{"caf\xc3\xa9\xff", "utf-8", "caf\xc3\xa9\xff"},
		{"caf\xe9", "us-ascii", "caf\xe9"},
		{"caf\xe9", "no-such", "caf\xe9"},
		{"caf\xe9", "", "caf\xe9"},
	} {
		whole, err1 := io.ReadAll(words.Reader(strings.NewReader(test.data), test.charset))
		pieces, err2 := io.ReadAll(words.Reader(iotest.OneByteReader(strings.NewReader(test.data)), test.charset))
		if string(whole) != test.want || string(pieces) != test.want || err1 != nil || err2 != nil {
			t.Errorf("Reader of %q in %q gives %q, %v, byte by byte %q, %v, want %q", test.data, test.charset, whole, err1, pieces, err2, test.want)
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(words.Reader(io.MultiReader(strings.NewReader("\xd7"), iotest.ErrReader(broken)), "koi8-r"))
	if string(got) != "в" || !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %q, %v, want %v", got, err, broken)
	}
}

// For any input, the result is valid UTF-8.
func FuzzHeader(f *testing.F) {
	f.Add("=?koi8-r?B?8NLJ18XU?= \xff", "utf-16")
	f.Add("=?utf-8?q?=FF?=", "gb18030")
	f.Fuzz(func(t *testing.T, value, charset string) {
		if got := words.Header(value); !utf8.ValidString(got) {
			t.Errorf("Header(%q) = %q", value, got)
		}
		if got := words.Text([]byte(value), charset); !utf8.ValidString(got) {
			t.Errorf("Text(%q, %q) = %q", value, charset, got)
		}
	})
}

func ExampleHeader() {
	fmt.Println(words.Header("Re: =?iso-8859-2?q?=A3=F3d=BC?="))
	// Output: Re: Łódź
}
