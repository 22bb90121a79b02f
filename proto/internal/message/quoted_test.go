package message

import (
	"bytes"
	"errors"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
	"testing/iotest"
)

func TestQuoted(t *testing.T) {
	blanks := strings.Repeat(" ", 5000)
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"caf=C3=A9\r\n", "café\r\n"},
		{"caf=c3=a9\n", "café\n"},
		{"a=\r\nb=\nc", "abc"},
		{"a= \t\r\nb", "ab"},
		{"a \t\r\n b  \n", "a\r\n b\n"},
		{"a =20 \r\n", "a  \r\n"},
		{"end \t", "end"},
		{"end=", "end"},
		{"end= ", "end"},
		{"1=2, =, ==, =G0, =0", "1=2, =, ==, =G0, =0"},
		{"a\rb\r\n\rc", "a\rb\r\n\rc"},
		{"raw caf\xc3\xa9\x00\x1b", "raw caf\xc3\xa9\x00\x1b"},
		{strings.Repeat("long=20", 10_000), strings.Repeat("long ", 10_000)},
		{"a" + blanks + "b", "a" + blanks + "b"},
		{"a" + blanks[:maxBlank] + "\nb", "a\nb"}, // space that is held back
		{"a" + blanks[:maxBlank+1] + "\nb", "a" + blanks[:maxBlank+1] + "\nb"},
		{"a=" + blanks[:maxBlank-1] + "\nb", "ab"},
		{"a=" + blanks[:maxBlank] + "\nb", "a=\nb"},
		{"a \rb=\rc= \rd\r", "a \rb=\rc= \rd\r"}, // CR does not end a line
		{"a =\n\nb\t=\r\n \r\n", "a \nb\t\r\n"},  // white space before "=" ends no line
		{"a=x\nb=\tx\n", "a=x\nb=\tx\n"},
		{"=\r", "=\r"},
		{"=30=39=41=46=61=66=4A=4F=4a=4f=00=FF", "09AFafJOJO\x00\xff"},
		{"=/0=:0=@0=G0=`0=g0=0/=0:=0@=0G=0`=0g", "=/0=:0=@0=G0=`0=g0=0/=0:=0@=0G=0`=0g"},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(test.text), "byte by byte": iotest.OneByteReader(strings.NewReader(test.text)),
		} {
			if got, err := io.ReadAll(newQuoted(r)); string(got) != test.want || err != nil {
				t.Errorf("%.60q, %s, is %.60q, %v, want %.60q", test.text, name, got, err, test.want)
			}
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(newQuoted(io.MultiReader(strings.NewReader("caf=C3"), iotest.ErrReader(broken))))
	if string(got) != "caf\xc3" || !errors.Is(err, broken) {
		t.Errorf("a text that breaks off is %q, %v, want %v", got, err, broken)
	}
}

// Valid input is decoded as mime/quotedprintable does. No input is refused, and the output is never
// longer than the input.
func FuzzQuoted(f *testing.F) {
	f.Add([]byte("caf=C3=A9 \r\n= \r\nx =\n"))
	f.Add([]byte("=\r\r\n=0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := io.ReadAll(iotest.OneByteReader(newQuoted(bytes.NewReader(text))))
		if err != nil || len(got) > len(text) {
			t.Fatalf("%q is %q, %v", text, got, err)
		}
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		w.Binary = true
		w.Write(text)
		w.Close()
		again, err := io.ReadAll(newQuoted(&b))
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%q, encoded, is %q, %v", text, again, err)
		}
	})
}
