package web

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/url"
)

// A real server accepts Digest for the users that curl --digest can log in, and
// only those.
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
	for _, tt := range []struct {
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
			URL:   url.MustParse("http://" + tt.user + server.Addr + path),
			Login: loginWith(tt.password),
		}
		got := ""
		r, err := c.Do(t.Context(), req)
		if err == nil {
			var text []byte
			text, err = io.ReadAll(r.Body)
			got = string(text)
			r.Body.Close()
		}
		if !errors.Is(err, tt.err) || (got == content) != (tt.err == nil) {
			t.Errorf("Open as %q gives %.20q, %v, want %v", tt.user+" "+tt.password, got, err, tt.err)
		}
		e, err := c.Do(t.Context(), req.WithOp(access.Stat))
		if !errors.Is(err, tt.err) {
			t.Errorf("Stat as %q gives %v, want %v", tt.user+" "+tt.password, err, tt.err)
		}
		if err == nil && e.Size != int64(len(content)) {
			t.Errorf("Stat as %q gives %d bytes, want %d", tt.user+" "+tt.password, e.Size, len(content))
		}
		c.CloseIdleConnections()
	}
}
