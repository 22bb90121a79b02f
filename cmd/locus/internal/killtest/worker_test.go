//go:build unix

package killtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// A sharedSite is a site that several processes check together.
type sharedSite struct {
	*hostSites
	args   []string // of the process that starts the run
	worker []string // the arguments of the other processes
	want   string   // the expected report
}

const (
	killedJobs    = 32                        // --jobs of each process
	killedPending = killedJobs + killedJobs/2 // URLs of a process that are checked again if it is killed
)

// newSharedSite returns a site for a shared run at the servers of --nats.
func newSharedSite(t *testing.T, nats string, flags ...string) *sharedSite {
	t.Helper()
	s := &sharedSite{hostSites: newHostSites(t)}
	args := s.checkAll()
	s.want = undisturbed(t)
	shared := []string{"--nats", nats, "--run", "test", "--jobs", fmt.Sprint(killedJobs)}
	s.args = append(append(append(args, shared...), flags...), firstPage)
	s.worker = append([]string{"check", "--join"}, shared...)
	return s
}

// finish runs a process that reports, and compares its report.
func (s *sharedSite) finish(t *testing.T, cmd *exec.Cmd, twice int) {
	t.Helper()
	var problems strings.Builder
	cmd.Stderr = &problems
	got, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); !asExit(err, &exit) || exit.ExitCode() != 1 || string(got) != s.want {
		t.Errorf("the report of the shared run: %v %s\n%.2000s\nwant\n%.2000s", err, &problems, got, s.want)
	}
	n, most := s.reset()
	t.Logf("%d URLs were requested twice, and one host %d times at once", n, most)
	if n > twice || most > perHost {
		t.Errorf("%d URLs were requested twice, and one host %d times at once, want at most %d and %d", n, most, twice, perHost)
	}
}

// A worker is killed. Only the URLs that it was checking are checked again.
func TestKilledWorker(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	s := newSharedSite(t, peers.NATS(t).Addr, "--lease", "2s")
	var asked atomic.Int64
	busy := make(chan struct{})
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 50 {
			close(busy)
		}
		s.serve(w, r)
	}))
	defer own.Close()
	s.slow(100 * time.Millisecond) // until both workers have had their share
	killed := process(ctx, append(s.worker, "--proxy", own.URL)...)
	clitest.Start(t, killed)
	go func() {
		select {
		case <-busy:
		case <-ctx.Done():
		}
		_ = killed.Process.Kill()
	}()
	s.finish(t, process(ctx, s.args...), killedPending)
	if err := killed.Wait(); err == nil || asked.Load() < 50 {
		t.Errorf("the worker ended before it was killed, after %d requests", asked.Load())
	}
}

// The process that started the run is killed. The same command resumes the run, which the worker
// has continued meanwhile.
func TestKilledStarter(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	s := newSharedSite(t, peers.NATS(t).Addr)
	var told strings.Builder
	helper := process(ctx, append(s.worker, "--proxy", s.URL)...)
	helper.Stderr = &told
	clitest.Start(t, helper)
	killed := process(ctx, s.args...)
	clitest.Start(t, killed)
	select {
	case <-s.middle():
	case <-ctx.Done():
		t.Fatal("the run has not begun in time")
	}
	_ = killed.Process.Kill()
	if err := killed.Wait(); err == nil {
		t.Error("the process ended before it was killed")
	}
	s.finish(t, process(ctx, s.args...), killedPending)
	if err := helper.Wait(); err != nil {
		t.Errorf("the worker ended with %v %s", err, &told)
	}
}

// Two of three servers do not answer for longer than a lease. The run waits for them.
func TestNoQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("the test starts six processes, and takes half a minute")
	}
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	nodes, urls := natsCluster(t)
	s := newSharedSite(t, urls, "--replicas", "3")
	var told strings.Builder
	helper := process(ctx, append(s.worker, "--proxy", s.URL)...)
	helper.Stderr = &told
	clitest.Start(t, helper)
	back, middle := make(chan struct{}), s.middle()
	go func() {
		defer close(back)
		<-middle
		stopped := []*os.Process{nodes["n0"].Process, nodes["n1"].Process}
		for _, p := range stopped {
			_ = p.Signal(syscall.SIGSTOP)
		}
		outage := 10 * time.Second
		if text := os.Getenv("OUTAGE"); text != "" {
			outage, _ = time.ParseDuration(text)
		}
		time.Sleep(outage)
		for _, p := range stopped {
			_ = p.Signal(syscall.SIGCONT)
		}
	}()
	begin := time.Now()
	s.finish(t, process(ctx, s.args...), killedJobs) // leases expire in that time, and each worker regains its own
	t.Logf("the run took %v", time.Since(begin))
	select {
	case <-back:
	default:
		t.Error("the run ended while two of three servers did not answer")
	}
	if err := helper.Wait(); err != nil {
		t.Errorf("the worker ended with %v %s", err, &told)
	}
}
