package peers

import (
	"fmt"
	"os/exec"
	"testing"
)

// Twisted starts the FTP server of Twisted for the user "alice" with "secret", with root as
// "/". It has PASV, SIZE and MDTM, but neither EPSV, MLSD nor REST. It decodes commands as
// Latin-1 and encodes listings in UTF-8. RNFR succeeds for every name. Every file is writable.
func Twisted(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "twisted")
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		return python(dir, write(t, scratch, "serve.py", twisted), root, fmt.Sprint(port))
	})
}

// twisted runs the server. Its arguments are the folder and the port.
const twisted = `import sys
from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.portal import IRealm, Portal
from twisted.internet import reactor
from twisted.protocols.ftp import FTPFactory, FTPShell, IFTPShell
from twisted.python.filepath import FilePath
from zope.interface import implementer

root, port = sys.argv[1:]

@implementer(IRealm)
class Realm:
    def requestAvatar(self, user, mind, *interfaces):
        return IFTPShell, FTPShell(FilePath(root)), lambda: None

users = InMemoryUsernamePasswordDatabaseDontUse()
users.addUser("alice", "secret")
factory = FTPFactory(Portal(Realm(), [users]))
factory.allowAnonymous = False
reactor.listenTCP(int(port), factory, interface="127.0.0.1")
reactor.run()
`
