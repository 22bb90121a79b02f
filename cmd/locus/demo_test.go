package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
	"locus/demo"
)

// leave has the input that ends a session with a server of the demo.
var leave = map[string]string{"tn3270": "x\n", "telnet": "reader\nanything\nq\n", "rlogin": "anything\nq\n"}

// Each command that the demo suggests works. It writes to stderr only the login that a URL
// suggests.
func TestDemoTries(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Chdir(t.TempDir())
	for _, s := range d.Services() {
		for _, try := range s.Try {
			status, stdout, stderr := runHere(t, leave[s.Scheme], try.Args...)
			if status != 0 || stderr != "" && !strings.HasPrefix(stderr, "locus: the URL suggests ") {
				t.Errorf("%s: status %d, %s", try, status, stderr)
			}
			if stdout == "" && try.Args[1] != "-O" {
				t.Errorf("%s has no output", try)
			}
		}
	}
}

// The commands that the demo suggests for its mail work.
func TestDemoMail(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, Mail: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	shown := ""
	for _, try := range d.Letters() {
		status, stdout, stderr := runHere(t, "", try.Args...)
		if status != 0 || stderr != "" {
			t.Errorf("%s: status %d, %s", try, status, stderr)
		}
		shown += stdout
	}
	picture, err := os.ReadFile("lens.png")
	if err != nil || !strings.HasPrefix(string(picture), "\x89PNG") {
		t.Errorf("the demo's picture is %.20q, %v", picture, err)
	}
	for _, want := range []string{"just what I was looking for", "mid:lens@demo.example/picture@demo.example", "Subject: Another lens"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the suggested commands do not show %q", want)
		}
	}
}

// The demo serves until it is interrupted, and then exits with 0.
func TestDemoServesUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	args := []string{"locus", "demo", "--list", "--listen", "127.0.0.1:0"}
	ports := clitest.FreePorts(t, len(demo.Schemes())) // another process is unlikely to get these ports
	for i, scheme := range demo.Schemes() {
		args = append(args, "--port", fmt.Sprintf("%s=%d", scheme, ports[i]))
	}
	ended := make(chan int)
	go func() {
		defer w.Close()
		ended <- program().Run(ctx, testEnv(os.Stdin, w, os.Stderr), args)
	}()
	var services []service
	lines := bufio.NewScanner(r)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "The demo servers:") {
	}
	for len(services) < len(demo.Schemes()) && lines.Scan() {
		if scheme, addr, ok := strings.Cut(strings.TrimSpace(lines.Text()), "://"); ok {
			addr = addr[strings.IndexByte(addr, '@')+1:] // without a login
			services = append(services, service{scheme, strings.TrimSuffix(addr, "/")})
		}
	}
	if len(services) != len(demo.Schemes()) {
		t.Fatalf("the demo prints %q, want an address for each of %q", services, demo.Schemes())
	}
	for _, s := range services {
		if !s.served() {
			t.Errorf("the demo does not serve %s", s)
		}
	}
	interrupt()
	if status := <-ended; status != 0 {
		t.Errorf("the demo ends with %d after an interrupt, want 0", status)
	}
	for _, s := range services {
		if s.served() {
			t.Errorf("the demo still serves %s after its end", s)
		}
	}
}

// A service is a scheme and an address that the demo prints.
type service struct{ scheme, addr string }

// served reports whether a process listens on the address. For TCP it connects, and for UDP it
// tries to bind.
func (s service) served() bool {
	if s.scheme == "prospero" {
		c, err := net.ListenPacket("udp", s.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	}
	c, err := net.Dial("tcp", s.addr)
	if err == nil {
		c.Close()
	}
	return err == nil
}
