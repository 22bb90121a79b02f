package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"locus/access/engine"
)

func TestPartName(t *testing.T) {
	const part = ".part-0123456789abcdef"
	long := strings.Repeat("é", 127)
	for _, test := range []struct{ name, want string }{
		{"f", "f" + part},
		{strings.Repeat("x", 233), strings.Repeat("x", 233) + part},
		{strings.Repeat("x", 255), strings.Repeat("x", 233) + part},
		{long, long[:232] + part},
		{strings.Repeat("\x80", 300), part},
	} {
		got := engine.PartName(test.name, part)
		if got != test.want || len(got) > 255 || utf8.ValidString(test.name) != utf8.ValidString(got) && test.name[0] != 0x80 {
			t.Errorf("PartName(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}
