package check

import (
	"strings"
	"testing"
)

func TestAnchors(t *testing.T) {
	// Of two attributes of one name the first counts.
	page := `<a name=one><p ID="two" id=three><A NAME='f&amp;r'></a><br id=four /><svg id=five /><input name=no><!-- <p id=no2> --><script>"<p id=no3>"</script></p id=no4>`
	all := anchors([]byte(page))
	for name, want := range map[string]bool{
		"one": true, "two": true, "three": false, "four": true, "five": true, "f&r": true, "f%26r": true,
		"no": false, "no2": false, "no3": false, "no4": false, "ONE": false, "one:~:text=x": true, "no:~:text=x": false,
	} {
		if got := hasAnchor(all, name); got != want {
			t.Errorf("hasAnchor(%q) = %v, want %v", name, got, want)
		}
	}
	if got := anchors([]byte("<p>nothing")); got == nil || len(got) != 0 {
		t.Errorf("a page without anchors gives %v, want an empty list", got)
	}
}

// An anchor is found however its attribute is written.
func TestAnchorsAlone(t *testing.T) {
	for _, page := range []string{
		`<p id=x>`, `<p id =x>`, `<p ID="x">`, `<p Id='x'>`, "<p id\t=\tx>", "<p id\n=\nx>", "<p id\r\n=x>", "<p id\f=x>", "<br id=x/>", "<br id=x />", "<br id='x'/>",
		`<a name=x>`, `<a NAME=x>`, `<A nAmE ='x'>`, "<a name\n=x>", "<p title='" + strings.Repeat("y", 1<<20) + "' id=x>", "<p id=x",
	} {
		all := anchors([]byte(page))
		if got, want := hasAnchor(all, "x"), page != "<p id=x" && page != "<br id=x/>"; got != want {
			t.Errorf("in %.40q the name is found: %v, want %v", page, got, want)
		}
	}
}

func TestWantsAnchor(t *testing.T) {
	for fragment, want := range map[string]bool{
		"": false, "x": true, "top": false, "TOP": false, "Top": false, "topic": true, "/": false, "/x": false, "!": false, "!/x": false,
		":~:text=x": false, "x:~:text=y": true, "top:~:text=y": false, "%74op": true, "a/b": true, "a!": true,
	} {
		if got := wantsAnchor(fragment); got != want {
			t.Errorf("wantsAnchor(%q) = %v, want %v", fragment, got, want)
		}
	}
}
