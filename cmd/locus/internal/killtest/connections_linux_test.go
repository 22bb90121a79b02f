package killtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// openConnections counts the connections of clients to each host.
type openConnections struct {
	mu     sync.Mutex
	open   map[string]map[net.Conn]bool // by host; the server may not have noticed that a client has closed one
	most   map[string]int               // the largest number at the beginning of a request
	count  int                          // of requests
	middle chan struct{}                // closed at the request middleCount
}

const middleCount = 300

// note records the state of a connection at a host.
func (o *openConnections) note(host string, c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch state {
	case http.StateNew:
		if o.open[host] == nil {
			o.open[host] = make(map[net.Conn]bool)
		}
		o.open[host][c] = true
	case http.StateActive:
		n := len(o.open[host])
		if n > perHost {
			n = established(c.LocalAddr().(*net.TCPAddr))
		}
		o.most[host] = max(o.most[host], n)
		if o.count++; o.count == middleCount {
			close(o.middle)
		}
	case http.StateClosed, http.StateHijacked:
		delete(o.open[host], c)
	}
}

// established returns the number of connections at an address of a server that neither side has closed.
func established(at *net.TCPAddr) (n int) {
	const isEstablished = "01" // see proc_net_tcp(5); addresses are numbers in the byte order of the machine
	text, _ := os.ReadFile("/proc/net/tcp")
	local := fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(at.IP.To4()), at.Port)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[1] == local && fields[3] == isEstablished {
			n++
		}
	}
	return n
}

// Shards move to workers that join a run. The workers that had them close their connections first, so that --per-host
// bounds the connections that a host has open, those without a request included.
func TestOpenConnections(t *testing.T) {
	t.Parallel()
	server := peers.NATS(t).Addr // on Linux, where a host has many loopback addresses
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	const hosts, pages, workers = 16, 80, 4
	o := &openConnections{open: make(map[string]map[net.Conn]bool), most: make(map[string]int), middle: make(chan struct{})}
	var list strings.Builder
	for i := range hosts {
		host := fmt.Sprintf("127.0.0.%d", 2+i)
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) }))
		_ = s.Listener.Close() // of httptest, which is replaced
		s.Listener, s.Config.ConnState = l, func(c net.Conn, state http.ConnState) { o.note(host, c, state) }
		s.Start()
		t.Cleanup(s.Close)
		for n := range pages {
			fmt.Fprintf(&list, "http://%s/%d\n", l.Addr(), n)
		}
	}
	name := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	joined := make(chan []*exec.Cmd, 1)
	go func() {
		select {
		case <-o.middle:
		case <-ctx.Done():
		}
		var all []*exec.Cmd
		for range workers - 1 {
			w := process(ctx, "check", "--join", "--nats", server)
			clitest.Start(t, w)
			all = append(all, w)
		}
		joined <- all
	}()
	out, err := process(ctx, "check", "--per-host", fmt.Sprint(perHost), "--lease", "10s", "--nats", server, name).CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d links: %[1]d good", hosts*pages)) {
		t.Errorf("check: %v\n%.2000s", err, out)
	}
	for _, w := range <-joined {
		if err := w.Wait(); err != nil {
			t.Errorf("a worker ended with %v", err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	t.Logf("the hosts had at most %v connections open", o.most)
	for host, most := range o.most {
		if most > perHost {
			t.Errorf("%s had %d connections open, want at most %d", host, most, perHost)
		}
	}
}
