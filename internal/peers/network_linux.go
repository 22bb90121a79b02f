package peers

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A network is a network namespace whose only interface is a loopback of its own. It is for servers
// that listen on every address: only this process can connect to them there.
//
// A namespace belongs to a thread. So one goroutine, which owns its thread, starts the programs in
// the namespace and dials there.
type network struct {
	tasks chan func() // run by that goroutine
}

// newNetwork returns a network that exists until the test ends. If the system does not allow it,
// the test is skipped.
func newNetwork(t testing.TB) *network {
	t.Helper()
	n := &network{tasks: make(chan func())}
	entered := make(chan error)
	go func() {
		runtime.LockOSThread() // without UnlockOSThread, so that the thread ends with the goroutine
		entered <- enterNetwork()
		for task := range n.tasks {
			task()
		}
	}()
	t.Cleanup(func() { close(n.tasks) })
	if err := <-entered; err != nil {
		forbidden(t, "a network namespace needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN: %v", err)
	}
	return n
}

// enterNetwork moves the thread into a new network namespace, and starts the loopback interface
// there.
func enterNetwork() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer unix.Close(fd)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, loopback); err != nil {
		return fmt.Errorf("start the loopback interface: %w", err)
	}
	return nil
}

// do runs task in the network, and waits for its end.
func (n *network) do(task func()) {
	done := make(chan struct{})
	n.tasks <- func() {
		defer close(done)
		task()
	}
	<-done
}

// dial connects to an address in the network.
func (n *network) dial(address string) (conn net.Conn, err error) {
	n.do(func() { conn, err = dialTo(address)() })
	return conn, err
}

// start starts a server in the network, with its output in a file, and waits until it accepts
// connections at address.
func (n *network) start(t testing.TB, cmd *exec.Cmd, output, address string) {
	t.Helper()
	var p *process
	var err error
	n.do(func() { p, err = run(cmd, output) })
	check(t, err)
	t.Cleanup(func() { p.end(t) })
	check(t, p.waitReady(func() (net.Conn, error) { return n.dial(address) }))
}

// forward passes the connections to l on to an address in the network, until the test ends.
func (n *network) forward(t testing.TB, l net.Listener, address string) {
	var relays sync.WaitGroup
	relays.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			relays.Go(func() { n.relay(conn.(*net.TCPConn), address) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		relays.Wait()
	})
}

// relay connects client to an address in the network until the server closes the connection.
func (n *network) relay(client *net.TCPConn, address string) {
	defer client.Close()
	conn, err := n.dial(address)
	if err != nil {
		return
	}
	server := conn.(*net.TCPConn)
	defer server.Close()
	go pass(server, client)
	pass(client, server)
}

// pass copies from one connection to the other. After an orderly end of from, it ends to as well.
func pass(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err == nil {
		_ = to.CloseWrite() // after an error, the connection has ended
	}
}
