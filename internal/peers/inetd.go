package peers

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"testing"
)

// listen listens at a free port, for a server that inetd runs. It gives root to the account of
// the servers. The caller passes the listener to inetd, which closes it.
func listen(t testing.TB, root string) (*Server, net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	share(t, root)
	return newServer(t, root, l.Addr().(*net.TCPAddr).AddrPort().Port()), l
}

// inetd runs the program that command returns for each connection to l, with the connection as
// its standard input and output. When the test ends, it closes l and ends the programs.
func inetd(t testing.TB, l net.Listener, command func() *exec.Cmd) {
	var serving sync.WaitGroup
	running := &programs{live: map[*exec.Cmd]bool{}}
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { running.serve(conn.(*net.TCPConn), command()) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.stop()
		serving.Wait()
	})
}

// programs are the running programs of inetd.
type programs struct {
	mu      sync.Mutex
	live    map[*exec.Cmd]bool
	stopped bool // serve does not start programs any more
}

// serve runs cmd with the connection, waits for its end, and closes the connection. If cmd
// cannot be started, the client gets the error as a menu of gopher.
func (p *programs) serve(conn *net.TCPConn, cmd *exec.Cmd) {
	defer conn.Close()
	f, err := conn.File()
	if err != nil {
		return
	}
	defer f.Close()
	cmd.Stdin, cmd.Stdout = f, f
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = attributes()
	}
	if err := p.start(cmd); err != nil {
		fmt.Fprintf(f, "3%v\t\terror.host\t1\r\n.\r\n", err)
		return
	}
	_ = cmd.Wait() // a client that disconnects is not an error
	p.mu.Lock()
	delete(p.live, cmd)
	stopped := p.stopped
	p.mu.Unlock()
	if stopped {
		awaitEnd(cmd.Process)
	}
}

// start starts cmd, and remembers it for stop. After stop it returns an error.
func (p *programs) start(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return errors.New("the server is stopped")
	}
	err := cmd.Start()
	if err == nil {
		p.live[cmd] = true
	}
	return err
}

// stop ends every program that runs, and makes start fail.
func (p *programs) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	for cmd := range p.live {
		kill(cmd.Process)
	}
}
