package site_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/access/engine"
	"locus/check"
	"locus/check/report"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// A rule of _redirects with a condition redirects only some visitors, so it is not followed. A link to which only such
// rules apply is unchecked.
func TestConditionalRedirects(t *testing.T) {
	const rules = `/ /de/ 302! Country=de
/de-only /a 302 Language=de
/both /gone 302 Country=au,nz Language=en
/both /a 301
/store id=:id /a 301
/store/all /gone 301! Cookie=beta
/old /a?x=y 301
/admin/* /admin/:splat 200! Role=admin
/many/:a /:a` + "\n/noted /a\t# 404 before, see ?old=1\n"
	for _, test := range []struct{ link, status, why string }{
		{"/", "good", ""},
		{"/de-only", "unchecked", "_redirects redirects only visitors with Language=de"},
		{"/both", "good", ""},
		{"/store?id=7", "unchecked", "_redirects redirects only visitors with id=:id"},
		{"/store/all", "good", ""},
		{"/old", "good", ""},
		{"/admin/x", "unchecked", "_redirects redirects only visitors with Role=admin"},
		{"/noted", "good", ""},
		{"/none", "dead", ""},
		{"/many/none", "dead", ""},
	} {
		files := fstest.MapFS{"index.html": {}, "a": {}, "store/all": {}, "_redirects": {Data: []byte(rules)}}
		local := &site.Site{Folder: url.MustParse("file:///s/"), Files: files}
		local.Engine = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return engine.Done(req.URL, nil)
		})
		q := report.NewQueue(nil)
		for l, err := range new(check.Pages).Links(check.LinkReader{}, strings.NewReader("<a href="+test.link+">x</a>"), document.HTML, url.MustParse("file:///s/index.html"), local) {
			if err == nil {
				err = check.Seed(t.Context(), q, check.Source{Document: "index.html", Links: []check.Link{l}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := (&check.Checker{Engine: local, Sites: []*site.Site{local}}).Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		r, err := q.Report(t.Context(), check.ReportOptions{All: true})
		if err != nil {
			t.Fatal(err)
		}
		var f check.Finding
		for f, err = range r.Findings {
			if err != nil {
				t.Fatal(err)
			}
		}
		if f.Status.String() != test.status || test.why != "" && f.Reason != test.why {
			t.Errorf("the link %s is %v: %s, want %s: %s", test.link, f.Status, f.Reason, test.status, test.why)
		}
	}
}
