package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// VSFTPD starts vsftpd, an FTP server for anonymous users. It does not change
// its root folder: a login begins in root under its real path, and "/" is the
// machine's. It has EPSV, PASV, SIZE, MDTM, REST, ASCII, uploads; no MLSD.
func VSFTPD(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "vsftpd")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "vsftpd.conf", lines(
			"listen=YES",
			"listen_address=127.0.0.1",
			fmt.Sprintf("listen_port=%d", port),
			"background=NO",
			"run_as_launching_user=YES",
			"anonymous_enable=YES",
			"local_enable=NO",
			"ftp_username="+accountName(),
			"anon_root="+root,
			"write_enable=YES",
			"anon_upload_enable=YES",
			"ascii_download_enable=YES",
			"connect_from_port_20=NO",
			"seccomp_sandbox=NO",
			"secure_chroot_dir="+scratch,
			"vsftpd_log_file="+filepath.Join(scratch, "commands"),
			"xferlog_enable=YES",
			"log_ftp_protocol=YES",
		))
		return program(dir, "usr/sbin/vsftpd", conf)
	})
	s.commands.file = filepath.Join(s.scratch, "commands")
	s.commands.line = vsftpdCommand
	return s
}

// vsftpdCommand reads `… FTP command: Client "127.0.0.1", "CWD pub"`.
func vsftpdCommand(line string) (string, bool) {
	_, rest, ok := strings.Cut(line, `FTP command: Client "`)
	if !ok {
		return "", false
	}
	_, command, ok := strings.Cut(rest, `", "`)
	return strings.TrimSuffix(command, `"`), ok
}

// ProFTPD starts proftpd, an FTP server for users with a password: "alice" with
// "secret", and "anonymous" with "guest@example.org". It does not change its
// root folder: a login begins in root under its real path, and "/" is the
// machine's. It has MLSD, MLST, EPSV, PASV, SIZE, MDTM, REST, true ASCII.
func ProFTPD(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "proftpd")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "proftpd.conf", lines(
			`ServerName "test"`,
			"ServerType standalone",
			"DefaultAddress 127.0.0.1",
			"SocketBindTight on",
			fmt.Sprintf("Port %d", port),
			"UseIPv6 off",
			"User "+accountName(),
			"Group "+groupName(),
			"UseReverseDNS off",
			"WtmpLog off",
			"ModulePath "+filepath.Join(dir, "usr/lib/proftpd"),
			"PidFile "+filepath.Join(scratch, "pid"),
			"ScoreboardFile "+filepath.Join(scratch, "scoreboard"),
			"DelayTable none",
			"SystemLog "+filepath.Join(scratch, "log"),
			"TransferLog NONE",
			`LogFormat command "%r"`,
			"ExtendedLog "+filepath.Join(scratch, "commands")+" ALL command",
			"AuthOrder mod_auth_file.c",
			"AuthUserFile "+write(t, scratch, "passwd", users(root)),
			"RequireValidShell off",
			"AllowOverwrite on",
			"AllowStoreRestart on",
		))
		return program(dir, "usr/sbin/proftpd", "-n", "-c", conf)
	})
	s.commands.file = filepath.Join(s.scratch, "commands")
	s.commands.line = func(line string) (string, bool) { return line, true }
	return s
}

// secretHash is what crypt(3) makes of "secret".
const secretHash = "$6$locus$bAKOprUCuXOUJLDQmGiH1AavdCTm6umJT.jcULkYPO51zte3tNTvfcg95yFDl20qjEVqBNMtiHC2wJG78NoRa0"

// users is the password file of proftpd, whose secrets crypt(3) made.
func users(home string) string {
	const guest = "$6$locus$ggZ2e2kXCii4yRovPGCgfFI8W.sKaURU6rwbTVtdbWBBl7GrC52ycTLLFeg5ulS3MINTR7G9MwbBxCwu7o9S5."
	uid, gid := account()
	return lines(
		fmt.Sprintf("alice:%s:%d:%d::%s:/bin/false", secretHash, uid, gid, home),
		fmt.Sprintf("anonymous:%s:%d:%d::%s:/bin/false", guest, uid, gid, home),
	)
}
