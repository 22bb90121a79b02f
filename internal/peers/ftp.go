package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// VSFTPD starts vsftpd, an FTP server for anonymous users. Without a chroot: a login
// starts in root, and "/" is the machine's root. It has EPSV, PASV, SIZE, MDTM (also to
// set a time), REST, ASCII; no MLSD. Everything is writable.
func VSFTPD(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root)
}

// VSFTPDQuiet starts vsftpd without a log, for benchmarks: logging sessions wait for
// each other.
func VSFTPDQuiet(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root, "log_ftp_protocol=NO", "xferlog_enable=NO")
}

// VSFTPDSeparated starts vsftpd without a log, and with its default separation of
// privileges: each session has a process of root and one of another user, which is
// confined to root by a chroot. Nothing is writable. Its seccomp filter is off, which
// kills sessions on current kernels.
func VSFTPDSeparated(t testing.TB, root string) *Server {
	t.Helper()
	if _, ok := rootAttributes(); !ok {
		missing(t, "only root can start vsftpd with separate privileges")
	}
	return startVSFTPD(t, root, true,
		"log_ftp_protocol=NO",
		"xferlog_enable=NO",
		"run_as_launching_user=NO",
		"ftp_username=daemon", // it must have a home that exists, and must not be able to write into root
		"secure_chroot_dir="+t.TempDir(),
	)
}

// VSFTPDOverTLS starts a vsftpd that requires TLS, and requires data connections to
// resume the TLS session of the control connection. TLS begins with AUTH TLS, or at
// once if it is implicit.
func VSFTPDOverTLS(t testing.TB, root string, implicit bool) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	share(t, keys)
	s := vsftpd(t, root,
		"ssl_enable=YES",
		"allow_anon_ssl=YES",
		"force_anon_logins_ssl=YES",
		"force_anon_data_ssl=YES",
		"require_ssl_reuse=YES",
		"ssl_ciphers=HIGH",
		"implicit_ssl="+yes(implicit),
		"rsa_cert_file="+filepath.Join(keys, "cert.pem"),
		"rsa_private_key_file="+filepath.Join(keys, "key.pem"),
	)
	s.PEM = filepath.Join(keys, "cert.pem")
	s.Roots = roots(t, s.PEM)
	return s
}

// VSFTPDDropBox starts a vsftpd that accepts new files, but no changes.
func VSFTPDDropBox(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root, "anon_other_write_enable=NO", "anon_mkdir_write_enable=NO")
}

func vsftpd(t testing.TB, root string, more ...string) *Server {
	t.Helper()
	return startVSFTPD(t, root, false, more...)
}

// startVSFTPD starts vsftpd, perhaps as root, with more settings, which replace those
// here.
func startVSFTPD(t testing.TB, root string, asRoot bool, more ...string) *Server {
	t.Helper()
	dir := tree(t, "vsftpd")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "vsftpd.conf", lines(append([]string{
			"listen=YES",
			"listen_address=127.0.0.1",
			fmt.Sprintf("listen_port=%d", port),
			"background=NO",
			"run_as_launching_user=YES",
			"anonymous_enable=YES",
			"local_enable=NO",
			"ftp_username=" + accountName(),
			"anon_root=" + root,
			"write_enable=YES",
			"anon_upload_enable=YES",
			"anon_other_write_enable=YES",
			"anon_mkdir_write_enable=YES",
			"anon_umask=022",
			"ascii_download_enable=YES",
			"ascii_upload_enable=YES",
			"connect_from_port_20=NO",
			"seccomp_sandbox=NO",
			"secure_chroot_dir=" + scratch,
			"vsftpd_log_file=" + filepath.Join(scratch, "commands"),
			"xferlog_enable=YES",
			"log_ftp_protocol=YES",
		}, more...)...))
		cmd := program(dir, "usr/sbin/vsftpd", conf)
		if asRoot {
			cmd.SysProcAttr, _ = rootAttributes()
			if err := os.Chown(conf, 0, 0); err != nil { // vsftpd reads no other user's settings
				t.Fatal(err)
			}
		}
		return cmd
	})
	s.commands.file = filepath.Join(s.scratch, "commands")
	s.commands.line = vsftpdCommand
	return s
}

func yes(is bool) string {
	if is {
		return "YES"
	}
	return "NO"
}

// vsftpdCommand parses `… FTP command: Client "127.0.0.1", "CWD pub"`.
func vsftpdCommand(line string) (string, bool) {
	_, rest, ok := strings.Cut(line, `FTP command: Client "`)
	if !ok {
		return "", false
	}
	_, command, ok := strings.Cut(rest, `", "`)
	return strings.TrimSuffix(command, `"`), ok
}

// ProFTPD starts proftpd, an FTP server for users with a password: "alice" with
// "secret", and "anonymous" with "guest@example.org". Without a chroot: a login starts
// in root, and "/" is the machine's root. It has MLSD, MLST, MFMT, EPSV, PASV, SIZE,
// MDTM, REST, true ASCII. Everything is writable.
func ProFTPD(t testing.TB, root string) *Server {
	t.Helper()
	return proftpd(t, root)
}

// ProFTPDOverTLS starts a proftpd that requires TLS, and requires data connections to
// resume the TLS session of the control connection. TLS begins with AUTH TLS, or at
// once if it is implicit.
func ProFTPDOverTLS(t testing.TB, root string, implicit bool) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	share(t, keys)
	more := []string{
		"LoadModule mod_tls.c",
		"TLSEngine on",
		"TLSProtocol TLSv1.2 TLSv1.3",
		"TLSRSACertificateFile " + filepath.Join(keys, "cert.pem"),
		"TLSRSACertificateKeyFile " + filepath.Join(keys, "key.pem"),
		"TLSRequired on",
		"TLSLog " + filepath.Join(keys, "log"),
	}
	if implicit {
		more = append(more, "TLSOptions UseImplicitSSL")
	}
	s := proftpd(t, root, more...)
	s.PEM = filepath.Join(keys, "cert.pem")
	s.Roots = roots(t, s.PEM)
	return s
}

func proftpd(t testing.TB, root string, more ...string) *Server {
	t.Helper()
	dir := tree(t, "proftpd")
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "proftpd.conf", lines(append([]string{
			`ServerName "test"`,
			"ServerType standalone",
			"DefaultAddress 127.0.0.1",
			"SocketBindTight on",
			fmt.Sprintf("Port %d", port),
			"UseIPv6 off",
			"User " + accountName(),
			"Group " + groupName(),
			"UseReverseDNS off",
			"WtmpLog off",
			"ModulePath " + filepath.Join(dir, "usr/lib/proftpd"),
			"PidFile " + filepath.Join(scratch, "pid"),
			"ScoreboardFile " + filepath.Join(scratch, "scoreboard"),
			"DelayTable none",
			"SystemLog " + filepath.Join(scratch, "log"),
			"TransferLog NONE",
			`LogFormat command "%r"`,
			"ExtendedLog " + filepath.Join(scratch, "commands") + " ALL command",
			"AuthOrder mod_auth_file.c",
			"AuthUserFile " + write(t, scratch, "passwd", users(root)),
			"RequireValidShell off",
			"AllowOverwrite on",
			"AllowStoreRestart on",
		}, more...)...))
		return program(dir, "usr/sbin/proftpd", "-n", "-c", conf)
	})
	s.commands.file = filepath.Join(s.scratch, "commands")
	s.commands.line = func(line string) (string, bool) { return line, true }
	return s
}

// secretHash is what crypt(3) makes of "secret".
const secretHash = "$6$locus$bAKOprUCuXOUJLDQmGiH1AavdCTm6umJT.jcULkYPO51zte3tNTvfcg95yFDl20qjEVqBNMtiHC2wJG78NoRa0"

// users is the password file of proftpd.
func users(home string) string {
	const guest = "$6$locus$ggZ2e2kXCii4yRovPGCgfFI8W.sKaURU6rwbTVtdbWBBl7GrC52ycTLLFeg5ulS3MINTR7G9MwbBxCwu7o9S5."
	uid, gid := account()
	return lines(
		fmt.Sprintf("alice:%s:%d:%d::%s:/bin/false", secretHash, uid, gid, home),
		fmt.Sprintf("anonymous:%s:%d:%d::%s:/bin/false", guest, uid, gid, home),
	)
}
