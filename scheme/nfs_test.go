package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestNFS(t *testing.T) {
	testViews(t, []viewCase{
		{"nfs://h", `{"segments":[]}`, ""},
		{"nfs://h/", `{"segments":[""]}`, ""},
		{"nfs://h/a/b", `{"segments":["a","b"]}`, ""},
		{"nfs://h/a/", `{"segments":["a",""]}`, ""},
		{"nfs://h//a", `{"segments":["","a"]}`, ""},
		{"nfs://h//", `{"segments":["",""]}`, ""},
		{"nfs://h:2050/a%20b", `{"segments":["a b"]}`, ""},
		{"nfs://h/a%2Fb/%FF", `{"segments":["a/b",{"base64":"/w=="}]}`, ""},
		{"nfs://h/%0A%00%25", `{"segments":["\n\u0000%"]}`, ""},
		{"nfs://h/a;b:c=d", `{"segments":["a;b:c=d"]}`, "nfs://h/a%3Bb%3Ac%3Dd"},
		{"nfs://h/a?b#c", `{"segments":["a?b"]}`, "nfs://h/a%3Fb"},
		{"nfs://[::1]:1/a", `{"segments":["a"]}`, ""},
		{text: "nfs:‸"},
		{text: "nfs:‸x"},
		{text: "nfs:/‸x"},
		{text: "nfs://‸"},
		{text: "nfs://‸/x"},
		{text: "nfs://h:‸0/"},
		{text: "nfs://h:‸99999/"},
		{text: "nfs://u‸@h/"},
		{text: "nfs://h‸?a"},
	})
}

// A second slash makes the path absolute on the server (RFC 2224 §4).
func TestNFSIsAbsolute(t *testing.T) {
	for text, want := range map[string]bool{
		"nfs://h": false, "nfs://h/": false, "nfs://h/a": false, "nfs://h/a//b": false, "nfs://h//a": true, "nfs://h//": true,
	} {
		v, err := scheme.ParseNFS(url.MustParse(text))
		if err != nil || v.IsAbsolute() != want {
			t.Errorf("IsAbsolute of %q = %v, %v, want %v", text, v.IsAbsolute(), err, want)
		}
	}
}

// A relative reference moves between the directories of a server (RFC 2224 §8).
func TestNFSResolve(t *testing.T) {
	base := url.MustParse("nfs://h:2050/a/b/c")
	for ref, want := range map[string]string{
		"d": "nfs://h:2050/a/b/d", "../d": "nfs://h:2050/a/d", "/d": "nfs://h:2050/d", "//g/d": "nfs://g/d",
	} {
		if got, err := base.Resolve(ref); err != nil || got.String() != want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", ref, got, err, want)
		}
	}
	if got := scheme.Normalize(url.MustParse("NFS://H:2049/a/./b/../c"), url.AllRewrites).String(); got != "nfs://h/a/c" {
		t.Errorf("Normalize = %q, want it without the default port and the dot segments", got)
	}
}

func TestSetNFS(t *testing.T) {
	u := url.MustParse("nfs://h/a/b%20c")
	value := "x/y z/%25"
	got, err := scheme.Set(u, "nfs.segments", &value)
	if err != nil || got.String() != "nfs://h/x/y%20z/%25" {
		t.Errorf("Set(nfs.segments) = %q, %v, want nfs://h/x/y%%20z/%%25", got, err)
	}
}
