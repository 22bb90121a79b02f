package bench

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// ftpSize is how large the file is: 1 GiB.
const ftpSize = 1 << 30

// ftpURL starts vsftpd on loopback with a file of zeros, which takes no room on
// the disk and is in memory, and returns the file's URL.
func ftpURL(b *testing.B) url.URL {
	b.Helper()
	root := b.TempDir()
	f, err := os.Create(filepath.Join(root, "file.bin"))
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Truncate(ftpSize); err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil {
		b.Fatal(err)
	}
	f.Close()
	return url.MustParse("ftp://" + peers.VSFTPD(b, root).Addr + "/file.bin")
}

// BenchmarkGetFTP fetches a file from vsftpd: with the engine, with the command
// and with curl, the start of the latter two included.
func BenchmarkGetFTP(b *testing.B) {
	u := ftpURL(b)
	b.Run("locus", func(b *testing.B) {
		c := ftp.Client{Dial: new(net.Dialer).DialContext}
		b.SetBytes(ftpSize)
		b.ReportAllocs()
		for b.Loop() {
			r, err := c.Open(context.Background(), &access.Request{URL: u})
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || n != ftpSize {
				b.Fatalf("%d octets, %v", n, err)
			}
			r.Body.Close()
		}
	})
	b.Run("command", func(b *testing.B) {
		exe := filepath.Join(b.TempDir(), "locus")
		build := exec.Command("go", "build", "-o", exe, "./cmd/locus")
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			b.Skipf("the command does not build: %s", out)
		}
		fetch(b, exe, "get", "-o", os.DevNull, u.String())
	})
	b.Run("curl", func(b *testing.B) {
		fetch(b, "curl", "-s", "-o", os.DevNull, u.String())
	})
}

// fetch runs a program that fetches the file.
func fetch(b *testing.B, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Skipf("no %s", name)
	}
	b.SetBytes(ftpSize)
	for b.Loop() {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}
