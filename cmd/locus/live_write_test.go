package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveWriting runs a script that copies between real servers: $VSFTPD, $PROFTPD and $NGINX are
// their URLs, and $..._DIR the folders that they serve.
func TestLiveWriting(t *testing.T) {
	t.Parallel()
	vsftpd, proftpd := peers.VSFTPD(t, library(t)), peers.ProFTPD(t, library(t))
	root := library(t)
	dav := filepath.Join(root, "dav")
	if err := os.Mkdir(dav, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dav, 0o777); err != nil { // so that the account of the server may write
		t.Fatal(err)
	}
	nginx := peers.Nginx(t, root)
	testscript.Run(t, testscript.Params{
		Files:         []string{filepath.Join("testdata", "live", "writing.txtar")},
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"VSFTPD": "ftp://" + vsftpd.Addr, "VSFTPD_DIR": vsftpd.Root,
				"PROFTPD": "ftp://alice:secret@" + proftpd.Addr, "PROFTPD_DIR": proftpd.Root,
				"NGINX": "http://" + nginx.Addr + "/dav", "NGINX_DIR": dav,
			} {
				env.Setenv(name, value)
			}
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			return os.Chtimes(filepath.Join(env.WorkDir, "one.bin"), old, old)
		},
	})
}
