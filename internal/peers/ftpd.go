package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// PureFTPd starts pure-ftpd for the user "alice" with "secret". A login starts in root;
// "/" is the machine's root. It has MLSD, MFMT, EPSV and UTF8, and reads commands byte
// by byte. It needs what [Rlogind] needs.
func PureFTPd(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "pure-ftpd")
	attributes, ok := namespace()
	if !ok {
		missing(t, "peers: pure-ftpd needs root with CAP_SYS_ADMIN, for accounts in a mount namespace of its own: as root, or in a container with --cap-add SYS_ADMIN")
	}
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		writeEtc(t, scratch, ftpAccounts("alice", root))
		cmd := withEtc(program(dir, "usr/sbin/pure-ftpd", "-E", "-H", "-u", "1", "-l", "unix", "-S", fmt.Sprintf("127.0.0.1,%d", port)), scratch)
		cmd.SysProcAttr = attributes
		return cmd
	})
}

// InetutilsFTPD starts ftpd of the GNU inetutils for anonymous users, with root as "/".
// It has EPSV, no UTF8 and no MLSD, and reads commands as Telnet does. It needs what
// [Rlogind] needs.
func InetutilsFTPD(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "inetutils-ftpd")
	attributes, ok := namespace()
	if !ok {
		missing(t, "peers: inetutils-ftpd needs root with CAP_SYS_ADMIN, for accounts in a mount namespace of its own: as root, or in a container with --cap-add SYS_ADMIN")
	}
	s, l := listen(t, root)
	writeEtc(t, s.scratch, ftpAccounts("ftp", root))
	inetd(t, l, func() *exec.Cmd {
		cmd := withEtc(program(dir, "usr/sbin/ftpd"), s.scratch)
		cmd.SysProcAttr = attributes
		return cmd
	})
	return s
}

// ftpAccounts are files of /etc for one user with the password "secret".
func ftpAccounts(name, home string) map[string]string {
	uid, gid := account()
	return map[string]string{
		"passwd":        lines("root:x:0:0::/root:/bin/sh", fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh", name, uid, gid, home)),
		"group":         lines("root:x:0:", fmt.Sprintf("%s:x:%d:", name, gid)),
		"shadow":        lines("root:*:19000::::::", name+":"+secretHash+":19000::::::"),
		"nsswitch.conf": lines("passwd: files", "group: files", "shadow: files", "hosts: files"),
	}
}

// Pyftpdlib starts pyftpdlib for anonymous users, with root as "/". It has MLSD, MFMT,
// EPSV and UTF8, and reads commands byte by byte. It replaces bytes in names that are
// not UTF-8, or keeps them if errors is "surrogateescape".
func Pyftpdlib(t testing.TB, root, errors string) *Server {
	t.Helper()
	dir := tree(t, "pyftpdlib")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		cmd := exec.Command(interpreter(dir), write(t, scratch, "serve.py", pyftpdlib), root, strconv.Itoa(int(port)), errors)
		cmd.Env = append(program(dir, "").Env,
			"PYTHONPATH="+filepath.Join(dir, "usr/lib/python3/dist-packages"),
			"PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore", "PYTHONUTF8=1",
		)
		return cmd
	})
}

// pyftpdlib runs the server. Its arguments are the folder, the port, and the handling
// of names that are not UTF-8.
const pyftpdlib = `import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

root, port, errors = sys.argv[1:]
users = DummyAuthorizer()
users.add_anonymous(root, perm="elradfmwMT")
FTPHandler.authorizer = users
FTPHandler.unicode_errors = errors
FTPServer(("127.0.0.1", int(port)), FTPHandler).serve_forever()
`
