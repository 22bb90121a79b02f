package gopher

import (
	"testing"

	"locus/internal/weburl/hard"
)

// The link of a menu to the web leads where it leads a browser.
func TestHardLinks(t *testing.T) {
	for _, test := range hard.References() {
		for _, line := range []string{"hWeb\tURL:http://h.example/" + test.Text + "\th\t70", "wWeb\thttp://h.example/" + test.Text + "\th\t70"} {
			e := parseItem(line).entry('1')
			if host, _ := e.URL.Host(); host != "h.example" || e.URL.PathAndQuery() != test.Target {
				t.Errorf("%q links to %q, want the target %q", line, e.URL, test.Target)
			}
		}
	}
}
