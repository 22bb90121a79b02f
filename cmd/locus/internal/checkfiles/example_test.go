package checkfiles_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/checkfiles"
)

func ExampleReader_Folder() {
	dir, err := os.MkdirTemp("", "site")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"index.html": "<a href=/a>a</a> <a href=/b>b</a>", "a.html": "<p>A page.</p>"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	r := &checkfiles.Reader{Dir: dir, Open: os.Open, Stat: os.Stat, Walk: func(folder string, do checkfiles.WalkedFile) error {
		return filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				return nil
			}
			return do(name, err)
		})
	}}
	ctx, q := context.Background(), report.NewQueue(nil)
	engine, sites, err := r.AddSites(nil, checkfiles.SiteOptions{Folders: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := r.Folder(ctx, q, dir); err != nil {
		log.Fatal(err)
	}
	if err := (&check.Checker{Engine: engine, Sites: sites, Pages: &r.Pages}).Run(ctx, q); err != nil {
		log.Fatal(err)
	}
	report, err := q.Report(context.Background(), check.ReportOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer report.Close()
	for f := range report.Findings {
		fmt.Println(f.Status, filepath.Base(f.Link), filepath.Base(f.Places[0].String()))
	}
	fmt.Println(report.Summary())
	// Output:
	// dead b index.html:1:26
	// 2 links: 1 good, 1 dead
}
