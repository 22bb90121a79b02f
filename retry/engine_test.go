package retry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A store is an Engine with one resource. Its connections break as next says.
type store struct {
	text    string
	version access.Validator
	noSize  bool
	whole   bool // it returns the whole resource for every range
	// wholeFirst is whole for the first request only.
	wholeFirst bool

	mu    sync.Mutex
	asked []access.Request
	next  []step // what happens to each request; later requests succeed
}

// A step says what happens to one request.
type step struct {
	err    error         // the error of Do
	cut    int           // if not 0, Read fails after that many bytes
	silent bool          // Read fails only after a minute
	change string        // the new text of the resource
	pause  time.Duration // before each read
}

var (
	errCut    = &access.Error{Op: "read", Err: io.ErrUnexpectedEOF}
	errSilent = &access.Error{Op: "read", Err: engine.Reason("the server sent nothing for 1m0s", access.ErrTemporary, os.ErrDeadlineExceeded)}
)

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
	whole := s.whole || s.wholeFirst && len(s.asked) == 1
	if whole {
		r.Offset = 0
	}
	if s.noSize {
		r.Size = -1
	}
	end := len(s.text)
	if req.Length > 0 && !whole {
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
		if err := Sleep(b.ctx, b.pause); err != nil {
			return 0, err
		}
	}
	if b.cut > 0 {
		if b.n == b.cut && b.silent {
			if err := Sleep(b.ctx, time.Minute); err != nil {
				return 0, err
			}
			return 0, errSilent
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

func TestEngine(t *testing.T) {
	text := noise(20_000)
	v := access.Validator{ModTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	busy := &access.Error{Op: "open", Err: access.ErrTemporary, Reply: &access.Reply{Code: 503}, RetryAfter: time.Hour}
	for _, test := range []struct {
		name    string
		store   *store
		policy  Policy
		fails   error         // nil for none
		took    time.Duration // the shortest time; the longest is twice that plus a second
		offsets []int64       // the offsets of the requests
	}{
		{"all goes well", &store{version: v}, Policy{}, nil, 0, []int64{0}},
		{"it breaks off", &store{version: v, next: []step{{cut: 1000}, {cut: 5000}}}, Policy{}, nil, time.Second, []int64{0, 0, 904}},
		{"it breaks off, with a size alone", &store{next: []step{{cut: 9000}}}, Policy{}, nil, time.Second / 2, []int64{0, 4904}},
		{"without a size, from the start", &store{noSize: true, next: []step{{cut: 9000}, {cut: 15_000}}}, Policy{}, nil, time.Second, []int64{0, 0, 0}},
		{"without a size, changed at the start", &store{noSize: true, next: []step{{cut: 9000}, {change: "x" + text[1:]}}}, Policy{}, access.ErrChanged, time.Second / 2, []int64{0, 0}},
		{"without a size, shorter than before", &store{noSize: true, next: []step{{cut: 9000}, {change: text[:8000]}}}, Policy{}, io.ErrUnexpectedEOF, 5 * time.Second, []int64{0, 0, 0, 0}},
		{"without a size, no progress", &store{noSize: true, next: slices.Repeat([]step{{cut: 9000}}, 9)}, Policy{}, io.ErrUnexpectedEOF, 5 * time.Second, []int64{0, 0, 0, 0}},
		{"the whole alone", &store{version: v, whole: true, next: []step{{cut: 9000}}}, Policy{}, nil, time.Second / 2, []int64{0, 4904}},
		{"it falls silent", &store{version: v, next: []step{{cut: 9000, silent: true}}}, Policy{}, nil, time.Minute, []int64{0, 4904}},
		{"slow, not silent", &store{version: v, next: []step{{pause: 59 * time.Second}}}, Policy{}, nil, 21 * 59 * time.Second, []int64{0}},
		{"the server is busy", &store{version: v, next: []step{{err: busy}}}, Policy{Time: 2 * time.Hour}, nil, time.Hour, []int64{0, 0}},
		{"busy for longer than is usual", &store{version: v, next: []step{{err: busy}}}, Policy{}, access.ErrTemporary, 0, []int64{0}},
		{"it breaks off, and much later again", &store{version: v, next: []step{{cut: 9000, pause: 50 * time.Second}, {cut: 9000, pause: 50 * time.Second}}}, Policy{}, nil, 15 * time.Minute, []int64{0, 4904, 9808}},
		{"busy for too long", &store{version: v, next: []step{{err: busy}}}, Policy{Time: time.Minute}, access.ErrTemporary, 0, []int64{0}},
		{"never", &store{next: slices.Repeat([]step{{err: errCut}}, 9)}, Policy{}, io.ErrUnexpectedEOF, 5 * time.Second, []int64{0, 0, 0, 0}},
		{"no tries", &store{next: []step{{err: errCut}}}, Policy{Retries: -1}, io.ErrUnexpectedEOF, 0, []int64{0}},
		{"not found", &store{next: []step{{err: fs.ErrNotExist}}}, Policy{}, fs.ErrNotExist, 0, []int64{0}},
		{"it has changed", &store{version: v, next: []step{{cut: 9000}, {change: noise(30_000)}}}, Policy{}, access.ErrChanged, time.Second / 2, []int64{0, 4904}},
		{"changed, as can be seen in the bytes alone", &store{next: []step{{cut: 9000}, {change: strings.Repeat("x", 20_000)}}}, Policy{}, access.ErrChanged, time.Second / 2, []int64{0, 4904}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := test.store
				s.text = text
				test.policy.Random = func() float64 { return 0.5 }
				start := time.Now()
				var got []byte
				r, err := Engine{Engine: s, Policy: test.policy}.Do(t.Context(), get("http://h/"))
				if err == nil {
					got, err = io.ReadAll(r.Body)
					r.Body.Close()
				}
				if !errors.Is(err, test.fails) || err == nil && string(got) != text {
					t.Errorf("read %d bytes, %v; want %v", len(got), err, test.fails)
				}
				if took := time.Since(start); took < test.took || took > 2*test.took+time.Second {
					t.Errorf("reading took %v, want %v", took, test.took)
				}
				var offsets []int64
				for _, req := range s.asked {
					offsets = append(offsets, req.Offset)
				}
				if !slices.Equal(offsets, test.offsets) {
					t.Errorf("offsets = %v, want %v", offsets, test.offsets)
				}
			})
		})
	}
}

// If the server asks for a longer pause than the policy allows, there is no retry, and the error shows the pause.
func TestRetryAfterCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			policy Policy
			asked  []time.Duration // the pause that the server asks for at each attempt
			waits  []time.Duration
			want   string
		}{
			{Policy{}, []time.Duration{999_999_999 * time.Second}, nil, "open http://h/: 503 Busy: the server cannot do it now; the server asks for a pause of 277777h46m39s, and 5m0s is left"},
			{Policy{}, []time.Duration{4 * time.Minute, 2 * time.Minute}, []time.Duration{4 * time.Minute}, "open http://h/: 503 Busy: the server cannot do it now; the server asks for a pause of 2m0s, and 1m0s is left (after 2 tries)"},
			{Policy{Time: time.Minute}, []time.Duration{61 * time.Second}, nil, "open http://h/: 503 Busy: the server cannot do it now; the server asks for a pause of 1m1s, and 1m0s is left"},
			{Policy{Time: time.Minute, Retries: 1}, []time.Duration{time.Minute, 0}, []time.Duration{time.Minute}, "open http://h/: 503 Busy: the server cannot do it now (after 2 tries)"},
			{Policy{Retries: -1}, []time.Duration{time.Hour}, nil, "open http://h/: 503 Busy: the server cannot do it now"},
			{Policy{Time: -1}, []time.Duration{time.Hour, 9 * time.Hour, -1}, []time.Duration{time.Hour, 9 * time.Hour}, "no more"},
		} {
			test.policy.Random = func() float64 { return 0 }
			var waits []time.Duration
			tries := 0
			err := test.policy.Do(t.Context(), func(context.Context) error {
				if tries++; tries > len(test.asked) {
					return errors.New("it was tried too often")
				}
				after := test.asked[tries-1]
				if after < 0 {
					return errors.New("no more")
				}
				return &access.Error{
					Op: "open", URL: url.MustParse("http://h/"), Err: access.ErrTemporary,
					Reply: &access.Reply{Code: 503, Text: "Busy"}, RetryAfter: after,
				}
			}, func(_ error, wait time.Duration) { waits = append(waits, wait) })
			if err == nil || err.Error() != test.want || !slices.Equal(waits, test.waits) {
				t.Errorf("%+v.Do = %v after waits of %v, want %s after %v", test.policy, err, waits, test.want, test.waits)
			}
		}
	})
}

// The retries end if the server sends only a few bytes per connection, because that is no progress.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &store{text: noise(20_000), version: access.Validator{ETag: "1"}, next: slices.Repeat([]step{{cut: 30}}, 100)}
		for i := range s.next {
			s.next[i].cut = min(30*(i+1), overlap+30) // the bytes that are read again, and 30 more
		}
		r, err := Engine{Engine: s}.Do(t.Context(), get("http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		if gaveUp, ok := errors.AsType[*GaveUp](err); !ok || gaveUp.Tries != 1+DefaultRetries {
			t.Errorf("Read = %v, want it to give up after %d tries", err, 1+DefaultRetries)
		}
	})
}

// Each 4096 bytes reset the count of failures.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := noise(100_000)
		s := &store{text: text, version: access.Validator{ETag: "1"}, next: slices.Repeat([]step{{cut: 2 * overlap}}, 20)}
		r, err := Engine{Engine: s, Policy: Policy{Retries: 1}}.Do(t.Context(), get("http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != text || len(s.asked) != 21 {
			t.Errorf("read %d bytes, %v, after %d requests, want the whole text after 21", len(got), err, len(s.asked))
		}
	})
}

// A flaky is an Engine that fails a number of times, and then succeeds.
type flaky struct {
	fails int
	asked []access.Request
	with  access.Resource
}

func (f *flaky) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	f.asked = append(f.asked, *req)
	if req.Login != nil {
		if _, err := req.Login(ctx, access.Challenge{}); err != nil {
			return nil, err
		}
	}
	if f.fails > 0 {
		f.fails--
		return nil, access.ErrTemporary
	}
	r := f.with
	r.URL, r.Body = req.URL, io.NopCloser(strings.NewReader(""))
	return &r, nil
}

// A request that changes something is executed once, and so are the answers of a form.
func TestOps(t *testing.T) {
	for _, op := range access.Ops() {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{fails: 2}
			_, err := Engine{Engine: f}.Do(t.Context(), get("http://h/").WithOp(op))
			want := 3
			if op.Changes() {
				want = 1
			}
			if len(f.asked) != want || (err != nil) != op.Changes() || f.asked[0].Op != op {
				t.Errorf("%v: %d requests, %v, want %d", op, len(f.asked), err, want)
			}
		})
	}
	f := &flaky{fails: 2}
	req := get("http://h/")
	req.Answers = []access.Answer{}
	if _, err := (Engine{Engine: f}).Do(t.Context(), req); err == nil || len(f.asked) != 1 {
		t.Errorf("a form: %d requests, %v, want 1", len(f.asked), err)
	}
}

// An Engine without an inner Engine refuses every request.
func TestNilEngine(t *testing.T) {
	if _, err := (Engine{}).Do(t.Context(), get("http://h/")); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Do = %v, want %v", err, access.ErrNoScheme)
	}
}

type noEntries struct{}

func (noEntries) Next() (access.Entry, error) { return access.Entry{}, io.EOF }

// Opening a listing is retried.
func TestListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{fails: 1, with: access.Resource{List: noEntries{}}}
		r, err := Engine{Engine: f}.Do(t.Context(), get("ftp://h/"))
		if err != nil || r.List == nil || len(f.asked) != 2 {
			t.Fatalf("Do = %+v, %v, after %d requests, want a listing after 2", r, err, len(f.asked))
		}
		if _, err := r.List.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("Next = %v, want io.EOF", err)
		}
		if err := r.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The user is not asked twice for a password.
func TestLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{fails: 3}
		req := get("ftp://h/")
		asked := 0
		req.Login = func(context.Context, access.Challenge) (access.Credentials, error) {
			asked++
			return access.Credentials{}, nil
		}
		r, err := Engine{Engine: f}.Do(t.Context(), req)
		if err != nil || asked != 1 || len(f.asked) != 4 {
			t.Errorf("Do = %v: asked %d times in %d requests, want once in 4", err, asked, len(f.asked))
		}
		r.Body.Close()
	})
}

// A refused connection is retried only if the server has sent bytes before.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		s := &store{text: noise(20_000), version: access.Validator{ETag: "1"}, next: []step{{cut: 9000}, {err: refused}}}
		r, err := Engine{Engine: s}.Do(t.Context(), get("http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, r.Body); n != 20_000 || err != nil {
			t.Errorf("read %d bytes, %v, want 20000 bytes", n, err)
		}
		r.Body.Close()
		s.next = []step{{err: refused}}
		if _, err := (Engine{Engine: s}).Do(t.Context(), get("http://h/")); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("Do = %v, want %v", err, syscall.ECONNREFUSED)
		}
	})
}

// Close ends a Read that waits for the server or for a retry. A second Close returns nil.
func TestClose(t *testing.T) {
	for _, test := range []struct {
		name string
		step step
	}{
		{"for the server", step{pause: time.Hour}},
		{"to try again", step{cut: 9000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &store{text: noise(20_000), version: access.Validator{ETag: "1"}, next: []step{test.step}}
				var waits []time.Duration
				e := Engine{Engine: s, Policy: Policy{Wait: time.Hour, Time: -1}, Notify: func(_ url.URL, _ error, wait time.Duration) { waits = append(waits, wait) }}
				r, err := e.Do(t.Context(), get("http://h/"))
				if err != nil {
					t.Fatal(err)
				}
				var all sync.WaitGroup
				all.Go(func() {
					if _, err := io.Copy(io.Discard, r.Body); err == nil {
						t.Error("Copy = nil error, want an error after Close")
					}
				})
				synctest.Wait()
				start := time.Now()
				for range 2 {
					if err := r.Body.Close(); err != nil {
						t.Error(err)
					}
				}
				all.Wait()
				if took := time.Since(start); took > 0 || len(waits) > 1 {
					t.Errorf("Read ended after %v with waits of %v, want it to end at once", took, waits)
				}
			})
		})
	}
}

func get(text string) *access.Request { return &access.Request{URL: url.MustParse(text)} }

// noise returns n bytes without short repetitions.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
	}
	return string(b)
}
