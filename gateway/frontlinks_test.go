package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"locus/gateway"
	"locus/url"
)

func TestParseFrontLinks(t *testing.T) {
	hole := gateway.FrontLink{Group: "Gopher", Title: "A hole", URL: url.MustParse("gopher://h/")}
	about := hole
	about.About = "Deep, and dark."
	for _, test := range []struct {
		text string
		want []gateway.FrontLink
		err  string
	}{
		{"", nil, ""},
		{"a comment\n# Gopher\na comment\n=> gopher://h/ A hole\n\na comment", []gateway.FrontLink{hole}, ""},
		{"## Gopher\r\n=>gopher://h/\tA hole\r\nDeep,\r\nand dark.\r\n", []gateway.FrontLink{about}, ""},
		{"=> ftp://u:sesame@h/", []gateway.FrontLink{{Title: "ftp://u:xxxxx@h/", URL: url.MustParse("ftp://u:sesame@h/")}}, ""},
		{"# Gopher\n=> hole A hole", nil, `line 2: "hole" is not a complete URL`},
		{"=>", nil, `line 1: "" is not a complete URL`},
		{"\n=> http://[ A hole", nil, "line 2: "},
	} {
		got, err := gateway.ParseFrontLinks(test.text)
		if test.err == "" != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("ParseFrontLinks(%q) returns the error %v, want %q", test.text, err, test.err)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("ParseFrontLinks(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

// The page with the places has a text from which ParseFrontLinks reads the same places.
func TestPlacesAsText(t *testing.T) {
	places := []gateway.FrontLink{
		{Group: "Gopher", Title: "A hole", URL: url.MustParse("gopher://h/"), About: "Deep."},
		{Group: "Gopher", Title: "gopher://i/", URL: url.MustParse("gopher://i/")},
		{Group: "FTP", Title: "A mirror", URL: url.MustParse("ftp://h/")},
	}
	get := serve(t, &gateway.Gateway{Engine: testResources(), Places: places})
	resp, text, _ := get("GET", "/-/places")
	got, err := gateway.ParseFrontLinks(text)
	if err != nil || !slices.Equal(got, places) || resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("GET /-/places = %v, %v, want %v\n%s", got, err, places, text)
	}
	get = serve(t, &gateway.Gateway{Engine: testResources()})
	if resp, _, _ := get("GET", "/-/places"); resp.StatusCode != 404 {
		t.Errorf("without places GET /-/places = %d, want 404", resp.StatusCode)
	}
}
