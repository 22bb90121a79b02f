package open

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/url"
)

// A person may leave out the scheme of a URL. The name of a file is not a URL.
func TestParseTyped(t *testing.T) {
	dir := t.TempDir()
	e := cli.NewEnv(nil, nil, nil)
	e.Dir = dir
	if err := os.WriteFile(filepath.Join(dir, "notes.example.org"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ typed, want, err string }{
		{"example.org", "https://example.org/", ""},
		{"//example.org/a b", "https://example.org/a%20b", ""},
		{"telnet://h/", "telnet://h/", ""},
		{"notes.example.org", "", "open needs a URL, not the file"},
		{"//notes.example.org", "https://notes.example.org/", ""},
		{"a/b", "", "open needs a complete URL"},
		{"http://[", "", "parse"},
	} {
		u, err := parseTyped(e, test.typed)
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("parseTyped(%q): %v, want %q", test.typed, err, test.err)
		}
		if err == nil && strings.TrimSuffix(u.String(), "/") != strings.TrimSuffix(test.want, "/") {
			t.Errorf("parseTyped(%q) = %s, want %s", test.typed, u, test.want)
		}
	}
}

// checkListens connects to the gateway's port, or to the default port of its scheme.
func TestListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	at := url.MustParse("http://127.0.0.1:" + strconv.Itoa(port) + "/")
	if err := checkListens(t.Context(), at); err != nil {
		t.Error(err)
	}
	l.Close()
	if err := checkListens(t.Context(), at); err == nil {
		t.Error("checkListens of a closed gateway = nil, want an error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := checkListens(ctx, url.MustParse("https://127.0.0.1/")); err == nil {
		t.Error("checkListens after the end of its context = nil, want an error")
	}
}
