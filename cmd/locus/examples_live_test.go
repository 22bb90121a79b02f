package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveExamples runs the examples in the help of mirror and of the verbs that change files,
// against real servers in place of example.org.
func TestLiveExamples(t *testing.T) {
	t.Parallel()
	root := library(t)
	for _, name := range []string{"www", "pub"} {
		name = filepath.Join(root, name)
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o777); err != nil { // so that the account of the server may write
			t.Fatal(err)
		}
	}
	files := map[string]string{"www/old.html": "old", "pub/a": "a", "all.log": "yesterday\n"}
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	menu := library(t)
	if err := os.WriteFile(filepath.Join(menu, "about.txt"), []byte("about\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ftp, gopher := peers.ProFTPD(t, root), peers.Gophernicus(t, menu)
	news := peers.SN(t, []string{"misc.test"})
	site := t.TempDir()
	if err := os.Mkdir(filepath.Join(site, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	page := "<!DOCTYPE html><title>docs</title><a href=/docs/>here</a>"
	if err := os.WriteFile(filepath.Join(site, "docs", "index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.FileServer(http.Dir(site)))
	t.Cleanup(web.Close)
	testscript.Run(t, testscript.Params{
		Files:         []string{filepath.Join("testdata", "live", "examples.txtar")},
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FTP_DIR", root)
			env.Setenv("EXAMPLES", strings.Join([]string{
				"ftp://me@example.org/", "ftp://alice:secret@" + ftp.Addr + "/",
				"ftp://ftp.example.org/", "ftp://alice:secret@" + ftp.Addr + "/",
				"gopher://gopher.example.org/", "gopher://" + gopher.Addr + "/",
				"https://www.example.org/", web.URL + "/",
				"https://example.org/docs/", web.URL + "/docs/",
				"nntp://example.org/", "nntp://" + news.Addr + "/",
			}, " "))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"examples": runExamples},
	})
}
