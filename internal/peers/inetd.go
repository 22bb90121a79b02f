package peers

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"testing"
)

// listen opens a free port for a server that inetd runs.
func listen(t testing.TB, root string) (*Server, net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	share(t, root)
	return newServer(t, root, l.Addr().(*net.TCPAddr).AddrPort().Port()), l
}

// inetd runs a program for each connection to l, as its standard input and output,
// until the test ends.
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

// serve runs cmd with the connection and waits for its end.
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

// start starts cmd, unless the server is stopped, and remembers it for stop.
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

// stop ends every program that runs.
func (p *programs) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	for cmd := range p.live {
		kill(cmd.Process)
	}
}
