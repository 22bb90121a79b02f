package check_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/check"
	"locus/check/report"
	"locus/url"
)

// A slowPage is the body of a page. After each MiB it waits, so that all pages that are read at the same time grow
// together. It counts the bytes of the bodies that are open.
type slowPage struct {
	left, read int
	open, most *atomic.Int64
}

func (p *slowPage) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), p.left, 1<<20)
	copy(b, strings.Repeat(" ", n))
	p.left, p.read = p.left-n, p.read+n
	open := p.open.Add(int64(n))
	for most := p.most.Load(); open > most && !p.most.CompareAndSwap(most, open); most = p.most.Load() {
	}
	time.Sleep(time.Millisecond)
	return n, nil
}

func (p *slowPage) Close() error {
	p.open.Add(-int64(p.read))
	return nil
}

// The pages that are read at the same time share the memory. A page that is larger than all of it is read, too.
func TestAttackLargePages(t *testing.T) {
	// attack: Many links lead to pages that are small when compressed, and large when read | all
	// pages together use at most 256 MiB of memory, plus one page; the others wait, and their
	// timeouts wait, too
	const size = 8 << 20
	for _, test := range []struct {
		max   int64
		pages int64 // the number of pages that may be read at once
	}{
		{0, 256 / 4 / 8}, {96 << 20, 3}, {16 << 20, 1}, {-1, 40},
	} {
		synctest.Test(t, func(t *testing.T) {
			var open, most atomic.Int64
			o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{
					Entry: access.Entry{URL: req.URL, Type: "text/html"},
					Body:  &slowPage{left: size, open: &open, most: &most},
				}, nil
			})
			var text strings.Builder
			for i := range 40 {
				fmt.Fprintf(&text, "<http://h%d.net/#x> ", i)
			}
			c := &check.Checker{Engine: o, MaxMemory: test.max, Policy: check.Policy{Retries: -1, Timeout: 50 * time.Millisecond, Jobs: 40}}
			r := links(t, c, text.String())
			if r.Counts[check.Dead] != 40 || findings(r)[0].Class != check.ClassAnchor {
				t.Errorf("with %d bytes of memory the report is %s", test.max, r.Summary())
			}
			if got, limit := most.Load(), (test.pages+1)*size+40*(2<<20); got > limit || test.max < 0 && got < limit/2 {
				t.Errorf("with %d bytes of memory, %d bytes of pages are read at once, want at most %d", test.max, got, limit)
			}
		})
	}
}

// A page whose links need more memory than all pages may use is unchecked, and the run goes on.
func TestTooManyLinks(t *testing.T) {
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Type: "text/html"}, Body: io.NopCloser(strings.NewReader(strings.Repeat("<a href=x>", 10_000))),
		}, nil
	})
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("http://h.net/")); err != nil {
		t.Fatal(err)
	}
	got := tell(run(t, &check.Checker{Engine: o, MaxMemory: 1 << 20, Policy: check.Policy{Retries: -1}}, q), "http://h.net")
	if want := "unchecked /: its links need more than 1 MiB of memory\n"; got != want {
		t.Errorf("the report is\n%swant\n%s", got, want)
	}
}
