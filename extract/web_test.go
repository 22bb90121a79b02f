package extract

import (
	"testing"

	"locus/internal/weburl/hard"
	"locus/url"
)

// A reference leads where it leads a browser, and Output is a URL of RFC 3986.
func TestHardReferences(t *testing.T) {
	for _, test := range hard.References() {
		for _, m := range []Match{
			{Text: "/" + test.Text, Kind: Reference, Base: "http://h.example/dir/page"},
			{Text: "http://H.example/" + test.Text, Kind: Reference, Base: "ftp://f/"},
			{Text: " //h.exa\nmple/" + test.Text + "\t", Kind: Reference, Base: "http://other/"},
		} {
			u, err := m.URL()
			if host, _ := u.Host(); err != nil || u.PathAndQuery() != test.Target || host != "h.example" {
				t.Errorf("%q in %s leads to %v, %v, want the target %q", m.Text, m.Base, u, err, test.Target)
				continue
			}
			if out, err := url.Parse(m.Output(u)); err != nil {
				t.Errorf("Output(%v) = %q, want a URL of RFC 3986: %v", u, out, err)
			}
		}
	}
}
