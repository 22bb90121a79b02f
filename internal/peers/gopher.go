package peers

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Gophernicus starts gophernicus, a plain gopher server. A gophermap is the menu of its
// folder, and programs in cgi-bin answer searches. It sends text without the final "."
// line.
func Gophernicus(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "gophernicus")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	share(t, root)
	publish(t, root)
	s := newServer(t, root, l.Addr().(*net.TCPAddr).AddrPort().Port())
	inetd(t, l, func() *exec.Cmd {
		return program(dir, "usr/sbin/gophernicus", "-h", s.Host, "-p", fmt.Sprint(s.Port), "-r", root, "-nv", "-nm", "-nu")
	})
	return s
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
	stopped bool // no more are started
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

// publish makes a folder readable for everyone: gophernicus serves only such.
func publish(t testing.TB, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if d.IsDir() || mode&0o100 != 0 {
			mode |= 0o111
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
}

// Pygopherd starts pygopherd, a gopher server with a part of Gopher+: "+", "!" and "$",
// with +INFO, +ADMIN, +VIEWS, and +ABSTRACT and +ASK from the files NAME.abstract and
// NAME.ask. Its plain menus have no "." line.
func Pygopherd(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "pygopherd")
	original, err := os.ReadFile(filepath.Join(dir, "etc/pygopherd/pygopherd.conf"))
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		types := write(t, scratch, "mime.types", lines(
			"text/plain txt", "text/html html", "image/gif gif", "image/png png", "application/zip zip",
		))
		conf := write(t, scratch, "pygopherd.conf", set(string(original), map[string]string{
			"pidfile":    filepath.Join(scratch, "pid"),
			"port":       fmt.Sprint(port),
			"servername": "127.0.0.1",
			"interface":  "127.0.0.1",
			"usechroot":  "no",
			"root":       root,
			"logmethod":  "file",
			"cachetime":  "0",
			"servertype": "ThreadingTCPServer",
			"mimetypes":  types,
		}))
		cmd := program(dir, "usr/sbin/pygopherd", conf)
		python := interpreter(dir)
		cmd.Args = append([]string{python}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
		cmd.Path = python
		cmd.Env = append(cmd.Env,
			"PYTHONPATH="+filepath.Join(dir, "usr/lib/python3/dist-packages"),
			"PYTHONDONTWRITEBYTECODE=1",
		)
		return cmd
	})
}

// interpreter returns the python3 that was unpacked, or that of the machine. It is
// Debian's own, which its packages need.
func interpreter(tree string) string {
	unpacked := filepath.Join(tree, "usr/bin/python3")
	if _, err := os.Stat(unpacked); err == nil {
		return unpacked
	}
	return "/usr/bin/python3"
}

// set changes "key = value" lines of a configuration file, also those that are
// commented out.
func set(conf string, values map[string]string) string {
	all := strings.Split(conf, "\n")
	for i, line := range all {
		key, _, ok := strings.Cut(line, "=")
		key = strings.Trim(key, "# ")
		if value, known := values[key]; ok && known {
			all[i] = key + " = " + value
		}
	}
	return strings.Join(all, "\n")
}

// lines joins lines, each with its LF.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// write makes a file that only the server may read.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("peers: %v", err)
	}
	share(t, dir)
	return file
}
