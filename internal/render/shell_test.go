package render_test

import (
	"testing"

	"locus/internal/render"
)

func TestShellWord(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"telnet://ada@h.example:23/", "telnet://ada@h.example:23/"},
		{"telnet://h/$(a);b", "'telnet://h/$(a);b'"},
		{"telnet://h/it's", `'telnet://h/it'\''s'`},
		{"telnet://[::1]/", "'telnet://[::1]/'"},
		{"http://h/?a&b", "'http://h/?a&b'"},
		{"~ada", "'~ada'"},
		{"a b", "'a b'"},
		{"é", "'é'"},
		{"", "''"},
	} {
		if got := render.ShellWord(test.text); got != test.want {
			t.Errorf("ShellWord(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}
