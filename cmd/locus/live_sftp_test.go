package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/internal/peers"
)

// TestLiveSFTP runs a script with OpenSSH's server. $SFTP is the URL of its home directory, without the last slash, and
// $SFTP_DIR the folder that it serves. $VSFTPD and $VSFTPD_DIR are the same for an FTP server. $PASSWORD_ADDR is the
// address of an SSH server that accepts the user ada with the password "sesame". The home of the script has the keys.
func TestLiveSFTP(t *testing.T) {
	t.Parallel()
	server, vsftpd := peers.OpenSSH(t, library(t)), peers.VSFTPD(t, library(t))
	other := newSSHServer(t, acceptPassword("sesame"))
	testscript.Run(t, testscript.Params{
		Files:         []string{filepath.Join("testdata", "live", "openssh.txtar")},
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"SFTP": "sftp://" + server.User + "@" + server.Addr + "/~", "SFTP_DIR": server.Root,
				"VSFTPD": "ftp://" + vsftpd.Addr, "VSFTPD_DIR": vsftpd.Root,
				"PASSWORD_ADDR": other.Addr, "HOME": env.WorkDir,
			} {
				env.Setenv(name, value)
			}
			dir := filepath.Join(env.WorkDir, ".ssh")
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			known := knownhosts.Line([]string{server.Addr}, server.HostKey.PublicKey()) + "\n" + other.trusted()
			for name, text := range map[string]string{"known_hosts": known, "id_ed25519": server.PrivateKey} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					return err
				}
			}
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			return os.Chtimes(filepath.Join(env.WorkDir, "one.bin"), old, old)
		},
	})
}
