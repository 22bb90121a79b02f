package peers

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
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

// attributesOf is attributes for a server that runs as a user of its own. It is
// not ok if there is none, or if we may not.
func attributesOf(name string) (a *syscall.SysProcAttr, ok bool) {
	u, err := user.Lookup(name)
	if err != nil || os.Geteuid() != 0 {
		return nil, false
	}
	a = attributes()
	a.Credential = &syscall.Credential{Uid: number(u.Uid), Gid: number(u.Gid)}
	return a, true
}

// namespace is attributes for a server that has to be root, and may then change
// what it sees of the machine without changing the machine. It is not ok if we
// may not make it.
func namespace() (a *syscall.SysProcAttr, ok bool) {
	a = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true, Cloneflags: syscall.CLONE_NEWPID, Unshareflags: syscall.CLONE_NEWNS}
	probe := exec.Command("true")
	probe.SysProcAttr = a
	return a, os.Geteuid() == 0 && probe.Run() == nil
}

// giveTo gives a folder to who runs with these attributes.
func giveTo(dir string, a *syscall.SysProcAttr) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(a.Credential.Uid), int(a.Credential.Gid))
	})
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

// runs reports whether a process of p's group runs. One that has ended, and that
// nobody has waited for, does not.
func runs(p *os.Process) bool {
	if syscall.Kill(-p.Pid, 0) != nil {
		return false
	}
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	for _, file := range all {
		text, _ := os.ReadFile(file) // it has ended: as wanted
		// PID (NAME) STATE PARENT GROUP …, and a name may have anything in it.
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(f) > 2 && f[2] == strconv.Itoa(p.Pid) && f[0] != "Z" {
			return true
		}
	}
	return false
}

// reserve returns a loopback port that is the test's until it ends: nobody who
// asks for any port gets it, and nobody listens there but who asks for it by its
// number, with SO_REUSEADDR, as every server does.
func reserve(t testing.TB) uint16 {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil { // not before Bind: then another test could reserve it, too
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	return uint16(at.(*syscall.SockaddrInet4).Port)
}

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
