package ftp_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// liveServers are the real servers. After the login their directory is Root, under its real path.
var liveServers = []liveServer{
	{"vsftpd", peers.VSFTPD, ""},
	{"proftpd", peers.ProFTPD, "alice:secret@"},
}

// A liveServer is a real server, and the login that it needs.
type liveServer struct {
	name  string
	start func(testing.TB, string) *peers.Server
	login string // goes before the host
}

// makeLibrary makes a directory to serve.
func makeLibrary(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	blob := bytes.Repeat([]byte("0123456789abcdef\r\n\xff\x00"), 50_000)
	for name, content := range map[string]string{
		"pub/hello.txt":      "hello\nworld\n",
		"pub/hello.bin":      "hello\nworld\n",
		"pub/blob.bin":       string(blob),
		"pub/p q/r;s":        "odd\n",
		"pub/%2F?#":          "odder\n",
		"pub/caf\xe9":        "latin\n",
		"pub/y\xff\xff":      "two\n",
		"pub/y\xff":          "one\n",
		"pub/ÿ-utf8":         "utf\n",
		"pub/dir/one":        "1",
		"pub/dir/two three":  "23",
		"pub/dir/sub/deeper": "4",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "pub/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

// req: 1738-3.2-3
// req: 1738-3.2-4
// req: 1738-3.2-9
func TestLive(t *testing.T) {
	for _, server := range liveServers {
		t.Run(server.name, func(t *testing.T) {
			s := server.start(t, makeLibrary(t))
			var dialer net.Dialer
			c := ftp.Client{Dial: dialer.DialContext}
			at := "ftp://" + server.login + s.Addr
			absolute := "/%2F" + strings.ReplaceAll(strings.TrimPrefix(s.Root, "/"), "/", "%2F")

			for _, test := range []struct{ path, want string }{
				{"/pub/hello.bin", "hello\nworld\n"},
				{"/pub/hello.txt", "hello\r\nworld\r\n"},
				{"/pub/hello.txt;type=i", "hello\nworld\n"},
				{"/pub/hello.bin;type=a", "hello\r\nworld\r\n"},
				{"/pub/p%20q/r%3Bs", "odd\n"},
				{"/pub/%252F%3F%23", "odder\n"},
				{"/pub/caf%E9", "latin\n"},
				{"/pub/y%FF%FF", "two\n"},
				{"/pub/y%FF", "one\n"},
				{"/pub/%C3%BF-utf8", "utf\n"},
				{"/pub%2Fp%20q/r%3Bs", "odd\n"},
				{"/pub%2Fp%20q%2Fr%3Bs", "odd\n"},
				{absolute + "/pub/hello.bin", "hello\nworld\n"},
				{absolute + "%2Fpub/hello.bin", "hello\nworld\n"},
			} {
				if got, err := get(t, c, at+test.path); err != nil || got != test.want {
					t.Errorf("get(%q) = %q, %v, want %q", test.path, got, err, test.want)
				}
			}
			blob, err := get(t, c, at+"/pub/blob.bin")
			want, _ := os.ReadFile(filepath.Join(s.Root, "pub/blob.bin"))
			if err != nil || blob != string(want) {
				t.Errorf("get(blob.bin) = %d bytes, %v, want %d", len(blob), err, len(want))
			}
			liveOffset(t, c, at, want)
			liveListings(t, c, at)
			liveMissing(t, c, at)
			liveStat(t, c, at)
		})
	}
}

func liveOffset(t *testing.T, c ftp.Client, at string, want []byte) {
	t.Helper()
	for _, from := range []int{1, 1000, len(want) - 1} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(at + "/pub/blob.bin"), Offset: int64(from)})
		if err != nil {
			t.Errorf("Open at %d = %v", from, err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !bytes.Equal(got, want[from:]) {
			t.Errorf("reading from %d = %d bytes, %v, want %d", from, len(got), err, len(want)-from)
		}
	}
	for range 3 { // closed in the middle
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(at + "/pub/blob.bin")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r.Body, make([]byte, 10)); err != nil {
			t.Error(err)
		}
		r.Body.Close()
	}
}

func liveListings(t *testing.T, c ftp.Client, at string) {
	t.Helper()
	for _, test := range []struct {
		path string
		want []string
	}{
		{"/pub/", []string{"%2F?#", "blob.bin", "caf\xe9", "dir", "empty", "hello.bin", "hello.txt", "p q", "y\xff", "y\xff\xff", "ÿ-utf8"}},
		{"/pub/dir/", []string{"one", "sub", "two three"}},
		{"/pub/dir;type=d", []string{"one", "sub", "two three"}},
		{"/pub/dir/;type=d", []string{"one", "sub", "two three"}},
		{"/pub/empty/", nil},
		{"/pub/empty;type=d", nil},
		{"/", []string{"pub"}},
		{"", []string{"pub"}},
	} {
		all, err := entries(t, c, at+test.path)
		got := titles(all)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("the titles of %q = %q, %v, want %q", test.path, got, err, test.want)
		}
		for _, e := range all {
			u := e.URL
			if e.Kind == access.Directory || e.Kind == access.Unknown && e.Title == "sub" {
				continue
			}
			withLogin := strings.Replace(u.String(), "alice@", "alice:secret@", 1)
			if _, err := get(t, c, withLogin); err != nil {
				t.Errorf("the entry %q of %q does not open: %v", e.Title, test.path, err)
			}
		}
	}
}

func liveMissing(t *testing.T, c ftp.Client, at string) {
	t.Helper()
	for _, path := range []string{"/pub/nope", "/nope/f", "/pub/nope/", "/pub/dir"} {
		_, err := get(t, c, at+path)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("get(%q) = %v, want fs.ErrNotExist", path, err)
		}
	}
	if _, err := get(t, c, strings.Replace(at, "secret", "wrong", 1)+"/pub/hello.bin"); strings.Contains(at, "secret") && !errors.Is(err, fs.ErrPermission) {
		t.Errorf("with a wrong password: %v, want fs.ErrPermission", err)
	}
}

func liveStat(t *testing.T, c ftp.Client, at string) {
	t.Helper()
	for _, test := range []struct {
		path  string
		title string
		kind  access.Kind
		size  int64
		is    error
	}{
		{path: "/pub/hello.bin", title: "hello.bin", kind: access.Object, size: 12},
		{path: "/pub/p%20q/r%3Bs", title: "r;s", kind: access.Object, size: 4},
		{path: "/pub/dir/", title: "dir", kind: access.Directory, size: -1},
		{path: "/pub/dir", title: "dir", kind: access.Directory, size: -1},
		{path: "/pub/dir;type=d", title: "dir", kind: access.Directory, size: -1},
		{path: "/", title: "/", kind: access.Directory, size: -1},
		{path: "/pub/nope", is: fs.ErrNotExist},
		{path: "/nope/", is: fs.ErrNotExist},
	} {
		e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(at + test.path)})
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("Stat(%q) = %v, want %v", test.path, err, test.is)
			continue
		}
		if err == nil && (e.Title != test.title || e.Kind != test.kind || e.Size != test.size || e.URL.String() != at+test.path) {
			t.Errorf("Stat(%q) = %+v, want %q, %v of %d", test.path, e, test.title, test.kind, test.size)
		}
		if test.kind == access.Object && e.ModTime.IsZero() {
			t.Errorf("Stat(%q) has no time", test.path)
		}
	}
}

// TestLiveCommands checks the table of [TestCommands] with real servers.
// Neither accepts a CWD without a directory, or EBCDIC.
//
// req: 1738-3.2-3
// req: 1738-3.2-6
func TestLiveCommands(t *testing.T) {
	refuses := []string{"CWD ", "TYPE E T"}
	for _, server := range liveServers {
		t.Run(server.name, func(t *testing.T) {
			s := server.start(t, commandLibrary(t))
			var dialer net.Dialer
			c := ftp.Client{Dial: dialer.DialContext, Email: "guest@example.org"}
			logged := func(command string) string {
				if server.name == "vsftpd" {
					command = strings.ReplaceAll(command, "\xe9", "?")
				}
				return strings.TrimRight(command, " ")
			}
			for _, test := range commands {
				if strings.Contains(test.url, "/%20") || strings.Contains(test.url, "%FF") {
					continue // each server logs these bytes in its own way
				}
				want := []string{"USER anonymous"}
				for _, command := range test.want {
					if command == "LIST" {
						command = map[string]string{"vsftpd": "LIST -a", "proftpd": "MLSD"}[server.name]
					}
					want = append(want, logged(command))
					if slices.Contains(refuses, command) {
						break
					}
				}
				if strings.HasSuffix(test.url, "/../f") && server.name == "vsftpd" { // the folder above has no f, and vsftpd does not say so
					want = append(want, "CWD f", "NLST")
				}
				_, _ = get(t, c, strings.Replace(test.url, "//h", "//"+s.Addr, 1))
				var got []string
				for _, command := range s.Commands(t, want[len(want)-1]) {
					verb, _, _ := strings.Cut(command, " ")
					if !slices.Contains([]string{"PASS", "FEAT", "EPSV", "QUIT"}, verb) {
						got = append(got, logged(command))
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("for %q %s is sent %q, want %q", test.url, server.name, got, want)
				}
			}
		})
	}
}

// commandLibrary makes a directory with the files of [TestCommands].
func commandLibrary(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"a/b/f", "a/b/c/motd", "a/dir/x", "etc/motd", "p q/r;s", "f", "caf\xe9", "a?b", "pub/x"} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
