package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestTitan(t *testing.T) {
	const none = `"mime":null,"size":null,"token":null}`
	testViews(t, []viewCase{
		{"titan://h", `{"segments":[""],` + none, "titan://h/"},
		{"titan://h:1966/a/%2Fb/", `{"segments":["a","/b",""],` + none, ""},
		{"titan://h/a;mime=text/gemini;size=42;token=x%20y", `{"segments":["a"],"mime":"text/gemini","size":"42","token":"x y"}`, ""},
		{"titan://h/a;token=x/y;size=0", `{"segments":["a"],"mime":null,"size":"0","token":"x/y"}`, "titan://h/a;size=0;token=x/y"},
		{"titan://h/a/;token=", `{"segments":["a",""],"mime":null,"size":null,"token":""}`, ""},
		{"titan://h/;mime=text/plain%3Bcharset%3Dutf-8", `{"segments":[""],"mime":"text/plain;charset=utf-8","size":null,"token":null}`, ""},
		{"titan://h/a%3Bb%3Fc", `{"segments":["a;b?c"],` + none, ""},
		{"titan://h/a#f", `{"segments":["a"],` + none, "titan://h/a"},
		{text: "titan://u‸@h/"},
		{text: "titan:‸a"},
		{text: "titan://h:‸0/"},
		{text: "titan://h/a‸?b"},
		{text: "titan://h/a;‸edit"},
		{text: "titan://h/a;‸b/c"},
		{text: "titan://h/a;size=1;‸size=1"},
		{text: "titan://h/a;‸size=-1"},
		{text: "titan://h/a;‸size="},
		{text: "titan://h/a;‸size=99999999999999999999"},
		{text: "titan://h/a;‸Size=1"},
		{text: "titan://h/a;token=b;‸"},
	})
	v, err := scheme.ParseTitan(url.MustParse("titan://h:7/a/;token=x"))
	if got := v.Page().URL().String(); got != "gemini://h:7/a/" || err != nil {
		t.Errorf("the page of titan://h:7/a/;token=x is %q, %v, want gemini://h:7/a/", got, err)
	}
}
