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
	"locus/url"
)

// A store is an Opener of one resource, which breaks off as it is told.
type store struct {
	text    string
	version access.Validator
	noSize  bool
	whole   bool // it gives the whole, whatever is asked for

	mu    sync.Mutex
	asked []access.Request
	next  []step // what happens to each access; then all goes well
}

// A step is what happens to one access.
type step struct {
	err    error         // of Open
	cut    int           // Read fails after so many octets, if it is not 0
	silent bool          // Read says nothing any more after cut
	change string        // the resource is this from now on
	pause  time.Duration // before each read
}

var errCut = &access.Error{Op: "read", Err: io.ErrUnexpectedEOF}

func (s *store) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
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
	r.Body = &stored{step: now, ctx: ctx, r: strings.NewReader(s.text[r.Offset:end])}
	return r, nil
}

type stored struct {
	step
	ctx context.Context
	r   *strings.Reader
	n   int
}

func (b *stored) Read(p []byte) (int, error) {
	if b.pause > 0 {
		if err := sleep(b.ctx, b.pause); err != nil {
			return 0, err
		}
	}
	if b.cut > 0 {
		if b.n == b.cut && b.silent {
			<-b.ctx.Done()
			return 0, b.ctx.Err()
		}
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

func TestResuming(t *testing.T) {
	text := noise(20_000)
	v := access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	busy := &access.Error{Op: "open", Err: access.ErrTemporary, Reply: &access.Reply{Code: 503}, RetryAfter: time.Hour}
	for _, tt := range []struct {
		name    string
		store   *store
		retry   Retry
		fails   error         // nil for none
		took    time.Duration // at least, and less than twice that and a second
		offsets []int64       // asked for
	}{
		{"all goes well", &store{version: v}, Retry{}, nil, 0, []int64{0}},
		{"it breaks off", &store{version: v, next: []step{{cut: 1000}, {cut: 5000}}}, Retry{}, nil, time.Second, []int64{0, 0, 904}},
		{"it breaks off, with a size alone", &store{next: []step{{cut: 9000}}}, Retry{}, nil, time.Second / 2, []int64{0, 4904}},
		{"nothing to prove with", &store{noSize: true, next: []step{{cut: 9000}}}, Retry{}, io.ErrUnexpectedEOF, 0, []int64{0}},
		{"the whole alone", &store{version: v, whole: true, next: []step{{cut: 9000}}}, Retry{}, nil, time.Second / 2, []int64{0, 4904}},
		{"it falls silent", &store{version: v, next: []step{{cut: 9000, silent: true}}}, Retry{}, nil, time.Minute, []int64{0, 4904}},
		{"slow, not silent", &store{version: v, next: []step{{pause: 59 * time.Second}}}, Retry{}, nil, 21 * 59 * time.Second, []int64{0}},
		{"the server is busy", &store{version: v, next: []step{{err: busy}}}, Retry{Time: 2 * time.Hour}, nil, time.Hour, []int64{0, 0}},
		{"busy for longer than is usual", &store{version: v, next: []step{{err: busy}}}, Retry{}, access.ErrTemporary, 0, []int64{0}},
		{"it breaks off, and much later again", &store{version: v, next: []step{{cut: 9000, pause: 50 * time.Second}, {cut: 9000, pause: 50 * time.Second}}}, Retry{}, nil, 15 * time.Minute, []int64{0, 4904, 9808}},
		{"busy for too long", &store{version: v, next: []step{{err: busy}}}, Retry{Time: time.Minute}, access.ErrTemporary, 0, []int64{0}},
		{"never", &store{next: slices.Repeat([]step{{err: errCut}}, 9)}, Retry{}, io.ErrUnexpectedEOF, 15 * time.Second, []int64{0, 0, 0, 0, 0, 0}},
		{"no tries", &store{next: []step{{err: errCut}}}, Retry{Tries: -1}, io.ErrUnexpectedEOF, 0, []int64{0}},
		{"not found", &store{next: []step{{err: fs.ErrNotExist}}}, Retry{}, fs.ErrNotExist, 0, []int64{0}},
		{"it has changed", &store{version: v, next: []step{{cut: 9000}, {change: noise(30_000)}}}, Retry{}, access.ErrChanged, time.Second / 2, []int64{0, 4904}},
		{"changed, as can be seen in the octets alone", &store{next: []step{{cut: 9000}, {change: strings.Repeat("x", 20_000)}}}, Retry{}, access.ErrChanged, time.Second / 2, []int64{0, 4904}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := tt.store
				s.text = text
				tt.retry.Random = func() float64 { return 0.5 }
				start := time.Now()
				var got []byte
				r, err := Resuming{Engine: s, Retry: tt.retry}.Do(t.Context(), request("http://h/"))
				if err == nil {
					got, err = io.ReadAll(r.Body)
					r.Body.Close()
				}
				if !errors.Is(err, tt.fails) || err == nil && string(got) != text {
					t.Errorf("%d octets, %v; want %v", len(got), err, tt.fails)
				}
				if took := time.Since(start); took < tt.took || took > 2*tt.took+time.Second {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				var offsets []int64
				for _, req := range s.asked {
					offsets = append(offsets, req.Offset)
				}
				if !slices.Equal(offsets, tt.offsets) {
					t.Errorf("offsets %v, want %v", offsets, tt.offsets)
				}
			})
		})
	}
}

// A server that asks for a longer pause than is left is not waited for, and the
// error says how long it asked for.
func TestRetryAfterCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			retry Retry
			asked []time.Duration // one each time
			waits []time.Duration
			want  string
		}{
			{Retry{}, []time.Duration{999_999_999 * time.Second}, nil, "open http://h/: 503 Busy: the server cannot do it now; it asks for a pause of 277777h46m39s, and 5m0s is left"},
			{Retry{}, []time.Duration{4 * time.Minute, 2 * time.Minute}, []time.Duration{4 * time.Minute}, "open http://h/: 503 Busy: the server cannot do it now; it asks for a pause of 2m0s, and 1m0s is left (after 2 tries)"},
			{Retry{Time: time.Minute}, []time.Duration{61 * time.Second}, nil, "open http://h/: 503 Busy: the server cannot do it now; it asks for a pause of 1m1s, and 1m0s is left"},
			{Retry{Time: time.Minute, Tries: 1}, []time.Duration{time.Minute, 0}, []time.Duration{time.Minute}, "open http://h/: 503 Busy: the server cannot do it now (after 2 tries)"},
			{Retry{Tries: -1}, []time.Duration{time.Hour}, nil, "open http://h/: 503 Busy: the server cannot do it now"},
			{Retry{Time: -1}, []time.Duration{time.Hour, 9 * time.Hour, -1}, []time.Duration{time.Hour, 9 * time.Hour}, "no more"},
		} {
			tt.retry.Random = func() float64 { return 0 }
			var waits []time.Duration
			tries := 0
			err := tt.retry.Do(t.Context(), func(context.Context) error {
				if tries++; tries > len(tt.asked) {
					return errors.New("it was tried too often")
				}
				after := tt.asked[tries-1]
				if after < 0 {
					return errors.New("no more")
				}
				return &access.Error{
					Op: "open", URL: url.MustParse("http://h/"), Err: access.ErrTemporary,
					Reply: &access.Reply{Code: 503, Text: "Busy"}, RetryAfter: after,
				}
			}, func(_ error, wait time.Duration) { waits = append(waits, wait) })
			if err == nil || err.Error() != tt.want || !slices.Equal(waits, tt.waits) {
				t.Errorf("%+v: error %v after waits of %v, want %s after %v", tt.retry, err, waits, tt.want, tt.waits)
			}
		}
	})
}

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{text: noise(100_000)}
		l := &Limiter{Engine: s, PerHost: 2, Rate: 50_000}
		start := time.Now()
		var mu sync.Mutex
		open, most := map[string]int{}, 0
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				host := fmt.Sprintf("h%d", i%2)
				r, err := l.Do(t.Context(), &access.Request{URL: url.MustParse("http://" + host + "/")})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				open[host]++
				most = max(most, open[host])
				mu.Unlock()
				if n, err := io.Copy(io.Discard, r.Body); n != 100_000 || err != nil {
					t.Errorf("%d octets, %v", n, err)
				}
				mu.Lock()
				open[host]--
				mu.Unlock()
				r.Body.Close()
			})
		}
		all.Wait()
		if took := time.Since(start); took < 11*time.Second || took > 13*time.Second {
			t.Errorf("600 000 octets at 50 000 a second took %v", took)
		}
		if most != 2 || len(l.hosts) != 0 {
			t.Errorf("at most %d at once, %d hosts left; want 2, 0", most, len(l.hosts))
		}
	})
}

// A part is gone on with if it is of the same resource, and not otherwise.
func TestContinue(t *testing.T) {
	text := noise(2_000_000)
	v := access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), ETag: `"1"`}
	for _, split := range []int{1, 3} {
		for _, tt := range []struct {
			name    string
			between func(*store)
			resumed bool
		}{
			{"the same", func(*store) {}, true},
			{"another tag", func(s *store) { s.version.ETag, s.text = `"2"`, noise(1_999_999) }, false},
			{"another size", func(s *store) { s.version, s.text = access.Validator{}, noise(2_100_000) }, false},
			{"other octets", func(s *store) { s.version, s.text = access.Validator{}, strings.Repeat("x", 2_000_000) }, false},
			{"shorter than what is here", func(s *store) { s.version, s.text = access.Validator{}, "short" }, false},
			{"the whole alone", func(s *store) { s.whole = true }, false},
		} {
			t.Run(fmt.Sprint(tt.name, " split ", split), func(t *testing.T) {
				root, dir := folder(t)
				s := &store{text: text, version: v, next: slices.Repeat([]step{{cut: 500_000}}, split)}
				opts := Options{Continue: true, Split: split, SplitSize: 1000, Retry: Retry{Tries: -1}}
				if _, err := Get(t.Context(), s, request("http://u:secret@h/"), root, "f", opts); err == nil {
					t.Fatal("it did not break off")
				}
				left := contents(t, dir)
				if _, ok := left["f"]; ok || left["f.part"] == "" || strings.Contains(left["f.part.json"], "secret") {
					t.Fatalf("left: %q", left["f.part.json"])
				}
				tt.between(s)
				s.next = nil
				result, err := Get(t.Context(), s, request("http://u:secret@h/"), root, "f", opts)
				if err != nil || (result.Resumed > 0) != tt.resumed {
					t.Errorf("Get = %+v, %v; want resumed %v", result, err, tt.resumed)
				}
				compareTrees(t, contents(t, dir), map[string]string{"f": s.text})
			})
		}
	}
}

// What was received before the disk was full, so that no state could be written
// any more, is gone on with all the same.
func TestContinueFull(t *testing.T) {
	text := noise(2_000_000)
	for _, split := range []int{1, 3} {
		root, dir := folder(t)
		s := &store{text: text, version: access.Validator{ETag: `"1"`}, next: slices.Repeat([]step{{cut: 500_000}}, split)}
		opts := Options{Continue: true, Split: split, SplitSize: 1000, Retry: Retry{Tries: -1}}
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
			t.Fatal("it did not break off")
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

// Whatever is on the disk when the process is killed can be gone on with, and
// gives the file: in ranges the part has holes.
func TestContinueKilled(t *testing.T) {
	text := noise(500_000)
	for _, tt := range []struct {
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
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{text: text, version: access.Validator{ETag: `"1"`}}
				root, dir := folder(t)
				later, laterDir := folder(t)
				if tt.first != "" {
					fill(t, dir, map[string]string{"f.part": tt.first, "f.part.json": `{"url":"http://h/","size":500000,"etag":"\"1\""` + tt.done + `}`})
				}
				killed := 0
				opts := Options{Continue: true, Split: tt.split, SplitSize: 1000, Retry: Retry{Tries: -1}}
				gone := opts
				gone.Event = func(e Event) {
					if e.Kind != Progress {
						return
					}
					killed++
					fill(t, laterDir, contents(t, dir))
					if _, err := Get(t.Context(), s, request("http://h/"), later, "f", opts); err != nil {
						t.Errorf("after %d octets: %v", e.Done, err)
					}
					if got := contents(t, laterDir); got["f"] != text {
						t.Fatalf("after %d octets the file has %d others", e.Done, differing(got["f"], text))
					}
				}
				s.next = slices.Repeat([]step{{pause: time.Millisecond}}, tt.split)
				if _, err := Get(t.Context(), s, request("http://h/"), root, "f", gone); err != nil || killed == 0 {
					t.Errorf("Get = %v, killed %d times", err, killed)
				}
			})
		})
	}
}

// differing counts the octets in which texts differ.
func differing(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// What is left is gone on with only as far as it makes sense.
func TestContinueNonsense(t *testing.T) {
	const good = `{"url":"http://h/","size":10,"modified":"2026-01-01T00:00:00Z"}`
	for _, tt := range []struct{ part, state string }{
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
		fill(t, dir, map[string]string{"f.part": tt.part, "f.part.json": tt.state})
		s := &store{text: "0123456789", version: access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
		if _, err := Get(t.Context(), s, request("http://h/"), root, "f", Options{Continue: true, Retry: hasty}); err != nil {
			t.Errorf("%q: %v", tt, err)
		}
		compareTrees(t, contents(t, dir), map[string]string{"f": s.text})
	}
}

// Who comes second to a name, while another fetches into it, has an error, and
// does the other no harm.
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

// A between does something at its end.
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

// Many at once into one name leave a whole file, of one of them.
func TestGetMany(t *testing.T) {
	root, dir := folder(t)
	var all sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat(string(rune('a'+i)), 100_000)
		all.Go(func() {
			for range 20 {
				_, err := Get(t.Context(), &store{text: text, version: access.Validator{ETag: text[:1]}}, request("http://h/"), root, "f", Options{Retry: hasty})
				if err != nil && !errors.Is(err, ErrBusy) {
					t.Error(err)
				}
				got, err := root.ReadFile("f")
				if err == nil && (len(got) != 100_000 || strings.Trim(string(got), string(got[:1])) != "") || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%d octets under the name, %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
	got := contents(t, dir)
	if len(got) != 1 || len(got["f"]) != 100_000 {
		t.Errorf("left: %d files, %d octets", len(got), len(got["f"]))
	}
}
