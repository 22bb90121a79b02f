package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/check/stream"
)

// The URLs of BenchmarkCheckStream.
const (
	streamURLs  = 200_000
	streamHosts = 2000
)

// BenchmarkCheckStream checks URLs with an Engine that answers at once: with the queue of
// one process in files, and with one, two, four and ten workers that share a queue at one
// nats-server or three. All run on this machine. A run with the queue of one process
// precedes each shared run, and of-local is the ratio of their rates. STREAM_URLS is the
// number of URLs, STREAM_PAUSE how long each answer takes, and STREAM_JOBS how many URLs a
// worker checks at once. With a pause, the local run is left out.
func BenchmarkCheckStream(b *testing.B) {
	n := streamURLs
	if text := os.Getenv("STREAM_URLS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	source, jobs := streamJobs(n)
	b.Run("local", func(b *testing.B) {
		for b.Loop() {
			rate, own := checkLocal(b, source, jobs)
			b.ReportMetric(rate, "URLs/s")
			b.ReportMetric(float64(own.Microseconds())/float64(n), "cpu-µs/URL")
		}
		b.ReportMetric(0, "ns/op")
	})
	for _, replicas := range []int{1, 3} {
		for _, workers := range []int{1, 2, 4, 10} {
			b.Run(fmt.Sprintf("replicas=%d/workers=%d", replicas, workers), func(b *testing.B) {
				c := startNATS(b, replicas)
				for b.Loop() {
					if streamPause() == 0 {
						rate, own := checkLocal(b, source, jobs)
						b.ReportMetric(rate, "local-URLs/s")
						b.ReportMetric(float64(own.Microseconds())/float64(n), "local-cpu-µs/URL")
						b.ReportMetric(checkShared(b, c, replicas, workers, source, jobs)/rate, "of-local")
						continue
					}
					checkShared(b, c, replicas, workers, source, jobs)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// checkLocal checks the URLs with the queue of one process. It returns how many URLs were
// checked a second, and the processor time.
func checkLocal(b *testing.B, s check.Source, jobs []check.Job) (rate float64, own time.Duration) {
	start, before := time.Now(), ownTime()
	q := report.NewQueue(createIn(b))
	seeded := seedStream(b, q, s, jobs)
	checkStream(b, q)
	<-seeded
	rate, own = float64(len(jobs))/time.Since(start).Seconds(), ownTime()-before
	countLinks(b, q, len(jobs))
	if err := q.Close(); err != nil {
		b.Fatal(err)
	}
	return rate, own
}

// checkShared checks the URLs with a shared queue, and reports the costs of the queue. It
// returns how many URLs were checked a second.
func checkShared(b *testing.B, c *natsCluster, replicas, workers int, s check.Source, jobs []check.Job) (rate float64) {
	n := len(jobs)
	before, start, own := c.processorTime(), time.Now(), ownTime()
	q, err := stream.Start(b.Context(), c.connect(b), "run", stream.Run{Shards: 64}, stream.Options{Replicas: replicas, Jobs: streamJobsAtOnce(), Create: createIn(b)})
	if err != nil {
		b.Fatal(err)
	}
	seeded := seedStream(b, q, s, jobs)
	var all sync.WaitGroup
	for range workers - 1 {
		all.Go(func() {
			q, err := stream.Join(b.Context(), c.connect(b), "run", stream.Options{Jobs: streamJobsAtOnce(), Create: createIn(b)})
			if err != nil {
				b.Error(err)
				return
			}
			defer q.Close()
			checkStream(b, q)
		})
	}
	checkStream(b, q)
	<-seeded
	all.Wait()
	rate = float64(n) / time.Since(start).Seconds()
	b.ReportMetric(rate, "URLs/s")
	b.ReportMetric((c.processorTime() - before).Seconds(), "nats-cpu-s")
	b.ReportMetric(float64((ownTime()-own).Microseconds())/float64(n), "cpu-µs/URL")
	messages, bytes := c.stored(b)
	b.ReportMetric(float64(messages), "messages")
	b.ReportMetric(float64(bytes)/float64(n), "bytes/URL")
	countLinks(b, q, n)
	if err := errors.Join(q.Delete(context.Background()), q.Close()); err != nil {
		b.Fatal(err)
	}
	return rate
}

// createIn returns a function that makes temporary files.
func createIn(b *testing.B) func() (check.File, error) {
	return func() (check.File, error) { return os.CreateTemp(b.TempDir(), "") }
}

// streamJobs returns a document with n links, and their jobs.
func streamJobs(n int) (s check.Source, jobs []check.Job) {
	s.Document = "list.txt"
	for i := range n {
		u := fmt.Sprintf("http://host%d.example.org/docs/guide/page-%d/index.html", i%streamHosts, i)
		s.Links = append(s.Links, check.Link{URL: u, Line: i + 1, Column: 1})
		jobs = append(jobs, check.Job{URL: u})
	}
	return s, jobs
}

// seedStream adds a document while its links are checked, as the command does. The channel
// is closed at its end.
func seedStream(b *testing.B, q check.Queue, s check.Source, jobs []check.Job) <-chan struct{} {
	const atOnce = 1000
	done := make(chan struct{})
	q.Seeding()
	go func() {
		defer close(done)
		for from := 0; from < len(jobs); from += atOnce {
			to := min(from+atOnce, len(jobs))
			if err := q.Seed(b.Context(), check.Source{Document: s.Document, Links: s.Links[from:to]}, jobs[from:to]); err != nil {
				b.Error(err)
			}
		}
		if err := q.Seeded(b.Context()); err != nil {
			b.Error(err)
		}
	}()
	return done
}

func checkStream(b *testing.B, q check.Queue) {
	c := check.Checker{Engine: emptyPages{streamPause()}}
	c.Jobs = streamJobsAtOnce()
	if err := c.Run(b.Context(), q); err != nil {
		b.Error(err)
	}
}

// streamJobsAtOnce returns how many URLs a worker checks at once.
func streamJobsAtOnce() int {
	n, _ := strconv.Atoi(os.Getenv("STREAM_JOBS"))
	return n
}

// streamPause returns how long each answer takes.
func streamPause() time.Duration {
	pause, _ := time.ParseDuration(os.Getenv("STREAM_PAUSE"))
	return pause
}

// emptyPages is an Engine that answers with empty pages after a pause.
type emptyPages struct{ pause time.Duration }

func (e emptyPages) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	time.Sleep(e.pause)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// countLinks fails unless each link is reported once, as good.
func countLinks(b *testing.B, q check.Queue, n int) {
	b.StopTimer()
	defer b.StartTimer()
	r, err := q.Report(b.Context(), check.ReportOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	if want := fmt.Sprintf("%d links: %d good, 0 dead", n, n); r.Summary() != want {
		b.Fatalf("the report says %q, want %q", r.Summary(), want)
	}
}

// A natsCluster is servers that this process has started.
type natsCluster struct {
	urls    string
	servers []*exec.Cmd
}

// startNATS starts one server, or a cluster.
func startNATS(b *testing.B, size int) *natsCluster {
	b.Helper()
	tool := exec.Command("go", "tool", "-n", "nats-server")
	tool.Dir = ".."
	out, err := tool.Output()
	if err != nil {
		b.Skipf("nats-server is not measured: %v", err)
	}
	program := strings.TrimSpace(string(out))
	var urls, routes []string
	for i, port := range freePorts(b, 2*size) {
		if i < size {
			urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", port))
		} else {
			routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
		}
	}
	c := &natsCluster{urls: strings.Join(urls, ",")}
	for i := range size {
		args := []string{"-a", "127.0.0.1", "-p", urls[i][strings.LastIndexByte(urls[i], ':')+1:], "-js", "-sd", b.TempDir(), "-n", fmt.Sprint("n", i)}
		if size > 1 {
			args = append(args, "-cluster_name", "bench", "-cluster", routes[i], "-routes", strings.Join(routes, ","))
		}
		cmd := exec.Command(program, args...)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		c.servers = append(c.servers, cmd)
	}
	js, err := jetstream.New(c.connect(b))
	if err != nil {
		b.Fatal(err)
	}
	for start := time.Now(); ; {
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "test", Replicas: size})
		if err == nil {
			err = js.DeleteStream(ctx, "test")
		}
		cancel()
		if err == nil {
			return c
		}
		if time.Since(start) > time.Minute {
			b.Fatalf("the cluster does not start: %v", err)
		}
	}
}

func freePorts(b *testing.B, n int) (ports []int) {
	b.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// connect returns a new connection to the servers.
func (c *natsCluster) connect(b *testing.B) *nats.Conn {
	conn, err := nats.Connect(c.urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	return conn
}

// processorTime returns the processor time of all servers together.
func (c *natsCluster) processorTime() (sum time.Duration) {
	for _, s := range c.servers {
		sum += timeOf(s.Process.Pid)
	}
	return sum
}

// ownTime returns the processor time of this process, which has all workers.
func ownTime() time.Duration { return timeOf(os.Getpid()) }

// timeOf returns the processor time of a process on Linux, and 0 on other systems.
func timeOf(pid int) (sum time.Duration) {
	const tick = time.Second / 100 // of /proc
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	for _, f := range fields[11:13] { // user and system
		n, _ := strconv.Atoi(f)
		sum += time.Duration(n) * tick
	}
	return sum
}

// stored returns the messages of the run's log, and their bytes on one server.
func (c *natsCluster) stored(b *testing.B) (messages, bytes uint64) {
	js, err := jetstream.New(c.connect(b))
	if err != nil {
		b.Fatal(err)
	}
	log, err := js.Stream(b.Context(), "locus_run_log")
	if err != nil {
		b.Fatal(err)
	}
	return log.CachedInfo().State.Msgs, log.CachedInfo().State.Bytes
}
