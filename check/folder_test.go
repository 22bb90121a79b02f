package check_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"locus"
	"locus/check"
	"locus/check/report"
	"locus/check/site"
	"locus/extract/document"
	"locus/internal/peers"
	"locus/scheme"
	"locus/url"
)

var update = flag.Bool("update", false, "write the verdicts into testdata/site.txtar")

// A folder gets the verdicts in testdata/site.txtar. So does a web server that serves the folder, which is nginx with
// try_files.
func TestSiteOfFolder(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/site.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want := ""
	for _, f := range archive.Files {
		name, ok := strings.CutPrefix(f.Name, "site/")
		if !ok {
			want = string(f.Data)
			continue
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got := verdictsOfFolder(t, dir, nil)
	if read := verdictsOfFolder(t, dir, new(check.Pages)); read != got {
		t.Errorf("with the pages that were read before, the verdicts are\n%s\nwant\n%s", read, got)
	}
	if *update {
		for i := range archive.Files {
			if archive.Files[i].Name == "want" {
				archive.Files[i].Data = []byte(got)
			}
		}
		if err := os.WriteFile("testdata/site.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		want = got
	}
	if got != want {
		t.Errorf("for the folder, the verdicts are\n%s\nwant\n%s", got, want)
	}
	t.Run("nginx", func(t *testing.T) {
		if got := verdictsOfServer(t, dir, peers.NginxSite(t, dir).Addr); got != want {
			t.Errorf("for nginx, the verdicts are\n%s\nwant\n%s", got, want)
		}
	})
}

var folderPolicy = check.Policy{SkipExamples: true}

// pagesIn calls do with the name of each page in a folder.
func pagesIn(t *testing.T, dir string, do func(name string) error) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".html") {
			err = do(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// verdictsOfFolder returns the verdicts for a folder. If read is not nil, the pages whose links were read are not
// opened again for their anchors.
func verdictsOfFolder(t *testing.T, dir string, read *check.Pages) string {
	t.Helper()
	root, err := os.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	view, err := scheme.LocalFile("linux", dir+"/")
	if err != nil {
		t.Fatal(err)
	}
	client := &locus.Client{Root: root, NoRedirects: true, Retries: -1}
	local := &site.Site{Engine: client, Folder: view.URL(), Files: os.DirFS(dir)}
	q := report.NewQueue(nil)
	pagesIn(t, dir, func(name string) error {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		file, err := local.Folder.Resolve(name)
		if err != nil {
			return err
		}
		s := check.Source{Document: name}
		links := check.LinkReader{}.Links(bytes.NewReader(text), document.HTML, local.PageURL(file))
		if read != nil {
			links = read.Links(check.LinkReader{}, bytes.NewReader(text), document.HTML, file, local)
		}
		for l, err := range links {
			if err != nil {
				return err
			}
			l.URL = local.Local(l.URL)
			s.Links = append(s.Links, l)
		}
		return check.Seed(t.Context(), q, s)
	})
	return verdicts(run(t, &check.Checker{Engine: local, Policy: folderPolicy, Sites: []*site.Site{local}, Pages: read}, q), local.Folder.String())
}

func verdictsOfServer(t *testing.T, dir, addr string) string {
	t.Helper()
	base := url.MustParse("http://" + addr + "/")
	q := report.NewQueue(nil)
	pagesIn(t, dir, func(name string) error {
		page, err := base.Resolve(name)
		if err != nil {
			return err
		}
		return check.Start(t.Context(), q, page)
	})
	c := &check.Checker{Engine: &locus.Client{Dial: new(net.Dialer).DialContext, NoRedirects: true, Retries: -1}, Policy: folderPolicy}
	return verdicts(run(t, c, q), base.String())
}

// verdicts returns a line for each finding of a report that is not good.
func verdicts(r *check.Report, base string) string {
	var b strings.Builder
	for _, f := range findings(r) {
		line := f.Status.String() + "  " + strings.Replace(f.Link, base, "/", 1)
		switch to := f.Moved(); {
		case f.Status != check.Good:
		case to == "":
			continue
		default:
			line = "moved  " + strings.Replace(f.Link, base, "/", 1) + "  " + strings.Replace(to, base, "/", 1)
		}
		for _, p := range f.Places {
			line += "  " + strings.TrimPrefix(p.Document, base)
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
