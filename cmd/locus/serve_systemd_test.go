//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
)

// passed starts `locus serve --listen systemd` as a process, with a socket as systemd passes it,
// and waits until it serves. Any goroutine may call it.
func passed(ctx context.Context, t *testing.T, l *net.TCPListener, args ...string) (*exec.Cmd, string) {
	t.Helper()
	socket, err := l.File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	args = append([]string{"serve", "--listen", "systemd", "--no-proxy", "--no-cache"}, args...)
	locus := clitest.Process(ctx, t, args...)
	// The value of LISTEN_PID is known only when the process exists. exec keeps the process.
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", `LISTEN_PID=$$ exec -a locus "$0" "$@"`, locus.Path}, args...)...)
	cmd.Env = append(os.Environ(), "LISTEN_FDS=1")
	cmd.ExtraFiles = []*os.File{socket}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "locus: the gateway is at ") {
		t.Fatalf("serve says %q: %v", line, err)
	}
	go io.Copy(io.Discard, lines)
	return cmd, strings.TrimSpace(strings.TrimPrefix(line, "locus: the gateway is at "))
}

// While the gateway restarts with a socket of systemd, every request is answered.
func TestServeRestart(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the test needs bash")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	l := listener.(*net.TCPListener)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	old, at := passed(ctx, t, l)
	if want := "http://" + l.Addr().String() + "/"; at != want {
		t.Errorf("the gateway is at %s, want %s", at, want)
	}

	var answered atomic.Int64
	answers := make(chan struct{})
	var clients sync.WaitGroup
	asking, enough := context.WithCancel(ctx)
	defer enough()
	for range 4 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			for asking.Err() == nil {
				resp, err := client.Get(at)
				if err != nil {
					t.Errorf("a request fails after %d answers: %v", answered.Load(), err)
					enough()
					return
				}
				resp.Body.Close()
				answered.Add(1)
				select {
				case answers <- struct{}{}:
				default: // nobody waits for an answer
				}
			}
		})
	}
	more := func() { // waits for a few more answers, until the test fails or its time is over
		for range 20 {
			select {
			case <-answers:
			case <-asking.Done():
			}
		}
	}
	for range 3 {
		more()
		if err := old.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := old.Wait(); err != nil {
			t.Fatalf("the old gateway ended with %v", err)
		}
		old, _ = passed(ctx, t, l)
	}
	more()
	enough()
	clients.Wait()
	if err := old.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := old.Wait(); err != nil {
		t.Errorf("the last gateway ended with %v", err)
	}
	t.Logf("%d answers", answered.Load())
}

// An address that others can reach needs a policy, even if systemd opened the socket.
func TestServeSystemdPolicy(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	locus := clitest.Process(t.Context(), t)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `LISTEN_PID=$$ exec -a locus "$0" serve --listen systemd --no-cache`, locus.Path)
	cmd.Env, cmd.ExtraFiles = append(os.Environ(), "LISTEN_FDS=1"), []*os.File{socket}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "use --policy public") {
		t.Errorf("%v: %s", err, out)
	}
}
