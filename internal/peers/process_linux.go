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

// attributes returns the attributes of a process of a server. The process gets a new process group,
// ends together with the test binary, and runs as the account of the servers if the test runs as
// root.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		uid, gid := account()
		a.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return a
}

// attributesOf returns the attributes of a process that runs as the user with this name. ok is
// false if the user does not exist, or if the test does not run as root.
func attributesOf(name string) (a *syscall.SysProcAttr, ok bool) {
	u, err := user.Lookup(name)
	if err != nil || os.Geteuid() != 0 {
		return nil, false
	}
	a = attributes()
	a.Credential = &syscall.Credential{Uid: number(u.Uid), Gid: number(u.Gid)}
	return a, true
}

// namespace returns the attributes of a process that needs to run as root. The process gets new
// mount and PID namespaces, so that it cannot change the machine, and ends with this process. ok is
// false if this process is not root, or if the system does not allow namespaces.
func namespace() (a *syscall.SysProcAttr, ok bool) {
	a = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true, Cloneflags: syscall.CLONE_NEWPID, Unshareflags: syscall.CLONE_NEWNS}
	probe := exec.Command("true")
	probe.SysProcAttr = a
	return a, os.Geteuid() == 0 && probe.Run() == nil
}

// giveTo makes the account in a the owner of the folder dir and of everything in it.
func giveTo(dir string, a *syscall.SysProcAttr) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(a.Credential.Uid), int(a.Credential.Gid))
	})
}

// account returns the account of the servers: nobody if the user is root, and the user
// otherwise.
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

// accountName returns the user name of [account], or "nobody" if the uid has no name.
func accountName() string {
	uid, _ := account()
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return "nobody"
	}
	return u.Username
}

// groupName returns the name of the group of [account], or "nogroup" if the gid has no
// name.
func groupName() string {
	_, gid := account()
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(gid), 10))
	if err != nil {
		return "nogroup"
	}
	return g.Name
}

// number returns the number of a user or group, which package user has as text.
func number(id string) uint32 {
	n, _ := strconv.ParseUint(id, 10, 32) // Unix ids are numbers
	return uint32(n)
}

// terminate asks all processes in the process group of p to end. It is not an error if they
// have already ended.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // after an error, it has already ended

// kill ends all processes in the process group of p.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// isRunning reports whether a process in the process group of p runs. Zombies do not count.
func isRunning(p *os.Process) bool {
	if syscall.Kill(-p.Pid, 0) != nil {
		return false
	}
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range all {
		text, _ := os.ReadFile(file) // after an error, the process has ended
		// PID (NAME) STATE PARENT GROUP …; a name may have any character.
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(f) > 2 && f[2] == strconv.Itoa(p.Pid) && f[0] != "Z" {
			return true
		}
	}
	return false
}

// reserve returns a loopback port that the system does not give to another process until
// the test ends. A server can listen there by its number, with SO_REUSEADDR.
func reserve(t testing.TB) uint16 {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(t, err)
	t.Cleanup(func() { syscall.Close(fd) })
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil { // another test could reserve it before Bind
		err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	check(t, err)
	at, err := syscall.Getsockname(fd)
	check(t, err)
	return uint16(at.(*syscall.SockaddrInet4).Port)
}

// share gives the folder dir of a test to the account of the servers, and makes the folders
// above it accessible. It has no effect if the test does not run as root, because the servers
// then run as the same user, or if dir is outside the temporary folder; such a folder must be
// readable already.
func share(t testing.TB, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	temp := filepath.Clean(os.TempDir()) + string(filepath.Separator)
	if !strings.HasPrefix(dir, temp) {
		return
	}
	err := giveTo(dir, attributes())
	for up := filepath.Dir(dir); err == nil && strings.HasPrefix(up, temp); up = filepath.Dir(up) {
		err = os.Chmod(up, 0o755) //nolint:gosec // the account of the servers needs access
	}
	check(t, err)
}

// mayReadByHandle reports whether this process has CAP_DAC_READ_SEARCH, which is needed to
// open files by their handles. Containers often lack it.
func mayReadByHandle() bool {
	const capability = 2
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(status), "\nCapEff:\t")
	text, _, _ := strings.Cut(after, "\n")
	set, err := strconv.ParseUint(text, 16, 64)
	return err == nil && set>>capability&1 == 1
}
