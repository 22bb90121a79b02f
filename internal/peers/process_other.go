//go:build !linux

package peers

import (
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// On other systems [tree] ends every test, because the servers are programs of Debian.

func attributes() *syscall.SysProcAttr { return nil }

func attributesOf(string) (*syscall.SysProcAttr, bool) { return nil, false }

func giveTo(string, *syscall.SysProcAttr) error { return nil }

func account() (uid, gid uint32) { return 0, 0 }

func accountName() string { return "" }

func groupName() string { return "" }

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }

func isRunning(*os.Process) bool { return false }

func reserve(testing.TB) uint16 { return 0 }

func share(testing.TB, string) {}

func namespace() (*syscall.SysProcAttr, bool) { return nil, false }

// mayReadByHandle returns false, because only Linux has file handles.
func mayReadByHandle() bool { return false }

// A network is a network namespace, which only Linux has.
type network struct{}

func newNetwork(testing.TB) *network { return nil }

func (*network) start(testing.TB, *exec.Cmd, string, string) {}

func (*network) forward(testing.TB, net.Listener, string) {}
