package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/memory"
)

// A slowClient is a ResponseWriter whose client needs a time to read each KiB. A Write fails at its deadline.
type slowClient struct {
	http.ResponseWriter // a recorder
	perKiB              time.Duration
	deadline            time.Time
	isUnbounded         bool // a Write had no deadline
}

var errUnbounded = errors.New("the write has no deadline")

func (c *slowClient) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *slowClient) Write(p []byte) (int, error) {
	if c.deadline.IsZero() {
		c.isUnbounded = true
		return 0, errUnbounded
	}
	takes := c.perKiB * time.Duration(len(p)) / 1024
	if left := time.Until(c.deadline); takes > left {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(takes)
	return c.ResponseWriter.Write(p)
}

// Every page that a client does not read is aborted after ClientIdle, even if the memory is taken. A client that reads
// slowly gets the whole page.
func TestAttackUnreadPages(t *testing.T) {
	// attack: A client sends a request and reads nothing
	const never = 24 * time.Hour
	for _, test := range []struct {
		size   int
		isFull bool // other clients have taken the memory
		perKiB time.Duration
		most   time.Duration // how long the page takes
		isRead bool
	}{
		{100, false, never, 30 * time.Second, false},
		{100, true, never, 30 * time.Second, false},
		{50 << 10, false, never, 30 * time.Second, false},
		{50 << 10, true, never, 30 * time.Second, false},
		{500 << 10, true, never, maxMemoryWait + 30*time.Second, false},
		{100, true, time.Second, time.Second, true},
		{50 << 10, true, time.Second, time.Minute, true}, // without the memory for a compressor
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				budget := newBudget()
				if test.isFull {
					fill(t, budget)
				}
				recorder := httptest.NewRecorder()
				client := &slowClient{ResponseWriter: recorder, perKiB: test.perKiB}
				r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
				x := &reply{ResponseWriter: client, r: request{r, "c"}, budget: budget, idle: 30 * time.Second}
				start := time.Now()
				x.page(http.StatusOK, templ.Raw(strings.Repeat("x", test.size)))
				x.releaseMemory()
				if took := time.Since(start); client.isUnbounded || took > test.most {
					t.Errorf("%+v: it is written without a deadline: %v, and takes %v", test, client.isUnbounded, took)
				}
				if got := recorder.Body.Len(); test.isRead && got != test.size || !test.isRead && got > 0 {
					t.Errorf("%+v: the client gets %d bytes", test, got)
				}
			})
		})
	}
}

// fill takes all memory of a budget for other clients.
func fill(t *testing.T, b *memory.Budget) (release func()) {
	t.Helper()
	shares := []*memory.Share{b.Share("a"), b.Share("b"), b.Share("d")}
	if !shares[0].TryReserve(maxClientMemory+memory.Uncounted) || !shares[1].TryReserve(maxMemory-maxClientMemory+memory.Uncounted) {
		t.Fatal("there is less memory than promised")
	}
	if err := shares[2].Reserve(t.Context(), memory.Uncounted+1); err != nil { // the share that may take more than there is
		t.Fatal(err)
	}
	return func() {
		for _, s := range shares {
			s.Release()
		}
	}
}

// A large page waits for memory as a listing does. If there is none, the client gets 503.
func TestAttackLargePages(t *testing.T) {
	// attack: Many clients ask for large pages, and read nothing | pages of more than 64 KiB wait for memory, or get 503
	const size = 500 << 10
	for _, test := range []struct {
		frees  bool // memory becomes free while the page waits
		status int
		least  int
		most   int
	}{
		{true, http.StatusOK, size, size},
		{false, http.StatusServiceUnavailable, 1, 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			budget := newBudget()
			release := fill(t, budget)
			if test.frees {
				time.AfterFunc(time.Second, release)
			}
			w := httptest.NewRecorder()
			x := &reply{ResponseWriter: w, r: request{httptest.NewRequest(http.MethodGet, "/", http.NoBody), "c"}, budget: budget, idle: time.Minute}
			x.page(http.StatusOK, templ.Raw(strings.Repeat("x", size)))
			x.releaseMemory()
			if got := w.Body.Len(); w.Code != test.status || got < test.least || got > test.most || test.frees && budget.Used() != 0 {
				t.Errorf("memory becomes free: %v: the page is %d with %d bytes and leaves %d bytes taken, want %d", test.frees, w.Code, got, budget.Used(), test.status)
			}
		})
	}
}

// A formServer asks a question, and answers every form with a text.
type formServer struct{}

func (formServer) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: access.NoBody}
	if req.Op == access.Ask {
		r.Questions = &access.Questions{Items: []access.Question{{Kind: access.AskLine}}}
	}
	return r, nil
}

// A long form waits for the memory of forms. If there is none, the client gets 503. A form gives its memory back, and a
// short form needs none.
func TestAttackManyForms(t *testing.T) {
	// attack: Many long forms are sent to a server that does not answer | forms have a memory of their own; without
	// memory they get 503
	const fields, files = "application/x-www-form-urlencoded", "multipart/form-data; boundary=B"
	for _, test := range []struct {
		mediaType, before, after string
		size                     int
		isFull                   bool
		status                   int
	}{
		{fields, "q0=", "", 500 << 10, true, http.StatusServiceUnavailable},
		{files, "--B\r\nContent-Disposition: form-data; name=q0\r\n\r\n", "\r\n--B--\r\n", 9 << 20, true, http.StatusServiceUnavailable},
		{fields, "q0=", "", 500 << 10, false, http.StatusOK},
		{files, "--B\r\nContent-Disposition: form-data; name=q0\r\n\r\n", "\r\n--B--\r\n", 9 << 20, false, http.StatusOK},
		{fields, "q0=", "", 10 << 10, true, http.StatusOK},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := &Gateway{Engine: formServer{}}
			send := func(size int) int {
				r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(test.before+strings.Repeat("x", size)+test.after))
				r.Host, r.RequestURI = "localhost", "/gopher://h/0ask"
				r.Header.Set("Content-Type", test.mediaType)
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				return w.Code
			}
			if status := send(1); status != http.StatusOK { // it makes the budget
				t.Fatalf("%s: a short form is %d", test.mediaType, status)
			}
			if test.isFull {
				defer fill(t, g.formMemory)()
			}
			before := g.formMemory.Used()
			if status := send(test.size); status != test.status || g.formMemory.Used() != before {
				t.Errorf("%s of %d bytes, the memory is taken: %v: the status is %d, want %d; it leaves %d bytes taken, want %d",
					test.mediaType, test.size, test.isFull, status, test.status, g.formMemory.Used(), before)
			}
		})
	}
}

// A file of the gateway that a client does not read is aborted after ClientIdle.
func TestAttackUnreadAssets(t *testing.T) {
	// attack: A client sends a request and reads nothing
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		synctest.Test(t, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			client := &slowClient{ResponseWriter: recorder, perKiB: 24 * time.Hour}
			r := httptest.NewRequest(method, "/-/style.css", http.NoBody)
			r.Host, r.RequestURI = "localhost", "/-/style.css"
			start := time.Now()
			(&Gateway{ClientIdle: 30 * time.Second}).ServeHTTP(client, r)
			if took := time.Since(start); client.isUnbounded || took > 30*time.Second || recorder.Code != http.StatusOK {
				t.Errorf("%s: it is %d, written without a deadline: %v, and takes %v", method, recorder.Code, client.isUnbounded, took)
			}
		})
	}
}

// Every response has a deadline when the handler returns, because net/http sends the bytes that it has buffered only
// then. Otherwise a client that reads nothing would keep its connection forever.
func TestAttackUnreadShortResponses(t *testing.T) {
	// attack: A client sends a request and reads nothing
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := struct {
			io.Reader
			io.Closer
		}{strings.NewReader("text"), io.NopCloser(nil)}
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "application/pdf", Size: 4}, Body: body}, nil
	})
	web := roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("text")), Request: r}, nil
	})
	assets := httptest.NewRecorder()
	(&Gateway{}).ServeHTTP(assets, requestOf(http.MethodGet, "/-/style.css"))
	for _, test := range []struct {
		method, target string
		field, value   string
		status         int
	}{
		{http.MethodGet, "/-/open?url=ftp://h/", "", "", http.StatusSeeOther},
		{http.MethodGet, "/-/search?url=gopher://h/7/s&words=x", "", "", http.StatusSeeOther},
		{http.MethodGet, "/-/style.css", "If-None-Match", assets.Header().Get("Etag"), http.StatusNotModified},
		{http.MethodPost, "/-/ticket?url=ftp://h/", "", "", http.StatusOK},
		{http.MethodOptions, "/-/dav/ftp://h/", "", "", http.StatusOK},
		{http.MethodHead, "/ftp://h/x.pdf", "", "", http.StatusOK},
		{http.MethodGet, "/ftp://h/x.pdf", "", "", http.StatusOK},
		{http.MethodHead, "/", "", "", http.StatusOK},
		{http.MethodGet, "http://h/", "", "", http.StatusOK},
		{http.MethodOptions, "http://h/", "Max-Forwards", "0", http.StatusNoContent},
	} {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := httptest.NewRecorder()
				client := &slowClient{ResponseWriter: recorder}
				r := requestOf(test.method, test.target)
				if test.field != "" {
					r.Header.Set(test.field, test.value)
				}
				(&Gateway{Engine: engine, Web: web, ClientIdle: 30 * time.Second}).ServeHTTP(client, r)
				if left := time.Until(client.deadline); client.isUnbounded || left <= 0 || left > 30*time.Second || recorder.Code != test.status {
					t.Errorf("%s %s is %d, want %d. It is written without a deadline: %v, and has %v left at its end", test.method, test.target, recorder.Code, test.status, client.isUnbounded, left)
				}
			})
		})
	}
}

func requestOf(method, target string) *http.Request {
	r := httptest.NewRequest(method, target, http.NoBody)
	r.Host, r.RequestURI = "localhost", target
	return r
}

type roundTripper func(r *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A slowForm is a formServer that does not answer before it is released. It counts the requests for its question.
type slowForm struct {
	asked    atomic.Int32
	released chan struct{}
}

func (s *slowForm) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	s.asked.Add(1)
	<-s.released
	return formServer{}.Do(ctx, req)
}

// The files in the forms of one client wait for space.
func TestAttackManyFormFiles(t *testing.T) {
	// attack: Many forms with large files are sent to a server that does not answer | the forms of one client have
	// 64 MiB of temporary files, and all forms 512 MiB; others wait, or get 503
	const size, fit = 20 << 20, 3
	synctest.Test(t, func(t *testing.T) {
		server := &slowForm{released: make(chan struct{})}
		g := &Gateway{Engine: server}
		statuses := make(chan int, fit+1)
		for range fit + 1 {
			go func() {
				body := io.MultiReader(strings.NewReader("--B\r\nContent-Disposition: form-data; name=q0; filename=f\r\n\r\n"),
					io.LimitReader(zeros{}, size), strings.NewReader("\r\n--B--\r\n"))
				r := httptest.NewRequest(http.MethodPost, "/", body)
				r.Host, r.RequestURI = "localhost", "/gopher://h/0ask"
				r.Header.Set("Content-Type", "multipart/form-data; boundary=B")
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				statuses <- w.Code
			}()
		}
		time.Sleep(maxMemoryWait / 2)
		if n := server.asked.Load(); n != fit {
			t.Errorf("%d of %d forms with files of %d bytes are read, want %d", n, fit+1, size, fit)
		}
		close(server.released)
		for range fit + 1 {
			if status := <-statuses; status != http.StatusOK {
				t.Errorf("the status of a form is %d, want 200", status)
			}
		}
	})
}

// The forms that one client sends slowly leave the memory of pages to other clients.
func TestAttackSlowForms(t *testing.T) {
	// attack: A client sends long forms, and stops before their ends | the pages of other clients do not wait
	const size, page = 12 << 20, 500 << 10
	synctest.Test(t, func(t *testing.T) {
		g := &Gateway{Engine: formServer{}}
		var all sync.WaitGroup
		ends := make(chan struct{})
		for range 3 {
			all.Go(func() {
				body := io.MultiReader(strings.NewReader("--B\r\nContent-Disposition: form-data; name=q0; filename=f\r\n\r\n"),
					io.LimitReader(zeros{}, size), waiting{ends}, strings.NewReader("\r\n--B--\r\n"))
				r := httptest.NewRequest(http.MethodPost, "/", body)
				r.Host, r.RequestURI = "localhost", "/gopher://h/0ask"
				r.Header.Set("Content-Type", "multipart/form-data; boundary=B")
				g.ServeHTTP(httptest.NewRecorder(), r)
			})
		}
		synctest.Wait()
		start := time.Now()
		w := httptest.NewRecorder()
		x := &reply{ResponseWriter: w, r: request{httptest.NewRequest(http.MethodGet, "/", http.NoBody), "c"}, budget: g.memory, idle: time.Minute}
		x.page(http.StatusOK, templ.Raw(strings.Repeat("x", page)))
		x.releaseMemory()
		if took := time.Since(start); w.Code != http.StatusOK || took > 0 {
			t.Errorf("while a client sends long forms, a page of another client is %d after %v, want 200 at once", w.Code, took)
		}
		close(ends)
		all.Wait()
	})
}

// waiting is an empty Reader that waits for a channel before its end.
type waiting struct{ until chan struct{} }

func (w waiting) Read([]byte) (int, error) {
	<-w.until
	return 0, io.EOF
}

// zeros is an endless Reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
