package check_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/url"
)

// A visitors counts the running requests to each host, and records when each request began.
type visitors struct {
	mu    sync.Mutex
	start time.Time
	now   map[string]int
	most  map[string]int
	at    map[string][]time.Duration
}

func newVisitors() *visitors {
	return &visitors{start: time.Now(), now: make(map[string]int), most: make(map[string]int), at: make(map[string][]time.Duration)}
}

// enter counts a request to the authority of u until leave is called.
func (v *visitors) enter(u url.URL) (leave func()) {
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(u.String(), u.Scheme()), "://"), "/")
	v.mu.Lock()
	defer v.mu.Unlock()
	v.at[host] = append(v.at[host], time.Since(v.start))
	v.now[host]++
	v.most[host] = max(v.most[host], v.now[host])
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.now[host]--
	}
}

func notFound(req *access.Request, code int) error {
	return &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: code, Text: "Not Found"}, Err: errors.New("it is not there")}
}

func seconds(n ...int) (all []time.Duration) {
	for _, s := range n {
		all = append(all, time.Duration(s)*time.Second)
	}
	return all
}

// The limits count every request to a host, and not only the first request for each URL.
func TestRateOfAll(t *testing.T) {
	for _, test := range []struct {
		name, text string
		policy     check.Policy
		open       func(n int, req *access.Request) (*access.Resource, error)
		want       []time.Duration
	}{
		{"HEAD and GET", "<http://h/1> <http://h/2>", check.Policy{}, func(_ int, req *access.Request) (*access.Resource, error) {
			return nil, notFound(req, 404)
		}, seconds(0, 1, 2, 3)},
		{"redirects", "<ftp://h/1>", check.Policy{}, func(n int, req *access.Request) (*access.Resource, error) {
			if n == 4 {
				return empty(req)
			}
			return nil, &access.Moved{To: url.MustParse(fmt.Sprintf("ftp://h/%d", n+1))}
		}, seconds(0, 1, 2, 3)},
		{"tries", "<ftp://h/1>", check.Policy{Wait: 10 * time.Second}, func(_ int, req *access.Request) (*access.Resource, error) {
			return nil, &access.Error{URL: req.URL, Err: access.ErrTemporary}
		}, seconds(0, 10, 30, 70)},
		{"waiting is no time of a try", "<ftp://h/1>", check.Policy{Timeout: 900 * time.Millisecond, Retries: -1}, func(n int, req *access.Request) (*access.Resource, error) {
			if n == 3 {
				return empty(req)
			}
			return nil, &access.Moved{To: url.MustParse(fmt.Sprintf("ftp://h/%d", n+1))}
		}, seconds(0, 1, 2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v, n := newVisitors(), 0
				test.policy.Rate = 1
				r := links(t, &check.Checker{Policy: test.policy, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
					defer v.enter(req.URL)()
					n++
					return test.open(n, req)
				})}, test.text)
				if !slices.Equal(v.at["h"], test.want) {
					t.Errorf("the requests begin after %v, want %v\n%s", v.at["h"], test.want, tell(r, ""))
				}
				if f := findings(r)[0]; strings.HasPrefix(f.Reason, "not done") {
					t.Errorf("the finding is %v, want a good link", f)
				}
			})
		})
	}
}

// A request for robots.txt counts for the rate. After a transient failure the request is repeated, and the server gets
// no other request meanwhile.
func TestRateOfRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		var asked []string
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(req.URL)()
			asked = append(asked, req.URL.Path())
			if req.URL.Path() == "/robots.txt" && len(asked) < 5 {
				return nil, &access.Error{URL: req.URL, Reply: &access.Reply{Code: 503}, Err: access.ErrTemporary, RetryAfter: 20 * time.Second}
			}
			page := "User-agent: *\nDisallow: /b"
			if req.URL.Path() == "/" {
				page = "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"
			}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(page))}, nil
		})
		q := report.NewQueue(nil)
		if err := check.Start(t.Context(), q, url.MustParse("http://h/")); err != nil {
			t.Fatal(err)
		}
		r := run(t, &check.Checker{Engine: o, Policy: check.Policy{Recursive: true, Scope: []string{"http://h/"}, Rate: 1, Retries: 5, PerServer: 2, Timeout: 10 * time.Second}}, q)
		if want := []string{"/", "/robots.txt", "/robots.txt", "/robots.txt", "/robots.txt", "/a", "/c"}; !slices.Equal(asked, want) {
			t.Errorf("the requests are %q, want %q", asked, want)
		}
		if want := seconds(0, 1, 21, 41, 61); !slices.Equal(v.at["h"][:min(5, len(v.at["h"]))], want) {
			t.Errorf("the requests begin after %v, want %v", v.at["h"], want)
		}
		for i, at := range v.at["h"][1:] {
			if at-v.at["h"][i] < time.Second {
				t.Errorf("the requests begin after %v, want a second between them", v.at["h"])
			}
		}
		if got, want := tell(r, "http://h"), "good /\ngood /a\nunchecked /b: robots.txt disallows it (line 2)\ngood /c\n"; got != want {
			t.Errorf("the report is\n%swant\n%s", got, want)
		}
	})
}

// Servers differ by scheme and port. A URL that redirects through several servers takes a turn at one of them at a
// time.
func TestPerServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(req.URL)()
			time.Sleep(time.Second)
			switch {
			case req.URL.Path() == "/to":
				return nil, &access.Moved{To: url.MustParse("http://b/" + req.URL.Path())}
			case strings.HasPrefix(req.URL.String(), "http://b/"):
				return nil, notFound(req, 404)
			}
			return empty(req)
		})
		links(t, &check.Checker{Engine: o, Policy: check.Policy{PerServer: 1}}, "<http://a/to> <http://a/1> <http://a/2> <http://a/3> <http://a/4>")
		if v.most["a"] != 1 || v.most["b"] != 1 || len(v.at["a"]) != 6 || len(v.at["b"]) != 2 {
			t.Errorf("at most %v requests ran at the same time, want 1 at each server; %v", v.most, v.at)
		}
		v.start = time.Now()
		links(t, &check.Checker{Engine: o, Policy: check.Policy{PerServer: 1}}, "<http://c/1> <https://c/1> <http://c:81/1> <HTTP://C:80/2>")
		if took := time.Since(v.start); took != 2*time.Second || v.most["c"] != 2 || v.most["c:81"] != 1 {
			t.Errorf("4 URLs of 3 servers took %v, with at most %v at the same time", took, v.most)
		}
	})
}

// A pause that a server asks for is respected, up to a minute.
func TestRetryAfterTable(t *testing.T) {
	for _, test := range []struct {
		after time.Duration
		want  []time.Duration
	}{
		{0, seconds(0, 0, 5, 5)}, // with HEAD and GET
		{time.Second, seconds(0, 0, 5, 5)},
		{20 * time.Second, seconds(0, 0, 20, 20)},
		{time.Minute, seconds(0, 0, 60, 60)},
		{time.Minute + 1, seconds(0, 0)},
	} {
		synctest.Test(t, func(t *testing.T) {
			v := newVisitors()
			o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				defer v.enter(req.URL)()
				return nil, &access.Error{URL: req.URL, Reply: &access.Reply{Code: 429, Text: "Slow"}, Err: access.ErrTemporary, RetryAfter: test.after}
			})
			r := links(t, &check.Checker{Engine: o, Policy: check.Policy{Retries: 1, Wait: 5 * time.Second}}, "<http://h/1>")
			if f := findings(r)[0]; !slices.Equal(v.at["h"], test.want) || f.Status != check.BotWall || f.Code != 429 || f.Reason != "429 Slow" {
				t.Errorf("with Retry-After %v, the requests begin after %v, want %v; %v", test.after, v.at["h"], test.want, f)
			}
		})
	}
}

// An attempt ends at its timeout and is repeated. An attempt that ends just before the timeout succeeds.
func TestTimeout(t *testing.T) {
	for _, test := range []struct {
		name string
		open func(ctx context.Context, n int, req *access.Request) (*access.Resource, error)
		want string
		took time.Duration
	}{
		{"never", func(ctx context.Context, _ int, _ *access.Request) (*access.Resource, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, "dead ftp://h/: timed out after 3s", 4*3*time.Second + 7*time.Second},
		{"the second time", func(ctx context.Context, n int, req *access.Request) (*access.Resource, error) {
			if n == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return empty(req)
		}, "good ftp://h/", 4 * time.Second},
		{"late", func(_ context.Context, _ int, req *access.Request) (*access.Resource, error) {
			time.Sleep(5 * time.Second)
			return empty(req)
		}, "good ftp://h/", 5 * time.Second},
		{"elsewhere", func(ctx context.Context, _ int, req *access.Request) (*access.Resource, error) {
			if host, _ := req.URL.Host(); host == "h" {
				time.Sleep(2 * time.Second)
				return nil, &access.Moved{To: url.MustParse("ftp://z/")}
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}, "dead ftp://h/: timed out after 3s", 4*5*time.Second + 7*time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, n := time.Now(), 0
				r := links(t, &check.Checker{Policy: check.Policy{Timeout: 3 * time.Second}, Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
					n++
					return test.open(ctx, n, req)
				})}, "<ftp://h/>")
				if got, took := strings.TrimSpace(tell(r, "")), time.Since(start); got != test.want || took != test.took {
					t.Errorf("check gives %q after %v, want %q after %v", got, took, test.want, test.took)
				}
			})
		})
	}
}

// A run ends when its context is canceled, even if many jobs wait for a turn.
func TestCancelledWhileFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := report.NewQueue(nil)
		var s check.Source
		for i := range 5000 {
			s.Links = append(s.Links, check.Link{URL: fmt.Sprintf("ftp://h/%d", i)})
		}
		if err := check.Seed(ctx, q, s); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			ended <- (&check.Checker{Engine: access.GetFunc(func(ctx context.Context, _ *access.Request) (*access.Resource, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})}).Run(ctx, q)
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Run with a context that was canceled = %v", err)
			}
		default:
			t.Error("Run did not end after its context was canceled")
		}
	})
}

// A run whose context is canceled waits neither for turns at servers that get few requests nor for the pauses before
// retries.
func TestCancelledWhilePaced(t *testing.T) {
	for name, policy := range map[string]check.Policy{"rate": {Rate: 0.1}, "retry": {Wait: 40 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				q := report.NewQueue(nil)
				var s check.Source
				for i := range 100 {
					s.Links = append(s.Links, check.Link{URL: fmt.Sprintf("ftp://h/%d", i)})
				}
				if err := check.Seed(ctx, q, s); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				err := (&check.Checker{Policy: policy, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
					return nil, &access.Error{URL: req.URL, Err: access.ErrTemporary}
				})}).Run(ctx, q)
				if took := time.Since(start); !errors.Is(err, context.Canceled) || took > time.Second {
					t.Errorf("Run = %v after %v, want it to end after a second", err, took)
				}
			})
		})
	}
}

// robots.txt is requested only for http and https. A terminal session is opened and not read.
func TestNoWeb(t *testing.T) {
	var asked []string
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked = append(asked, req.URL.String())
		body := io.NopCloser(strings.NewReader(""))
		if req.URL.Scheme() == "telnet" {
			body = &entries{} // reading it fails the test
		}
		if req.URL.String() == "ftp://h/" {
			body = io.NopCloser(strings.NewReader("<a href=a>a</a>"))
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: body}, nil
	})
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("ftp://h/"), url.MustParse("telnet://h/")); err != nil {
		t.Fatal(err)
	}
	c := &check.Checker{Engine: o, Policy: check.Policy{Recursive: true, Scope: []string{"ftp://h/"}, Jobs: 1}}
	if got, want := tell(run(t, c, q), ""), "good ftp://h/\ngood ftp://h/a\ngood telnet://h/\n"; got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
	if slices.Sort(asked); !slices.Equal(asked, []string{"ftp://h/", "ftp://h/a", "telnet://h/"}) {
		t.Errorf("the requests are %q", asked)
	}
}

// The zero Policy checks 8 URLs of one server and 64 URLs of all servers at the same time while servers answer soon.
// TestJobsGrow tests slow servers.
func TestDefaultLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVisitors()
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			defer v.enter(url.MustParse("ftp://all/"))()
			defer v.enter(req.URL)()
			time.Sleep(5 * time.Millisecond)
			return empty(req)
		})
		var text strings.Builder
		for i := range 100 {
			fmt.Fprintf(&text, "<ftp://h/%d> <ftp://h%d/>\n", i, i)
		}
		links(t, &check.Checker{Engine: o}, text.String())
		if v.most["h"] != 8 || v.most["all"] != 64 {
			t.Errorf("%d URLs of one server and %d in all are checked at the same time, want 8 and 64", v.most["h"], v.most["all"])
		}
	})
}

// A rule for a host sets its rate and how many of its URLs are checked at the same time. It also counts requests that
// another host redirects to the host, and does not apply to the other host.
func TestLimitsOfHost(t *testing.T) {
	for _, test := range []struct {
		name     string
		rule     check.HostRule
		policy   check.Policy
		at       []time.Duration // when the requests to the host begin
		most     int             // how many of them run at the same time
		mostElse int             // how many requests to another host run at the same time
	}{
		{"rate", check.HostRule{Host: "a", Rate: 0.5}, check.Policy{}, seconds(0, 2, 4, 6), 2, 3},
		{"instead of the rate of all", check.HostRule{Host: "a", Rate: 0.5}, check.Policy{Rate: 100}, seconds(0, 2, 4, 6), 2, 3},
		{"per host", check.HostRule{Host: "a", PerServer: 1}, check.Policy{}, seconds(0, 3, 6, 9), 1, 3},
		{"instead of that of all", check.HostRule{Host: "a", PerServer: 4}, check.Policy{PerServer: 1}, seconds(0, 0, 0, 4), 3, 1},
		{"for another host", check.HostRule{Host: "*.a", PerServer: 1, Rate: 0.1}, check.Policy{}, seconds(0, 0, 0, 4), 3, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newVisitors()
				engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
					defer v.enter(req.URL)()
					time.Sleep(3 * time.Second)
					if strings.HasPrefix(req.URL.String(), "ftp://b/") {
						time.Sleep(time.Second)
					}
					if req.URL.String() == "ftp://b/4" {
						return nil, &access.Moved{To: url.MustParse("ftp://a/4")}
					}
					return empty(req)
				})
				test.policy.Hosts = []check.HostRule{test.rule}
				text := "<ftp://a/1> <ftp://a/2> <ftp://a/3> <ftp://b/4> <ftp://b/5> <ftp://b/6>"
				links(t, &check.Checker{Engine: engine, Policy: test.policy}, text)
				if !slices.Equal(v.at["a"], test.at) || v.most["a"] != test.most || v.most["b"] != test.mostElse {
					t.Errorf("requests to a begin after %v, want %v, %d at once, want %d, and to b %d at once, want %d",
						v.at["a"], test.at, v.most["a"], test.most, v.most["b"], test.mostElse)
				}
			})
		})
	}
}
