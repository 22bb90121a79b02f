package scheme_test

import (
	"slices"
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestAFS(t *testing.T) {
	testViews(t, []viewCase{
		{"afs://cell.example/a/b%20c", `{"cell":"cell.example","segments":["a","b c"]}`, ""},
		{"afs://cell.example/a/", `{"cell":"cell.example","segments":["a",""]}`, ""},
		{"afs://cell.example/", `{"cell":"cell.example","segments":[""]}`, ""},
		{"afs://cell.example", `{"cell":"cell.example","segments":[""]}`, "afs://cell.example/"},
		{"AFS://.Cell-1_x/a%2Fb?c", `{"cell":".Cell-1_x","segments":["a/b?c"]}`, "afs://.Cell-1_x/a%2Fb%3Fc"},
		{"afs:/afs/cell/a", `{"cell":"cell","segments":["a"]}`, "afs://cell/a"},
		{"afs:/cell/a", `{"cell":"cell","segments":["a"]}`, "afs://cell/a"},
		{"afs:///cell/a", `{"cell":"cell","segments":["a"]}`, "afs://cell/a"},
		{"afs:/cell", `{"cell":"cell","segments":[""]}`, "afs://cell/"},
		{"afs:/afs/cell", `{"cell":"cell","segments":[""]}`, "afs://cell/"},
		{"afs:/", `{"cell":"","segments":[""]}`, "afs:///"},
		{"afs:///", `{"cell":"","segments":[""]}`, ""},
		{"afs:/afs", `{"cell":"","segments":[""]}`, "afs:///"},
		{"afs:/afs/", `{"cell":"","segments":[""]}`, "afs:///"},
		{text: "afs:‸x"},
		{text: "afs:‸"},
		{text: "afs:/‸%2Fx/y"},
		{text: "afs:/afs/c‸%20d/y"},
		{text: "afs:/afs/‸/y"},
		{text: "afs://u‸@cell/x"},
		{text: "afs://cell‸:7000/x"},
		{text: "afs://‸[::1]/x"},
	})
}

// By RFC 1630 a cell must have the form of a host.
func TestAFSByRFC1630(t *testing.T) {
	for _, text := range []string{"afs://cell.name/path", "afs://cell/a/b"} {
		if err := judge(url.RFC1630, text); err != nil {
			t.Errorf("Read(%q): %v", text, err)
		}
	}
	for _, c := range []string{"afs:/‸cell/x", "afs://cell‸", "afs://cell/a‸~b"} {
		text, offset := marked(t, c)
		wantOffset(t, "Read", text, judge(url.RFC1630, text), offset)
	}
}

func TestAFSPath(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"afs://cell/a/b", []string{"cell", "a", "b"}},
		{"afs:/", []string{""}},
	} {
		v, err := scheme.ParseAFS(url.MustParse(test.text))
		if got := v.Path(); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("Path of %q = %q, %v, want %q", test.text, got, err, test.want)
		}
	}
}
