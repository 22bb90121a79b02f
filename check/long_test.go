package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/extract/document"
	"locus/url"
)

// A URL of more than 64 KiB, and a base that is too long, is reported once, shortened, and not opened.
func TestAttackLongURLs(t *testing.T) {
	// attack: A page has a long base, or a long URL, and many relative links
	long := "http://u:secret@h/" + strings.Repeat("b", 60<<10)
	for _, test := range []struct {
		name, text, why string
		places          int
	}{
		{"a long base", "<base href=" + long + "/>" + strings.Repeat("<a href=p>\n", 2000), "it is too long for the base of the links that are relative to it", 1},
		{"a long URL", strings.Repeat("<a href="+long+"bbbb"+strings.Repeat("/", 5<<10)+">\n", 3), "it has more than 64 KiB", 3},
	} {
		asked := 0
		o := access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) {
			asked++
			return nil, errors.New("the URL is opened")
		})
		c := &check.Checker{Engine: o}
		q := report.NewQueue(nil)
		links, err := check.ReadLinks(strings.NewReader(test.text), document.HTML, url.MustParse("http://h/"))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if err := check.Seed(t.Context(), q, check.Source{Document: "a.html", Links: links}); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		all := findings(run(t, c, q))
		if len(all) != 1 || asked > 0 {
			t.Errorf("%s: %d findings, %d requests, want 1 and 0", test.name, len(all), asked)
			continue
		}
		f := all[0]
		if got := fmt.Sprint(f.Status, ": ", f.Reason); got != "unchecked: "+test.why || len(f.Link) > 300 || strings.Contains(f.Link, "secret") || len(f.Places) != test.places {
			t.Errorf("%s: %s, %s at %d places, want %s, shortened and without the password, at %d", test.name, got, f.Link, len(f.Places), test.why, test.places)
		}
	}
}
