package clitest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"testing"
)

// Process returns a process, not yet started, that runs the command: the test's own program under
// the name "locus". TestMain of the test must have given testscript.Main that name. The process is
// killed when ctx ends.
func Process(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Args[0] = "locus" // testscript.Main runs the command under this name
	return cmd
}

// Start starts cmd, and kills the process when the test ends.
func Start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// FreePorts returns n ports of loopback on which no process listens. They are below the ports that
// systems choose from, so that another process is unlikely to get them soon.
func FreePorts(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue // another process listens there
		}
		defer l.Close()
		if ports = append(ports, port); len(ports) == n {
			return ports
		}
	}
	t.Fatalf("only %d of 1000 ports are free", len(ports))
	return nil
}
