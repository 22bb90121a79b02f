package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Telnetd starts telnetd of the GNU inetutils. It has TTYPE, NAWS, ECHO, SGA and BINARY,
// asks for many other options, and runs the shell script login for each connection. It does
// not have accounts. Its Root is "".
func Telnetd(t testing.TB, login string) *Server {
	t.Helper()
	dir := tree(t, "telnetd")
	s, l := listen(t, t.TempDir())
	script := write(t, s.scratch, "login", login)
	inetd(t, l, func() *exec.Cmd {
		return program(dir, "usr/sbin/telnetd", "-h", "-n", "-E", "/bin/sh "+script)
	})
	return s
}

// Rlogind starts the rlogind of rsh-redone, with one account: "rltest" with the password
// "secret", or without a password for the user "me" of this machine. Its shell is /bin/sh
// and its home is Root.
//
// The server must be root and uses the machine's accounts. So it runs in a mount namespace
// with its own /etc/passwd. If the system does not allow a namespace, the test is skipped
// as if the server were missing. It accepts only connections from low ports.
func Rlogind(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "rlogind")
	attributes := isolated(t, "rlogind")
	s, l := listen(t, t.TempDir())
	etc := map[string]string{
		"passwd":        lines("root:x:0:0::/root:/bin/sh", fmt.Sprintf("rltest:x:%d:%d::%s:/bin/sh", rltest, rltest, s.Root)),
		"group":         lines("root:x:0:", "tty:x:5:", fmt.Sprintf("rltest:x:%d:", rltest)),
		"shadow":        lines("root:*:19000::::::", "rltest:"+secretHash+":19000::::::"),
		"pam.d/rlogin":  lines("auth sufficient pam_rhosts.so", "auth required pam_unix.so", "account required pam_permit.so", "session required pam_permit.so"),
		"pam.d/login":   lines("auth required pam_permit.so", "account required pam_permit.so", "session required pam_permit.so"),
		"pam.d/other":   lines("auth required pam_deny.so", "account required pam_deny.so"),
		"nsswitch.conf": lines("passwd: files", "group: files", "shadow: files", "hosts: files"),
		"hosts":         lines("127.0.0.1 localhost"),
		"login.defs":    lines("HUSHLOGIN_FILE .hushlogin"),
	}
	writeEtc(t, s.scratch, etc)
	writeHome(t, s.Root)
	inetd(t, l, func() *exec.Cmd {
		cmd := withEtc(program(dir, "usr/sbin/in.rlogind"), s.scratch)
		cmd.SysProcAttr = attributes
		return cmd
	})
	return s
}

// isolated returns the attributes of namespace, for the server name. If the system does not
// allow a namespace, the test is skipped; with CI=true it fails.
func isolated(t testing.TB, name string) *syscall.SysProcAttr {
	t.Helper()
	attributes, ok := namespace()
	if !ok {
		missing(t, "peers: %s needs root with CAP_SYS_ADMIN, for accounts in a mount namespace of its own: as root, or in a container with --cap-add SYS_ADMIN", name)
	}
	return attributes
}

// writeEtc writes files for [withEtc] into scratch. etc has their texts by their names below
// /etc. Every user may read them.
func writeEtc(t testing.TB, scratch string, etc map[string]string) {
	t.Helper()
	dir := filepath.Join(scratch, "etc")
	for name, text := range etc {
		file := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(file), 0o700))
		check(t, os.WriteFile(file, []byte(text), 0o600))
	}
	publish(t, dir)
}

// withEtc changes cmd so that it sees the files of writeEtc in /etc instead of the files of the
// machine, and returns cmd. cmd must have the attributes of isolated.
func withEtc(cmd *exec.Cmd, scratch string) *exec.Cmd {
	const enter = `cd "$0" && mount --make-rprivate / && mount -t tmpfs none /var/log && mount -t tmpfs none /run || exit 1
for f in etc/*; do mount --bind "$f" "/$f" || exit 1; done
cd / && exec "$@"`
	cmd.Args = append([]string{"sh", "-c", enter, scratch, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	return cmd
}

// rltest is the account of rlogind's only user.
const rltest = 29513

// writeHome writes the files of rltest into dir, its home: the list of users without a
// password, and a file that suppresses the message at login. It makes rltest the owner of dir.
func writeHome(t testing.TB, dir string) {
	t.Helper()
	for name, text := range map[string]string{".rhosts": lines("127.0.0.1 me", "localhost me"), ".hushlogin": ""} {
		file := filepath.Join(dir, name)
		check(t, os.WriteFile(file, []byte(text), 0o600))
		check(t, os.Chown(file, rltest, rltest))
	}
	check(t, os.Chown(dir, rltest, rltest))
}

// Hercules starts hercules, a mainframe with eight 3270 displays and without a system. A
// display shows a logo, and ignores keys. A ninth display is refused, and so is another
// terminal, in text.
func Hercules(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "hercules")
	// hercules gives the thread of a new connection a pointer to a variable, into which it accepts the next connection,
	// too. A connection that ends before its thread has run therefore makes hercules forget the next one, or serve that
	// one twice.
	s, _ := startWhen(t, t.TempDir(), greetedBy, 1, func(ports []uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "hercules.cnf", lines(
			"CPUSERIAL 000001",
			"CPUMODEL  3090",
			"MAINSIZE  16",
			"XPNDSIZE  0",
			"NUMCPU    1",
			"ARCHMODE  ESA/390",
			fmt.Sprintf("CNSLPORT  127.0.0.1:%d", ports[0]),
			"OSTAILOR  QUIET",
			"PANRATE   SLOW",
			"00C0.8 3270",
		))
		cmd := program(dir, "usr/bin/hercules", "-d", "-f", conf)
		own := append(libraries(dir), filepath.Join(dir, "usr/lib/hercules"))
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(own, ":"))
		return cmd
	})
	return s
}
