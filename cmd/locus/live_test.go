package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLive runs, for each real server, the script in testdata/live that is named after the server.
// $ADDR is the server's host and port. The server serves a folder of small files.
func TestLive(t *testing.T) {
	t.Parallel()
	servers := map[string]func(testing.TB, string) *peers.Server{
		"nginx": peers.Nginx, "vsftpd": peers.VSFTPD, "proftpd": peers.ProFTPD,
		"gophernicus": peers.Gophernicus, "pygopherd": peers.Pygopherd,
	}
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			server := start(t, library(t))
			testscript.Run(t, testscript.Params{
				Files:         []string{filepath.Join("testdata", "live", name+".txtar")},
				UpdateScripts: *update,
				Setup: func(env *testscript.Env) error {
					env.Setenv("ADDR", server.Addr)
					return nil
				},
			})
		})
	}
}

// library makes the folder that the servers serve.
func library(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{"hello.txt": "Hello, world.\n", "sub/b c.txt": "bee see\n"}
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}
