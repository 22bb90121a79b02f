package locus

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/demo"
	"locus/internal/peers"
	"locus/proto/ftp"
)

// served makes a folder for a server, with files of these names.
func served(t *testing.T, names ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, name := range names {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("\r\n\xff"+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Date(2026, 11, 20, 10, 11, 12, 0, time.UTC)
	for _, name := range append(names, "sub") {
		if err := os.Chtimes(filepath.Join(root, filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// pooled is Standard, with connections of ftp that are kept.
func pooled(t *testing.T) access.Table {
	t.Helper()
	table := Standard(new(net.Dialer).DialContext)
	pool := &ftp.Pool{}
	t.Cleanup(func() { pool.Close() })
	client := table["ftp"].(ftp.Client)
	client.Pool = pool
	table["ftp"] = client
	return table
}

// The files of a server are a file system as testing/fstest wants it.
func TestFSOfServers(t *testing.T) {
	names := []string{"a.txt", "b.bin", "sub/c d.html", "sub/e;f", "sub/deep/%g"}
	root := served(t, names...)
	servers := map[string]func(t *testing.T) string{
		"vsftpd":      func(t *testing.T) string { return "ftp://" + peers.VSFTPD(t, root).Addr },
		"proftpd":     func(t *testing.T) string { return "ftp://alice:secret@" + peers.ProFTPD(t, root).Addr },
		"demo ftp":    func(t *testing.T) string { return demoURL(t, root, "ftp") },
		"demo gopher": func(t *testing.T) string { return demoURL(t, root, "gopher") },
	}
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			fsys, err := FS(t.Context(), pooled(t), start(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := fstest.TestFS(fsys, names...); err != nil {
				t.Error(err)
			}
		})
	}
}

// demoURL starts the demonstration's server of a scheme.
func demoURL(t *testing.T, root, scheme string) string {
	t.Helper()
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, Files: os.DirFS(root)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for _, s := range d.Services() {
		if s.Scheme == scheme {
			return s.URL
		}
	}
	t.Fatalf("the demonstration serves no %s", scheme)
	return ""
}
