package peers

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A reserved port refuses clients, is not given to other listeners and reservations,
// but is free for a server.
func TestReserve(t *testing.T) {
	port := reserve(t)
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	if conn, err := net.DialTimeout("tcp", addr, time.Minute); err == nil {
		conn.Close()
		t.Errorf("somebody takes connections at %s", addr)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}); err != syscall.EADDRINUSE {
		t.Errorf("reserving %s twice = %v, want %v", addr, err, syscall.EADDRINUSE)
	}
	for range 2 {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatalf("a server at %s: %v", addr, err)
		}
		l.Close()
	}
}

// When a server is stopped, its children have stopped too.
func TestStopEndsAll(t *testing.T) {
	for range 10 {
		dir := t.TempDir()
		share(t, dir)
		const script = `trap "exit 0" TERM; for i in 1 2 3 4 5; do (trap "" TERM; while :; do : >$i; done) & done; wait`
		p, err := run(exec.Command("/bin/sh", "-c", script), filepath.Join(dir, "output"))
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			started, err := filepath.Glob(filepath.Join(dir, "[1-5]"))
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("after a minute no child has started: %v", err)
			}
			if started != nil {
				break
			}
		}
		p.stop()
		if isRunning(p.cmd.Process) {
			t.Error("a child still runs after stop")
		}
	}
}
