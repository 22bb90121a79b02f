package report_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"locus/access"
	"locus/check"
	"locus/check/report"
)

// Two machines divide a list by the hosts of its URLs. A third joins their reports.
func ExampleJoin() {
	list := []check.Link{{URL: "http://a.example/"}, {URL: "http://b.example/"}, {URL: "http://c.example/"}}
	parts := make([]func() (io.ReadCloser, error), 2)
	for i := range parts {
		text, err := checkPart(list, report.Part{Number: i + 1, Of: len(parts), IsWhole: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		parts[i] = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil } // most programs open a file
	}
	joined, _, err := report.Join(parts)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := report.Text(os.Stdout, joined); err != nil {
		fmt.Println(err)
	}
	fmt.Println(joined.Summary())
	// Output:
	// good  http://a.example/
	// good  http://b.example/
	// good  http://c.example/
	// 3 links: 3 good, 0 dead
}

// checkPart checks the links of one part, and returns its report.
func checkPart(list []check.Link, p report.Part) (string, error) {
	ctx := context.Background()
	var own check.Source
	for _, l := range list {
		if check.InShard(l.URL, p.Number, p.Of) {
			own.Links = append(own.Links, l)
		}
	}
	q := report.NewQueue(nil)
	defer q.Close()
	if err := check.Seed(ctx, q, own); err != nil {
		return "", err
	}
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader("text"))}, nil
	})
	checker := &check.Checker{Engine: engine}
	checker.SkipExamples = false
	if err := checker.Run(ctx, q); err != nil {
		return "", err
	}
	r, err := q.Report(ctx, check.ReportOptions{All: true})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var text strings.Builder
	err = report.WritePart(&text, r, p)
	return text.String(), err
}
