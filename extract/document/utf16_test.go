package document

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// wide returns a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func TestUTF8(t *testing.T) {
	const text = "\ufeffé€😀<a href=x>"
	long := strings.Repeat("😀x", 10_000)
	for _, test := range []struct{ in, charset, want string }{
		{wide(text, binary.LittleEndian), "", text[3:]},
		{wide(text, binary.BigEndian), "koi8-r", text[3:]}, // the byte order mark has precedence
		{wide(text[3:], binary.LittleEndian), "UTF-16LE", text[3:]},
		{wide(text[3:], binary.LittleEndian), "utf-16", text[3:]},
		{wide(text[3:], binary.BigEndian), "utf-16be", text[3:]},
		{wide("\ufeff"+long, binary.BigEndian), "", long},
		{"plain é", "", "plain é"},
		{text, "utf-16", text}, // it is in UTF-8, whatever the charset says
		{"", "", ""},
		{"", "utf-16", ""},
		{"\xff", "", "\xff"},
		{"\xff\xfe", "", ""},
		{"\xff\xfea", "", "\ufffd"},
		{"\xff\xfe\x00\xd8a\x00", "", "\ufffda"},
		{"\xff\xfe\x00\xd8", "", "\ufffd"},
		{"\xff\xfe\x00\xdca\x00", "", "\ufffda"},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
			if got, err := io.ReadAll(UTF8(r, test.charset)); string(got) != test.want || err != nil {
				t.Errorf("UTF8(%.40q, %q) = %.40q, %v, want %.40q", test.in, test.charset, got, err, test.want)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(UTF8(io.MultiReader(strings.NewReader("\xff\xfea\x00"), iotest.ErrReader(broken)), "")); !errors.Is(err, broken) {
		t.Errorf("UTF8 of a reader that fails gives %v", err)
	}
}
