package gateway_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/url"
)

// at returns an entry called title at u, a directory if u ends with "/".
func at(title, u string) access.Entry {
	e := access.Entry{Title: title, URL: url.MustParse(u), Kind: access.Object, Size: -1}
	if strings.HasSuffix(u, "/") {
		e.Kind = access.Directory
	}
	return e
}

// tree is a folder with all kinds of entries that a server may list.
func tree() resources {
	link := at("up", "ftp://h/d/up")
	link.Kind = access.Link
	linked := at("linked", "ftp://h/d/linked")
	linked.Kind = access.Link
	refused := func(req *access.Request) (*access.Resource, error) {
		return nil, engine.Fail("open", req.URL, fs.ErrPermission)
	}
	return resources{
		"ftp://h/d/": menu(io.EOF, at("a.txt", "ftp://h/d/a.txt"), at("sub", "ftp://h/d/sub/"), link, linked, at("secret", "ftp://h/d/secret"),
			at("../../evil", "ftp://h/d/evil"), at("A.TXT", "ftp://h/d/A.TXT"), at("nul.txt", "ftp://h/d/nul.txt"),
			at("elsewhere", "ftp://other/d/x"), at("above", "ftp://h/x"), at("line", "ftp://h/d/../y"), access.Entry{Title: "text", Kind: access.Info, Size: -1}),
		"ftp://h/d/sub/":       menu(io.EOF, at("b.txt", "ftp://h/d/sub/b.txt"), at("empty", "ftp://h/d/sub/empty/")),
		"ftp://h/d/sub/empty/": menu(io.EOF),
		"ftp://h/d/up":         menu(io.EOF, at("d", "ftp://h/d/")),
		"ftp://h/d/a.txt":      content("text/plain", "the text a"),
		"ftp://h/d/A.TXT":      content("text/plain", "another"),
		"ftp://h/d/nul.txt":    content("text/plain", "device"),
		"ftp://h/d/linked":     content("text/plain", "linked text"),
		"ftp://h/d/sub/b.txt":  content("text/plain", strings.Repeat("b", 100_000)),
		"ftp://h/d/evil":       content("text/plain", "evil"),
		"ftp://h/d/secret":     refused,
	}
}

// unpack returns the files of an archive by their names.
func unpack(t *testing.T, format, body string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	if format == "zip" {
		z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatalf("the zip: %v", err)
		}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				t.Fatalf("Open of %q in the zip: %v", f.Name, err)
			}
			text, err := io.ReadAll(in)
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			files[f.Name] = string(text)
		}
		return files
	}
	for in := tar.NewReader(strings.NewReader(body)); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatalf("the tar: %v", err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}

// An archive has a folder and all folders below it. On every system its names stay in the folder
// where it is unpacked. It lists the files that could not be read.
func TestArchive(t *testing.T) {
	// attack: Names in an archive (zip, tar) lead out of its folder, are names of devices, or hide their end |
	// they are changed
	get := serve(t, &gateway.Gateway{Engine: tree()})
	for _, format := range []string{"zip", "tar"} {
		resp, body, err := get("GET", "/-/archive?format="+format+"&url=ftp://h/d/")
		if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Disposition") != "attachment; filename=d."+format {
			t.Fatalf("%s = %d, %q, %v", format, resp.StatusCode, resp.Header.Get("Content-Disposition"), err)
		}
		files := unpack(t, format, body)
		missing := files["d/MISSING FILES.txt"]
		want := []string{
			"d/", "d/.._.._evil", "d/A (2).TXT", "d/MISSING FILES.txt", "d/_nul.txt", "d/a.txt", "d/linked", "d/sub/", "d/sub/b.txt", "d/sub/empty/",
		}
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("the %s has %q, want %q", format, got, want)
		}
		if files["d/a.txt"] != "the text a" || len(files["d/sub/b.txt"]) != 100_000 || files["d/linked"] != "linked text" {
			t.Errorf("the %s has other bytes: %.200q", format, files)
		}
		if !hasInOrder(missing, "d/up: it is a link to a folder", "d/secret: ") {
			t.Errorf("the %s misses %q", format, missing)
		}
	}
}

// If an archive breaks off, neither the archive nor its response looks complete.
func TestArchiveCut(t *testing.T) {
	// attack: A client asks for an endless folder as an archive
	for name, change := range map[string]func(resources){
		"a file that breaks off":    func(r resources) { r["ftp://h/d/sub/b.txt"] = cut(strings.Repeat("b", 100_000)) },
		"a listing that breaks off": func(r resources) { r["ftp://h/d/sub/"] = menu(io.ErrUnexpectedEOF, at("c", "ftp://h/d/a.txt")) },
		"a server that fails": func(r resources) {
			r["ftp://h/d/nul.txt"] = func(*access.Request) (*access.Resource, error) { return nil, access.ErrTemporary }
		},
	} {
		engine := tree()
		change(engine)
		get := serve(t, &gateway.Gateway{Engine: engine})
		for _, format := range []string{"zip", "tar"} {
			resp, body, err := get("GET", "/-/archive?format="+format+"&url=ftp://h/d/")
			if err == nil && resp.StatusCode == http.StatusOK {
				t.Errorf("%s: the %s is whole: %d bytes", name, format, len(body))
			}
			if _, err := zip.NewReader(strings.NewReader(body), int64(len(body))); format == "zip" && err == nil {
				t.Errorf("%s: what came is a whole zip", name)
			}
			if format == "tar" && bytes.HasSuffix([]byte(body), make([]byte, 1024)) {
				t.Errorf("%s: what came ends like a whole tar", name)
			}
		}
	}
}

// A request for an archive that cannot be written gets an error page, or leads to the resource.
func TestArchiveRefused(t *testing.T) {
	large := at("large", "ftp://h/big/large")
	large.Size = 2000
	var many []access.Entry
	for i := range 10_001 {
		many = append(many, at("f", fmt.Sprint("ftp://h/many/", i)))
	}
	engine := resources{
		"ftp://h/big/": menu(io.EOF, large), "ftp://h/many/": menu(io.EOF, many...), "ftp://h/file": content("text/plain", "x"),
		"ftp://h/cut/": menu(io.ErrUnexpectedEOF),
	}
	get := serve(t, &gateway.Gateway{MaxArchive: 1000, Engine: engine})
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"/-/archive?format=zip&url=ftp://h/big/", 502, "The folder is larger than this gateway puts into one archive."},
		{"/-/archive?format=tar&url=ftp://h/many/", 502, "The folder has more than 10,000 files."},
		{"/-/archive?format=rar&url=ftp://h/big/", 404, "does not have this page"},
		{"/-/archive?format=zip&url=ftp://h/none/", 404, "was not found"},
		{"/-/archive?format=zip&url=ftp://h/cut/", 502, "stopped before"},
		{"/-/archive?format=zip&url=ftp://h/file", 303, ""},
	} {
		resp, body, err := get("GET", test.path)
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) || resp.Header.Get("Content-Disposition") != "" {
			t.Errorf("GET %s = %d, %v, want %d, %q\n%s", test.path, resp.StatusCode, err, test.status, test.want, body)
		}
	}
}

// The archive of a folder that turns out to be larger or deeper than the limits breaks off.
func TestArchiveBounds(t *testing.T) {
	// attack: A client asks for an endless folder as an archive | the archive is aborted at its
	// limits, and never looks complete
	endless := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return menu(io.EOF, at("deeper", req.URL.String()+"x/"))(req)
	})
	get := serve(t, &gateway.Gateway{MaxArchive: 50_000, Engine: tree()})
	if resp, _, err := get("GET", "/-/archive?format=zip&url=ftp://h/d/"); err == nil && resp.StatusCode == http.StatusOK {
		t.Error("an archive of more bytes than the bound is whole")
	}
	get = serve(t, &gateway.Gateway{Engine: endless})
	begin := time.Now()
	resp, _, err := get("GET", "/-/archive?format=zip&url=ftp://h/x/")
	if err == nil && resp.StatusCode == http.StatusOK || time.Since(begin) > time.Minute {
		t.Errorf("a folder without end = %d, %v", resp.StatusCode, err)
	}
}
