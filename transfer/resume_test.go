package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/retry"
)

// A store is an Engine with one resource. Its connections break as told.
type store struct {
	text    string
	version access.Validator
	whole   bool // it gives the whole, whatever is asked for
	noSize  bool // it tells no size

	mu    sync.Mutex
	asked []access.Request
	next  []step // what happens to each access; then all goes well
}

// A step is what happens to one request.
type step struct {
	err    error         // of Do
	cut    int           // if it is not 0, Read fails after so many bytes
	change string        // the resource is this from now on
	pause  time.Duration // before each read
}

var errCut = &access.Error{Op: "read", Err: io.ErrUnexpectedEOF}

func (s *store) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, *req)
	var now step
	if len(s.next) > 0 {
		now, s.next = s.next[0], s.next[1:]
	}
	if now.change != "" {
		s.text = now.change
		s.version.ModTime = s.version.ModTime.Add(time.Hour)
	}
	if now.err != nil {
		return nil, now.err
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(s.text)), ModTime: s.version.ModTime}, ETag: s.version.ETag, Offset: req.Offset}
	if s.whole {
		r.Offset = 0
	}
	if s.noSize {
		r.Size = -1
	}
	end := len(s.text)
	if req.Length > 0 && !s.whole {
		end = min(end, int(req.Offset+req.Length))
	}
	if int(r.Offset) > end {
		return nil, access.ErrRange
	}
	r.Body = &stored{step: now, r: strings.NewReader(s.text[r.Offset:end])}
	return r, nil
}

type stored struct {
	step
	r *strings.Reader
	n int
}

func (b *stored) Read(p []byte) (int, error) {
	time.Sleep(b.pause)
	if b.cut > 0 {
		if b.n == b.cut {
			return 0, errCut
		}
		p = p[:min(len(p), b.cut-b.n)]
	}
	n, err := b.r.Read(p[:min(len(p), 1000)])
	b.n += n
	return n, err
}

func (b *stored) Close() error { return nil }

// A part is resumed only if it is of the same resource.
func TestContinue(t *testing.T) {
	text := noise(400_000)
	v := access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ETag: `"1"`}
	for _, split := range []int{1, 3} {
		for _, test := range []struct {
			name    string
			between func(*store)
			resumed bool
		}{
			{"the same", func(*store) {}, true},
			{"another tag", func(s *store) { s.version.ETag, s.text = `"2"`, noise(399_999) }, false},
			{"another size", func(s *store) { s.version, s.text = access.Validator{}, noise(420_000) }, false},
			{"other bytes", func(s *store) { s.version, s.text = access.Validator{}, strings.Repeat("x", 400_000) }, false},
			{"shorter than what is here", func(s *store) { s.version, s.text = access.Validator{}, "short" }, false},
			{"the whole alone", func(s *store) { s.whole = true }, false},
		} {
			t.Run(fmt.Sprint(test.name, " split ", split), func(t *testing.T) {
				root, dir := folder(t)
				s := &store{text: text, version: v, next: slices.Repeat([]step{{cut: 100_000}}, split)}
				opts := Options{Continue: true, Split: split, SplitSize: 1000, Retry: retry.Policy{Retries: -1}}
				if _, err := Get(t.Context(), s, request("http://u:secret@h/"), root, "f", opts); err == nil {
					t.Fatal("it did not break off")
				}
				left := contents(t, dir)
				if _, ok := left["f"]; ok || left["f.part"] == "" || strings.Contains(left["f.part.json"], "secret") {
					t.Fatalf("left: %q", left["f.part.json"])
				}
				test.between(s)
				s.next = nil
				result, err := Get(t.Context(), s, request("http://u:secret@h/"), root, "f", opts)
				if err != nil || (result.Resumed > 0) != test.resumed {
					t.Errorf("Get = %+v, %v; want resumed %v", result, err, test.resumed)
				}
				compareTrees(t, contents(t, dir), map[string]string{"f": s.text})
			})
		}
	}
}

// If an engine refuses to start in the middle, the event gives its reason, because an archive may
// refuse a range that the server supports.
func TestRestartedReason(t *testing.T) {
	for _, test := range []struct {
		refusal error
		want    string
	}{
		{errors.ErrUnsupported, "the server does not support ranges"},
		{&access.Error{Op: "open", Err: errors.ErrUnsupported}, "the server does not support ranges"},
		{&access.Error{Op: "open", Err: engine.Reason("an archive gets whole resources", errors.ErrUnsupported)}, "an archive gets whole resources"},
	} {
		root, _ := folder(t)
		s := &store{text: noise(200_000), version: access.Validator{ETag: `"1"`}, next: []step{{cut: 100_000}, {err: test.refusal}}}
		opts := Options{Retry: retry.Policy{Wait: -1}}
		var why []string
		opts.Event = func(e Event) {
			if e.Kind == Restarted {
				why = append(why, e.Err.Error())
			}
		}
		if _, err := Get(t.Context(), s, request("http://h/"), root, "f", opts); err != nil {
			t.Errorf("Get from an engine that refuses an Offset with %v = %v, want nil", test.refusal, err)
		}
		if !slices.Equal(why, []string{test.want}) {
			t.Errorf("an engine that refuses an Offset with %v gives the reasons %q, want %q", test.refusal, why, test.want)
		}
	}
}

// Bytes that were received before the disk was full are resumed, even without a new
// state.
func TestContinueFull(t *testing.T) {
	text := noise(2_000_000)
	for _, split := range []int{1, 3} {
		root, dir := folder(t)
		s := &store{text: text, version: access.Validator{ETag: `"1"`}, next: slices.Repeat([]step{{cut: 500_000}}, split)}
		opts := Options{Continue: true, Split: split, SplitSize: 1000, Retry: retry.Policy{Retries: -1}}
		opts.Event = func(e Event) {
			if e.Kind == Progress {
				fill(t, dir, map[string]string{"f.part.json.new/x": "in the way"})
			}
		}
		if split > 1 { // of which a state tells what is done
			s.next = slices.Repeat([]step{{cut: 200_000}}, split)
			fill(t, dir, map[string]string{"f.part.json": `{"url":"http://h/","size":2000000,"etag":"\"1\"","done":[[0,1000000]]}`, "f.part": text[:1_000_000]})
			fill(t, dir, map[string]string{"f.part.json.new/x": "in the way"})
		}
		if _, err := Get(t.Context(), s, request("http://h/"), root, "f", opts); err == nil {
			t.Fatalf("Get in %d parts did not break off", split)
		}
		if err := root.RemoveAll("f.part.json.new"); err != nil {
			t.Fatal(err)
		}
		opts.Event, s.next = nil, nil
		if result, err := Get(t.Context(), s, request("http://h/"), root, "f", opts); err != nil || result.Resumed < 500_000 {
			t.Errorf("split %d: Get = %+v, %v; want it resumed", split, result, err)
		}
		compareTrees(t, contents(t, dir), map[string]string{"f": text})
	}
}

// A part can be resumed at whatever moment the process was killed, also if it has
// holes.
func TestContinueKilled(t *testing.T) {
	text := noise(500_000)
	for _, test := range []struct {
		name  string
		first string // what is here when it begins
		done  string // of the state
		split int
	}{
		{"one piece", "", "", 1},
		{"ranges", "", "", 3},
		{"one piece, then ranges", text[:100_000], "", 3},
		{"ranges, then one piece", text[:100_000], `,"done":[[0,100000]]`, 1},
		{"ranges, then others", text[:100_000], `,"done":[[0,100000]]`, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{text: text, version: access.Validator{ETag: `"1"`}}
				root, dir := folder(t)
				later, laterDir := folder(t)
				if test.first != "" {
					fill(t, dir, map[string]string{"f.part": test.first, "f.part.json": `{"url":"http://h/","size":500000,"etag":"\"1\""` + test.done + `}`})
				}
				killed := 0
				opts := Options{Continue: true, Split: test.split, SplitSize: 1000, Retry: retry.Policy{Retries: -1}}
				gone := opts
				gone.Event = func(e Event) {
					if e.Kind != Progress {
						return
					}
					killed++
					fill(t, laterDir, contents(t, dir))
					if _, err := Get(t.Context(), s, request("http://h/"), later, "f", opts); err != nil {
						t.Errorf("after %d bytes: %v", e.Done, err)
					}
					if got := contents(t, laterDir); got["f"] != text {
						t.Fatalf("after %d bytes the file has %d others", e.Done, differing(got["f"], text))
					}
				}
				s.next = slices.Repeat([]step{{pause: time.Millisecond}}, test.split)
				if _, err := Get(t.Context(), s, request("http://h/"), root, "f", gone); err != nil || killed == 0 {
					t.Errorf("Get = %v, killed %d times", err, killed)
				}
			})
		})
	}
}

// A process that is killed while it writes a state leaves the new state beside the old one. The next Get removes it.
func TestContinueKilledInState(t *testing.T) {
	const state = `{"url":"http://h/","size":10,"modified":"2026-01-01T00:00:00Z"}`
	for _, left := range []map[string]string{
		{"f.part": "0123", "f.part.json.new": state},
		{"f.part": "0123", "f.part.json.new": state[:20], "f.part.json": state},
		{"f.part": "0123456789", "f.part.json.new": "", "f.part.json": state},
		{"f.part.json.new": state},
	} {
		for _, again := range []bool{false, true} {
			root, dir := folder(t)
			fill(t, dir, left)
			s := &store{text: "0123456789", version: access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
			if _, err := Get(t.Context(), s, request("http://h/"), root, "f", Options{Continue: again, Retry: hasty}); err != nil {
				t.Errorf("Get with Continue %v after %q: %v", again, left, err)
			}
			compareTrees(t, contents(t, dir), map[string]string{"f": s.text})
		}
	}
}

// differing counts the bytes in which texts differ.
func differing(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// A part with an invalid or unsuitable state is not resumed.
func TestContinueNonsense(t *testing.T) {
	const good = `{"url":"http://h/","size":10,"modified":"2026-01-01T00:00:00Z"}`
	for _, test := range []struct{ part, state string }{
		{"", good},
		{"0123", ""},
		{"0123", "{"},
		{"0123", `{"url":"http://other/","size":10}`},
		{"0123", `{"url":"http://h/","size":-1}`},
		{"0123", `{"url":"http://h/","size":10,"done":[[5,3]]}`},
		{"0123", `{"url":"http://h/","size":10,"done":[[0,99]]}`},
		{"0123", `{"url":"http://h/","size":10,"done":[[0,8]]}`},
		{"xxxxxxxxxx", `{"url":"http://h/","size":10,"done":[[0,10]]}`},
		{"0123456789", `{"url":"http://h/","size":10,"done":[[0,10]]}`},
		{"0123456789", `{"url":"http://h/","size":10,"etag":"\"0\"","modified":"2025-01-01T00:00:00Z","done":[[0,10]]}`},
		{"01", `{"url":"http://h/","size":10,"done":[[0,10]]}`},
		{"", `{"url":"http://h/","size":0,"done":[[0,0]]}`},
		{"0123", `{"url":"http://h/","size":-1,"done":[]}`},
		{"0123", `{"url":"http://h/","size":10,"done":[]}`},
		{"0123", `{"url":"http://h/","size":9223372036854775807,"done":[[0,9223372036854775807]]}`},
		{"0123", `{"url":"http://h/","size":10,"done":[[0,9223372036854775807]]}`},
		{"0123", `{"url":"http://h/","size":10,"done":[[-1,3]]}`},
		{"0123", strings.Repeat(" ", 2<<20) + good},
		{"0123456789abc", good},
		{"xxxx", good},
		{"0123", good},
		{"0123456789", good},
	} {
		root, dir := folder(t)
		fill(t, dir, map[string]string{"f.part": test.part, "f.part.json": test.state})
		s := &store{text: "0123456789", version: access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
		if _, err := Get(t.Context(), s, request("http://h/"), root, "f", Options{Continue: true, Retry: hasty}); err != nil {
			t.Errorf("%q: %v", test, err)
		}
		compareTrees(t, contents(t, dir), map[string]string{"f": s.text})
	}
}

// A second Get for the same name fails and does not harm the first one.
func TestGetTogether(t *testing.T) {
	for _, scheme := range []string{"continue", "anew"} {
		t.Run(scheme, func(t *testing.T) {
			text := noise(300_000)
			root, dir := folder(t)
			second := &store{text: strings.Repeat("x", 300_000), version: access.Validator{ETag: `"2"`}}
			first := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				r, err := (&store{text: text, version: access.Validator{ETag: `"1"`}}).Do(ctx, req)
				if err == nil {
					r.Body = &between{r.Body, func() {
						result, err := Get(ctx, second, request("http://other/"), root, "f", Options{Continue: scheme == "continue", Retry: hasty})
						if !errors.Is(err, ErrBusy) {
							t.Errorf("the second Get = %+v, %v, want %v", result, err, ErrBusy)
						}
					}}
				}
				return r, err
			})
			if result, err := Get(t.Context(), first, request("http://h/"), root, "f", Options{Retry: hasty}); err != nil {
				t.Errorf("the first Get = %+v, %v", result, err)
			}
			compareTrees(t, contents(t, dir), map[string]string{"f": text})
			if _, err := Get(t.Context(), second, request("http://other/"), root, "f", Options{Retry: hasty}); err != nil {
				t.Errorf("the Get after it: %v", err)
			}
			compareTrees(t, contents(t, dir), map[string]string{"f": second.text})
		})
	}
}

// A between calls do at its end.
type between struct {
	io.ReadCloser
	do func()
}

func (b *between) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.do()
	}
	return n, err
}

// Many Gets of one name at once leave one complete file.
func TestGetMany(t *testing.T) {
	root, dir := folder(t)
	var all sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat(string(rune('a'+i)), 100_000)
		all.Go(func() {
			for range 20 {
				_, err := Get(t.Context(), &store{text: text, version: access.Validator{ETag: text[:1]}}, request("http://h/"), root, "f", Options{Retry: hasty})
				if err != nil && !errors.Is(err, ErrBusy) {
					t.Errorf("Get %d: %v", i, err)
				}
				got, err := root.ReadFile("f")
				if err == nil && (len(got) != 100_000 || strings.Trim(string(got), string(got[:1])) != "") || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("after Get %d, %d bytes are under the name, %v", i, len(got), err)
				}
			}
		})
	}
	all.Wait()
	got := contents(t, dir)
	if len(got) != 1 || len(got["f"]) != 100_000 {
		t.Errorf("left: %d files, %d bytes", len(got), len(got["f"]))
	}
}
