package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/check"
	"locus/internal/spill"
)

// inFolder returns a function that creates temporary files. open counts the files that are open.
func inFolder(t *testing.T, open *int) func() (check.File, error) {
	dir := t.TempDir()
	return func() (check.File, error) {
		*open++
		f, err := os.Create(filepath.Join(dir, fmt.Sprint(*open)))
		return countedFile{f, open}, err
	}
}

type countedFile struct {
	*os.File
	open *int
}

func (f countedFile) Close() error {
	*f.open--
	return f.File.Close()
}

// A sorter yields the same order from files as from memory.
func TestSorter(t *testing.T) {
	open := 0
	small, large := newSorter(nil), newSorter(inFolder(t, &open))
	for range 10_000 {
		p := placedLink{fmt.Sprintf("http://h/%d%s", rand.IntN(5000), strings.Repeat("y", 900)), check.Place{Document: fmt.Sprint(rand.IntN(50)), Line: rand.IntN(9), Column: rand.IntN(9)}}
		_, _ = small.Add(p), large.Add(p)
	}
	if err := errors.Join(small.End(), large.End()); err != nil {
		t.Fatal(err)
	}
	if large.Runs() < 2 {
		t.Fatalf("there are %d runs on the disk, want several", large.Runs())
	}
	var got []placedLink
	for p, err := range large.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	var want []placedLink
	for p := range small.All() {
		want = append(want, p)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d places from the disk are not the %d from memory", len(got), len(want))
	}
}

// sites is an Engine of numbered pages with links to other pages. Some pages are missing, and so are all pages with a
// higher number than the sites.
type sites int

func (last sites) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	var n int
	_, _ = fmt.Sscanf(req.URL.Path(), "/%d", &n)
	if n%7 == 6 || n > int(last) {
		return nil, &access.Error{Op: "open", URL: req.URL, Reply: &access.Reply{Code: 404, Text: "Not Found"}, Err: errors.New("gone")}
	}
	page := fmt.Sprintf("<p id=x><a href=/%d>a</a><a href=/%d#x>b</a><a href=/%d#y>c</a><a href='http://[::1/y'>d</a>", 2*n+1, 2*n+2, n/2)
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: io.NopCloser(strings.NewReader(page))}, nil
}

// tell formats a report with all fields except times.
func tell(t *testing.T, r *check.Report) string {
	t.Helper()
	var b strings.Builder
	for f, err := range r.Findings {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, f)
		for _, p := range f.Places {
			fmt.Fprintf(&b, "    %v\n", p)
		}
		fmt.Fprintln(&b, f.Fails, f.Code, f.Class, f.Hops, f.Tries)
	}
	return b.String() + r.Summary()
}

// walkSites crawls sites with a queue, and returns its reports: without and with All.
func walkSites(t *testing.T, pages sites, q check.Queue, create func() (check.File, error)) string {
	t.Helper()
	ctx := t.Context()
	c := &check.Checker{Engine: pages, Policy: check.Policy{Recursive: true, IgnoreRobots: true, Scope: []string{"http://h/"}}}
	l := check.Link{URL: "http://h/0", Line: 1}
	if err := q.Seed(ctx, check.Source{Document: "list", Links: []check.Link{l}}, []check.Job{{URL: l.URL, Crawl: true}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(ctx, q); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, all := range []bool{false, true} {
		r, err := q.Report(t.Context(), check.ReportOptions{All: all, Create: create})
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(tell(t, r))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// A queue in files gives the same report as a queue in memory, and Close closes its files.
func TestQueue(t *testing.T) {
	open := 0
	create := inFolder(t, &open)
	memory := NewQueue(nil)
	want := walkSites(t, 1500, memory, nil)
	if !strings.Contains(want, "404 Not Found\n    http://h/") {
		t.Fatalf("in memory the report is %.500s, want dead links of pages", want)
	}
	onDisk := NewQueue(create)
	onDisk.texts.Most = spill.TailSize / 2
	if got := walkSites(t, 1500, onDisk, create); got != want {
		t.Errorf("in files the report is %.500s\nwant %.500s", got, want)
	}
	if onDisk.texts.Spilled() == 0 {
		t.Error("the texts stayed in memory, want them in a file")
	}
	if err := onDisk.Close(); err != nil || open != 0 {
		t.Errorf("Close() = %v, and %d files are open, want 0", err, open)
	}
	if n := strings.Count(want, "\n    http://h/"); n < 1000 {
		t.Errorf("the report has %d places in pages, want at least 1000", n)
	}
	if !strings.Contains(want, "dead  http://[::1/y  it is not a URL: ") {
		t.Errorf("the report is %.500s, want the link http://[::1/y, which is not a URL", want)
	}
}

// A brokenFile fails like a file on a full disk. left is how many writes succeed before.
type brokenFile struct {
	*os.File
	left *int
}

var errFull = errors.New("the disk is full")

func (f brokenFile) WriteAt(p []byte, at int64) (int, error) {
	if *f.left--; *f.left < 0 {
		return 0, errFull
	}
	return f.File.WriteAt(p, at)
}

// A run ends with the error of the disk, whichever file the disk refuses.
func TestQueueFullDisk(t *testing.T) {
	for i, left := range []int{-1, 0, 1, 4, -1, 0, 1, 4} {
		open := 0
		create := inFolder(t, &open)
		n := left
		q := NewQueue(func() (check.File, error) {
			if n < 0 {
				return nil, errFull
			}
			f, err := create()
			return brokenFile{f.(countedFile).File, &n}, err
		})
		q.texts.Most = 1 << 10 // the URLs have some 20 KiB
		if i >= 4 {            // the disk fills with the log
			q.texts.Most, q.log.Most = 0, 1<<10
		}
		err := q.Seed(t.Context(), check.Source{Document: "x"}, []check.Job{{URL: "http://h/0", Crawl: true}})
		if err == nil {
			c := &check.Checker{Engine: sites(500), Policy: check.Policy{Recursive: true, IgnoreRobots: true, Scope: []string{"http://h/"}}}
			err = c.Run(t.Context(), q)
		}
		if !errors.Is(err, errFull) {
			t.Errorf("with a disk that is full after %d writes, the run ends with %v, want %v", left, err, errFull)
		}
		_ = q.Close()
	}
}

// A run is resumed from a log that ends at any byte. Its report is the same as without the interruption.
func TestOpenQueue(t *testing.T) {
	want := walkSites(t, 100, NewQueue(nil), nil)
	name := filepath.Join(t.TempDir(), "log")
	reopen := func() *Queue {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenQueue(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := reopen()
	if got := walkSites(t, 100, s, nil); got != want {
		t.Errorf("with a log the report is %.500s\nwant %.500s", got, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{len(whole), len(whole) - 1, 2 * len(whole) / 3, len(whole) / 3, 100, 1, 0} {
		rest := append(slices.Clone(whole[:n]), "broken"...)
		if err := os.WriteFile(name, rest, 0o600); err != nil {
			t.Fatal(err)
		}
		s := reopen()
		if n == len(whole) {
			if j, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("after the whole log, Next() = %v, %v, want %v", j, err, io.EOF)
			}
		}
		if got := walkSites(t, 100, s, nil); got != want {
			t.Errorf("after %d of %d bytes the report is %.500s\nwant %.500s", n, len(whole), got, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// If a URL has two results, the report uses the result with anchors.
func TestTwoResults(t *testing.T) {
	plain, more := check.Result{URL: "http://h/", Tries: 1}, check.Result{URL: "http://h/", Tries: 2, Anchors: []uint64{1}}
	look, walk := check.Job{URL: "http://h/"}, check.Job{URL: "http://h/", Crawl: true}
	for _, walkFirst := range []bool{true, false} {
		s := NewQueue(nil)
		err := s.Seed(t.Context(), check.Source{Document: "d", Links: []check.Link{{URL: "http://h/"}}}, nil)
		if walkFirst {
			err = errors.Join(err, s.Done(t.Context(), walk, more, check.Found{}), s.Done(t.Context(), look, plain, check.Found{}))
		} else {
			err = errors.Join(err, s.Done(t.Context(), look, plain, check.Found{}), s.Done(t.Context(), walk, more, check.Found{}))
		}
		// A second result of the same job is ignored.
		err = errors.Join(err, s.Done(t.Context(), look, check.Result{URL: "http://h/", Status: check.Dead}, check.Found{Links: []check.Link{{URL: "http://no/"}}}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Report(t.Context(), check.ReportOptions{All: true})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for f := range r.Findings {
			if n++; f.Tries != 2 || f.Status != check.Good {
				t.Errorf("with the crawl first = %v, the result is %+v, want a good one with Tries 2", walkFirst, f.Result)
			}
		}
		if n != 1 {
			t.Errorf("with the crawl first = %v, the report has %d links, want 1", walkFirst, n)
		}
	}
}

// A jobLog returns jobs in the order in which they were added, even if jobs are added between the calls of next.
func TestJobLog(t *testing.T) {
	open := 0
	q := jobLog{Log: spill.Log{Create: spillFiles(inFolder(t, &open)), Most: 1 << 10}}
	defer q.Close()
	const n = 5*jobsTogether + 1
	added := int64(0)
	for want := range int64(n) {
		for ; added < min(want+want/3+1, n); added++ {
			if err := q.add(added << 20); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := q.next(); got != want<<20 || err != nil {
			t.Fatalf("next() = %d, %v, want %d", got, err, want<<20)
		}
	}
	if _, err := q.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after %d jobs, next() returns the error %v, want %v", n, err, io.EOF)
	}
	for _, at := range []int64{0, n - 1, jobsTogether, 7} {
		if got, err := q.read(at * jobSize); got != at<<20 || err != nil {
			t.Errorf("read(%d) = %d, %v, want %d", at, got, err, at<<20)
		}
	}
}

// A report has the good links that its caller asks for, by their URLs without passwords.
func TestAlso(t *testing.T) {
	q := NewQueue(nil)
	defer q.Close()
	links := []check.Link{{URL: "http://h/a", Line: 1}, {URL: "http://u:sesame@h/b", Line: 2}, {URL: "http://h/c", Line: 3}}
	var jobs []check.Job
	for _, l := range links {
		jobs = append(jobs, check.Job{URL: l.URL})
	}
	if err := q.Seed(t.Context(), check.Source{Document: "d", Links: links}, jobs); err != nil {
		t.Fatal(err)
	}
	for range links {
		j, err := q.Next(t.Context())
		if err == nil {
			err = q.Done(t.Context(), j, check.Result{URL: j.URL, Status: check.Good}, check.Found{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		also []string
		want string
	}{
		{nil, ""},
		{[]string{"http://h/none"}, ""},
		{[]string{"http://u:xxxxx@h/b"}, "http://u:sesame@h/b:2"},
		{[]string{"http://u:sesame@h/b"}, ""},
		{[]string{"http://h/c", "http://h/a"}, "http://h/a:1 http://h/c:3"},
	} {
		report, err := q.Report(t.Context(), check.ReportOptions{Also: test.also})
		if err != nil {
			t.Errorf("Report with Also %q: %v", test.also, err)
			continue
		}
		var got []string
		for f, err := range report.Findings {
			if err != nil || len(f.Places) != 1 {
				t.Errorf("with Also %q the finding is %+v, %v, want one place", test.also, f, err)
				continue
			}
			got = append(got, fmt.Sprint(f.Link, ":", f.Places[0].Line))
		}
		if err := report.Close(); err != nil || strings.Join(got, " ") != test.want || report.Counts[check.Good] != len(links) {
			t.Errorf("Report with Also %q = %q, %v, and counts %v, want %q", test.also, got, err, report.Counts, test.want)
		}
	}
}
