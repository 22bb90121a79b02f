package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/check/stream"
	"locus/internal/peers"
)

// A graph is an Engine of numbered pages on several hosts. The page n of a host links to the pages 2n+1 and 2n+2, and
// to the page n of another host.
type graph struct {
	size   int
	hosts  int
	opened func(u string)
}

func (g graph) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	g.opened(req.URL.String())
	var host, n int
	_, err := fmt.Sscanf(req.URL.String(), "http://h%d.test/%d", &host, &n)
	if err != nil || n >= g.size || n%10 == 9 {
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 404, Text: "Not Found"}, Err: errors.New("it is not there")}
	}
	page := fmt.Sprintf("<a href=/%d>a</a> <a href=/%d>b</a> <a href=http://h%d.test/%d>c</a>", 2*n+1, 2*n+2, (host+1)%g.hosts, n)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(page))}, nil
}

func (g graph) policy() check.Policy {
	return check.Policy{Recursive: true, IgnoreRobots: true, Scope: []string{"http://"}, Jobs: 16}
}

// reportOf returns the text of the report of q with all links.
func reportOf(t *testing.T, q check.Queue) string {
	t.Helper()
	r, err := q.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.Text(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String() + r.Summary()
}

func seed(t *testing.T, q check.Queue) {
	t.Helper()
	s := check.Source{Document: "list", Links: []check.Link{{URL: "http://h0.test/0", Line: 1, Column: 1}, {URL: "news:x", Bad: "bad", Line: 2}}}
	jobs := []check.Job{{URL: "http://h0.test/0", Crawl: true}, {URL: "news:x", Bad: "bad"}}
	if err := q.Seed(t.Context(), s, jobs); err != nil {
		t.Fatal(err)
	}
}

// connect starts a server and returns a connection to it.
func connect(t *testing.T) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect("nats://" + peers.NATS(t).Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// begin starts a run of a graph.
func begin(t *testing.T, conn *nats.Conn, shards int, lease time.Duration) *stream.Queue {
	t.Helper()
	q, err := stream.Start(t.Context(), conn, "run", stream.Run{Policy: graph{}.policy(), Shards: shards}, stream.Options{Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// join returns the queue of another worker.
func join(t *testing.T, conn *nats.Conn) *stream.Queue {
	t.Helper()
	q, err := stream.Join(t.Context(), conn, "run", stream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// walk runs a checker until the queue is empty.
func walk(t *testing.T, q check.Queue, g graph) {
	t.Helper()
	if err := (&check.Checker{Engine: g, Policy: g.policy()}).Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

// inMemory returns the report of a run in memory.
func inMemory(t *testing.T, g graph) string {
	t.Helper()
	g.opened = func(string) {}
	m := report.NewQueue(nil)
	seed(t, m)
	walk(t, m, g)
	return reportOf(t, m)
}

// A run in a stream gives the same report as a run in memory.
func TestSameAsMemory(t *testing.T) {
	g := graph{size: 60, hosts: 5, opened: func(string) {}}
	want := inMemory(t, g)
	conn := connect(t)
	for _, shards := range []int{1, 4} {
		q := begin(t, conn, shards, time.Minute)
		seed(t, q)
		if err := q.Seeded(t.Context()); err != nil {
			t.Fatalf("Seeded with %d shards: %v", shards, err)
		}
		walk(t, q, g)
		if got := reportOf(t, q); got != want {
			t.Errorf("with %d shards the report is\n%s\nwant\n%s", shards, got, want)
		}
		if err := q.Delete(t.Context()); err != nil {
			t.Errorf("Delete of the run with %d shards: %v", shards, err)
		}
	}
}

// An interrupted run is resumed from the log. Only jobs that were pending are checked again.
func TestGoesOn(t *testing.T) {
	const size, hosts = 120, 3
	want := inMemory(t, graph{size: size, hosts: hosts})
	conn := connect(t)
	var mu sync.Mutex
	asked := make(map[string]int)
	for part, most := range []int{100, 250, 1 << 30} {
		q := begin(t, conn, 4, time.Minute)
		seed(t, q)
		if err := q.Seeded(t.Context()); err != nil {
			t.Fatalf("Seeded before part %d: %v", part, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		g := graph{size: size, hosts: hosts, opened: func(u string) {
			mu.Lock()
			defer mu.Unlock()
			asked[u]++
			if n++; n == most {
				cancel()
			}
		}}
		err := (&check.Checker{Engine: g, Policy: g.policy()}).Run(ctx, q)
		if last := ctx.Err() == nil; last != (err == nil) || last != (part == 2) {
			t.Fatalf("part %d of the run ends with %v", part, err)
		}
		if part == 2 {
			if got := reportOf(t, q); got != want {
				t.Errorf("after two interruptions the report is\n%s\nwant\n%s", got, want)
			}
		}
		if err := q.Close(); err != nil {
			t.Errorf("Close after part %d: %v", part, err)
		}
		cancel()
	}
	twice := 0
	for _, n := range asked {
		if n > 1 {
			twice++
		}
	}
	if underWay := 2 * 16; twice > underWay {
		t.Errorf("%d URLs were opened twice, want at most %d, which may have been pending at two interruptions", twice, underWay)
	}
}

// awaitShards waits until each queue holds a shard, for up to a minute.
func awaitShards(t *testing.T, queues []*stream.Queue) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n, q := range queues {
		if err := q.AwaitShard(ctx); err != nil {
			t.Errorf("worker %d holds no shard after a minute: %v", n, err)
		}
	}
}

// Workers share the hosts. Only one worker at a time sends requests to a host, each worker has some hosts, and a worker
// that leaves hands its hosts over.
func TestWorkers(t *testing.T) {
	const size, hosts, workers = 60, 8, 3
	want := inMemory(t, graph{size: size, hosts: hosts})
	conn := connect(t)
	main := begin(t, conn, 8, 10*time.Second) // long enough for a slow machine, because a worker that does not renew a lease in time loses it
	seed(t, main)
	if err := main.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	queues := []*stream.Queue{main, join(t, conn), join(t, conn)}
	leaving, leave := context.WithCancel(t.Context())
	c := &contest{at: make(map[string]int), graph: graph{size: size, hosts: hosts, opened: func(string) {}}, opened: make([]int, workers)}
	c.told = func(worker, opened int, u string) {
		if u == "http://h0.test/0" {
			awaitShards(t, queues) // so that all workers hold shards before the second page is found
		}
		if worker == 2 && opened == 20 {
			leave()
		}
	}
	var all sync.WaitGroup
	for n, q := range queues {
		ctx := t.Context()
		if n == 2 {
			ctx = leaving
		}
		all.Go(func() {
			err := (&check.Checker{Engine: c.worker(n), Policy: q.Run().Policy}).Run(ctx, q)
			if err != nil && ctx.Err() == nil {
				t.Errorf("worker %d: %v", n, err)
			}
			if n == 2 {
				_ = q.Close()
			}
		})
	}
	all.Wait()
	if got := reportOf(t, main); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
	t.Logf("the workers opened %d", c.opened)
	if c.together > 0 || slices.Min(c.opened) < 20 {
		t.Errorf("the workers opened %d pages, and %d times two of them sent requests to one host, want at least 20 each, and 0", c.opened, c.together)
	}
}

// A worker that joins a crawl in the middle gets hosts, and crawls the pages in the order of their depth.
func TestLateWorker(t *testing.T) {
	const size, hosts = 75, 8
	want := inMemory(t, graph{size: size, hosts: hosts})
	conn := connect(t)
	main := begin(t, conn, 8, time.Second)
	seed(t, main)
	if err := main.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	c := &contest{at: make(map[string]int), graph: graph{size: size, hosts: hosts, opened: func(string) {}}, opened: make([]int, 2)}
	arrived := make(chan struct{})
	arrive := sync.OnceFunc(func() { close(arrived) })
	c.told = func(worker, opened int, _ string) {
		switch {
		case worker == 1:
			arrive()
		case opened == 100:
			q := join(t, conn)
			all.Go(func() {
				if err := (&check.Checker{Engine: c.worker(1), Policy: q.Run().Policy}).Run(t.Context(), q); err != nil {
					t.Errorf("Run of the late worker = %v", err)
				}
			})
			select {
			case <-arrived:
			case <-time.After(time.Minute):
				t.Error("the late worker opens no page within a minute")
			}
		}
	}
	first := main.Run().Policy
	first.Jobs = 1 // so that the first worker waits as a whole
	err := (&check.Checker{Engine: c.worker(0), Policy: first}).Run(t.Context(), main)
	all.Wait()
	if got := reportOf(t, main); err != nil || got != want {
		t.Errorf("%v; the report is\n%s\nwant\n%s", err, got, want)
	}
	t.Logf("the workers opened %d", c.opened)
	if c.opened[1] < 20 || c.together > 0 {
		t.Errorf("the late worker opened %d pages, and %d times both sent requests to one host, want at least 20, and 0", c.opened[1], c.together)
	}
}

// A contest is a graph that counts how often two workers send requests to one host at the same time.
type contest struct {
	graph
	told func(worker, opened int, u string)

	mu       sync.Mutex
	opened   []int          // how many pages each worker has opened
	at       map[string]int // how many requests of each worker run at a host; each worker has its own byte
	together int
}

func (c *contest) worker(n int) access.Engine {
	return access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		host, _ := req.URL.Host()
		c.mu.Lock()
		c.opened[n]++
		opened := c.opened[n]
		if c.at[host]&^(0xff<<(8*n)) != 0 {
			c.together++
		}
		c.at[host] += 1 << (8 * n)
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.at[host] -= 1 << (8 * n)
		}()
		c.told(n, opened, req.URL.String())
		return c.Do(ctx, req)
	})
}

// A page whose anchors and links are too large for a message does not end the run.
func TestHostilePage(t *testing.T) {
	var page strings.Builder
	for i := range 33_000 { // more anchors than are kept
		fmt.Fprintf(&page, "<p id=n%d>", i)
	}
	fmt.Fprintf(&page, "<a href=/gone>a</a><a href='/%s'>b</a><a href='x:%s'>c</a>", strings.Repeat("y", 2<<20), strings.Repeat(" ", 2<<20))
	q := begin(t, connect(t), 1, time.Minute)
	seed(t, q)
	if err := q.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := (&check.Checker{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		text := "<p>"
		if req.URL.Path() == "/0" {
			text = page.String()
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(text))}, nil
	}), Policy: graph{}.policy()}).Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := reportOf(t, q); !strings.Contains(got, "good  http://h0.test/gone\n") {
		t.Errorf("the report is %.1000s, want a good http://h0.test/gone", got)
	}
}

// Report returns when its context is done, while it reads shards that the worker does not hold.
func TestReportEndsWithContext(t *testing.T) {
	conn := connect(t)
	q := begin(t, conn, 3, time.Minute)
	seed(t, q)
	if err := q.Seeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := (&check.Checker{Engine: graph{size: 5, hosts: 2, opened: func(string) {}}, Policy: graph{}.policy()}).Run(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	other := begin(t, conn, 3, time.Minute)
	if j, err := other.Next(t.Context()); err != io.EOF {
		t.Fatalf("after the end of the run, Next() = %v, %v, want %v", j, err, io.EOF)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	cancel(why)
	if _, err := other.Report(ctx, check.ReportOptions{}); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("Report with a context that is done = %v, want %v", err, why)
	}
}

// A document with more links than fit into a message loses no link.
func TestManyLinks(t *testing.T) {
	const n = 1200 // links of 1 KiB each; a message has at most 1 MiB
	conn := connect(t)
	q := begin(t, conn, 3, time.Minute)
	from := check.Source{Document: "long"}
	var jobs []check.Job
	random, name := rand.NewChaCha8([32]byte{}), make([]byte, 512)
	for i := range n {
		random.Read(name)
		u := fmt.Sprintf("http://h%d.test/%x", i%7, name)
		from.Links = append(from.Links, check.Link{URL: u, Line: i + 1, Column: 1})
		jobs = append(jobs, check.Job{URL: u})
	}
	if err := errors.Join(q.Seed(t.Context(), from, jobs), q.Seeded(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := begin(t, conn, 3, time.Minute)
	if err := again.Seed(t.Context(), from, jobs); err != nil { // the log contains them already
		t.Fatal(err)
	}
	if err := (&check.Checker{Engine: graph{opened: func(string) {}}}).Run(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	r, err := again.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for f, err := range r.Findings {
		if err != nil || len(f.Places) != 1 {
			t.Fatalf("%v has the places %v, %v, want one", f, f.Places, err)
		}
		at := f.Places[0]
		if at != (check.Place{Document: "long", Line: at.Line, Column: 1}) || f.Link != from.Links[at.Line-1].URL {
			t.Fatalf("%s is at %+v, where the document has another link", f.Link, at)
		}
		links++
	}
	if links != n {
		t.Errorf("there are %d links, want %d", links, n)
	}
}
