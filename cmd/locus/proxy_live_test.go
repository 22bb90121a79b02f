package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveProxies connects to real servers through real proxies, and reads in the logs of the
// proxies whether it did.
func TestLiveProxies(t *testing.T) {
	t.Parallel()
	web, ftp := peers.Nginx(t, library(t)), peers.VSFTPD(t, library(t))
	secure := peers.VSFTPDOverTLS(t, library(t), true)
	locked, open := peers.Microsocks(t, "ada", "sesame"), peers.Microsocks(t, "", "")
	tiny := peers.Tinyproxy(t)
	ok := t.Run("through", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Files:         []string{"testdata/live/proxies.txtar"},
			UpdateScripts: *update,
			Setup: func(env *testscript.Env) error {
				for name, value := range map[string]any{
					"WEB_PORT": web.Port, "FTP_PORT": ftp.Port, "FTPS_PORT": secure.Port, "PEM": secure.PEM,
					"LOCKED": locked.Addr, "OPEN": open.Addr, "TINY": tiny.Addr,
				} {
					env.Setenv(name, fmt.Sprint(value))
				}
				return nil
			},
		})
	})
	if !ok {
		return
	}
	for _, test := range []struct {
		proxy *peers.Server
		want  []string
	}{
		{locked, []string{fmt.Sprintf("localhost:%d", web.Port), fmt.Sprintf("localhost:%d", ftp.Port), fmt.Sprintf("localhost:%d", secure.Port)}},
		{open, []string{fmt.Sprintf("127.0.0.1:%d", web.Port)}},
		{tiny, []string{fmt.Sprintf("GET http://127.0.0.1:%d/hello.txt HTTP/1.1", web.Port), fmt.Sprintf("CONNECT 127.0.0.1:%d HTTP/1.1", secure.Port)}},
	} {
		last := test.want[len(test.want)-1]
		got := test.proxy.Commands(t, last)
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("the proxy's log has %q, want also %q", got, want)
			}
		}
	}
}
