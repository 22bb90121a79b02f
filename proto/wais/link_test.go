package wais

import (
	"testing"

	"locus/internal/weburl/hard"
)

// A hit of type URL leads where its headline leads a browser.
func TestHardLinks(t *testing.T) {
	for _, test := range hard.References() {
		headline := " http://h.example/" + test.Text + " "
		u := linkOf(headline)
		if host, _ := u.Host(); host != "h.example" || u.PathAndQuery() != test.Target {
			t.Errorf("linkOf(%q) = %q, want the target %q", headline, u, test.Target)
		}
	}
}

// A headline cannot lead to a file of this machine, or to a scheme that is not known.
func TestRefusedLinks(t *testing.T) {
	for _, headline := range []string{"file:///etc/passwd", "afs://h/x", "mid:a@b", "x-new://h/", "a title", ""} {
		if u := linkOf(headline); !u.IsZero() {
			t.Errorf("linkOf(%q) = %q, want the zero URL", headline, u)
		}
	}
}
