package locus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/cache"
	"locus/limit"
	"locus/retry"
	"locus/url"
)

// For every limit, 0 means the documented default, and a negative value means no limit.
func TestLimitsOfZero(t *testing.T) {
	const long = 1000 * time.Hour
	for _, test := range []struct {
		name      string
		exceed    func(t *testing.T, n int) error // does more than the limit n allows
		hasBounds bool                            // the default is a limit
	}{
		{"Limits.Bytes", func(t *testing.T, n int) error {
			return readThrough(t, &locus.Client{Limits: locus.Limits{Bytes: int64(n)}}, 1<<20, 0)
		}, false},
		{"Limits.Total", func(t *testing.T, n int) error {
			return readThrough(t, &locus.Client{Limits: locus.Limits{Total: time.Duration(n)}, MinRate: -1}, 1, long)
		}, false},
		{"Client.MinRate", func(t *testing.T, n int) error {
			return readThrough(t, &locus.Client{MinRate: int64(n), Retries: -1}, 1, long)
		}, true},
		{"limit.Engine.MinRate", func(t *testing.T, n int) error {
			return read(t, limit.Engine{Engine: slow(1, long), MinRate: int64(n)})
		}, true},
		{"limit.Rate.PerSecond", func(t *testing.T, n int) error {
			return read(t, limit.Engine{Engine: slow(1<<20, 0), Rate: &limit.Rate{PerSecond: int64(n)}})
		}, false},
		{"limit.Limiter.PerServer", func(t *testing.T, n int) error {
			return takeTurns(t, &limit.Limiter{PerServer: n, MaxWait: 1})
		}, false},
		{"limit.Limiter.Share", func(t *testing.T, n int) error {
			return takeTurns(t, &limit.Limiter{Share: n, MaxWait: 1})
		}, false},
		{"limit.Limiter.MaxWait", func(t *testing.T, n int) error {
			l := &limit.Limiter{PerServer: 1, MaxWait: time.Duration(n)}
			release, err := l.Wait(t.Context(), "", "x")
			if err != nil {
				return err
			}
			time.AfterFunc(long, release)
			_, err = l.Wait(t.Context(), "", "x")
			return err
		}, false},
		{"limit.Timed.Timeout", func(t *testing.T, n int) error {
			return read(t, limit.Timed{Engine: slow(1, long), Timeout: time.Duration(n)})
		}, false},
		{"access.Follow.Max", func(t *testing.T, n int) error {
			return read(t, access.Follow{Engine: redirects(100), Max: n})
		}, true},
		{"retry.Policy.Time", func(t *testing.T, n int) error {
			return retryFor(t, retry.Policy{Retries: 100, Time: time.Duration(n), Wait: time.Hour}, 50)
		}, true},
		{"retry.Policy.Wait", func(t *testing.T, n int) error {
			return retryFor(t, retry.Policy{Retries: 2000, Wait: time.Duration(n)}, 1000)
		}, true},
	} {
		for n, isExceeded := range map[int]bool{0: test.hasBounds, -1: false} {
			synctest.Test(t, func(t *testing.T) {
				if err := test.exceed(t, n); (err != nil) != isExceeded {
					t.Errorf("%s %d: %v", test.name, n, err)
				}
			})
		}
	}
}

// A negative number of retries means none, and 0 means the same number everywhere.
func TestRetriesOfZero(t *testing.T) {
	for n, want := range map[int]int{-1: 1, 0: 1 + retry.DefaultRetries, 2: 3} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			fails := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				asked++
				return nil, engine.Fail("open", req.URL, access.ErrTemporary)
			})
			for name, e := range map[string]access.Engine{
				"Client":       client(&locus.Client{Retries: n}, fails),
				"retry.Policy": retry.Engine{Engine: fails, Policy: retry.Policy{Retries: n}},
			} {
				asked = 0
				if err := read(t, e); !errors.Is(err, access.ErrTemporary) || asked != want {
					t.Errorf("%s with %d retries asks %d times, %v, want %d", name, n, asked, err, want)
				}
			}
		})
	}
}

// A folder without a limit keeps everything.
func TestFolderOfZero(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder, err := cache.OpenFolder(root, -1)
	if err != nil {
		t.Fatal(err)
	}
	c := &cache.Cache{Folder: folder, Engine: slow(1<<20, 0)}
	for range 2 {
		if err := read(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if c.Hits() != 1 || folder.Used() < 1<<20 {
		t.Errorf("%d hits, and %d bytes are used, want the resource to be stored", c.Hits(), folder.Used())
	}
}

// read reads x://h/0 to its end.
func read(t *testing.T, engine access.Engine) error {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: url.MustParse("x://h/0")})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// readThrough reads a resource of size bytes with c. The last byte comes after wait.
func readThrough(t *testing.T, c *locus.Client, size int, wait time.Duration) error {
	t.Helper()
	defer c.Close()
	return read(t, client(c, slow(size, wait)))
}

// client returns c with the engine for x URLs.
func client(c *locus.Client, engine access.Engine) *locus.Client {
	c.Engines = func(locus.Dial) map[string]locus.Scheme { return map[string]locus.Scheme{"x": {Engine: engine}} }
	return c
}

// slow returns an Engine whose resources have size bytes. The last byte comes after wait.
func slow(size int, wait time.Duration) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.MultiReader(bytes.NewReader(make([]byte, size-1)), &late{wait: wait})
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(body)}, nil
	})
}

// A late gives one byte after a wait.
type late struct {
	wait  time.Duration
	ended bool
}

func (l *late) Read(p []byte) (int, error) {
	if l.ended {
		return 0, io.EOF
	}
	time.Sleep(l.wait)
	l.ended = true
	return copy(p, "x"), nil
}

// redirects returns an Engine that redirects most times.
func redirects(most int) access.Engine {
	n := 0
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if n++; n <= most {
			return nil, &access.Moved{To: url.MustParse(fmt.Sprintf("gopher://h/%d", n))}
		}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 0}, Body: io.NopCloser(strings.NewReader(""))}, nil
	})
}

// takeTurns takes many turns of one client at one server.
func takeTurns(t *testing.T, l *limit.Limiter) error {
	t.Helper()
	for range 1000 {
		if _, err := l.Wait(t.Context(), "client", "server"); err != nil {
			return err
		}
	}
	return nil
}

// retryFor retries a function that fails failures times. It returns an error if that takes
// longer than a minute.
func retryFor(t *testing.T, p retry.Policy, failures int) error {
	t.Helper()
	n := 0
	return p.Do(t.Context(), func(context.Context) error {
		if n++; n <= failures {
			return access.ErrTemporary
		}
		return nil
	}, nil)
}
