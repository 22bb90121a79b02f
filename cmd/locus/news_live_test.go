package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveNews runs testdata/live/news.txtar with a server of the age of RFC 977 and with a current
// one, whose address is in $NNTPSERVER. With the current one it also runs news_login.txtar, with
// the server's certificate in $SSL_CERT_FILE.
//
// req: 1738-3.6-3
// req: 1738-3.7-2
func TestLiveNews(t *testing.T) {
	t.Parallel()
	var articles []string
	for i := 1; i <= 12; i++ {
		articles = append(articles, fmt.Sprintf("From: a@h.example\nNewsgroups: local.test\nSubject: Number %d\nMessage-ID: <a%d@h>\n\n.dot\n", i, i))
	}
	for name, start := range map[string]func(testing.TB, []string, ...string) *peers.Server{"sn": peers.SN, "inn": peers.INN} {
		t.Run(name, func(t *testing.T) {
			server := start(t, []string{"local.test", "private.test"}, articles...)
			files := []string{filepath.Join("testdata", "live", "news.txtar")}
			if name == "inn" { // sn accepts everybody
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
