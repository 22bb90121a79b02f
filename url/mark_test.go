package url

import (
	"fmt"
	"strings"
	"testing"
)

// Mark draws the "^" under the wrong byte, whatever bytes stand before it.
func TestMarkColumns(t *testing.T) {
	for _, before := range []string{"http://h/", "x:", "/a/b?q", "//u@h/", "x:%41", "http://[::1]/", strings.Repeat("long/", 10)} {
		for _, bad := range []string{" ", "\x00", "\xff", "é", "<", "\"", "%", "%zz"} {
			for _, after := range []string{"", "g", strings.Repeat("z", 300)} {
				_, err := Parse(before + bad + after)
				e, ok := err.(*SyntaxError)
				if !ok || e.Offset != len(before) {
					t.Errorf("Parse(%q) = %v, want an error at %d", before+bad+after, err, len(before))
					continue
				}
				drawing, mark, _ := strings.Cut(e.Mark(), "\n")
				column := strings.IndexByte(mark, '^')
				want := fmt.Sprintf(`\x%02x`, bad[0])
				if ' ' <= bad[0] && bad[0] < 0x7f {
					want = bad[:1]
				}
				if runes := []rune(drawing); column < 0 || column >= len(runes) || !strings.HasPrefix(string(runes[column:]), want) {
					t.Errorf("Mark of the error of Parse(%q) points at column %d, want the wrong byte:\n%s", before+bad+after, column, e.Mark())
				}
			}
		}
	}
}
