package check_test

import (
	"context"
	"io/fs"
	"testing"

	"locus/access"
	"locus/check"
)

// A scheme with a mistake makes a link dead, and the reason has the URL that the author probably meant. A scheme that is
// registered, or that is merely similar to another, is unchecked as before.
func TestTypos(t *testing.T) {
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		err := access.ErrNoScheme
		if req.URL.Scheme() == "file" {
			err = fs.ErrNotExist
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: err}
	})
	c := &check.Checker{Engine: o, Policy: check.Policy{Retries: -1}}
	const none = ": locus cannot open this scheme"
	for _, test := range []struct{ link, want string }{
		{"htp://h.net/a", "dead htp://h.net/a" + none + "; did you mean http://h.net/a?"},
		{"htps://u:secret@h.net/", "dead htps://u:secret@h.net/" + none + "; did you mean https://u:xxxxx@h.net/?"},
		{"ttp://h.net/", "dead ttp://h.net/" + none + "; did you mean http://h.net/?"},
		{"gohper://h.net/1", "dead gohper://h.net/1" + none + "; did you mean gopher://h.net/1?"},
		{"shttp://h.net/", "unchecked shttp://h.net/" + none + "; did you mean http://h.net/?"},
		{"ntp://h.net/", "unchecked ntp://h.net/" + none + "; did you mean ftp://h.net/?"},
		{"irc://h.net/x", "unchecked irc://h.net/x" + none},
		{"unheard://h.net/", "unchecked unheard://h.net/" + none},
		{"file:///docs/ftp//h.net/", "dead file:///docs/ftp//h.net/: no such file or folder; did you mean ftp://h.net/?"},
		{"file:///docs/gopher//", "dead file:///docs/gopher//: no such file or folder; did you mean gopher://?"},
		{"file:///docs/a//b", "dead file:///docs/a//b: no such file or folder"},
	} {
		if got := one(t, c, test.link); got != test.want {
			t.Errorf("the link %s is %q, want %q", test.link, got, test.want)
		}
	}
}
