package killtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
)

// The load of TestSlowReaders, and its limits.
const (
	slowReaders = 128
	longFolder  = 10_000 // entries
	maxAfter    = 100    // MB some seconds after the load

	// MB of memory at most, ever. It is usually 120 to 140. On a busy machine the garbage collector falls
	// behind, and it has been 154. Without a limit the readers would take about 300.
	maxPeak = 200

	// A page that must wait for memory is answered within a minute. Other pages take milliseconds,
	// or seconds on a busy machine.
	otherPage = 30 * time.Second
)

// 128 clients request a sorted listing of 10 000 entries, and read a few bytes at a time. Meanwhile
// the program uses less than maxPeak MB of memory and answers other clients. Each client gets its whole
// page, and then the program releases the memory.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	server := longMenu(t)
	pid, at := startServe(t)
	before := memoryOf(t, pid, "VmRSS")
	target := "http://" + at + "/-/list?sort=-name&url=gopher://" + server + "/"
	want := anyTicket(fetchWhole(t, clientFrom(t, 1), target))
	if n := strings.Count(want, `>Entry `); n != 1000 || !strings.Contains(want, "Entry 9999 ") {
		t.Fatalf("the page has %d entries, want 1000: %.300q", n, want)
	}

	var readers sync.WaitGroup
	release := make(chan struct{}) // closed when the readers may read fast
	failed := make(chan error, slowReaders)
	began := make(chan struct{}, slowReaders)
	for i := range slowReaders {
		client := clientFrom(t, 1+i%16)
		readers.Go(func() { failed <- readSlowly(t.Context(), client, target, want, began, release) })
	}
	slow := 0
	for deadline := time.After(10 * time.Second); slow < slowReaders; slow++ {
		select {
		case <-began:
			continue
		case <-deadline:
		}
		break
	}
	during := memoryOf(t, pid, "VmRSS")
	start := time.Now()
	other := clientFrom(t, 99)
	if body := fetchWhole(t, other, "http://"+at+"/-/schemes"); !strings.Contains(body, "gopher") {
		t.Error("another page is not answered")
	}
	if took := time.Since(start); took > otherPage {
		t.Errorf("another page takes %v", took)
	}
	close(release)
	readers.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			t.Error(err)
		}
	}
	peak := memoryOf(t, pid, "VmHWM")
	var after int
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		if after = memoryOf(t, pid, "VmRSS"); after <= maxAfter || time.Now().After(deadline) {
			break
		}
	}
	t.Logf("%d readers had begun at once; memory: %d MB before, %d while they waited, %d at most, %d afterwards", slow, before, during, peak, after)
	if peak > maxPeak {
		t.Errorf("the program took %d MB, want at most %d", peak, maxPeak)
	}
	if after > maxAfter {
		t.Errorf("the program keeps %d MB, want at most %d", after, maxAfter)
	}
}

// longMenu serves a gopher menu with longFolder entries. It returns its address.
func longMenu(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	host, port, _ := net.SplitHostPort(l.Addr().String())
	var menu bytes.Buffer
	for i := range longFolder {
		n := i * 7919 % longFolder // unsorted
		fmt.Fprintf(&menu, "0Entry %04d of a long folder, with a title of some length\t/folder/of/many/files/entry-%04d.txt\t%s\t%s\r\n", n, n, host, port)
	}
	menu.WriteString(".\r\n")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				bufio.NewReader(c).ReadString('\n')
				c.Write(menu.Bytes())
			}()
		}
	}()
	return l.Addr().String()
}

// startServe starts the gateway of the command. It returns the process and the address.
func startServe(t *testing.T) (pid int, at string) {
	t.Helper()
	cmd := process(t.Context(), "serve", "--listen", "127.0.0.1:0", "--no-proxy", "--no-cache", "--log", "off", "--request-timeout", "5m")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Start(t, cmd)
	const ready = "the gateway is at http://"
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), ready); ok {
			go io.Copy(io.Discard, errs)
			return cmd.Process.Pid, strings.TrimSuffix(at, "/")
		}
	}
	t.Fatalf("the gateway did not start: %v", lines.Err())
	return 0, ""
}

// memoryOf returns a value of the status of a process in MB: VmRSS is its current memory, VmHWM the
// maximum so far.
func memoryOf(t *testing.T, pid int, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kb), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n * 1024 / 1_000_000
		}
	}
	t.Fatalf("the process has no %s", name)
	return 0
}

// clientFrom returns a client at its own loopback address. The system buffers little data for it.
func clientFrom(t *testing.T, n int) *http.Client {
	t.Helper()
	dialer := net.Dialer{
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(n))},
		Control: func(_, _ string, c syscall.RawConn) error {
			var failed error
			err := c.Control(func(fd uintptr) {
				failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})
			return errors.Join(err, failed)
		},
	}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// errBusy is the error if the gateway asks the client to come again.
var errBusy = errors.New("the gateway is busy")

// get requests a page as a browser does.
func get(ctx context.Context, client *http.Client, target string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Sec-Fetch-Site", "same-origin") // as after a click on a page about the same server
	if at := r.URL.Query().Get("url"); at != "" {
		r.Header.Set("Referer", "http://"+r.URL.Host+"/"+at)
	}
	resp, err := client.Do(r)
	switch {
	case err != nil:
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		err = errors.Join(errBusy, resp.Body.Close())
	case resp.StatusCode != http.StatusOK:
		err = errors.Join(fmt.Errorf("%s is answered with %s", target, resp.Status), resp.Body.Close())
	}
	return resp, err
}

func fetchWhole(t *testing.T, client *http.Client, target string) string {
	t.Helper()
	resp, err := get(t.Context(), client, target)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// readSlowly reads a page a kilobyte at a time, five a second, until hurry is closed. It requests
// the page again if the gateway is busy. It returns an error if the page is not want.
func readSlowly(ctx context.Context, client *http.Client, target, want string, began chan<- struct{}, hurry <-chan struct{}) error {
	resp, err := get(ctx, client, target)
	for errors.Is(err, errBusy) {
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Second):
		}
		resp, err = get(ctx, client, target)
	}
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	began <- struct{}{}
	rest, piece := &expected{want}, make([]byte, 1<<10)
	for {
		n, err := io.CopyBuffer(rest, io.LimitReader(resp.Body, int64(len(piece))), piece)
		if err != nil {
			return fmt.Errorf("%d bytes before the end: %w", len(rest.text), err)
		}
		if int(n) < len(piece) {
			break
		}
		select {
		case <-hurry:
		case <-time.After(200 * time.Millisecond):
		}
	}
	if rest.text != "" {
		return fmt.Errorf("a slow reader does not get the last %d of %d bytes", len(rest.text), len(want))
	}
	return nil
}

// An expected is the rest of a page that must still be written. The page is compared while it
// arrives, because keeping a page for each reader would take much memory. The ticket of a page is
// different each time: see anyTicket.
type expected struct{ text string }

func (e *expected) Write(p []byte) (int, error) {
	if len(p) > len(e.text) {
		return 0, errors.New("the page is longer than expected")
	}
	for i, c := range p {
		if e.text[i] != c && e.text[i] != anyByte {
			return 0, errors.New("the page is not the expected one")
		}
	}
	e.text = e.text[len(p):]
	return len(p), nil
}

// anyByte matches any byte.
const anyByte = 0

// anyTicket returns a page with anyByte in place of each byte of its ticket.
func anyTicket(page string) string {
	const start = `name="ticket" value="`
	before, rest, ok := strings.Cut(page, start)
	ticket, after, _ := strings.Cut(rest, `"`)
	if !ok {
		return page
	}
	return before + start + strings.Repeat(string(rune(anyByte)), len(ticket)) + `"` + after
}
