package web

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/url"
)

// A real server accepts Digest for exactly the users that curl --digest can log in.
func TestDigestLighttpd(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.txt"), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	server := peers.Lighttpd(t, dir)
	const path = "/a%20b.txt?x=1"
	if got, err := peers.Curl(t, nil, "--digest", "--user", "ada:sesame", "http://"+server.Addr+path); err != nil || got != content {
		t.Errorf("curl --digest gets %.20q, %v", got, err)
	}
	for _, test := range []struct {
		user, password string // from the caller
		err            error
	}{
		{"ada@", "sesame", nil},
		{"ada:sesame@", "", nil},
		{"ada@", "open", access.ErrPassword},
		{"", "sesame", access.ErrPassword},
	} {
		c := &Client{Dial: dialTo(server.Addr)}
		req := &access.Request{
			URL:   url.MustParse("http://" + test.user + server.Addr + path),
			Login: loginWith(test.password),
		}
		got := ""
		r, err := c.Do(t.Context(), req)
		if err == nil {
			var text []byte
			text, err = io.ReadAll(r.Body)
			got = string(text)
			r.Body.Close()
		}
		if !errors.Is(err, test.err) || (got == content) != (test.err == nil) {
			t.Errorf("Open as %q gives %.20q, %v, want %v", test.user+" "+test.password, got, err, test.err)
		}
		e, err := c.Do(t.Context(), req.WithOp(access.Stat))
		if !errors.Is(err, test.err) {
			t.Errorf("Stat as %q gives %v, want %v", test.user+" "+test.password, err, test.err)
		}
		if err == nil && e.Size != int64(len(content)) {
			t.Errorf("Stat as %q gives %d bytes, want %d", test.user+" "+test.password, e.Size, len(content))
		}
		c.CloseIdleConnections()
	}
}

// lighttpd fails at a name of 255 bytes, because its temporary name would be longer. The error
// names the reason, because another attempt never helps.
func TestLongNameLighttpd(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{filepath.Dir(root), root, filepath.Join(root, "www")} {
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	server := peers.LighttpdDAV(t, root)
	c := &Client{Dial: dialTo(server.Addr)}
	defer c.CloseIdleConnections()
	for _, n := range []int{100, 255} {
		u := url.MustParse("http://" + server.Addr + "/www/" + strings.Repeat("n", n))
		_, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: u, Body: strings.NewReader("x"), Size: 1})
		if (err != nil) != (n == 255) {
			t.Fatalf("a name of %d bytes: %v", n, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "a name of 255 bytes") || !strings.Contains(access.RemedyFor(err).String(), "shorter name")) {
			t.Errorf("Put with a name of %d bytes = %v, remedy %v, want the name as the reason", n, err, access.RemedyFor(err))
		}
	}
}
