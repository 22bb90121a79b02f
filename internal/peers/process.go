package peers

import (
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"locus/internal/certtest"
)

// attempts is how often a server is started if it ends before it answers.
const attempts = 3

// start runs the program that command returns for a free port, and returns when the program accepts
// connections. It stops the program when the test ends. It calls command again if an attempt fails.
// The program runs in scratch, a folder to which it may write, and owns the folder root, which is
// the Root of the Server.
func start(t testing.TB, root string, command func(port uint16, scratch string) *exec.Cmd) *Server {
	t.Helper()
	s, _ := startAt(t, root, 1, func(ports []uint16, scratch string) *exec.Cmd { return command(ports[0], scratch) })
	return s
}

// startAt starts a server with n ports as start does, and returns all ports, too. The first port is
// the port of the Server.
func startAt(t testing.TB, root string, n int, command func(ports []uint16, scratch string) *exec.Cmd) (*Server, []uint16) {
	t.Helper()
	return startWhen(t, root, dialTo, n, command)
}

// startWhen is like startAt, but the server is ready when the function that dial returns for the address of a port
// has connected.
func startWhen(
	t testing.TB, root string, dial func(addr string) func() (net.Conn, error),
	n int, command func(ports []uint16, scratch string) *exec.Cmd,
) (*Server, []uint16) {
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
			t.Cleanup(func() { p.end(t) })
		}
		for i := 0; err == nil && i < n; i++ {
			err = p.waitReady(dial(net.JoinHostPort(s.Host, strconv.Itoa(int(ports[i])))))
		}
		if err == nil {
			return s, ports
		}
		if try == attempts {
			t.Fatalf("peers: %v", err)
		}
	}
}

// newServer returns a Server for a port of loopback, with a new scratch folder. It starts no
// program.
func newServer(t testing.TB, root string, port uint16) *Server {
	t.Helper()
	s := &Server{Host: "127.0.0.1", Root: root, scratch: t.TempDir()}
	share(t, s.scratch)
	return s.at(port)
}

// at returns a copy of s with another port, and without a log.
func (s *Server) at(port uint16) *Server {
	return &Server{
		Addr: net.JoinHostPort(s.Host, strconv.Itoa(int(port))), Host: s.Host, Port: port,
		Roots: s.Roots, PEM: s.PEM, Root: s.Root, scratch: s.scratch,
	}
}

// A process is a running server.
type process struct {
	cmd    *exec.Cmd
	output string        // the file with its output
	ended  chan struct{} // closed when it has ended
}

// run starts cmd in the folder of the file output, into which cmd writes its output. If
// cmd.SysProcAttr is nil, it becomes the result of attributes. run does not wait for the end of
// cmd.
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

// dialTo returns a function that connects to addr.
func dialTo(addr string) func() (net.Conn, error) {
	return func() (net.Conn, error) { return net.DialTimeout("tcp", addr, time.Second) }
}

// greetedBy is like dialTo, but the function also waits until the server at addr has sent a byte. The error says why the
// server sent none.
func greetedBy(addr string) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		conn, err := dialTo(addr)()
		if err != nil {
			return nil, err
		}
		_ = conn.SetReadDeadline(time.Now().Add(timeout)) // an error is also an error of Read
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	}
}

// waitReady waits until the server accepts a connection, which dial makes. It returns an error with the
// output of the server if the server ends first, or after timeout.
func (p *process) waitReady(dial func() (net.Conn, error)) error {
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
		conn, err := dial()
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

// failure returns an error with the name of the program, what happened to it, and its output.
func (p *process) failure(what string) error {
	printed, _ := os.ReadFile(p.output)
	return fmt.Errorf("%s %s\n%s", filepath.Base(p.cmd.Path), what, printed)
}

// stopTime is how long a server may take to stop before it is killed.
const stopTime = 10 * time.Second

// end stops the server. If the server has ended before and the test has failed, it logs the
// output of the server.
func (p *process) end(t testing.TB) {
	select {
	case <-p.ended:
		if t.Failed() {
			t.Log(p.failure("ended: " + p.cmd.ProcessState.String()))
		}
	default:
	}
	p.stop()
}

// stop stops the server and its children, and waits until they have ended, because they
// could write into a folder that is being removed.
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

// awaitEnd waits until all processes in the process group of p have ended, but at most for
// stopTime.
func awaitEnd(p *os.Process) {
	for deadline := time.Now().Add(stopTime); isRunning(p) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}

// program returns a command that runs a program of a peer. tree is the folder of the peer, and
// name is the path of the program in it. The program finds its libraries in tree, and runs in
// the locale C.
func program(tree, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(tree, name), args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LD_LIBRARY_PATH="+strings.Join(libraries(tree), ":"))
	return cmd
}

// libraries returns the folders with shared libraries in tree.
func libraries(tree string) []string {
	var dirs []string
	for _, pattern := range []string{"lib/*-linux-*", "usr/lib/*-linux-*"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is valid
		dirs = append(dirs, found...)
	}
	return dirs
}

// python returns a command that runs Python with these arguments, usually a script and its
// arguments, and with the packages in tree. The interpreter is the unpacked one, or the
// interpreter of the machine. It must be Debian's own, because its packages need it.
func python(tree string, args ...string) *exec.Cmd {
	cmd := program(tree, "usr/bin/python3", args...)
	if _, err := os.Stat(cmd.Path); err != nil {
		cmd.Path = "/usr/bin/python3"
	}
	cmd.Env = append(cmd.Env,
		"PYTHONPATH="+filepath.Join(tree, "usr/lib/python3/dist-packages"),
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore", "PYTHONUTF8=1",
	)
	return cmd
}

// lines returns a text of these lines, each with a LF.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// write writes a file into dir that only the servers may read, and returns its path. It gives dir
// to the account of the servers.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	check(t, os.WriteFile(file, []byte(text), 0o600))
	share(t, dir)
	return file
}

// certificate writes a new certificate for localhost and 127.0.0.1, and its key, into dir:
// cert.pem and key.pem.
func certificate(t testing.TB, dir string) {
	t.Helper()
	own, _ := certtest.New(t, "localhost", "127.0.0.1")
	cert, key := certtest.PEM(t, own)
	write(t, dir, "cert.pem", string(cert))
	write(t, dir, "key.pem", string(key))
}

// secure sets PEM and Roots of s, so that clients trust the certificate cert.pem in dir.
func (s *Server) secure(t testing.TB, dir string) {
	t.Helper()
	s.PEM = filepath.Join(dir, "cert.pem")
	text, err := os.ReadFile(s.PEM)
	check(t, err)
	s.Roots = x509.NewCertPool()
	s.Roots.AppendCertsFromPEM(text)
}
