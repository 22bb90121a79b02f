package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveNFS runs a script with an NFS server: $NFS is its URL, $MOUNT the port of its MOUNT
// program, and $DIR the exported folder.
func TestLiveNFS(t *testing.T) {
	t.Parallel()
	server := peers.Ganesha(t, library(t))
	testscript.Run(t, testscript.Params{
		Files:         []string{filepath.Join("testdata", "live", "ganesha.txtar")},
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NFS", "nfs://"+server.Addr)
			env.Setenv("MOUNT", fmt.Sprint(server.MountPort))
			env.Setenv("DIR", server.Root)
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			return os.Chtimes(filepath.Join(env.WorkDir, "one.bin"), old, old)
		},
	})
}
