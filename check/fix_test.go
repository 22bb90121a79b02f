package check_test

import (
	"slices"
	"testing"

	"locus/check"
	"locus/extract/document"
	"locus/url"
	"locus/url/whatwg"
)

// In every kind of document, only the bytes of moved links change.
func TestEdits(t *testing.T) {
	moves := map[string]string{
		"http://h/old":          "http://h/new/",
		"http://h/old#part":     "http://h/new/#part",
		"http://h/amp?a=1":      "http://h/amp?a=1&b=2",
		"http://h/round":        "http://h/round_(x)",
		"http://h/quote":        "http://h/quote'",
		"http://[2001:db8::1]/": "http://six/",
	}
	for _, test := range []struct {
		name, file, text string
		want             string // "" means text
	}{
		{"text", "a.txt", "See http://h/old, http://h/older and\r\n<http://h/old>.\r\n", "See http://h/new/, http://h/older and\r\n<http://h/new/>.\r\n"},
		{"a longer one", "a.txt", "http://h/old/x http://h/old?x http://h/oldest xhttp://h/old-\n", ""},
		{"at both ends", "a.txt", "http://h/old", "http://h/new/"},
		{"twice in a line", "a.txt", "http://h/old http://h/old\n", "http://h/new/ http://h/new/\n"},
		{"with a fragment", "a.txt", "http://h/old#part http://h/old#other\n", "http://h/new/#part http://h/old#other\n"},
		{"an address", "a.txt", "http://[2001:db8::1]/\n", "http://six/\n"},
		{"not UTF-8", "a.txt", "\xff\xfe http://h/old \x00\xff\n", "\xff\xfe http://h/new/ \x00\xff\n"},
		{
			"Markdown", "a.md", "[a](http://h/old \"http://h/old\")\r\n[b]: http://h/old\n`http://h/old`\n",
			"[a](http://h/new/ \"http://h/new/\")\r\n[b]: http://h/new/\n`http://h/old`\n",
		},
		{"code", "a.md", "```\nhttp://h/old\n```\n\n    http://h/old\n\n<!-- http://h/old --> <code>http://h/old</code>\n", ""},
		{"code in reStructuredText", "a.rst", "``http://h/old`` ::\n\n  http://h/old\n\nhttp://h/old\n", "``http://h/old`` ::\n\n  http://h/old\n\nhttp://h/new/\n"},
		{"brackets", "a.md", "[a](http://h/round) <http://h/round>\n", "[a](http://h/round_%28x%29) <http://h/round_%28x%29>\n"},
		{
			"HTML", "a.html", "<a HREF='http://h/old'>http://h/old</a><img src=http://h/old><!-- http://h/old -->\r\n",
			"<a HREF='http://h/new/'>http://h/old</a><img src=http://h/new/><!-- http://h/old -->\r\n",
		},
		{"HTML with what is to be escaped", "a.html", `<a href="http://h/amp?a=1">`, `<a href="http://h/amp?a=1&amp;b=2">`},
		{"HTML with a reference", "a.html", `<a href="http://h/ol&#100;">`, ""},
		{"relative HTML", "a.html", `<base href="http://h/"><a href="old">`, ""},
		{"srcset", "a.html", `<img srcset="http://h/old 1x, http://h/old 2x">`, `<img srcset="http://h/new/ 1x, http://h/new/ 2x">`},
		{"JSON", "a.json", `{"a": "http://h/old", "b": ["http://h/old"]}`, `{"a": "http://h/new/", "b": ["http://h/new/"]}`},
		{"reStructuredText", "a.rst", "`a <http://h/old>`_\n\n.. _b: http://h/old\n", "`a <http://h/new/>`_\n\n.. _b: http://h/new/\n"},
		{"CSS", "a.css", `a{background:url(http://h/round)} b{background:url('http://h/quote')}`, `a{background:url(http://h/round_%28x%29)} b{background:url('http://h/quote%27')}`},
		{"CSS in HTML", "a.html", `<p style="background:url('http://h/quote')">`, `<p style="background:url('http://h/quote%27')">`},
		{"XML", "a.xml", `<urlset><url><loc>http://h/old</loc></url></urlset>`, `<urlset><url><loc>http://h/new/</loc></url></urlset>`},
	} {
		mode := document.ByName(test.file)
		edits, err := check.Edits([]byte(test.text), mode, url.URL{}, moves)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want := test.want
		if want == "" {
			want = test.text
		}
		if got := string(check.Apply([]byte(test.text), edits)); got != want {
			t.Errorf("%s: %q becomes %q, want %q", test.name, test.text, got, want)
		}
		if !slices.IsSortedFunc(edits, func(a, b check.Edit) int { return int(a.Offset - b.Offset) }) {
			t.Errorf("%s: the edits %v are not in order", test.name, edits)
		}
	}
}

// Each edit replaces a spelling of the old link, such as "HTTP:/h/old", and the edits are in order.
func FuzzEdits(f *testing.F) {
	f.Add("[a](http://h/old) http://h/old", uint8(0))
	f.Add("[](http:h/old)0", uint8(0))
	f.Add("<a href=http://h/old>", uint8(1))
	files := []string{"a.md", "a.html", "a.txt", "a.json", "a.rst", "a.xml"}
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		mode := document.ByName(files[int(kind)%len(files)])
		const from, to = "http://h/old", "http://h/NEW"
		edits, err := check.Edits([]byte(text), mode, url.URL{}, map[string]string{from: to})
		if err != nil {
			return
		}
		end := int64(0)
		for _, e := range edits {
			if e.Offset < end {
				t.Fatalf("%q: the edit %v overlaps an edit before it", text, e)
			}
			end = e.Offset + int64(e.Length)
			old := text[e.Offset:end]
			if u, err := whatwg.Parse(old); err != nil || u.String() != from || e.New != to {
				t.Fatalf("%q: %q becomes %q, but is the URL %v, %v", text, old, e.New, u, err)
			}
		}
	})
}
