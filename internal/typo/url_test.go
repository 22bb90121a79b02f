package typo_test

import (
	"strings"
	"testing"

	"locus/internal/typo"
)

func TestURL(t *testing.T) {
	for _, test := range []struct{ typed, want string }{
		{"htp://h/a", "http://h/a"},
		{"htps://h/", "https://h/"},
		{"HTPS://h/", "https://h/"},
		{"hhtp://h/", "http://h/"},
		{"ttp://h/", "http://h/"},
		{"gohper://h/1", "gopher://h/1"},
		{"telent://h", "telnet://h"},
		{"ftp//h/", "ftp://h/"},
		{"gopher//", "gopher://"},
		{"http//h", "http://h"},
		{"HTTP//h/a//b", "http://h/a//b"},
		{"http://h/", ""},
		{"ftp:/h/", ""},
		{"irc://h/", ""},
		{"unheard://h/", ""},
		{"docs//a.md", ""},
		{"//h/", ""},
		{"://h/", ""},
		{"a/ftp//h", ""},
		{"htp:h", ""},
		{"mailto:a@h", ""},
		{"", ""},
		{strings.Repeat("a", 1000) + "://h/", ""},
		{"htp//h/", ""},
	} {
		if got, ok := typo.URL(test.typed); got != test.want && ok || ok != (test.want != "") {
			t.Errorf("URL(%q) = %q, %v, want %q", test.typed, got, ok, test.want)
		}
	}
}
