package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/extract/document"
	"locus/url"
)

func Example() {
	ctx := context.Background()
	text := "See [a](ftp://ftp.example/a), [b](ftp://ftp.example/b) and [a](ftp://ftp.example/a) again."
	links, err := check.ReadLinks(strings.NewReader(text), document.Markdown, url.URL{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q := report.NewQueue(nil)
	if err := check.Seed(ctx, q, check.Source{Document: "notes.md", Links: links}); err != nil {
		fmt.Println(err)
		return
	}
	// Most programs have &locus.Client{Dial: dial, NoRedirects: true, Retries: -1} here.
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.Path() == "/b" {
			return empty(req)
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 550, Text: "No such file"}, Err: errors.New("it is not there")}
	})
	if err := (&check.Checker{Engine: o}).Run(ctx, q); err != nil {
		fmt.Println(err)
		return
	}
	r, err := q.Report(context.Background(), check.ReportOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = report.Text(os.Stdout, r)
	fmt.Println(r.Summary())
	// Output:
	// dead  ftp://ftp.example/a  550 No such file
	//     notes.md:1:9
	//     notes.md:1:64
	// 2 links: 1 good, 1 dead
}
