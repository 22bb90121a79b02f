package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-h/templ"
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
				var budget memoryBudget
				if test.isFull {
					fill(t, &budget)
				}
				recorder := httptest.NewRecorder()
				client := &slowClient{ResponseWriter: recorder, perKiB: test.perKiB}
				r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
				x := &output{w: client, r: r, client: "c", budget: &budget, idle: 30 * time.Second}
				start := time.Now()
				x.write(http.StatusOK, templ.Raw(strings.Repeat("x", test.size)))
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
func fill(t *testing.T, b *memoryBudget) (release func()) {
	t.Helper()
	shares := []*share{{budget: b, client: "a"}, {budget: b, client: "b"}, {budget: b, client: "d"}}
	if !shares[0].tryReserve(maxClientMemory+uncountedMemory) || !shares[1].tryReserve(maxMemory-maxClientMemory+uncountedMemory) {
		t.Fatal("there is less memory than promised")
	}
	if err := shares[2].reserve(t.Context(), uncountedMemory+1); err != nil { // the share that may take more than there is
		t.Fatal(err)
	}
	return func() {
		for _, s := range shares {
			s.release()
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
			var budget memoryBudget
			release := fill(t, &budget)
			if test.frees {
				time.AfterFunc(time.Second, release)
			}
			w := httptest.NewRecorder()
			x := &output{w: w, r: httptest.NewRequest(http.MethodGet, "/", http.NoBody), client: "c", budget: &budget, idle: time.Minute}
			x.write(http.StatusOK, templ.Raw(strings.Repeat("x", size)))
			x.releaseMemory()
			if got := w.Body.Len(); w.Code != test.status || got < test.least || got > test.most || test.frees && budget.total() != 0 {
				t.Errorf("memory becomes free: %v: the page is %d with %d bytes and leaves %d bytes taken, want %d", test.frees, w.Code, got, budget.total(), test.status)
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
