package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"locus/internal/peers"
)

// TestLiveMail runs two scripts. In testdata/live/dovecot.txtar, $IMAP and $IMAPS are the hosts and
// ports of a mailbox. In testdata/live/aiosmtpd.txtar, $SMTP and $SMTPS are the hosts and ports of
// a server that delivers into $BOX, and whose users have the password "secret". The certificates of
// the servers are in $SSL_CERT_FILE.
func TestLiveMail(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, name string, env map[string]string) {
		t.Helper()
		testscript.Run(t, testscript.Params{
			Files:         []string{filepath.Join("testdata", "live", name)},
			UpdateScripts: *update,
			Setup: func(e *testscript.Env) error {
				for key, value := range env {
					e.Setenv(key, value)
				}
				return nil
			},
		})
	}
	t.Run("dovecot", func(t *testing.T) {
		box := t.TempDir()
		for _, dir := range []string{"cur", "new", "tmp"} {
			if err := os.Mkdir(filepath.Join(box, dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		const text = "Message-ID: <a@b.example>\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n<img src=cid:c@d>\n--x\nContent-ID: <c@d>\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lGODlh\n--x--\n"
		if err := os.WriteFile(filepath.Join(box, "cur", "1.a:2,"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		imap, imaps := peers.Dovecot(t, box)
		run(t, "dovecot.txtar", map[string]string{"IMAP": imap.Addr, "IMAPS": imaps.Addr, "SSL_CERT_FILE": imap.PEM})
	})
	t.Run("aiosmtpd", func(t *testing.T) {
		box := filepath.Join(t.TempDir(), "box")
		smtp, smtps := peers.Aiosmtpd(t, box, "PLAIN", "LOGIN")
		run(t, "aiosmtpd.txtar", map[string]string{"SMTP": smtp.Addr, "SMTPS": smtps.Addr, "BOX": box, "SSL_CERT_FILE": smtp.PEM})
	})
}
