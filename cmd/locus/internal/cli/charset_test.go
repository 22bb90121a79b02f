package cli

import (
	"bytes"
	"strings"
	"testing"

	"locus/internal/render"

	"locus/cmd/locus/internal/flags"
)

// Text is converted in the same way for every division into pieces.
func TestCharsetWriter(t *testing.T) {
	for _, test := range []struct{ charset, mediaType, text, want string }{
		{"", "text/plain", "plain", "plain"},
		{"", "text/plain", "", ""},
		{"", "text/plain", "caf\u00e9 \u20ac", "caf\u00e9 \u20ac"},
		{"", "text/plain", "caf\xe9", "caf\u00e9"},
		{"", "text/plain", "caf\xe9 na\xefve\n", "caf\u00e9 na\u00efve\n"},
		{"", "", "\x93quoted\x94", "\u201cquoted\u201d"},
		{"", "text/plain", "\u00e9 and \xe9", "\u00e9 and \ufffd"}, // UTF-8 with an invalid byte
		{"koi8-r", "text/plain", "\xd1\xda\xd9\xcb", "\u044f\u0437\u044b\u043a"},
		{"koi8-r", "text/plain", "caf\u00e9", "caf\u00e9"},
		{"shift_jis", "text/plain", "\x93\xfa\x96\x7b", "\u65e5\u672c"},
		{"koi8-r", "text/plain; charset=iso-8859-2", "\xb1", "\u0105"},
		{"", "text/plain; charset=utf-8", "caf\xe9", "caf\ufffd"},
		{"", "text/plain; charset=nonsense", "caf\xe9", "caf\u00e9"},
		{"", "text/plain", "\x1b[2J\xe9", "\u241b[2J\u00e9"}, // the text cannot control the terminal
		{"", "text/plain", "\xe9\x1b[2J", "\u00e9\u241b[2J"},
	} {
		for _, size := range []int{1, 2, 3, 100} {
			var b bytes.Buffer
			w := Text{test.charset}.Writer(render.CleanWriter(&b), test.mediaType)
			for text := test.text; text != ""; text = text[min(size, len(text)):] {
				if _, err := w.Write([]byte(text[:min(size, len(text))])); err != nil {
					t.Fatalf("%q: %v", test.text, err)
				}
			}
			if err := w.Close(); err != nil || b.String() != test.want {
				t.Errorf("%q in %q (%q), %d bytes a time, is %q, %v, want %q", test.text, test.mediaType, test.charset, size, b.String(), err, test.want)
			}
		}
	}
	if err := (Text{"klingon"}).Check(); err == nil || !flags.IsMisuse(err) || !strings.Contains(err.Error(), `"klingon"`) {
		t.Errorf("Check() of an unknown charset = %v", err)
	}
	if err := (Text{}).Check(); err != nil {
		t.Errorf("Check() of the zero Text = %v", err)
	}
}
