package peers

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// attempts is how often a server is started anew because another program took
// the port that was free, or because it ended before it answered.
const attempts = 3

// start runs the server that command makes for a port and a scratch folder, and
// returns when it takes connections. command is called once for every attempt.
func start(t testing.TB, root string, command func(port uint16, scratch string) *exec.Cmd) *Server {
	t.Helper()
	share(t, root)
	for try := 1; ; try++ {
		s := newServer(t, root, freePort(t))
		p, err := run(command(s.Port, s.scratch), filepath.Join(s.scratch, "output"))
		if err == nil {
			t.Cleanup(p.stop)
			err = p.ready(s.Addr)
		}
		if err == nil {
			return s
		}
		if try == attempts {
			t.Fatalf("peers: %v", err)
		}
	}
}

func newServer(t testing.TB, root string, port uint16) *Server {
	t.Helper()
	s := &Server{Host: "127.0.0.1", Port: port, Root: root, scratch: t.TempDir()}
	s.Addr = net.JoinHostPort(s.Host, strconv.Itoa(int(port)))
	share(t, s.scratch)
	return s
}

// A process is a server that runs.
type process struct {
	cmd    *exec.Cmd
	output string        // file with what it prints
	ended  chan struct{} // closed when it has ended and was waited for
}

// run starts cmd in a process group of its own; what it prints goes to output.
func run(cmd *exec.Cmd, output string) (*process, error) {
	f, err := os.Create(output)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	cmd.Dir = filepath.Dir(output)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = attributes()
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, output: output, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
	}()
	return p, nil
}

// ready waits until the server takes a connection.
func (p *process) ready(addr string) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			conn.Close()
		}
		select {
		case <-p.ended:
			return p.failure("ended: " + p.cmd.ProcessState.String())
		case <-time.After(10 * time.Millisecond):
		}
		if err == nil {
			return nil
		}
	}
	return p.failure(fmt.Sprintf("took no connection in %v", patience))
}

func (p *process) failure(what string) error {
	printed, _ := os.ReadFile(p.output)
	return fmt.Errorf("%s %s\n%s", filepath.Base(p.cmd.Path), what, printed)
}

// stop ends the server and its children, and returns when it is gone.
func (p *process) stop() {
	terminate(p.cmd.Process)
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	kill(p.cmd.Process) // its children too, should one be left
	<-p.ended
}

// program makes the command for a program in tree, which finds the libraries
// there that the machine does not have.
func program(tree, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(tree, name), args...)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+strings.Join(libraries(tree), ":"))
	return cmd
}

func libraries(tree string) []string {
	var dirs []string
	for _, pattern := range []string{"lib/*-linux-*", "usr/lib/*-linux-*"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is a good one
		dirs = append(dirs, found...)
	}
	return dirs
}
