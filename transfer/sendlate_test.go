package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// When a copy has ended because its context is done, it does not read its file any more, and sends
// no event.
func TestNothingAfterSend(t *testing.T) {
	broken := make(chan struct{})
	breakOff := sync.OnceFunc(func() { close(broken) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				breakOff()
			}
		case "MKCOL":
			w.WriteHeader(http.StatusCreated)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer s.Close()
	var d net.Dialer
	to := &locus.Client{Retries: -1, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
	}}
	defer to.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	from := &lateFile{blocks: func() {
		cancel()
		select {
		case <-broken: // the client has left its request
		case <-time.After(time.Minute):
			t.Error("the upload does not break off within a minute")
		}
	}}
	var isOver atomic.Bool
	opts := SendOptions{TreeOptions: TreeOptions{Retry: never, Event: func(Event) {
		if isOver.Load() {
			t.Error("an event follows the end")
		}
	}}}
	report, err := Send(ctx, Endpoint{Engine: from, URL: url.MustParse("nfs://h/src/")}, Endpoint{Engine: to, URL: url.MustParse("http://example.com/t/")}, opts)
	isOver.Store(true)
	if err == nil && report.Failed == 0 {
		t.Errorf("Send = %+v, want that it failed", report)
	}
	if from.reads.Load() < 4 || from.isRead.Load() || from.wasClosed.Load() {
		t.Errorf("the file was read %d times, want 4; it is read after the end (%v), or was closed while it was read (%v)", from.reads.Load(), from.isRead.Load(), from.wasClosed.Load())
	}
}

// A folder of the source that is gone when it is listed again is a failure: the files that were
// sent into its copy were not checked.
func TestSourceGoneAtReview(t *testing.T) {
	sourceRoot, source := folder(t)
	targetRoot, target := folder(t)
	for _, name := range []string{filepath.Join(source, "sub", "a"), filepath.Join(target, "sub", "extra")} {
		if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("a"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	from := Endpoint{Engine: &goneLater{Engine: &locus.Client{Retries: -1, Root: sourceRoot}}, URL: url.MustParse("file:///")}
	to := Endpoint{Engine: &locus.Client{Retries: -1, Root: targetRoot}, URL: url.MustParse("file:///")}
	report, err := Send(t.Context(), from, to, SendOptions{TreeOptions: TreeOptions{Retry: never, Delete: true, Event: func(Event) {}}})
	if _, gone := os.Stat(filepath.Join(target, "sub", "extra")); err == nil && report.Failed == 0 || gone != nil {
		t.Errorf("Send = %+v, want that it failed; %v", report, gone)
	}
}

// goneLater has a folder "sub" only until it was listed.
type goneLater struct {
	access.Engine
	listed bool
}

func (g *goneLater) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if strings.HasSuffix(req.URL.Path(), "/sub/") {
		if g.listed {
			return nil, engine.Fail("open", req.URL, fs.ErrNotExist)
		}
		g.listed = true
	}
	return g.Engine.Do(ctx, req)
}

// A lateFile is the engine of a folder with one file. Its fourth Read returns when blocks returns.
type lateFile struct {
	blocks    func() // called by the fourth Read
	reads     atomic.Int64
	isRead    atomic.Bool
	wasClosed atomic.Bool // during a Read
	isListed  bool
}

const lateSize = 4 << 20

func (f *lateFile) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.List || req.URL.Path() == "/src/" {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Kind: access.Directory}, Body: access.NoBody, List: f}, nil
	}
	return &access.Resource{Entry: f.entry(), Body: f}, nil
}

func (f *lateFile) entry() access.Entry {
	return access.Entry{URL: url.MustParse("nfs://h/src/a"), Title: "a", Kind: access.Object, Size: lateSize, ModTime: time.Unix(1e9, 0)}
}

func (f *lateFile) Next() (access.Entry, error) {
	if f.isListed {
		return access.Entry{}, io.EOF
	}
	f.isListed = true
	return f.entry(), nil
}

func (f *lateFile) Read(p []byte) (int, error) {
	f.isRead.Store(true)
	defer f.isRead.Store(false)
	if f.reads.Add(1) == 4 {
		f.blocks()
	}
	return min(len(p), 1000), nil
}

func (f *lateFile) Close() error {
	if f.isRead.Load() {
		f.wasClosed.Store(true)
	}
	return nil
}
