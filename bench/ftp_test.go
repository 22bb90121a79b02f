package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// ftpSize is how large the file is: 1 GiB.
const ftpSize = 1 << 30

// ftpURL starts vsftpd on loopback with a file of zeros and returns the file's
// URL.
func ftpURL(b *testing.B) url.URL {
	b.Helper()
	return url.MustParse("ftp://" + peers.VSFTPD(b, zeros(b)).Addr + "/file.bin")
}

// zeros makes a folder with a sparse file of zeros, so that the disk does not limit the
// speed.
func zeros(b *testing.B) string {
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
	return root
}

// BenchmarkGetFTPS is BenchmarkGetFTP over TLS (AUTH TLS, data too).
func BenchmarkGetFTPS(b *testing.B) {
	s := peers.VSFTPDOverTLS(b, zeros(b), false)
	u := url.MustParse("ftp://" + s.Addr + "/file.bin")
	b.Run("locus", func(b *testing.B) {
		c := ftp.Client{Dial: new(net.Dialer).DialContext, Security: access.RequireTLS, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}}
		b.SetBytes(ftpSize)
		for b.Loop() {
			r, err := c.Do(context.Background(), &access.Request{URL: u})
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || n != ftpSize {
				b.Fatalf("%d bytes, %v", n, err)
			}
			r.Body.Close()
		}
	})
	b.Run("curl", func(b *testing.B) {
		fetch(b, "curl", "-s", "--ssl-reqd", "--cacert", s.PEM, "-o", os.DevNull, u.String())
	})
	b.Run("lftp", func(b *testing.B) {
		fetch(b, "lftp", "-c", "set cmd:default-protocol ftp; set ftp:ssl-force yes; set ftp:ssl-protect-data yes; "+
			"set ftp:ssl-allow-anonymous yes; set ssl:verify-certificate no; set xfer:clobber yes; get "+u.String()+" -o /dev/null")
	})
}

// BenchmarkGetFTP fetches a file from vsftpd with the engine, with the command and with
// curl. The times of the command and curl include their start.
func BenchmarkGetFTP(b *testing.B) {
	u := ftpURL(b)
	b.Run("locus", func(b *testing.B) {
		c := ftp.Client{Dial: new(net.Dialer).DialContext, Security: access.NeverTLS}
		b.SetBytes(ftpSize)
		b.ReportAllocs()
		for b.Loop() {
			r, err := c.Do(context.Background(), &access.Request{URL: u})
			if err != nil {
				b.Fatal(err)
			}
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil || n != ftpSize {
				b.Fatalf("%d bytes, %v", n, err)
			}
			r.Body.Close()
		}
	})
	b.Run("command", func(b *testing.B) {
		fetch(b, command(b), "get", "-o", os.DevNull, u.String())
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

// BenchmarkManyFTP fetches 2000 files of 4 KiB from vsftpd on one connection into a folder:
// with the engine, as locus get -r uses it (it finds the names in the listing), with lftp,
// and with curl. curl gets the names of only 200 files, because it takes 60 ms for each
// file.
func BenchmarkManyFTP(b *testing.B) {
	const files, few, size = 2000, 200, 4 << 10
	root := b.TempDir()
	content := make([]byte, size)
	for i := range files {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("file%04d.bin", i)), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	at := "ftp://" + peers.VSFTPD(b, root).Addr + "/"
	perSecond := func(b *testing.B, files int) { b.ReportMetric(float64(files*b.N)/b.Elapsed().Seconds(), "files/s") }
	b.Run("locus", func(b *testing.B) {
		out := b.TempDir()
		pool := &ftp.Pool{PerHost: 1}
		defer pool.Close()
		c := ftp.Client{Dial: new(net.Dialer).DialContext, Pool: pool}
		b.ReportAllocs()
		for b.Loop() {
			if n := fetchAll(b, c, at, out); n != files {
				b.Fatalf("%d files", n)
			}
		}
		perSecond(b, files)
	})
	b.Run("curl", func(b *testing.B) {
		out := b.TempDir()
		var config strings.Builder
		for i := range few {
			fmt.Fprintf(&config, "url = %sfile%04d.bin\noutput = %s/file%04d.bin\n", at, i, out, i)
		}
		list := filepath.Join(b.TempDir(), "list")
		if err := os.WriteFile(list, []byte(config.String()), 0o644); err != nil {
			b.Fatal(err)
		}
		run(b, "curl", "-s", "-K", list)
		perSecond(b, few)
	})
	b.Run("lftp", func(b *testing.B) {
		run(b, "lftp", "-c", "set cmd:default-protocol ftp; set xfer:clobber yes; open "+at+"; mget -O "+b.TempDir()+" *")
		perSecond(b, files)
	})
}

// fetchAll lists a directory and fetches every file in it, one after the other.
func fetchAll(b *testing.B, c ftp.Client, at, out string) int {
	b.Helper()
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse(at)})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	var all []access.Entry
	if err := access.Entries(l, func(e access.Entry) error { all = append(all, e); return nil }); err != nil {
		b.Fatal(err)
	}
	for i := range all {
		e := &all[i]
		r, err := c.Do(context.Background(), &access.Request{URL: e.URL, Known: e})
		if err != nil {
			b.Fatalf("Get of %s: %v", e.URL, err)
		}
		f, err := os.Create(filepath.Join(out, e.Title))
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(f, r.Body)
		if err != nil || n != e.Size {
			b.Fatalf("%s: %d bytes, %v", e.URL, n, err)
		}
		r.Body.Close()
		f.Close()
	}
	return len(all)
}

// run runs a program once in each iteration.
func run(b *testing.B, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Skipf("no %s: apt-get install %s", name, name)
	}
	for b.Loop() {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}
