package tex

import "testing"

// unescapeTeX removes the backslash before the special characters of TeX, and keeps every other backslash.
func TestUnescapeTeX(t *testing.T) {
	for _, test := range []struct {
		in, want string
		size     int
	}{
		{`\#x`, "#", 2},
		{`\$`, "$", 2},
		{`\%20`, "%", 2},
		{`\&`, "&", 2},
		{`\_a`, "_", 2},
		{`\{`, "{", 2},
		{`\}`, "}", 2},
		{`\~{}`, "~", 2},
		{`\`, `\`, 1},
		{`\\`, `\`, 1},
		{`\url`, `\`, 1},
		{`\ `, `\`, 1},
	} {
		if size, got := unescapeTeX([]byte(test.in)); size != test.size || got != test.want {
			t.Errorf("unescapeTeX(%q) = %d, %q, want %d, %q", test.in, size, got, test.size, test.want)
		}
	}
}
