package gopher

import "testing"

func TestTypeOf(t *testing.T) {
	for _, test := range []struct {
		c        byte
		selector string
		want     string
	}{
		{'I', "/a.png", "image/png"},
		{'I', "/a", ""},
		{'s', "/a.mp3", "audio/mpeg"},
		{'g', "/a.png", "image/gif"}, // the server's type wins
		{'0', "/a.html", "text/plain"},
		{'9', "/a.zip", "application/octet-stream"},
		{'1', "/a.zip", menuType},
		{'8', "a.zip", ""},
	} {
		if got := typeOf(test.c, test.selector).media; got != test.want {
			t.Errorf("typeOf(%q, %q) = %q, want %q", test.c, test.selector, got, test.want)
		}
	}
}
