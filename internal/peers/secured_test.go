package peers

import (
	"crypto/tls"
	"io"
	"net/http"
	"regexp"
	"testing"
)

// A secured server has TLS, and requires its user and password.
func TestSecured(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *Server
	}{
		{"nginx", NginxSecured},
		{"caddy", CaddySecured},
		{"apache", ApacheSecured},
		{"rclone, WebDAV", RcloneWebDAVSecured},
		{"rclone, HTTP", RcloneHTTPSecured},
		{"x/net/webdav", GoWebDAVSecured},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.start(t, library(t))
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.Roots}}}
			defer client.CloseIdleConnections()
			for password, want := range map[string]int{"sesame": http.StatusOK, "wrong": http.StatusUnauthorized} {
				r, err := client.Get("https://ada:" + password + "@" + s.Addr + "/a.txt")
				if err != nil {
					t.Fatalf("Get with the password %q: %v", password, err)
				}
				text, _ := io.ReadAll(r.Body) // the status says enough
				r.Body.Close()
				if r.StatusCode != want || (string(text) == "hello from a peer\n") != (want == http.StatusOK) {
					t.Errorf("with the password %q: %s, %q", password, r.Status, text)
				}
			}
		})
	}
}

var versionText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+$`)

// Version returns digits and periods.
func TestVersion(t *testing.T) {
	for name, of := range map[string]string{"vsftpd": "", "proftpd": "", "inetutils-ftpd": "", "rclone": "", "python": "", "goftp": "goftp.io/server/v2", "go-webdav": "golang.org/x/net"} {
		if got := Version(t, name, of); !versionText.MatchString(got) {
			t.Errorf("Version(%q, %q) = %q", name, of, got)
		}
	}
}
