package check_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
)

// A server that never ends takes no more time and memory than the policy allows, and does not delay other servers.
func TestHostileServers(t *testing.T) {
	var sent atomic.Int64
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 3 { // in sum more than MaxBody
		_, _ = z.Write(bytes.Repeat([]byte("<a href=/x>"), 100_000))
	}
	_ = z.Close()
	asked := make(chan struct{}) // closed when the good page was requested
	once := sync.OnceFunc(func() { close(asked) })
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/endless":
			for piece := bytes.Repeat([]byte(" "), 1<<16); r.Context().Err() == nil; {
				n, err := w.Write(piece)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		case "/stalls":
			_, _ = io.WriteString(w, "<p id=x>")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/waits":
			_, _ = io.WriteString(w, "<p id=x>")
			w.(http.Flusher).Flush()
			select {
			case <-asked:
			case <-r.Context().Done():
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/short":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<p id=x>")
		case "/redirects":
			http.Redirect(w, r, "http://[::1", http.StatusFound)
		case "/header":
			for i := range 3000 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		case "/fine":
			_, _ = io.WriteString(w, "<p id=x>")
			once()
		}
	})
	got := ""
	for _, test := range []struct {
		text    string
		timeout time.Duration
	}{
		{"<R/waits#x> <R/endless#x> <R/bomb#x> <R/short#x> <R/redirects#x> <R/header#x> <R/fine#x>", time.Minute},
		{"<R/stalls#x>", 300 * time.Millisecond},
	} {
		c := &check.Checker{Engine: opener(t), Policy: check.Policy{Timeout: test.timeout, Retries: -1, MaxBody: 1 << 20}}
		got += tell(links(t, c, strings.ReplaceAll(test.text, "R", s.URL)), s.URL)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	for i, want := range []string{
		`unchecked /bomb#x: only the first 1048576 bytes of the page were read`, `unchecked /endless#x: only the first 1048576 bytes of the page were read`, `good /fine#x`, `dead /header: `, `dead /redirects: `, `dead /short: `, `good /waits#x`, `dead /stalls: timed out after 300ms`,
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("the report is\n%swant %q in line %d", got, want, i+1)
			break
		}
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes of an endless page were read", n)
	}
}

// A page behind long redirects is unchecked, because its result would be too large to keep the anchors.
func TestLongRedirects(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d?%s", n-1, strings.Repeat("x", 60<<10)), http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p id=x>text")
	})
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}
	got := tell(links(t, c, strings.ReplaceAll("<R/4#none> <R/16#none>", "R", s.URL)), s.URL)
	want := "unchecked /16: its redirects have more than 256 KiB in all\n" + `dead /4#none: the page has no anchor named "none"` + "\n"
	if got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
}

// After each failure the pause is twice as long as before.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			at = append(at, time.Since(start))
			return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 503, Text: "Later"}, Err: access.ErrTemporary}
		})
		r := links(t, &check.Checker{Engine: o, Policy: check.Policy{Retries: 8, Wait: 10 * time.Second}}, "<ftp://a/>")
		var want []time.Duration
		for at, wait := time.Duration(0), 10*time.Second; len(want) < 9; wait = min(2*wait, time.Minute) {
			want = append(want, at)
			at += wait
		}
		if !slices.Equal(at, want) || !r.Failed() || findings(r)[0].Tries != 9 {
			t.Errorf("the requests began after %v, want %v; %s", at, want, r.Summary())
		}
	})
}
