package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/extract/document"
)

// read returns a visit that has read an HTML page.
func read(page []byte, limit int64) *visit {
	r := &runner{Checker: &Checker{Policy: Policy{MaxBody: limit}}}
	r.memory = r.newBudget()
	v := r.newVisit(&task{memory: r.memory.Share("")}, Job{}, r.Policy)
	if err := v.readPage(context.Background(), &access.Resource{Body: io.NopCloser(bytes.NewReader(page))}, document.HTML, false); err != nil {
		panic(err) // the page is in memory
	}
	return v
}

// anchors returns the anchors of a page in the order in which hasAnchor searches them.
func anchors(page []byte) []uint64 {
	all := read(page, 0).anchors
	slices.Sort(all)
	return all
}

// If not all anchors of a page were read, a link to an anchor that was not found is unchecked, and not dead.
func TestUnreadAnchors(t *testing.T) {
	long := []byte("<p id=first>" + strings.Repeat("x", 1000) + "<p id=last>")
	var many bytes.Buffer
	for i := range maxAnchors + 1 {
		fmt.Fprintf(&many, "<p id=x%d>", i)
	}
	for name, v := range map[string]*visit{"a long page": read(long, 100), "many anchors": read(many.Bytes(), 0)} {
		slices.Sort(v.anchors)
		r := Result{URL: "http://h/", Anchors: v.anchors, Unread: v.unread}.At("last")
		if r.Status != Unchecked || r.Reason != v.unread || v.unread == "" {
			t.Errorf("%s: the report is %v, and unread is %q, want one unchecked link", name, r, v.unread)
		}
	}
	if v := read(long, 0); v.unread != "" || !hasAnchor(anchors(long), "last") {
		t.Errorf("a page that was read completely is unread because of %q, and has the anchors %v", v.unread, v.anchors)
	}
}

func TestAnchors(t *testing.T) {
	// Of two attributes with one name, the first counts.
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
		t.Errorf("the anchors of a page without anchors are %v, want an empty list that is not nil", got)
	}
}

// An anchor is found even if its attribute is written with other case, quotes, spaces or escapes.
func TestAnchorsAlone(t *testing.T) {
	for _, page := range []string{
		`<p id=x>`, `<p id =x>`, `<p ID="x">`, `<p Id='x'>`, "<p id\t=\tx>", "<p id\n=\nx>", "<p id\r\n=x>", "<p id\f=x>", "<br id=x/>", "<br id=x />", "<br id='x'/>",
		`<a name=x>`, `<a NAME=x>`, `<A nAmE ='x'>`, "<a name\n=x>", "<p title='" + strings.Repeat("y", 1<<20) + "' id=x>", "<p id=x",
	} {
		all := anchors([]byte(page))
		if got, want := hasAnchor(all, "x"), page != "<p id=x" && page != "<br id=x/>"; got != want {
			t.Errorf("the anchor is found in %.40q: %v, want %v", page, got, want)
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

// If a page is not in UTF-8, its names in other characters than ASCII cannot be compared with fragments.
func TestAnchorsOfOtherCharsets(t *testing.T) {
	for page, want := range map[string]bool{
		"<p id=\xe9t\xe9><p id=x>":                true,
		"<p id=\u00e9t\u00e9><p>\xe9</p><p id=x>": false, // only the text is not in UTF-8
	} {
		if v := read([]byte(page), 0); (v.unread != "") != want || !hasAnchor(v.anchors, "x") {
			t.Errorf("the page %q is unread because of %q, want a reason: %v", page, v.unread, want)
		}
	}
}
