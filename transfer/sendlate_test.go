package transfer

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// When a copy has ended because its context is done, it does not read its file any more, and sends
// no event.
func TestNothingAfterSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &locus.Client{Retries: -1, Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go takePuts(server)
			return client, nil
		}}
		defer to.CloseIdleConnections()
		ctx, cancel := context.WithCancel(t.Context())
		from := &lateFile{blocks: cancel}
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
		if from.reads < 4 || from.isRead.Load() || from.wasClosed.Load() {
			t.Errorf("the file was read %d times, is read after the end (%v), or was closed while it was read (%v)", from.reads, from.isRead.Load(), from.wasClosed.Load())
		}
	})
}

// takePuts serves a connection. It accepts the body of each PUT, and answers other requests with 404.
func takePuts(conn net.Conn) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		status := "404 Not Found"
		if r.Method == http.MethodPut {
			status = "200 OK"
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if _, err := io.WriteString(conn, "HTTP/1.1 "+status+"\r\nContent-Length: 0\r\n\r\n"); err != nil {
			return
		}
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

// A lateFile is the engine of a folder with one file. Its fourth Read returns a little after the
// context is done.
type lateFile struct {
	blocks    func() // called by the fourth Read
	reads     int
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
	if f.reads++; f.reads == 4 {
		f.blocks()
		time.Sleep(time.Second) // whatever does not wait for the end of Read has ended
	}
	return min(len(p), 1000), nil
}

func (f *lateFile) Close() error {
	if f.isRead.Load() {
		f.wasClosed.Store(true)
	}
	return nil
}
