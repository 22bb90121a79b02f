//go:build unix

package killtest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// The process that started a run is interrupted. It says that the run goes on, and how to resume, to join and to forget
// it. The run is then forgotten, and its worker says so and fails.
func TestForgottenRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	s := newSharedSite(t, peers.NATS(t).Addr)
	s.slow(100 * time.Millisecond)
	var said, told strings.Builder
	worker := process(ctx, append(s.worker, "--proxy", s.URL)...)
	worker.Stderr = &told
	clitest.Start(t, worker)
	starter := process(ctx, s.args...)
	starter.Stderr = &said
	clitest.Start(t, starter)
	select {
	case <-s.middle():
	case <-ctx.Done():
		t.Fatal("the run has not begun in time")
	}
	_ = starter.Process.Signal(os.Interrupt)
	if err := starter.Wait(); err == nil {
		t.Fatal("the run ended before it was interrupted")
	}
	for _, want := range []string{"interrupted", "the run continues", "run the same command again to resume", "--join --run test", "--forget-run --run test"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the interrupted process prints %q, want %q", &said, want)
		}
	}
	nats := s.worker[2:] // --nats and --run
	if out, err := process(ctx, append([]string{"check", "--forget-run"}, nats[:4]...)...).CombinedOutput(); err != nil {
		t.Fatalf("check --forget-run: %v\n%s", err, out)
	}
	err := worker.Wait()
	if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(told.String(), "another process has removed the run") {
		t.Errorf("the worker of a forgotten run: %v %q, want the exit status 1 and the reason", err, &told)
	}
}
