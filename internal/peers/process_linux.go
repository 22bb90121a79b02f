package peers

import (
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// attributes puts a server into a process group of its own, lets it end with
// the test binary whatever happens to that, and keeps it from being root.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		uid, gid := account()
		a.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return a
}

// account is who the servers run as: nobody for root, else the user.
func account() (uid, gid uint32) {
	if os.Geteuid() != 0 {
		return uint32(os.Geteuid()), uint32(os.Getegid())
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return 65534, 65534
	}
	return number(nobody.Uid), number(nobody.Gid)
}

// accountName is the name of [account].
func accountName() string {
	uid, _ := account()
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return "nobody"
	}
	return u.Username
}

// groupName is the name of the group of [account].
func groupName() string {
	_, gid := account()
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(gid), 10))
	if err != nil {
		return "nogroup"
	}
	return g.Name
}

func number(id string) uint32 {
	n, _ := strconv.ParseUint(id, 10, 32) // Unix ids are numbers
	return uint32(n)
}

func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // gone already: as wanted
func kill(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// share gives a folder of the test to the account of the servers, and lets that
// account pass through the folders above. A folder that is not in the temporary
// one is left as it is: it must be readable.
func share(t testing.TB, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	temp := filepath.Clean(os.TempDir()) + string(filepath.Separator)
	if !strings.HasPrefix(dir, temp) {
		return
	}
	uid, gid := account()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(uid), int(gid))
	})
	for up := filepath.Dir(dir); err == nil && strings.HasPrefix(up, temp); up = filepath.Dir(up) {
		err = os.Chmod(up, 0o755) //nolint:gosec // the server's account has to pass
	}
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
}
