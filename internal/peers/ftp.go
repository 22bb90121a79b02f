package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// VSFTPD starts vsftpd, an FTP server for anonymous users. It runs without a chroot, so a
// login starts in root, and "/" is the machine's root. It has EPSV, PASV, SIZE, MDTM (also
// to set a time), REST and ASCII, but not MLSD. Every file is writable.
func VSFTPD(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root, false)
}

// VSFTPDQuiet starts vsftpd without a log. Benchmarks use it, because sessions with a log
// wait for each other.
func VSFTPDQuiet(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root, false, "log_ftp_protocol=NO", "xferlog_enable=NO")
}

// VSFTPDSeparated starts vsftpd without a log, and with its default separation of
// privileges: each session has a process of root and a process of another user, which is
// confined to root by a chroot. Files are not writable. Its seccomp filter is off, because
// it kills sessions on current kernels.
func VSFTPDSeparated(t testing.TB, root string) *Server {
	t.Helper()
	if _, ok := attributesOf("root"); !ok {
		missing(t, "only root can start vsftpd with separate privileges")
	}
	return vsftpd(t, root, true,
		"log_ftp_protocol=NO",
		"xferlog_enable=NO",
		"run_as_launching_user=NO",
		"ftp_username=daemon", // its home must exist, and it must not be able to write into root
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
	s := vsftpd(t, root, false,
		"ssl_enable=YES",
		"allow_anon_ssl=YES",
		"force_anon_logins_ssl=YES",
		"force_anon_data_ssl=YES",
		"require_ssl_reuse=YES",
		"ssl_ciphers=HIGH",
		"implicit_ssl="+map[bool]string{true: "YES", false: "NO"}[implicit],
		"rsa_cert_file="+filepath.Join(keys, "cert.pem"),
		"rsa_private_key_file="+filepath.Join(keys, "key.pem"),
	)
	s.secure(t, keys)
	return s
}

// VSFTPDDropBox starts a vsftpd that accepts new files, but no changes.
func VSFTPDDropBox(t testing.TB, root string) *Server {
	t.Helper()
	return vsftpd(t, root, false, "anon_other_write_enable=NO", "anon_mkdir_write_enable=NO")
}

// vsftpd starts vsftpd, as root if asRoot is set. The settings in more replace the usual
// settings with the same names.
func vsftpd(t testing.TB, root string, asRoot bool, more ...string) *Server {
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
			cmd.SysProcAttr, _ = attributesOf("root")
			if err := os.Chown(conf, 0, 0); err != nil { // vsftpd refuses settings of another user
				t.Fatal(err)
			}
		}
		return cmd
	})
	s.logs("commands", vsftpdCommand)
	return s
}

// vsftpdCommand returns the command in a line of the log, such as "CWD pub" in `… FTP command:
// Client "127.0.0.1", "CWD pub"`. ok is false for other lines.
func vsftpdCommand(line string) (command string, ok bool) {
	_, rest, ok := strings.Cut(line, `FTP command: Client "`)
	if !ok {
		return "", false
	}
	_, command, ok = strings.Cut(rest, `", "`)
	return strings.TrimSuffix(command, `"`), ok
}

// ProFTPD starts proftpd, an FTP server for users with a password: "alice" with "secret",
// and "anonymous" with "guest@example.org". It runs without a chroot, so a login starts in
// root, and "/" is the machine's root. It has MLSD, MLST, MFMT, EPSV, PASV, SIZE, MDTM,
// REST and true ASCII. Every file is writable.
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
	s.secure(t, keys)
	return s
}

// proftpd starts proftpd with the settings in more after the usual ones.
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
	s.logs("commands", func(line string) (string, bool) { return line, true })
	return s
}

// secretHash is the result of crypt(3) for "secret".
const secretHash = "$6$locus$bAKOprUCuXOUJLDQmGiH1AavdCTm6umJT.jcULkYPO51zte3tNTvfcg95yFDl20qjEVqBNMtiHC2wJG78NoRa0"

// users returns the text of proftpd's password file, with the users "alice", with the password
// "secret", and "anonymous".
func users(home string) string {
	const guest = "$6$locus$ggZ2e2kXCii4yRovPGCgfFI8W.sKaURU6rwbTVtdbWBBl7GrC52ycTLLFeg5ulS3MINTR7G9MwbBxCwu7o9S5."
	uid, gid := account()
	return lines(
		fmt.Sprintf("alice:%s:%d:%d::%s:/bin/false", secretHash, uid, gid, home),
		fmt.Sprintf("anonymous:%s:%d:%d::%s:/bin/false", guest, uid, gid, home),
	)
}

// PureFTPd starts pure-ftpd for the user "alice" with "secret". A login starts in root; "/"
// is the machine's root. It has MLSD, MFMT, EPSV and UTF8, and reads commands byte by byte.
// It has the same requirements as [Rlogind].
func PureFTPd(t testing.TB, root string) *Server {
	t.Helper()
	return pureFTPd(t, root)
}

// PureFTPdOverTLS starts a pure-ftpd that requires TLS, for data too. TLS begins with AUTH
// TLS.
func PureFTPdOverTLS(t testing.TB, root string) *Server {
	t.Helper()
	keys := t.TempDir()
	certificate(t, keys)
	var both []byte
	for _, name := range []string{"key.pem", "cert.pem"} {
		text, err := os.ReadFile(filepath.Join(keys, name))
		check(t, err)
		both = append(both, text...)
	}
	s := pureFTPd(t, root, "-Y", "3", "-2", write(t, keys, "both.pem", string(both)))
	s.secure(t, keys)
	return s
}

// pureFTPd starts pure-ftpd with more arguments.
func pureFTPd(t testing.TB, root string, more ...string) *Server {
	t.Helper()
	dir := tree(t, "pure-ftpd")
	attributes := isolated(t, "pure-ftpd")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		writeEtc(t, scratch, ftpAccounts("alice", root))
		args := append([]string{"-E", "-H", "-u", "1", "-l", "unix", "-S", fmt.Sprintf("127.0.0.1,%d", port)}, more...)
		cmd := withEtc(program(dir, "usr/sbin/pure-ftpd", args...), scratch)
		cmd.SysProcAttr = attributes
		return cmd
	})
}

// InetutilsFTPD starts ftpd of the GNU inetutils for anonymous users, with root as "/". It
// has EPSV, but neither UTF8 nor MLSD, and reads commands as Telnet does. It runs as root in
// a mount namespace, as [Rlogind] does. If the system does not allow a namespace, the test
// is skipped.
func InetutilsFTPD(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "inetutils-ftpd")
	attributes := isolated(t, "inetutils-ftpd")
	s, l := listen(t, root)
	writeEtc(t, s.scratch, ftpAccounts("ftp", root))
	inetd(t, l, func() *exec.Cmd {
		cmd := withEtc(program(dir, "usr/sbin/ftpd"), s.scratch)
		cmd.SysProcAttr = attributes
		return cmd
	})
	return s
}

// ftpAccounts returns the texts of files in /etc, by their names, for one user with the
// password "secret" and this home directory.
func ftpAccounts(name, home string) map[string]string {
	uid, gid := account()
	return map[string]string{
		"passwd":        lines("root:x:0:0::/root:/bin/sh", fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh", name, uid, gid, home)),
		"group":         lines("root:x:0:", fmt.Sprintf("%s:x:%d:", name, gid)),
		"shadow":        lines("root:*:19000::::::", name+":"+secretHash+":19000::::::"),
		"nsswitch.conf": lines("passwd: files", "group: files", "shadow: files", "hosts: files"),
	}
}

// Pyftpdlib starts pyftpdlib for anonymous users, with root as "/". It has MLSD, MFMT, EPSV and
// UTF8, and reads commands byte by byte. errors is Python's name for the handling of bytes in
// names that are not UTF-8: "replace", or "surrogateescape" to keep them.
func Pyftpdlib(t testing.TB, root, errors string) *Server {
	t.Helper()
	dir := tree(t, "pyftpdlib")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		return python(dir, write(t, scratch, "serve.py", pyftpdlib), root, fmt.Sprint(port), errors)
	})
}

// PyftpdlibAsIIS starts pyftpdlib for anonymous users, so that it behaves like IIS:
// listings have the format of dir without seconds, MLSD and MFMT are missing, and names
// that differ only in case are the same.
func PyftpdlibAsIIS(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "pyftpdlib")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		return python(dir, write(t, scratch, "serve.py", pyftpdlibAsIIS+pyftpdlib), root, fmt.Sprint(port), "surrogateescape")
	})
}

// pyftpdlibAsIIS changes the server before pyftpdlib runs it.
const pyftpdlibAsIIS = `import os, time
from pyftpdlib.filesystems import AbstractedFS
from pyftpdlib.handlers import FTPHandler

class IIS(AbstractedFS):
    def format_list(self, basedir, listing, ignore_err=True):
        for name in listing:
            st = os.stat(os.path.join(basedir, name))
            when = time.strftime("%m-%d-%y  %I:%M%p", time.gmtime(st.st_mtime))
            size = "<DIR>         " if os.path.isdir(os.path.join(basedir, name)) else "%14d" % st.st_size
            yield ("%s %s %s\r\n" % (when, size.rjust(20), name)).encode("utf8", "surrogateescape")

    def ftp2fs(self, path):
        found = self.root
        for name in self.ftpnorm(path).strip("/").split("/"):
            try:
                same = [n for n in os.listdir(found) if n.lower() == name.lower()]
            except OSError:
                same = []
            found = os.path.join(found, same[0] if same else name)
        return os.path.normpath(found)

FTPHandler.abstracted_fs = IIS
for command in ("MLSD", "MLST", "MFMT"):
    FTPHandler.proto_cmds.pop(command, None)
`

// pyftpdlib runs the server. Its arguments are the folder, the port, and the handling
// of names that are not UTF-8.
//
// QUIRK: pyftpdlib 1.5.7 describes a lost connection in its log. use_sendfile fails there if
// the file of the transfer is closed, and that can end the server.
const pyftpdlib = `import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import DTPHandler, FTPHandler
from pyftpdlib.servers import FTPServer

class Transfer(DTPHandler):
    def use_sendfile(self):
        return not getattr(self.file_obj, "closed", False) and super().use_sendfile()

root, port, errors = sys.argv[1:]
users = DummyAuthorizer()
users.add_anonymous(root, perm="elradfmwMT")
FTPHandler.authorizer = users
FTPHandler.dtp_handler = Transfer
FTPHandler.unicode_errors = errors
FTPServer(("127.0.0.1", int(port)), FTPHandler).serve_forever()
`
