package rewrite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locus/extract/document"
)

// The time for a hostile page is linear in its size.
func TestHostileTime(t *testing.T) {
	const size = 1 << 20
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	var attributes strings.Builder
	for i := range size / 16 {
		fmt.Fprintf(&attributes, " x%d=1 data-src=y", i)
	}
	for name, text := range map[string]string{
		"nested noscript":   repeat("<noscript>"),
		"nested mix":        repeat("<noscript><noframes><noembed>"),
		"attributes":        "<img rel=x" + attributes.String() + ">",
		"srcset":            "<img crossorigin srcset='" + repeat("a 1x,") + "'>",
		"srcdoc":            repeat("<iframe srcdoc='<img src=x>'>"),
		"nested srcdoc":     "<iframe srcdoc='" + repeat("<iframe srcdoc=&quot;x&quot;>") + "'>",
		"integrity":         repeat("<script src=x integrity=y crossorigin>"),
		"open tags":         repeat("<a rel=x "),
		"base":              repeat("<base href=x><a href=y>"),
		"css":               "<style>" + repeat("@import 'x';") + "</style>",
		"css urls":          "<style>" + repeat("url(") + "</style>",
		"css in attributes": "<p style='" + repeat("a:url(x);") + "'>",
		"comments":          repeat("<!--"),
		"cdata":             repeat("<![CDATA["),
	} {
		for _, mode := range []document.Mode{document.HTML, document.CSS} {
			began := time.Now()
			_, err := Rewrite([]byte(text), mode, base, Options{Charset: "koi8-r"}, func(Reference) (string, bool) { return "z", true })
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s, mode %v: %v, %v", name, mode, took, err)
			} else if testing.Verbose() {
				t.Logf("%s, mode %v: %v, %v", name, mode, took, err)
			}
		}
	}
}
