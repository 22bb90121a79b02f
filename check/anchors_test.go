package check

import "testing"

func TestAnchors(t *testing.T) {
	page := `<a name=one><p ID="two" id=three><A NAME='f&amp;r'></a><input name=no><!-- <p id=no2> --><script>"<p id=no3>"</script>`
	all := anchors([]byte(page))
	for name, want := range map[string]bool{
		"one": true, "two": true, "f&r": true, "f%26r": true, "no": false, "no2": false, "no3": false, "ONE": false,
	} {
		if got := hasAnchor(all, name); got != want {
			t.Errorf("hasAnchor(%q) = %v, want %v", name, got, want)
		}
	}
	if got := anchors([]byte("<p>nothing")); got == nil || len(got) != 0 {
		t.Errorf("a page without anchors gives %v, want an empty list", got)
	}
}
