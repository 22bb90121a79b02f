package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// req: 1738-3.6-2
func TestNewsServer(t *testing.T) {
	for _, tt := range []struct {
		variable string
		files    map[string]string
		want     string
	}{
		{"", nil, ""},
		{"h.example:1119", map[string]string{"news/server": "other\n"}, "h.example:1119"},
		{" h.example\n", nil, "h.example"},
		{"", map[string]string{"news/server": "tin.example\n"}, "tin.example"},
		{"", map[string]string{"news/server": "\n# ours\n tin.example # in the cellar\n"}, "tin.example"},
		{"", map[string]string{"nntpserver": "gnus.example"}, "gnus.example"},
		{"", map[string]string{"news/inn.conf": "mta: /bin/true\nserver:      inn.example\n"}, "inn.example"},
		{"", map[string]string{"news/inn.conf": "server: \"inn.example\"\n"}, "inn.example"},
		{"", map[string]string{"news/inn.conf": "#server: x\nserver:\nnnrpdserver: y\n"}, ""},
		{"", map[string]string{"news/server": "", "news/inn.conf": "server: inn.example\n"}, "inn.example"},
		{"", map[string]string{"news/server": "first\n", "nntpserver": "second\n"}, "first"},
	} {
		etc := t.TempDir()
		for name, text := range tt.files {
			file := filepath.Join(etc, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := newsServer(tt.variable, etc); got != tt.want {
			t.Errorf("newsServer(%q) with %q = %q, want %q", tt.variable, tt.files, got, tt.want)
		}
	}
}

// TestLiveNews runs testdata/live/news.txtar with $NNTPSERVER a server of RFC
// 977's age, and one of today, and with the latter news_login.txtar, with
// $SSL_CERT_FILE vouching for it.
//
// req: 1738-3.6-3
// req: 1738-3.7-2
func TestLiveNews(t *testing.T) {
	var articles []string
	for i := 1; i <= 12; i++ {
		articles = append(articles, fmt.Sprintf("From: a@h.example\nNewsgroups: local.test\nSubject: Number %d\nMessage-ID: <a%d@h>\n\n.dot\n", i, i))
	}
	for name, start := range map[string]func(testing.TB, []string, ...string) *peers.Server{"sn": peers.SN, "inn": peers.INN} {
		t.Run(name, func(t *testing.T) {
			server := start(t, []string{"local.test", "private.test"}, articles...)
			files := []string{filepath.Join("testdata", "live", "news.txtar")}
			if name == "inn" { // sn lets everybody in
				files = append(files, filepath.Join("testdata", "live", "news_login.txtar"))
			}
			testscript.Run(t, testscript.Params{
				Files:         files,
				UpdateScripts: *update,
				Setup: func(env *testscript.Env) error {
					env.Setenv("NNTPSERVER", server.Addr)
					env.Setenv("SSL_CERT_FILE", server.PEM)
					return nil
				},
			})
		})
	}
}
