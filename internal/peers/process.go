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

// attempts is how often a server is started if it ends before it answers.
const attempts = 3

// start runs the server of command, and returns when it accepts connections. Each
// attempt calls command with a port and a scratch folder.
func start(t testing.TB, root string, command func(port uint16, scratch string) *exec.Cmd) *Server {
	t.Helper()
	s, _ := startAt(t, root, 1, func(ports []uint16, scratch string) *exec.Cmd { return command(ports[0], scratch) })
	return s
}

// startAt is start for a server with n ports. The first of the returned ports is that
// of the Server.
func startAt(t testing.TB, root string, n int, command func(ports []uint16, scratch string) *exec.Cmd) (*Server, []uint16) {
	t.Helper()
	share(t, root)
	for try := 1; ; try++ {
		ports := make([]uint16, n)
		for i := range ports {
			ports[i] = reserve(t)
		}
		s := newServer(t, root, ports[0])
		p, err := run(command(ports, s.scratch), filepath.Join(s.scratch, "output"))
		if err == nil {
			t.Cleanup(p.stop)
		}
		for i := 0; err == nil && i < n; i++ {
			err = p.ready(net.JoinHostPort(s.Host, strconv.Itoa(int(ports[i]))))
		}
		if err == nil {
			return s, ports
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

// A process is a running server.
type process struct {
	cmd    *exec.Cmd
	output string        // the file with its output
	ended  chan struct{} // closed when it has ended
}

// run starts cmd in its own process group, with its output in the file output.
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
		_ = cmd.Wait() // see cmd.ProcessState
	}()
	return p, nil
}

// ready waits until the server accepts a connection.
func (p *process) ready(addr string) error {
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
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
	return p.failure(fmt.Sprintf("took no connection in %v", timeout))
}

func (p *process) failure(what string) error {
	printed, _ := os.ReadFile(p.output)
	return fmt.Errorf("%s %s\n%s", filepath.Base(p.cmd.Path), what, printed)
}

// stopTime is how long a server may take to stop before it is killed.
const stopTime = 10 * time.Second

// stop stops the server and its children, and returns when they have ended: they could
// write into a folder that is being removed.
func (p *process) stop() {
	terminate(p.cmd.Process)
	select {
	case <-p.ended:
	case <-time.After(stopTime):
	}
	kill(p.cmd.Process) // and its children
	<-p.ended
	awaitEnd(p.cmd.Process)
}

// awaitEnd waits until all processes in the group of p have ended.
func awaitEnd(p *os.Process) {
	for deadline := time.Now().Add(stopTime); isRunning(p) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}

// program returns the command for a program in tree. It finds the libraries there, and
// runs in the locale C.
func program(tree, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(tree, name), args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LD_LIBRARY_PATH="+strings.Join(libraries(tree), ":"))
	return cmd
}

func libraries(tree string) []string {
	var dirs []string
	for _, pattern := range []string{"lib/*-linux-*", "usr/lib/*-linux-*"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is valid
		dirs = append(dirs, found...)
	}
	return dirs
}
