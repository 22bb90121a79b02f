package encodedword_test

import (
	"errors"
	"io"
	"testing"

	"locus/internal/encodedword"
)

func TestDecode(t *testing.T) {
	errUnknown := errors.New("unknown charset")
	for _, test := range []struct {
		value, want string
		err         error
	}{
		{"plain * text", "plain * text", nil},
		{"=?UTF-8?Q?caf=C3=A9?=", "café", nil},
		{"=?UTF-8*EN?Q?x?=", "x", nil},
		{"=?utf-8*de-CH?b?w6k=?= =?UTF-8*?q?_b?=", "é b", nil},
		{"a*b =?UTF-8*fr?q?c*d?=", "a*b c*d", nil},
		{"=?koi8-r*ru?Q?x?=", "", errUnknown},
	} {
		got, err := encodedword.Decode(test.value, func(charset string, _ io.Reader) (io.Reader, error) {
			if charset != "koi8-r" {
				t.Errorf("Decode(%q) reads the charset %q", test.value, charset)
			}
			return nil, errUnknown
		})
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("Decode(%q) = %q, %v, want %q, %v", test.value, got, err, test.want, test.err)
		}
	}
}
